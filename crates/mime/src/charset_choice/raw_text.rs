//! Chooses how to decode short raw text that is not UTF-8, as in header fields.
//!
//! ```text
//! Gr\xC3\xBC\xC3\x9Fe an die Lehrkr\xC3   UTF-8 that was cut: Grüße an die Lehrkr, U+FFFD
//! R\xC3\xA9union \xE0 9 h                 UTF-8 with a byte of windows-1252: Réunion à 9 h
//! Gr\xC3\xBC\xC3\x9Fe \xED\xA0\xBD\xED\xB8\x80     CESU-8, which writes an emoji as two surrogates: Grüße 😀
//! Wi\x9Cniewski                           windows-1250, if a body names ISO-8859-2
//! J\xF6rg M\xFCller                        windows-1252, even if a body names GB2312
//! \xC8\xE2\xE0\xED \xCF\xE5\xF2\xF0\xEE\xE2     windows-1251, even if a word names ISO-8859-1: Иван Петров
//! ```
//!
//! # Limits
//! The bytes between UTF-8 sequences are in one single-byte charset, or they are damage.

use super::labels::alphabet_charsets::is_of_other_script;
use super::labels::disproved_label::likelier_relative;
use super::labels::label_plausibility::find_likelier;
use super::labels::label_scope::LabelScope;
use super::labels::superset::better_by_bytes;
use super::labels::utf8_vs_label::utf8_outweighs_message;
use super::text_tests::case_faults::outweighs;
use super::text_tests::cjk_level1::is_level1;
use super::text_tests::damage::{decodes_without_loss, is_cesu8, is_utf8_with_surrogates};
use super::text_tests::few_bytes::is_mostly_ascii;
use super::text_tests::mojibake_score::mojibake_score;
use super::text_tests::truncated_utf8::{
    CutCharacters, before_incomplete_character, has_only_cut_signs, is_truncated_utf8,
};
use super::text_tests::utf8_words::is_utf8_by_chance;
use super::text_tests::western_letters::is_latin_1;
use super::text_tests::western_pairs::is_western_in_pairs;
use crate::charset_choice::text_tests::utf8_sequences::{SequenceCount, malformed};
use crate::unlogged::decode_unlogged;
use mailglot_codec::detect::{Hints, Weighed, high_bytes};
use mailglot_codec::{Charset, LossLog};
use std::borrow::Cow;

/// Minimum number of high bytes with which another charset may outweigh a named one that reads them plausibly. Most headers are in
/// the charset that words or a body name. A guess from little text needs no minimum.
const MIN_TO_OUTWEIGH: usize = 12;

/// How to decode raw text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RawReading {
    /// In one charset.
    In(Charset),
    /// As UTF-8. Single bytes between the sequences are in `other`, or lost without one.
    Utf8 { other: Option<Charset> },
}

impl RawReading {
    /// Returns the charset of most of the text.
    pub(crate) fn charset(self) -> Charset {
        match self {
            Self::In(charset) => charset,
            Self::Utf8 { .. } => Charset::UTF_8,
        }
    }

    /// Returns the charset of the bytes between UTF-8 sequences.
    pub(crate) fn other(self) -> Option<Charset> {
        match self {
            Self::In(_) => None,
            Self::Utf8 { other } => other,
        }
    }

    /// Decodes the text or a piece of it.
    pub(crate) fn decode<'t>(self, bytes: &'t [u8], log: &mut LossLog) -> Cow<'t, str> {
        let Some(other) = self.other() else {
            return self.charset().decode(bytes, log);
        };
        let (mut text, mut at) = (String::with_capacity(bytes.len() + 2), 0);
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            at += chunk.valid().len();
            let charset = match chunk.invalid() {
                [] => break,
                [_] => other,
                _ => Charset::UTF_8,
            };
            let mut own = LossLog::new();
            charset.decode_into(chunk.invalid(), &mut text, &mut own);
            log.append(&own, at as u64);
            at += chunk.invalid().len();
        }
        Cow::Owned(text)
    }
}

/// Raw text that is not UTF-8, and what is known about its charset.
pub(crate) struct RawEvidence<'b> {
    pub(crate) bytes: &'b [u8],
    /// The caller's charset, which needs no proof.
    pub(crate) given: Option<Charset>,
    /// The charsets that other text names, nearest first.
    pub(crate) named: [Option<Charset>; 2],
    /// True if the last of these is a guess from little text. Then it decodes nothing beside UTF-8.
    pub(crate) is_last_uncertain: bool,
    /// True if the last of these is Latin-1 of a body that proves little, such as one in ASCII. Then a likelier charset outweighs it in short text.
    pub(crate) is_last_default: bool,
    pub(crate) hints: Hints<'b>,
    /// The labels that detection checks.
    pub(crate) scope: LabelScope,
}

