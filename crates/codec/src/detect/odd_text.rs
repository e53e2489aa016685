//! Tests cheaply whether text looks odd under its label. Nearly all labels are right, so most texts need no further test.
//!
//! # Limits
//! Selects only text that needs a full comparison. A few right labels are selected, and some wrong labels of the same script are not.

use super::cost::NAT;
use super::detection_page::DetectionPage;
use super::language::{self, Candidate, CandidateFloor};
use super::models::{Characters, HAS_MODELS, Model, Models};
use crate::charset::{Charset, Kind};
use crate::detect::script_group::ScriptGroup;
use crate::generated::languages::LANGUAGES;
use crate::loss::LossLog;
use mailglot_kernel::ascii;

/// Number of bytes that checks of a label examine, from the first byte above 7F on.
// For the charset choice of mailglot-mime, too.
#[doc(hidden)]
pub const WINDOW: usize = 4096;
/// Maximum number of bytes above 7F among them.
// For the charset choice of mailglot-mime, too.
#[doc(hidden)]
pub const MAX_HIGH_BYTES: usize = 64;
/// Bytes above 7F after which a text that is far from odd is accepted.
const FIRST: usize = 12;
/// How much likelier (natural logarithm) such bytes must be under a label to speak for it clearly.
const CLEAR: f32 = -8.0;
/// Number of bytes of double-byte text that are read: at first, and if those are nearly odd.
const DECODED: [usize; 2] = [32, 192];

/// Returns the maximum mean cost of a letter by its neighbors, in sixteenths of a nat. Few of a hundred texts in a language of their charset
/// cost more. Few of a hundred texts under a label of another script cost less.
fn max_letter_cost(script: ScriptGroup) -> u32 {
    match script {
        ScriptGroup::Cyrillic | ScriptGroup::Arabic => 54,
        ScriptGroup::Greek | ScriptGroup::Hebrew => 60,
        // Latin letters occur beside those of other languages more often.
        ScriptGroup::Latin => 62,
        ScriptGroup::Thai => 68,
        // A character of Chinese, Japanese or Korean.
        ScriptGroup::Han => 144,
    }
}

/// Returns true if text under a label looks odd: its letters are not neighbors in any language of the charset.
///
/// Returns false if no language is known for the charset, and for ASCII.
// For the charset choice of mailglot-mime only.
#[doc(hidden)]
pub fn is_odd(bytes: &[u8], label: Charset) -> bool {
    costs_more(bytes, label, |most| most)
}

/// Like [`is_odd`], with a lower limit, which one of a hundred texts under a right label exceeds.
// For the charset choice of mailglot-mime only.
#[doc(hidden)]
pub fn is_rather_odd(bytes: &[u8], label: Charset) -> bool {
    costs_more(bytes, label, |most| most * 3 / 4)
}

/// Returns how much likelier (natural logarithm) the letters above 7F are beside their neighbors in the best of `others` than in `label`. All
/// are single-byte charsets. Returns `None` for ASCII, and if no language of `label` or of `others` is known. Few letters suffice if they clearly
/// speak for the label.
// For the charset choice of mailglot-mime only.
#[doc(hidden)]
pub fn letters_lead(bytes: &[u8], label: Charset, others: &[Charset]) -> Option<f32> {
    if !HAS_MODELS {
        return None;
    }
    let start = high_bytes(bytes).next()?;
    let lead = |enough: usize| {
        let cost = |charset: Charset| {
            let candidate = language::for_label(charset).filter(|found| found.is_single_byte)?;
            pairs(candidate, bytes, start, 0, enough).map(|(cost, _)| cost)
        };
        let (own, least) = (cost(label)?, others.iter().copied().filter_map(cost).min()?);
        Some((own as f32 - least as f32) / NAT as f32)
    };
    // Most text is clearly in the charset of its label.
    let first = lead(FIRST)?;
    if first <= CLEAR || high_bytes(bytes).nth(FIRST).is_none() {
        return Some(first);
    }
    lead(MAX_HIGH_BYTES)
}

/// Returns true if the letters cost more than the limit that is made of the usual one.
fn costs_more(bytes: &[u8], label: Charset, limit: impl Fn(u32) -> u32) -> bool {
    if !HAS_MODELS {
        return false;
    }
    let Some(start) = high_bytes(bytes).next() else {
        return false;
    };
    let Some(candidate) = language::for_label(label) else {
        return false;
    };
    let most = limit(max_letter_cost(candidate.script));
    let found = if candidate.is_single_byte {
        pairs(candidate, bytes, start, most, MAX_HIGH_BYTES)
    } else {
        let read = |length| characters(candidate, &bytes[start..bytes.len().min(start + length)]);
        read(DECODED[0])
            .filter(|found| !is_far_below(*found, most))
            .and_then(|_| read(DECODED[1]))
    };
    found.is_some_and(|(cost, count)| cost > most * count)
}

