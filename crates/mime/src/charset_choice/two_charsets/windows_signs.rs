//! Decodes text of ISO 8859 with signs of a Windows code page in bytes 80-9F.
//!
//! ```text
//! label iso-8859-15   "\x93\xBDuvre\x94, 50 \xA4"      “œuvre”, 50 €    93 and 94 are windows-1252
//! label iso-8859-2    "\x84\xA9koda\x93, t\xFDm\x9A"   stays windows-1250: 9A is a letter there
//! ```
//!
//! Programs for Unix write the charset of their locale, and paste or quote text of Windows. Both charsets have all characters in places
//! of their own, except few bytes from A0 on. Their neighbors show which charset they are in.
//!
//! Of 29,847 short texts of Windows pages under these labels (names and sentences of `tests/data/faker.tsv.zst` with quotes and signs), none is
//! read otherwise. Texts with signs glued to words may be (`a»»`). Of 5,596 such texts in ISO-8859-2 that have letters with other bytes, 4,002 are found.
//!
//! # Limits
//! Knows ISO-8859-2, ISO-8859-7, ISO-8859-13 and ISO-8859-15. ISO-8859-1 and ISO-8859-9 have no byte from A0 on that differs. All lines have one
//! charset, or all quoted lines have one and all others the other one.

use super::mixed_text::{MixedText, RestCharset, decode_into, join};
use crate::charset_choice::labels::superset::has_c1;
use crate::charset_choice::text_tests::line_kinds::{is_quoted, lines};
use crate::unlogged::decode_unlogged;
use mailglot_codec::detect::{self, high_bytes};
use mailglot_codec::{Charset, LossLog, is_alphabetic};
use std::ops::Range;

/// Number of bytes for ISO 8859 that outweigh one byte for the Windows page.
const OUTWEIGHS_ONE: usize = 8;
/// Number of small letters behind a letter that shows that it begins a word.
const LETTERS_OF_WORD: usize = 3;
/// Number of weak signs, of two kinds at least, that are as good as one strong sign.
const MIN_WEAK: usize = 3;

/// Decodes text of the label with signs of its Windows page. Returns `None` unless the text shows the letters of the label.
pub(crate) fn with_windows_signs(bytes: &[u8], label: Charset) -> Option<MixedText> {
    let page = label.windows_page().filter(|_| has_c1(bytes))?;
    let charsets = LabelAndPage::new(label, page)?;
    let is_unreadable = |b: u8| {
        let c = charsets.of_page[usize::from(b)];
        is_c1(b) && (c.is_control() || c == char::REPLACEMENT_CHARACTER)
    };
    if high_bytes(bytes).any(|at| is_unreadable(bytes[at])) {
        return None;
    }
    if charsets.votes(bytes).are_for_label() {
        return Some(charsets.decode(bytes, |_| false));
    }
    let is_quotation = |line: &Range<usize>| is_quoted(&bytes[line.clone()]);
    let (quoted, own): (Vec<_>, Vec<_>) = lines(bytes).partition(is_quotation);
    if quoted.is_empty() || own.is_empty() {
        return None;
    }
    let kinds = [quoted, own].map(|lines| charsets.votes(&join(bytes, &lines)));
    let are_for_page = |votes: &Votes| votes.against > votes.strong;
    match kinds {
        [quoted, own] if quoted.are_for_label() && are_for_page(&own) => {
            Some(charsets.decode(bytes, |line| !is_quotation(line)))
        }
        [quoted, own] if own.are_for_label() && are_for_page(&quoted) => {
            Some(charsets.decode(bytes, is_quotation))
        }
        _ => None,
    }
}

fn is_c1(byte: u8) -> bool {
    matches!(byte, 0x80..=0x9F)
}