impl RawEvidence<'_> {
    /// Chooses the reading: damaged UTF-8, the caller's charset, a charset that other text names, or that of `guess`.
    pub(crate) fn read(&self, guess: impl Fn() -> Charset) -> RawReading {
        let is_whole =
            |given: &Charset| !given.is_single_byte() && decodes_without_loss(*given, self.bytes);
        if let Some(given) = self.given.filter(is_whole) {
            return RawReading::In(given);
        }
        let known = self.given.or_else(|| self.plausible(&guess));
        // In double-byte charsets, surrogates are characters.
        if !known.is_some_and(|known| is_whole(&known)) {
            if is_cesu8(self.bytes) {
                return RawReading::In(Charset::CESU_8);
            }
            if is_utf8_with_surrogates(self.bytes) {
                return RawReading::Utf8 { other: None };
            }
        }
        self.damaged_utf8(known, &guess)
            .unwrap_or_else(|| RawReading::In(known.unwrap_or_else(guess)))
    }

    /// Returns the first named charset that decodes all bytes to plausible text, or the Windows code page behind it.
    fn plausible(&self, guess: &impl Fn() -> Charset) -> Option<Charset> {
        let weighed = Weighed::new(self.bytes, &self.hints);
        let is_short = high_bytes(self.bytes).nth(MIN_TO_OUTWEIGH - 1).is_none();
        let is_plausible = |(charset, is_certain): &(Charset, bool)| {
            if !decodes_all_but_cut(*charset, self.bytes)
                || is_western_in_pairs(*charset, self.bytes)
                || self.disproves_latin_1(*charset)
                || self.is_last_default && is_latin_1(*charset) && outweighs_default(&weighed)
            {
                return false;
            }
            let faults = faults_in(*charset, self.bytes);
            if faults == 0 && is_short && *is_certain {
                return true;
            }
            if weighed
                .rival(*charset)
                .is_some_and(|rival| outweighs(&rival, *charset, self.bytes))
            {
                return false;
            }
            faults == 0 || faults <= faults_in(guess(), self.bytes)
        };
        let [first, last] = self.named;
        let is_certain = !self.is_last_uncertain && !self.is_last_default;
        let named = [(first, true), (last, is_certain)];
        named
            .into_iter()
            .filter_map(|(charset, is_certain)| Some((charset?, is_certain)))
            .map(|(charset, is_certain)| {
                let used = likelier_relative(charset, self.bytes, &self.hints);
                (used, is_certain)
            })
            .find(is_plausible)
            .map(|(charset, _)| charset)
    }

    /// Returns true if Latin-1 makes words with few ASCII letters, and another charset would replace it as a label. *Example*: `Èâàí Ïåòðîâ` is
    /// `Иван Петров` in windows-1251.
    fn disproves_latin_1(&self, named: Charset) -> bool {
        is_latin_1(named)
            && !is_mostly_ascii(self.bytes)
            && find_likelier(named, self.bytes, self.scope, || self.hints)
                .is_some_and(|found| found.decides && !is_latin_1(found.guess.charset.superset()))
    }

    /// Returns the reading of UTF-8 with damage or with bytes of another charset. `known` is the charset of the text if it is
    /// legacy text.
    ///
    /// Legacy text has UTF-8 sequences by chance. Then other bytes outnumber them, or its own charset makes better text.
    fn damaged_utf8(
        &self,
        known: Option<Charset>,
        guess: &impl Fn() -> Charset,
    ) -> Option<RawReading> {
        let damaged = RawReading::Utf8 { other: None };
        let found = Sequences::count(self.bytes);
        let legacy = || known.unwrap_or_else(guess);
        if found.within == 0 {
            let is_one = high_bytes(self.bytes).nth(1).is_none();
            let is_cut = is_one
                && is_truncated_utf8(before_ellipsis(self.bytes))
                && faults_in(legacy(), self.bytes) > 0;
            return (is_cut || has_only_cut_signs(self.bytes)).then_some(damaged);
        }
        if found.others == 0 || found.within < found.others {
            return None;
        }
        if found.others == 1 && is_utf8_before_cut(self.bytes, found.within, known) {
            return Some(damaged);
        }
        let legacy = legacy();
        let is_lossless = decodes_without_loss(legacy, self.bytes);
        let is_everyday = || found.within < 2 * found.others || is_level1(legacy, self.bytes);
        if is_lossless && !legacy.is_single_byte() && is_everyday() {
            return None;
        }
        // Names have rarer characters.
        if known.is_some_and(|known| is_utf8_by_chance(known, self.bytes)) {
            return None;
        }
        let most_faults = match faults_in(legacy, self.bytes) {
            faults if is_lossless && legacy.is_single_byte() => faults,
            _ => usize::MAX,
        };
        let mixed = || self.mixed_utf8(&found).filter(|_| most_faults > 0);
        mixed().or_else(|| {
            let text = damaged.decode(self.bytes, &mut LossLog::with_limit(0));
            let lost = text.matches(char::REPLACEMENT_CHARACTER).count();
            let is_sound = mojibake_score(&text) <= lost;
            // Cut sequences are defects of the text, not of the reading.
            (is_sound && lost.saturating_sub(found.cuts) < most_faults).then_some(damaged)
        })
    }

    /// Returns the reading in which each byte between the sequences is a character of one charset.
    fn mixed_utf8(&self, found: &Sequences) -> Option<RawReading> {
        if found.cuts > 0 {
            return None;
        }
        let is_single = |charset: &Charset| charset.is_single_byte();
        let [first, last] = self.named;
        let last_named = last.filter(|_| !self.is_last_uncertain);
        let named = [self.given, first, last_named].into_iter();
        let others = named.flatten().filter(is_single);
        // No word of windows-1252 is `ÿ`, and few have it.
        let last = Some(Charset::WINDOWS_1252).filter(|_| !found.rest.contains(&0xFF));
        let mut readings = others
            .map(|charset| better_by_bytes(charset, &found.rest).unwrap_or(charset))
            .chain(last)
            .map(|other| RawReading::Utf8 { other: Some(other) });
        readings.find(|reading| {
            let mut log = LossLog::with_limit(0);
            mojibake_score(&reading.decode(self.bytes, &mut log)) == 0 && log.losses() == 0
        })
    }
}