/// Returns true if the cost is so far below the limit that more text would hardly reach it.
fn is_far_below((cost, count): (u32, u32), most: u32) -> bool {
    cost * 6 <= most * count * 5
}

/// Returns true if most bytes above 7F are letters in a single-byte charset; true for other charsets.
// For the charset choice of mailglot-mime only.
#[doc(hidden)]
pub fn has_letters(bytes: &[u8], charset: Charset) -> bool {
    if !HAS_MODELS {
        return true;
    }
    let Some(candidate) = language::for_label(charset).filter(|candidate| candidate.is_single_byte)
    else {
        return true;
    };
    let (mut all, mut letters) = (0, 0);
    // HTML may begin with a long table.
    let first = high_bytes(bytes).next().unwrap_or_default();
    let window = &bytes[first..bytes.len().min(first + WINDOW)];
    for at in high_bytes(window) {
        all += 1;
        letters += usize::from(candidate.page().is_letter(window[at]));
    }
    letters * 2 > all
}

/// Number of different bytes above 7F that are letters beside other letters.
pub(super) fn letters_within_words(bytes: &[u8], charset: Charset) -> usize {
    letters(bytes, charset, |_| true)
}

/// Counts the letters above 7F that are other characters in windows-1252.
pub(super) fn differing_letters(bytes: &[u8], charset: Charset) -> usize {
    let page = |charset| {
        language::for_label(charset)
            .filter(|candidate| candidate.is_single_byte)
            .map(Candidate::page)
    };
    let (page, usual) = (page(charset), page(Charset::WINDOWS_1252));
    letters(bytes, charset, |byte| {
        page.map(|page| page.character(byte)) != usual.map(|page| page.character(byte))
    })
}

/// Number of different bytes above 7F that are letters beside other letters, and that `counts`.
fn letters(bytes: &[u8], charset: Charset, counts: impl Fn(u8) -> bool) -> usize {
    let Some(candidate) = language::for_label(charset).filter(|candidate| candidate.is_single_byte)
    else {
        return 0;
    };
    let page = candidate.page();
    let is_letter = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(|byte| page.is_letter(*byte))
    };
    let mut seen = [false; 256];
    for at in high_bytes(bytes) {
        let is_within = is_letter(at.checked_sub(1)) || is_letter(at.checked_add(1));
        seen[usize::from(bytes[at])] |= is_within && is_letter(Some(at));
    }
    (0..=u8::MAX)
        .filter(|byte| seen[usize::from(*byte)] && counts(*byte))
        .count()
}

/// Returns true if any byte above 7F is a letter in a single-byte charset; true for other charsets.
pub(super) fn has_any_letter(bytes: &[u8], charset: Charset) -> bool {
    let candidate = language::for_label(charset).filter(|candidate| candidate.is_single_byte);
    candidate
        .is_none_or(|candidate| high_bytes(bytes).any(|at| candidate.page().is_letter(bytes[at])))
}

/// Returns the minimum cost of the first `enough` letters above 7F, and the number of pairs. Fewer count if they cost far less than `most`.
fn pairs(
    candidate: &Candidate,
    bytes: &[u8],
    start: usize,
    most: u32,
    enough: usize,
) -> Option<(u32, u32)> {
    let page = candidate.page();
    Some(match candidate.floor()? {
        CandidateFloor::Own(floor) => {
            pairs_by(page, |a, b| floor.cost(a, b), bytes, start, (most, enough))
        }
        CandidateFloor::Script(floor) => {
            pairs_by(page, |a, b| floor.cost(a, b), bytes, start, (most, enough))
        }
    })
}

/// Like [`pairs`], with the cost of a class behind another.
fn pairs_by(
    page: &DetectionPage,
    floor: impl Fn(u8, u8) -> u32,
    bytes: &[u8],
    start: usize,
    (most, enough): (u32, usize),
) -> (u32, u32) {
    let window = &bytes[start..bytes.len().min(start + WINDOW)];
    let before = start.checked_sub(1).map_or(b' ', |at| bytes[at]);
    let case = Models::get().case;
    let (mut cost, mut count) = (0, 0);
    for (seen, at) in high_bytes(window).take(enough).enumerate() {
        if seen == FIRST && is_far_below((cost, count), most) {
            break;
        }
        let last = at.checked_sub(1).map_or(before, |at| window[at]);
        let next = window.get(at + 1).copied().unwrap_or(b' ');
        let (more, pairs) = page.pairs(&floor, case, [last, window[at], next]);
        cost += more;
        count += pairs;
    }
    (cost, count)
}