/// What the bytes say that differ between the label and its Windows page.
#[derive(Clone, Copy, Default)]
pub(super) struct Votes {
    /// Bytes that are text under the label only.
    pub(super) strong: usize,
    /// Bytes that are more likely text under the label.
    weak: usize,
    /// The kinds of the weak ones: one bit for each byte A0-DF.
    weak_kinds: u64,
    /// Bytes that are text under the page only.
    pub(super) against: usize,
}

impl Votes {
    pub(super) fn are_for_label(&self) -> bool {
        let has_weak = self.weak >= MIN_WEAK && self.weak_kinds.count_ones() > 1;
        let votes = self.strong + usize::from(has_weak);
        votes > 0 && votes >= self.against * OUTWEIGHS_ONE
    }
}

/// What one byte says.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Vote {
    Strong,
    Weak,
    Neutral,
    Against,
}

/// The label, its page, and their characters.
pub(super) struct LabelAndPage {
    label: Charset,
    page: Charset,
    of_label: [char; 256],
    pub(super) of_page: [char; 256],
}

/// A byte with the characters beside it.
struct ByteWithNeighbors<'b> {
    bytes: &'b [u8],
    at: usize,
    before: char,
    after: char,
}

impl LabelAndPage {
    pub(super) fn new(label: Charset, page: Charset) -> Option<Self> {
        let is_known = [
            Charset::ISO_8859_2,
            Charset::ISO_8859_7,
            Charset::ISO_8859_13,
            Charset::ISO_8859_15,
        ]
        .contains(&label);
        is_known.then(|| Self {
            label,
            page,
            of_label: characters(label),
            of_page: characters(page),
        })
    }

    /// Returns the character of a byte: under the page if it is 80-9F.
    pub(super) fn character(&self, byte: Option<&u8>) -> char {
        match byte {
            None => ' ',
            Some(byte) if is_c1(*byte) => self.of_page[usize::from(*byte)],
            Some(byte) => self.of_label[usize::from(*byte)],
        }
    }

    pub(super) fn votes(&self, bytes: &[u8]) -> Votes {
        self.votes_within(bytes, &LettersOfText::new(self.label, bytes))
    }

    /// Returns the votes of a passage of a text with these letters.
    pub(super) fn votes_within(&self, bytes: &[u8], context: &LettersOfText) -> Votes {
        let mut votes = Votes::default();
        for at in high_bytes(bytes) {
            let byte = bytes[at];
            let index = usize::from(byte);
            if !is_c1(byte) && self.of_label[index] == self.of_page[index] {
                continue;
            }
            let place = ByteWithNeighbors {
                bytes,
                at,
                before: self.character(at.checked_sub(1).and_then(|at| bytes.get(at))),
                after: self.character(bytes.get(at + 1)),
            };
            match self.vote(byte, &place, context) {
                Vote::Strong => votes.strong += 1,
                Vote::Weak => {
                    votes.weak += 1;
                    votes.weak_kinds |= 1 << (byte & 0x3F);
                }
                Vote::Against => votes.against += 1,
                Vote::Neutral => {}
            }
        }
        votes
    }

    fn vote(&self, byte: u8, place: &ByteWithNeighbors<'_>, context: &LettersOfText) -> Vote {
        let (own, other) = (
            self.of_label[usize::from(byte)],
            self.of_page[usize::from(byte)],
        );
        if is_c1(byte) {
            // The letters of the page, and its euro under a label that has one.
            let has_euro = self.label == Charset::ISO_8859_15 && byte == 0x80;
            return if is_letter(other) || has_euro {
                Vote::Against
            } else {
                Vote::Neutral
            };
        }
        let by_label = match self.label {
            Charset::ISO_8859_15 => self.vote_of_15(byte, place),
            Charset::ISO_8859_13 => Some(vote_of_quotation_marks(byte, place)),
            Charset::ISO_8859_7 => Some(vote_of_greek(byte, place)),
            _ => self.vote_of_2(byte, place, context),
        };
        by_label.unwrap_or_else(|| match (is_letter(own), is_letter(other)) {
            (true, false) => self.place_of(own, place),
            (true, true) => match (self.place_of(own, place), self.place_of(other, place)) {
                (Vote::Strong, Vote::Against) => Vote::Strong,
                (Vote::Against, Vote::Strong) => Vote::Against,
                _ => Vote::Neutral,
            },
            _ => Vote::Neutral,
        })
    }