/// Returns true if another charset that is common in mail is likelier than Latin-1: `Schůzka`, but not `Cantů`.
fn outweighs_default(weighed: &Weighed<'_>) -> bool {
    const MARGIN: f32 = 5.0;
    let is_common = |charset: Charset| {
        let other = [
            Charset::WINDOWS_1250,
            Charset::ISO_8859_2,
            Charset::WINDOWS_1254,
            Charset::WINDOWS_1257,
        ];
        other.contains(&charset) || is_of_other_script(charset)
    };
    weighed.rival(Charset::WINDOWS_1252).is_some_and(|rival| {
        is_common(rival.guess.charset) && rival.margin - rival.rarity >= MARGIN
    })
}

/// The UTF-8 sequences of a text and the bytes between them.
#[derive(Default)]
struct Sequences {
    /// Number of bytes in sequences, without their first bytes.
    within: usize,
    /// Number of pieces outside sequences.
    others: usize,
    /// Number of sequences that lack their last bytes.
    cuts: usize,
    /// The bytes outside sequences.
    rest: Vec<u8>,
}

impl Sequences {
    fn count(bytes: &[u8]) -> Self {
        let mut found = Self {
            within: SequenceCount::of(bytes).within,
            ..Self::default()
        };
        let text = before_ellipsis(bytes);
        let cut_end = if is_truncated_utf8(text) {
            text.len()
        } else {
            0
        };
        let cuts = CutCharacters::new(bytes);
        for at in malformed(bytes) {
            found.others += 1;
            found.cuts += usize::from(cuts.contains(&at) || at.end == cut_end);
            found.rest.extend_from_slice(&bytes[at]);
        }
        found
    }
}

/// Returns true if the text is UTF-8 except for half a character at its end, and if it would be UTF-8 without the latter. `within` is the
/// number of bytes in its sequences, without their first bytes.
fn is_utf8_before_cut(bytes: &[u8], within: usize, known: Option<Charset>) -> bool {
    const MIN_TRAIL_BYTES: usize = 3;
    let text = before_ellipsis(bytes);
    let Some(whole) = before_incomplete_character(text).filter(|_| within >= MIN_TRAIL_BYTES)
    else {
        return false;
    };
    // A letter of Latin-1 may end a word, unless the text has letters that begin so.
    let is_cut = is_truncated_utf8(text) || memchr::memchr(text[whole.len()], whole).is_some();
    is_cut
        && std::str::from_utf8(whole).is_ok_and(|text| utf8_outweighs_message(known, whole, text))
}

/// Returns the text without blanks and full stops at its end. Programs write `...` after a text that they cut.
pub(super) fn before_ellipsis(bytes: &[u8]) -> &[u8] {
    let end = bytes
        .iter()
        .rposition(|b| *b != b'.' && !b.is_ascii_whitespace());
    &bytes[..end.map_or(0, |at| at + 1)]
}

/// Returns true if `charset` decodes all bytes, except half a character at the end of text with several characters.
fn decodes_all_but_cut(charset: Charset, bytes: &[u8]) -> bool {
    const MIN_HIGH_BYTES: usize = 4;
    if decodes_without_loss(charset, bytes) {
        return true;
    }
    let is_cut = |(last, before): (&u8, &[u8])| {
        !last.is_ascii()
            && high_bytes(before).nth(MIN_HIGH_BYTES - 1).is_some()
            && decodes_without_loss(charset, before)
    };
    !charset.is_single_byte() && bytes.trim_ascii_end().split_last().is_some_and(is_cut)
}

