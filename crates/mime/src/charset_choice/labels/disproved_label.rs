//! Decides whether short text is in the charset of other text that disproved the same label.
//!
//! ```text
//! Content-Type: text/plain; charset=iso-8859-1     a long body, read as KOI8-R
//! From: =?iso-8859-1?B?68HU0Q==?=                  ëÁÔÑ, or Катя in KOI8-R: Катя
//! To: =?iso-8859-1?Q?Jos=E9?=                      José, or JosИ in KOI8-R: José
//! ```
//!
//! A program that writes a wrong label over the body writes it over names, too. A few names come from the mail of others.
//!
//! # Limits
//! One letter alone stays under its label. If both charsets make a word, the likelier one counts.

use super::label_check::LabelVerdict;
use super::label_plausibility::{
    is_unlike_western, non_text_characters, stands_within_ascii_words,
};
use super::superset::better_by_bytes;
use crate::charset_choice::evidence::MAIL_HINTS;
use crate::charset_choice::text_tests::cjk_level1::is_level1;
use crate::charset_choice::text_tests::damage::decodes_without_loss;
use crate::charset_choice::text_tests::mojibake_score::{is_letter, mojibake_score};
use crate::charset_choice::text_tests::neighbor_bytes::byte_or_blank;
use crate::charset_choice::text_tests::shifts::has_shift_bytes;
use crate::charset_choice::text_tests::utf8_sequences::SequenceCount;
use crate::charset_choice::text_tests::western_letters::is_latin_1;
use crate::unlogged::decode_unlogged;
use mailglot_codec::detect::{self, Hints, high_bytes};
use mailglot_codec::{Charset, Script};

/// How much likelier text under its label may be (natural logarithm) without outweighing the other text.
///
/// docs/adr/0010 has the measurements.
const OTHER_SCRIPT: f32 = 6.0;
/// Like [`OTHER_SCRIPT`], for Latin letters under both charsets, or two double-byte charsets: foreign names often make words there.
const SAME_SCRIPT: f32 = 2.0;
/// Like [`SAME_SCRIPT`], for letters that Western European languages do not have side by side, under a label of Latin-1.
const UNLIKE_WESTERN: f32 = 3.5;
/// Like [`SAME_SCRIPT`], under a label that no program writes by default: the other text must be the likelier one.
const CHOSEN: f32 = -2.0;
/// Each implausible character under the label raises the limit by this, up to [`MAX_FAULTS`] characters: `ëÁÔÑ` has a small letter before
/// capitals.
const FAULT: f32 = 3.0;
const MAX_FAULTS: usize = 2;
/// Margin of likelihood that outweighs implausible characters, if the label gives as many.
const CLEAR: f32 = 6.0;

/// Decodes bytes in `other`, the charset of text that disproved the label. Returns None to keep the label.
///
/// `text` is the text under the label, with `losses`.
pub(crate) fn read_as_disproved<'b>(
    bytes: &'b [u8],
    label: Charset,
    (text, losses): (&str, u64),
    other: Charset,
    language: Option<&str>,
) -> Option<LabelVerdict<'b>> {
    if label.is_stateful() && has_shift_bytes(bytes) {
        return None;
    }
    // A word in UTF-8 may be cut.
    let may_be_utf8 = || {
        let found = SequenceCount::of(bytes);
        losses == 0 || found.within + found.cut > 0
    };
    if bytes.is_ascii() || is_lone_letter(bytes) || label == Charset::UTF_8 && may_be_utf8() {
        return None;
    }
    let hints = Hints {
        language,
        ..MAIL_HINTS
    };
    let used = likelier_relative(other, bytes, &hints);
    if !decodes_without_loss(used, bytes) {
        return None;
    }
    let read = decode_unlogged(used, bytes);
    let reading = OtherText {
        bytes,
        label: text,
        used,
        text: &read,
    };
    let is_better =
        text != read && reading.is_plausible() && (losses > 0 || reading.outweighs(label, &hints));
    is_better.then(|| LabelVerdict::by_message(label, used, read))
}