    /// Says whether a letter stands within a word, in the right case.
    fn place_of(&self, letter: char, place: &ByteWithNeighbors<'_>) -> Vote {
        let ByteWithNeighbors { before, after, .. } = *place;
        if before.is_ascii_digit() || after.is_ascii_digit() {
            return Vote::Against;
        }
        if letter.is_lowercase() {
            return match (is_letter(before), is_letter(after)) {
                (true, true) if after.is_lowercase() => Vote::Strong,
                (true, false) if place.letters_before(self) > 1 => Vote::Strong,
                (true, false) => Vote::Neutral,
                (false, true) if self.begins_word(place) => Vote::Strong,
                _ => Vote::Against,
            };
        }
        match (is_letter(before), is_letter(after)) {
            (true, true) if before.is_uppercase() && after.is_uppercase() => Vote::Strong,
            (false, true) if self.begins_word(place) => Vote::Strong,
            (false, true) => Vote::Neutral,
            _ => Vote::Against,
        }
    }

    /// Returns true if several small letters follow.
    fn begins_word(&self, place: &ByteWithNeighbors<'_>) -> bool {
        let rest = &place.bytes[place.at + 1..];
        let word = rest.iter().take(LETTERS_OF_WORD);
        word.filter(|b| self.character(Some(b)).is_lowercase())
            .count()
            == LETTERS_OF_WORD
    }

    /// The rules of ISO-8859-15. A diaeresis or cedilla of windows-1252 stands beside its letter in text from PDF files, and people write its
    /// acute accent as an apostrophe: `fu¨r`, `c¸a`, `it´s`.
    fn vote_of_15(&self, byte: u8, place: &ByteWithNeighbors<'_>) -> Option<Vote> {
        let ByteWithNeighbors { before, after, .. } = *place;
        let is_beside = |letters: &[u8]| {
            [before, after]
                .iter()
                .any(|c| letters.iter().any(|letter| char::from(*letter) == *c))
        };
        let limit = |vote: Vote, most: Vote| match vote {
            Vote::Strong => most,
            vote => vote,
        };
        let letter = self.of_label[usize::from(byte)];
        let as_letter = || self.place_of(letter, place);
        Some(match byte {
            0xA4 if detect::is_beside_number(place.bytes, place.at) => Vote::Strong,
            0xA4 if place.stands_between_words() => Vote::Strong,
            0xA4 => Vote::Against,
            0xA8 if is_beside(b"aouAOU") => limit(as_letter(), Vote::Neutral),
            0xA8 if is_beside(b"eiyEIY") => limit(as_letter(), Vote::Weak),
            0xB8 if is_beside(b"cCsStT") => limit(as_letter(), Vote::Neutral),
            0xA6 | 0xB4 => limit(as_letter(), Vote::Weak),
            // Fractions stand before units: `½inch`.
            0xBC | 0xBD if !is_alphabetic(before) && !before.is_ascii_digit() => {
                if place.begins_word_with_oe() {
                    Vote::Strong
                } else {
                    Vote::Against
                }
            }
            _ => return None,
        })
    }