/// Counts the implausible characters and the losses of a reading.
fn faults_in(charset: Charset, bytes: &[u8]) -> usize {
    mojibake_score(&decode_unlogged(charset, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset_choice::MAIL_HINTS;

    fn read(bytes: &[u8], named: Option<Charset>) -> String {
        let evidence = RawEvidence {
            bytes,
            given: None,
            named: [named, None],
            is_last_uncertain: false,
            is_last_default: false,
            hints: MAIL_HINTS,
            scope: LabelScope::Implausible,
        };
        let reading = evidence.read(|| Charset::WINDOWS_1252);
        reading
            .decode(bytes, &mut LossLog::with_limit(0))
            .into_owned()
    }

    /// Two characters of the name are rare, and two of its bytes are valid UTF-8.
    #[test]
    fn names_of_a_named_charset_are_no_damaged_utf8() {
        for name in ["陆璐军", "Re: 陆璇志 (15)", "卢璐国"] {
            let bytes = Charset::GBK.encode_exact(name).expect("in GBK");
            assert_eq!(read(&bytes, Some(Charset::GB2312)), name);
        }
    }

    #[test]
    fn surrogates_show_utf8() {
        for (bytes, want) in [
            (
                &b"Frau M\xC3\xBCller \xED\xA0\xBD\xED\xB8\x80"[..],
                "Frau Müller 😀",
            ),
            (b"Hello \xED\xA0\xBD\xED\xB8\x80 there", "Hello 😀 there"),
            // The second surrogate was cut off.
            (
                b"Frau M\xC3\xBCller \xED\xA0\xBD",
                "Frau Müller \u{FFFD}\u{FFFD}\u{FFFD}",
            ),
            // No surrogate begins with ED C0, so the text is not UTF-8.
            (b"\xED\xC0\xBD \xED\xC1\xCD\xC1", "íÀ½ íÁÍÁ"),
        ] {
            assert_eq!(read(bytes, None), want, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn surrogates_are_characters_of_a_named_charset() {
        for text in ["戆电话", "Fw: 砀电案", "恁淀单"] {
            let bytes = Charset::GBK.encode_exact(text).expect("in GBK");
            assert_eq!(read(&bytes, Some(Charset::GB2312)), text);
        }
    }

    #[test]
    fn damaged_utf8_stays_beside_a_named_charset() {
        for (bytes, want) in [
            (
                "Gr\u{fc}\u{df}e an die Lehrkr\u{e4}".as_bytes(),
                "Grüße an die Lehrkr\u{FFFD}",
            ),
            ("张三丰".as_bytes(), "张三\u{FFFD}"),
            ("Привет".as_bytes(), "Приве\u{FFFD}"),
        ] {
            let cut = &bytes[..bytes.len() - 1];
            assert_eq!(read(cut, Some(Charset::GB2312)), want);
        }
    }

    /// A word of another field names Latin-1.
    #[test]
    fn words_without_ascii_letters_are_not_read_in_latin_1() {
        for (charset, text) in [
            (Charset::WINDOWS_1251, "Иван Петров"),
            (Charset::WINDOWS_1251, "Приглашение"),
            (Charset::KOI8_R, "Привет"),
            (Charset::WINDOWS_1255, "שלום לכולם"),
            (Charset::WINDOWS_1253, "Καλημέρα σας"),
            (Charset::WINDOWS_1252, "ÖÄÜ"),
            (Charset::WINDOWS_1252, "ÄÖÜ äöü ÅÄÖ"),
            (Charset::WINDOWS_1252, "ÉÈÊ ÀÂ ÎÔÛ"),
            (Charset::WINDOWS_1252, "«à» §§ ±½¼"),
            (Charset::WINDOWS_1252, "Þýðó"),
            (Charset::WINDOWS_1252, "À bientôt, Élé"),
            (Charset::WINDOWS_1252, "Été à Nîmes"),
            (Charset::WINDOWS_1252, "Åsa Öberg"),
        ] {
            let bytes = charset.encode_exact(text).expect("encodable");
            for named in [Charset::ISO_8859_1, Charset::WINDOWS_1252] {
                let evidence = RawEvidence {
                    bytes: &bytes,
                    given: None,
                    named: [None, Some(named)],
                    is_last_uncertain: false,
                    is_last_default: false,
                    hints: MAIL_HINTS,
                    scope: LabelScope::Implausible,
                };
                let reading = evidence.read(|| Weighed::new(&bytes, &MAIL_HINTS).guess().charset);
                let found = reading.decode(&bytes, &mut LossLog::with_limit(0));
                assert_eq!(found, text, "{named:?}");
            }
        }
    }
}