/// Returns `other`, or its relative if the bytes are likelier in that. The relative is the Windows code page of an ISO charset, or the
/// ISO charset of a page. Long text may read alike in both, and a word may not.
pub(crate) fn likelier_relative(other: Charset, bytes: &[u8], hints: &Hints<'_>) -> Charset {
    const LIKELIER: f32 = 5.5;
    if let Some(better) = better_by_bytes(other, bytes) {
        return better;
    }
    let of_page = || Charset::all().find(|charset| charset.windows_page() == Some(other));
    let read = |charset: Charset| {
        let text = decode_unlogged(charset, bytes);
        letters(&text).all
    };
    let is_likelier = |relative: &Charset| {
        decodes_without_loss(*relative, bytes)
            && read(*relative) >= read(other)
            && detect::margin_over(bytes, other, *relative, hints)
                .is_some_and(|margin| margin > LIKELIER)
    };
    other
        .windows_page()
        .or_else(of_page)
        .filter(is_likelier)
        .unwrap_or(other)
}

/// A text in two charsets.
struct OtherText<'t> {
    bytes: &'t [u8],
    /// The text under the label.
    label: &'t str,
    used: Charset,
    /// The text in `used`.
    text: &'t str,
}

impl OtherText<'_> {
    /// Returns true unless the text has controls, or letters and signs where no language has them.
    fn is_plausible(&self) -> bool {
        if non_text_characters(self.text).is_some() {
            return false;
        }
        if self.used.is_single_byte() {
            return mojibake_score(self.text) <= mojibake_score(self.label);
        }
        !stands_within_ascii_words(self.used, self.text) && !self.swallows_letters()
    }

    /// Returns true if ASCII bytes are halves of characters, and the characters are too few or too rare to prove it: `Öl` in Big5.
    fn swallows_letters(&self) -> bool {
        const MIN_CHARACTERS: usize = 3;
        let ascii = |bytes: &[u8]| bytes.iter().filter(|byte| byte.is_ascii()).count();
        let wide = self.text.chars().filter(|c| !c.is_ascii()).count();
        ascii(self.bytes) > ascii(self.text.as_bytes())
            && (wide < 2 || wide < MIN_CHARACTERS && !is_level1(self.used, self.bytes))
    }

    /// Returns true if the text in `used` is likelier, with the odds that one program wrote all text of the message.
    fn outweighs(&self, label: Charset, hints: &Hints<'_>) -> bool {
        let faults = mojibake_score(self.label);
        let Some(margin) = detect::margin_over(self.bytes, label, self.used, hints) else {
            let is_odd = || detect::is_odd(self.bytes, self.used);
            return faults > 0
                || is_level1(self.used, self.bytes)
                || label.is_stateful() && !is_odd();
        };
        let (before, now) = (letters(self.label), letters(self.text));
        let is_one_width = label.is_single_byte() && self.used.is_single_byte();
        // ISO-8859-5 decodes the quotation marks of `«Ромашка»` as letters, so they count, too.
        let quotes = quotes_around_words(self.text);
        if is_one_width && (now.all == 0 || now.all + quotes < before.all) {
            return false;
        }
        if self.used.is_single_byte() && mojibake_score(self.text) > 0 && margin < CLEAR {
            return false;
        }
        let is_same_script = if is_one_width {
            now.all == before.all && now.latin > 0 && before.latin > 0
        } else {
            !label.is_single_byte() && !self.used.is_single_byte()
        };
        let most = match is_same_script {
            false => OTHER_SCRIPT,
            true if label.is_single_byte() && !is_latin_1(label) => CHOSEN,
            true if is_latin_1(label) && is_unlike_western(self.bytes) => UNLIKE_WESTERN,
            true => SAME_SCRIPT,
        };
        margin >= -most - FAULT * faults.min(MAX_FAULTS) as f32
    }
}

/// Numbers of letters above 7F.
struct LetterCount {
    all: usize,
    latin: usize,
}

fn letters(text: &str) -> LetterCount {
    let letters = || text.chars().filter(|c| !c.is_ascii() && is_letter(*c));
    LetterCount {
        all: letters().count(),
        latin: letters()
            .filter(|c| Script::of(*c) == Some(Script::Latin))
            .count(),
    }
}

/// Counts quotation marks before and after words, if as many open as close.
fn quotes_around_words(text: &str) -> usize {
    let (mut opening, mut closing, mut before) = (0, 0, ' ');
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let after = chars.peek().copied().unwrap_or(' ');
        match c {
            '«' | '„' if !is_letter(before) && is_letter(after) => opening += 1,
            '»' | '“' | '”' if is_letter(before) && !is_letter(after) => closing += 1,
            _ => {}
        }
        before = c;
    }
    if opening == closing {
        opening + closing
    } else {
        0
    }
}