    /// The rules of ISO-8859-2.
    fn vote_of_2(
        &self,
        byte: u8,
        place: &ByteWithNeighbors<'_>,
        context: &LettersOfText,
    ) -> Option<Vote> {
        let letter = self.of_label[usize::from(byte)];
        let is_between = is_alphabetic(place.before) && is_alphabetic(place.after);
        match byte {
            // The middle dot, a bullet.
            0xB7 => Some(Vote::Against),
            // `š` or `ą`: no language with a caron on other letters has an ogonek.
            0xB9 if context.has_carons && self.place_of(letter, place) == Vote::Strong => {
                Some(Vote::Strong)
            }
            // `ž` or `ľ`, which is only in Slovak.
            0xBE if context.has_no_slovak && self.place_of(letter, place) == Vote::Strong => {
                Some(Vote::Strong)
            }
            // `Ą`, `ą`, `Ś`, `ś`, which are no letters of such languages, or `±` and `¶`.
            0xA1 | 0xB1 | 0xA6 | 0xB6 if context.has_carons => Some(Vote::Against),
            // `5 cm± 2`.
            0xB1 if !is_between && detect::is_beside_number(place.bytes, place.at) => {
                Some(Vote::Neutral)
            }
            // Guillemets stand at the ends of words, and `ť` ends Slovak verbs.
            0xBB if !is_between && context.has_guillemets => Some(Vote::Neutral),
            0xAB if !is_between => Some(Vote::Neutral),
            // `Świetnie`, or a column line.
            0xA6 if !is_between && self.place_of(letter, place) != Vote::Strong => {
                Some(Vote::Neutral)
            }
            _ => None,
        }
    }

    /// Decodes each byte by the label, except 80-9F and the lines for which `is_of_page` is true.
    pub(super) fn decode(
        &self,
        bytes: &[u8],
        is_of_page: impl Fn(&Range<usize>) -> bool,
    ) -> MixedText {
        let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
        let (mut log, mut from, mut runs, mut first) = (LossLog::new(), 0, 0, None);
        let mut add_run = |run: Range<usize>| {
            decode_into(&mut text, &mut log, self.label, bytes, from..run.start);
            decode_into(&mut text, &mut log, self.page, bytes, run.clone());
            from = run.end;
            runs += usize::from(!run.is_empty());
            first = first.or(Some(run.start));
        };
        for line in lines(bytes) {
            let content = &bytes[line.clone()];
            if content.is_ascii() {
                continue;
            }
            if is_of_page(&line) {
                add_run(line);
                continue;
            }
            let mut at = line.start;
            while let Some(skipped) = bytes[at..line.end].iter().position(|b| is_c1(*b)) {
                let start = at + skipped;
                let signs = bytes[start..line.end].iter().take_while(|b| is_c1(**b));
                at = start + signs.count();
                add_run(start..at);
            }
        }
        decode_into(&mut text, &mut log, self.label, bytes, from..bytes.len());
        MixedText {
            text,
            log,
            runs,
            first: first.unwrap_or(0),
            other: RestCharset::named(self.label),
            further: Vec::new(),
            run_charset: Some(self.page),
        }
    }
}

impl ByteWithNeighbors<'_> {
    /// Returns the number of letters before, at most two.
    fn letters_before(&self, charsets: &LabelAndPage) -> usize {
        let before = self.bytes[..self.at].iter().rev().take(2);
        let is_letter = |b: &&u8| is_alphabetic(charsets.character(Some(b)));
        before.take_while(is_letter).count()
    }

    /// Returns true if a word and a blank stand before, and white space or a punctuation mark after: `in € bezahlen`.
    fn stands_between_words(&self) -> bool {
        let before = &self.bytes[..self.at];
        let is_apart = matches!(self.after, ' ' | '.' | ',' | ';' | ')' | '\r' | '\n');
        is_apart
            && before
                .strip_suffix(b" ")
                .is_some_and(|word| word.last().is_some_and(u8::is_ascii_alphabetic))
    }

    /// Returns true if the letters of a French word with `œ` follow: `œuvre`, `œuf`, `œil`, `œcuménique`, `œdipe`, `œdème`.
    fn begins_word_with_oe(&self) -> bool {
        const ENDS: [&[u8]; 6] = [b"uvr", b"uf", b"il", b"cum", b"dip", b"d\xE8m"];
        let rest = &self.bytes[self.at + 1..];
        ENDS.iter().any(|end| {
            rest.get(..end.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(end))
        })
    }
}