/// Returns the minimum cost of the non-ASCII characters in a language of the charset, and their number.
fn characters(candidate: &Candidate, bytes: &[u8]) -> Option<(u32, u32)> {
    let empty = HanCosts::new(candidate);
    // A charset of two bytes needs no decoder if its table has all characters.
    if let Kind::DoubleByte(family, _) = candidate.charset.superset().kind() {
        let mut costs = empty;
        if family.each_wide(bytes, |c| costs.add(c)).is_some() {
            return costs.least();
        }
    }
    let mut costs = empty;
    let mut log = LossLog::with_limit(0);
    let text = candidate.charset.decode(bytes, &mut log);
    text.chars()
        .filter(|c| !c.is_ascii())
        .for_each(|c| costs.add(c));
    costs.least()
}

/// The costs of characters in the languages of a charset that are written in Han script.
#[derive(Clone, Copy)]
struct HanCosts {
    models: [Option<&'static Characters>; Self::MOST],
    costs: [u32; Self::MOST],
    /// Number of characters.
    count: u32,
}

impl HanCosts {
    /// Number of languages in Han script.
    const MOST: usize = {
        let (mut count, mut index) = (0, 0);
        while index < LANGUAGES.len() {
            count += matches!(LANGUAGES[index].script, ScriptGroup::Han) as usize;
            index += 1;
        }
        count
    };

    fn new(candidate: &Candidate) -> Self {
        let mut models = [None; Self::MOST];
        let of_han = candidate.languages.iter().filter_map(|(language, _)| {
            match Models::get().language(*language) {
                Model::Han(characters) => Some(characters),
                Model::Letters(_) => None,
            }
        });
        for (place, model) in models.iter_mut().zip(of_han) {
            *place = Some(model);
        }
        Self {
            models,
            costs: [0; Self::MOST],
            count: 0,
        }
    }

    #[inline]
    fn add(&mut self, c: char) {
        self.count += 1;
        let models = self.models.iter().map_while(|model| *model);
        for (cost, model) in self.costs.iter_mut().zip(models) {
            *cost += model.cost(c);
        }
    }

    /// Returns the least cost, and the number of characters. `None` without such a language.
    fn least(&self) -> Option<(u32, u32)> {
        let languages = self.models.iter().flatten().count();
        Some((*self.costs[..languages].iter().min()?, self.count))
    }
}

/// Returns the offsets of the bytes above 7F, in order. Tests 64 bytes at a time.
// For the charset choice of mailglot-mime only.
#[doc(hidden)]
#[inline]
pub fn high_bytes(bytes: &[u8]) -> impl Iterator<Item = usize> {
    HighByteOffsets {
        rest: bytes,
        block: 0,
        next: 0,
        mask: 0,
    }
}

/// An iterator over the offsets of the bytes above 7F.
struct HighByteOffsets<'b> {
    /// Bytes that are not tested yet.
    rest: &'b [u8],
    /// Offset of the block that was tested last, and of the first byte behind it.
    block: usize,
    next: usize,
    /// The bytes above 7F of this block that are still to come. Bit 0 stands for its first byte.
    mask: u64,
}

impl HighByteOffsets<'_> {
    /// Tests the next block.
    fn test_block(&mut self) {
        let (block, rest) = self.rest.split_at(self.rest.len().min(64));
        self.rest = rest;
        self.block = self.next;
        self.next += block.len();
        self.mask = if let Some(block) = block.as_array() {
            ascii::high_mask(block)
        } else {
            let mut padded = [0; 64];
            padded[..block.len()].copy_from_slice(block);
            ascii::high_mask(&padded)
        };
    }
}