/// Returns true for a single byte above 7F that touches no ASCII letter. It may be a letter of any alphabet.
pub(super) fn is_lone_letter(bytes: &[u8]) -> bool {
    let mut high = high_bytes(bytes);
    let (Some(at), None) = (high.next(), high.next()) else {
        return false;
    };
    let is_letter = |at: Option<usize>| byte_or_blank(bytes, at).is_ascii_alphabetic();
    !is_letter(at.checked_sub(1)) && !is_letter(at.checked_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::{charset_named, encoded};
    use mailglot_codec::LossLog;

    /// Returns the text of a word in the charset that speaks against its label; None if it keeps the label.
    fn read(label: &str, other: &str, bytes: &[u8]) -> Option<String> {
        let [label, other] = [label, other].map(charset_named);
        let mut log = LossLog::new();
        let text = label.decode(bytes, &mut log);
        let decoded = (&*text, log.losses());
        let verdict = read_as_disproved(bytes, label, decoded, other, None)?;
        verdict.read.map(|read| read.text.into_owned())
    }

    #[test]
    fn words_of_the_same_program_are_read() {
        for (label, other, text) in [
            ("ISO-8859-1", "KOI8-R", "Дима"),
            ("ISO-8859-1", "KOI8-U", "Їжак"),
            ("ISO-8859-1", "windows-1251", "Ира"),
            ("KOI8-R", "windows-1251", "Женя"),
            ("ISO-8859-1", "ISO-8859-2", "Żak"),
            ("ISO-8859-1", "windows-1250", "Oběd v pět"),
            ("ISO-8859-2", "windows-1250", "Šťastný"),
            ("ISO-8859-1", "windows-1254", "Kıbrıs"),
            ("ISO-8859-1", "ISO-8859-7", "Ωραία"),
            ("ISO-8859-1", "windows-1256", "سلمى"),
            ("ISO-8859-1", "GBK", "上海"),
            ("ISO-8859-1", "TIS-620", "ไม่"),
            ("GBK", "windows-1252", "Jürgen"),
            ("KOI8-R", "windows-1252", "Oma Käthe"),
            ("ISO-2022-JP", "windows-1252", "Örebro"),
            ("ISO-2022-JP", "EUC-JP", "川崎"),
            ("UTF-8", "KOI8-R", "Дима"),
            // The quotation marks are letters under the label.
            ("ISO-8859-5", "windows-1251", "ООО «Ромашка»"),
        ] {
            let found = read(label, other, &encoded(other, text));
            assert_eq!(found.as_deref(), Some(text), "{label} {other} {text}");
        }
        // The body reads alike in both charsets, and the word does not.
        let word = encoded("ISO-8859-2", "čeština v xtermu");
        let found = read("ISO-8859-1", "windows-1250", &word);
        assert_eq!(found.as_deref(), Some("čeština v xtermu"));
    }

    #[test]
    fn words_of_other_programs_stay() {
        for text in [
            "José",
            "Müller",
            "François",
            "Muñoz",
            "Søren",
            "Größe",
            "São Paulo",
            "Åsa",
            "20 °C",
            "«oui»",
            "½ Preis",
            "don’t",
        ] {
            for other in [
                "KOI8-R",
                "windows-1251",
                "ISO-8859-2",
                "windows-1254",
                "windows-1253",
                "GBK",
                "Big5",
                "EUC-KR",
                "Shift_JIS",
                "TIS-620",
                "windows-1255",
            ] {
                let found = read("windows-1252", other, &encoded("windows-1252", text));
                assert_eq!(found, None, "{other} {text}");
            }
        }
        for (label, other, text) in [
            ("KOI8-R", "windows-1251", "Катя"),
            ("GBK", "windows-1252", "北京"),
            ("windows-1253", "KOI8-R", "Άννα"),
            ("ISO-8859-2", "windows-1252", "Paweł"),
            ("ISO-8859-1", "KOI8-R", "Ö"),
            ("ISO-8859-1", "KOI8-R", "plain"),
        ] {
            assert_eq!(read(label, other, &encoded(label, text)), None, "{text}");
        }
        // Cut UTF-8, ISO 2022 with a stray byte.
        assert_eq!(read("UTF-8", "KOI8-R", b"Gr\xC3\xBC\xC3"), None);
        let shifted = b"\x1B$B$3\x1B(B \xC1";
        assert_eq!(read("ISO-2022-JP", "EUC-JP", shifted), None);
    }
}