/// What other bytes of the text say of one byte.
#[derive(Default)]
pub(super) struct LettersOfText {
    /// Letters of Czech, Slovak, Slovenian or Croatian, and none of Polish.
    has_carons: bool,
    /// Letters that only Czech, Slovenian and Croatian have, and none of Slovak.
    has_no_slovak: bool,
    /// A left guillemet, or a right one at the start of a word.
    has_guillemets: bool,
}

impl LettersOfText {
    pub(super) fn new(label: Charset, bytes: &[u8]) -> Self {
        // These letters have the same bytes in windows-1250.
        const CZECH: &[u8] = b"\xEC\xCC\xF8\xD8\xF9\xD9"; // ěĚřŘůŮ
        const CROATIAN: &[u8] = b"\xE6\xF0"; // ćđ
        const CARONS: &[u8] = b"\xE8\xC8\xF2\xEF\xCF\xE1\xED\xFA\xFD\xDD"; // čČňďĎáíúýÝ
        const POLISH: &[u8] = b"\xB3\xA3\xEA\xCA\xBF\xAF\xF1\xD1"; // łŁęĘżŻńŃ
        const SLOVAK: &[u8] = b"\xE4\xF4\xE5\xE0"; // äôĺŕ
        const OF_BOTH: &[u8] = b"\xE1\xED\xFA\xFD\xE9"; // áíúýé
        if label != Charset::ISO_8859_2 {
            return Self::default();
        }
        let mut found = [false; 256];
        let mut opens = false;
        for at in high_bytes(bytes) {
            found[usize::from(bytes[at])] = true;
            let is_letter = |b: u8| b.is_ascii_alphabetic() || b >= 0xC0;
            let begins = at == 0 || !is_letter(bytes[at - 1]);
            opens |= bytes[at] == 0xBB && begins;
        }
        let has = |letters: &[u8]| letters.iter().any(|b| found[usize::from(*b)]);
        let is_czech = has(CZECH);
        let is_croatian = has(CROATIAN) && !has(OF_BOTH);
        Self {
            has_carons: (is_czech || has(CARONS)) && !has(POLISH),
            has_no_slovak: (is_czech || is_croatian) && !has(POLISH) && !has(SLOVAK),
            has_guillemets: opens || found[0xAB],
        }
    }
}

/// The rules of ISO-8859-13: quotation marks stand beside words, and the apostrophe within them. windows-1257 has no A1 and A5.
fn vote_of_quotation_marks(byte: u8, place: &ByteWithNeighbors<'_>) -> Vote {
    let (before, after) = (is_alphabetic(place.before), is_alphabetic(place.after));
    match byte {
        0xA5 if after && !before => Vote::Strong,
        0xA1 if before && !after => Vote::Strong,
        0xB4 if before && !after => Vote::Weak,
        0xFF if before && after => Vote::Strong,
        0xB4 if before && after => Vote::Against,
        _ => Vote::Neutral,
    }
}

/// The rules of ISO-8859-7: `Ά` begins a word of small letters.
fn vote_of_greek(byte: u8, place: &ByteWithNeighbors<'_>) -> Vote {
    let is_small = |b: Option<&u8>| matches!(b, Some(0xDC..=0xFE));
    let begins = |at: usize| is_small(place.bytes.get(at + 1)) && is_small(place.bytes.get(at + 2));
    match byte {
        0xB6 if begins(place.at) && !is_alphabetic(place.before) => Vote::Strong,
        0xA4 if detect::is_beside_number(place.bytes, place.at) => Vote::Strong,
        0xA2 if begins(place.at) && !is_alphabetic(place.before) => Vote::Against,
        0xB6 | 0xAE => Vote::Against,
        _ => Vote::Neutral,
    }
}