impl Iterator for HighByteOffsets<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.mask == 0 {
            if self.rest.is_empty() {
                return None;
            }
            self.test_block();
        }
        let at = self.block + self.mask.trailing_zeros() as usize;
        self.mask &= self.mask - 1;
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_above_7f_is_found() {
        for length in 0..200 {
            for step in 1..12 {
                let high = |at: usize| at % step == length % step || at + 1 == length;
                let text: Vec<u8> = (0..length)
                    .map(|at| if high(at) { 0x80 | at as u8 } else { 0x7F })
                    .collect();
                let found: Vec<usize> = high_bytes(&text).collect();
                let expected: Vec<usize> = (0..length).filter(|at| high(*at)).collect();
                assert_eq!(found, expected, "{length} {step}");
            }
            assert_eq!(high_bytes(&vec![b'a'; length]).next(), None);
            let all: Vec<usize> = (0..length).collect();
            assert_eq!(high_bytes(&vec![0xFF; length]).collect::<Vec<_>>(), all);
        }
    }

    fn bytes(text: &str, charset: &str) -> Vec<u8> {
        let charset = Charset::for_name(charset).unwrap_or_else(|| panic!("{charset}"));
        charset
            .encode_exact(text)
            .expect("the charset has every character")
            .into_owned()
    }

    #[test]
    fn text_is_odd_under_other_labels_only() {
        for (text, own, others) in [
            (
                "Завтра утром",
                "KOI8-R",
                "windows-1251 ISO-8859-5 windows-1253 windows-1255 windows-1250 GBK Big5",
            ),
            (
                "Завтра утром",
                "windows-1251",
                "KOI8-R ISO-8859-5 IBM866 windows-1253 windows-1256 windows-1252",
            ),
            (
                "Καλημέρα σας",
                "windows-1253",
                "windows-1251 KOI8-R windows-1255 windows-1250",
            ),
            (
                "בוקר טוב לכם",
                "windows-1255",
                "KOI8-R windows-1256 windows-1252",
            ),
            (
                "ข้อความนี้",
                "windows-874",
                "windows-1251 windows-1253 windows-1252",
            ),
            ("明天见面吧", "GBK", "Big5 EUC-KR windows-1251 KOI8-R"),
            ("안녕하세요", "windows-949", "GBK Big5 windows-1251"),
            (
                "że będę później",
                "ISO-8859-2",
                "windows-1252 ISO-8859-9 KOI8-R",
            ),
            ("jeśli źle", "ISO-8859-2", "windows-1250"),
        ] {
            let bytes = bytes(text, own);
            for label in others.split(' ').filter_map(Charset::for_name) {
                assert!(is_odd(&bytes, label), "{text} in {own} as {label}");
            }
            assert!(
                Charset::for_name(own).is_some_and(|own| !is_odd(&bytes, own)),
                "{text} in {own}"
            );
        }
        assert!(!is_odd(b"plain", Charset::KOI8_R) && !is_odd(b"", Charset::GBK));
    }

    /// Every pair of bytes, alone and between characters.
    #[test]
    fn wide_characters_are_those_of_the_decoder() {
        let labels = "Shift_JIS EUC-JP CP51932 GB18030 GBK GB2312 Big5 EUC-KR windows-949";
        let mut compared = 0;
        for charset in labels.split(' ').filter_map(Charset::for_name) {
            for pair in 0x8000..=0xFFFF_u16 {
                let [lead, trail] = pair.to_be_bytes();
                for bytes in [
                    &[lead][..],
                    &[lead, trail],
                    &[0xB0, 0xA1, lead, trail, b'a', 0xB0, 0xA1],
                ] {
                    let text = charset.decode(bytes, &mut LossLog::with_limit(0));
                    let decoded: Vec<char> = text.chars().filter(|c| !c.is_ascii()).collect();
                    let mut wide = Vec::new();
                    let Kind::DoubleByte(family, _) = charset.superset().kind() else {
                        unreachable!()
                    };
                    if family.each_wide(bytes, |c| wide.push(c)).is_some() {
                        assert_eq!(wide, decoded, "{bytes:x?}");
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared > 200_000, "{compared}");
    }

    #[test]
    fn letters_lead_to_the_charset_of_their_language() {
        let others = [Charset::ISO_8859_2, Charset::WINDOWS_1250];
        let lead = |text: &str, own: &str| {
            let bytes = bytes(text, own);
            letters_lead(&bytes, Charset::WINDOWS_1252, &others).expect("letters of a language")
        };
        for times in [1, 20] {
            let czech = lead(&"večer řekl, kdy přijel. ".repeat(times), "ISO-8859-2");
            let french = lead(&"après le goûter, la mère. ".repeat(times), "windows-1252");
            assert!(czech > 0.5 && french < 0.5, "{times} {czech} {french}");
            assert!(times == 1 || french <= CLEAR, "{french}");
        }
    }

    #[test]
    fn lines_are_not_odd() {
        for line in ["────────", "══ ══", "─ ─ ─ ─"] {
            assert!(!is_odd(&bytes(line, "KOI8-R"), Charset::KOI8_R), "{line}");
        }
        for text in ["20 °C ± 3", "© 2004 «x»", "l’été", "3ª §§ 4–5"] {
            assert!(
                !is_odd(&bytes(text, "windows-1252"), Charset::WINDOWS_1252),
                "{text}"
            );
        }
    }

    #[test]
    fn pages_without_a_language_are_looked_at_too() {
        let page = Charset::for_name("ISO-8859-10").unwrap_or(Charset::UTF_8);
        assert!(is_odd(&bytes("Завтра утром", "KOI8-R"), page));
        assert!(!is_odd(&bytes("Grüße aus Köln", "windows-1252"), page));
    }

    #[test]
    fn letters_are_told_from_signs() {
        let text = bytes("Завтра утром", "windows-1251");
        assert!(has_letters(&text, Charset::WINDOWS_1251) && has_letters(&text, Charset::KOI8_R));
        assert!(!has_letters(&bytes("────", "KOI8-R"), Charset::KOI8_R));
        assert!(has_letters(&text, Charset::GBK));
    }
}