/// Returns true for letters of words. The micro sign and spacing accents count as letters in Unicode.
pub(super) fn is_letter(c: char) -> bool {
    is_alphabetic(c) && !matches!(c, 'µ' | 'ª' | 'º' | 'ˇ' | 'ˆ')
}

/// Returns the character of each byte.
fn characters(charset: Charset) -> [char; 256] {
    let bytes: [u8; 256] = std::array::from_fn(|byte| byte as u8);
    let text = decode_unlogged(charset, &bytes);
    let mut chars = text.chars();
    std::array::from_fn(|_| chars.next().unwrap_or(char::REPLACEMENT_CHARACTER))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::assert_linear;

    fn text(label: Charset, bytes: &[u8]) -> Option<String> {
        with_windows_signs(bytes, label).map(|mixed| {
            assert_eq!(mixed.log.losses(), 0);
            mixed.text
        })
    }

    #[test]
    fn letters_of_the_label_stand_beside_signs_of_windows() {
        for (label, bytes, want) in [
            (
                Charset::ISO_8859_15,
                &b"\x93c\xBDur\x94"[..],
                "\u{201C}c\u{153}ur\u{201D}",
            ),
            (
                Charset::ISO_8859_15,
                b"Prix\x85 l\x92\xBDuvre: 50 \xA4",
                "Prix\u{2026} l\u{2019}\u{153}uvre: 50 \u{20AC}",
            ),
            (
                Charset::ISO_8859_15,
                b"S\xBCUR\x85 ce\xA8tina, Jano\xA8k, Bla\xB8ena",
                "S\u{152}UR\u{2026} ce\u{161}tina, Jano\u{161}k, Bla\u{17E}ena",
            ),
            (
                Charset::ISO_8859_15,
                b"in \xA4 bezahlen \x96 oder nicht",
                "in \u{20AC} bezahlen \u{2013} oder nicht",
            ),
            (
                Charset::ISO_8859_2,
                b"\x84\xA9koda\x93, pr\xE1zdn\xFD t\xFD\xBEden, \xE8e\xB9tina",
                "\u{201E}\u{160}koda\u{201C}, pr\u{E1}zdn\u{FD} t\u{FD}\u{17E}den, \u{10D}e\u{161}tina",
            ),
            (
                Charset::ISO_8859_2,
                b"p\xEDsa\xBB \x96 rob\xED\xBB",
                "p\u{ED}sa\u{165} \u{2013} rob\u{ED}\u{165}",
            ),
            (
                Charset::ISO_8859_2,
                b"\x84R\xF9\xBEi\xE8ka\x93",
                "„Růžička“",
            ),
            (
                Charset::ISO_8859_2,
                b"sprostredkovate\xB5 \x96 x",
                "sprostredkovateľ – x",
            ),
            (
                Charset::ISO_8859_2,
                b"\x84ksi\xB1\xBFka\x94, \xB6wiat",
                "\u{201E}ksi\u{105}\u{17C}ka\u{201D}, \u{15B}wiat",
            ),
            (
                Charset::ISO_8859_7,
                b"\xC1\xF1\xE8\xF1\xEF\x85 \xB6\xF1\xE8\xF1\xEF",
                "\u{391}\u{3C1}\u{3B8}\u{3C1}\u{3BF}\u{2026} \u{386}\u{3C1}\u{3B8}\u{3C1}\u{3BF}",
            ),
            (
                Charset::ISO_8859_13,
                b"\xA5\xFEod\xEBi\xB4 \x96 taip",
                "\u{201E}\u{17E}od\u{117}i\u{201C} \u{2013} taip",
            ),
        ] {
            let got = text(label, bytes);
            assert_eq!(got.as_deref(), Some(want), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn text_of_windows_stays() {
        for (label, bytes) in [
            // The euro, fractions, apostrophes, accents from PDF files, bullets, bars.
            (Charset::ISO_8859_15, &b"50 \x80 \x96 5\xBD"[..]),
            (Charset::ISO_8859_15, b"\x93\xBDcup\x94 of milk, \xBDinch"),
            (Charset::ISO_8859_15, b"it\xB4s \x93fine\x94"),
            (Charset::ISO_8859_15, b"f\xA8ur u\xA8ber c\xB8a \x93"),
            (Charset::ISO_8859_15, b"\xA4 one\n\xA4 two\x85"),
            (Charset::ISO_8859_15, b"\xA6Name\xA6 \x93Wert\x94"),
            (Charset::ISO_8859_15, b"Gr\xFC\xDFe \x93"),
            (Charset::ISO_8859_15, b"plain c\xBDur"),
            (Charset::ISO_8859_15, b"c\xBDur \x81"),
            (Charset::ISO_8859_15, b"s\x9Cur, c\xBDur, 50 \x80"),
            (Charset::ISO_8859_2, b"\x84\x8Akoda\x93, t\xFDm\x9E"),
            (Charset::ISO_8859_2, b"\x84\xBEudia\x93, ve\xBEmi, ko\xB9"),
            (Charset::ISO_8859_2, b"s\xB9 \x84tam\x94 b\xEAd\xB9 \xBFona"),
            (Charset::ISO_8859_2, b"Windows\xAE \x96 \xA9 2003, 5 \xB5m"),
            (Charset::ISO_8859_2, b"Luk\xE1\xE8ovce\xB1 80 \x80"),
            (Charset::ISO_8859_2, b"Warszawa\xB1 80 \x80"),
            (Charset::ISO_8859_2, b"\x84\xABslovo\xBB\x93"),
            (
                Charset::ISO_8859_7,
                b"\xC1\xF1\xE8\xF1\xEF\x85 \xA2\xF1\xE8\xF1\xEF",
            ),
            (Charset::ISO_8859_9, b"\x93\xFEey\x94"),
            (Charset::ISO_8859_1, b"\x93c\xBDur\x94"),
        ] {
            assert_eq!(text(label, bytes), None, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn quotations_keep_their_charset() {
        let bytes =
            b"> \x8Akoda \x9Elut\xFD \x84d\x93\n\xA9koda \xBElut\xFD t\xFD\xBEden\n> t\x9A\n";
        let want = "> \u{160}koda \u{17E}lut\u{FD} \u{201E}d\u{201C}\n\u{160}koda \u{17E}lut\u{FD} t\u{FD}\u{17E}den\n> t\u{161}\n";
        assert_eq!(text(Charset::ISO_8859_2, bytes).as_deref(), Some(want));
        let bytes = b"> 50 \x80\nOui, 50 \xA4\n";
        let want = "> 50 \u{20AC}\nOui, 50 \u{20AC}\n";
        assert_eq!(text(Charset::ISO_8859_15, bytes).as_deref(), Some(want));
    }

    #[test]
    fn each_byte_has_the_character_of_its_own() {
        for label in [
            Charset::ISO_8859_2,
            Charset::ISO_8859_7,
            Charset::ISO_8859_13,
            Charset::ISO_8859_15,
        ] {
            let page = label.windows_page().expect("a page");
            for charset in [label, page] {
                for (byte, c) in (0..=u8::MAX).zip(characters(charset)) {
                    let text = charset.decode(&[byte], &mut LossLog::new()).into_owned();
                    assert_eq!(text, c.to_string(), "{charset} {byte:X}");
                }
            }
        }
    }

    #[test]
    fn votes_take_linear_time() {
        for unit in [
            &b"\x93\xBD"[..],
            b"\xA4 1\x93\n",
            b"> \xA8\x93\n",
            b"aaa\xB9\x84",
        ] {
            assert_linear(&unit.escape_ascii(), 20_000, |n| {
                let bytes = unit.repeat(n);
                drop(with_windows_signs(&bytes, Charset::ISO_8859_15));
                drop(with_windows_signs(&bytes, Charset::ISO_8859_2));
            });
        }
    }
}
