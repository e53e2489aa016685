//! Tests whether UTF-8 sequences are words. Characters of a double-byte charset may be valid UTF-8 by chance.
//!
//! ```text
//! "\xC2\xBD\xE8\xB4\xBE\xFC"   ½贾 and damage in UTF-8, 陆璐军 in GB 2312
//! "\xCA\xB7\xD9\xBB\xC8\xBB"   ʷٻȻ in UTF-8, 史倩然 in GB 2312
//! ```
//!
//! # Limits
//! Knows the scripts of words, not the words.

use super::mojibake_score::mojibake_score;
use crate::charset_choice::text_tests::utf8_sequences::sequences;
use mailglot_codec::{Charset, Script};
use std::ops::Range;

/// Returns true if a double-byte charset such as GBK decodes all bytes, and the UTF-8 sequences among them are not words: `ʷٻȻ`.
pub(crate) fn is_utf8_by_chance(charset: Charset, bytes: &[u8]) -> bool {
    let has_pairs = [
        Charset::GB2312,
        Charset::GBK,
        Charset::GB18030,
        Charset::EUC_KR,
        Charset::KS_C_5601_1987,
        Charset::WINDOWS_949,
        Charset::EUC_JP,
        Charset::CP51932,
        Charset::EUCJP_MS,
    ];
    has_pairs.contains(&charset)
        && consists_of_pairs(bytes)
        && charset.decode_exact(bytes).is_some()
        && !has_only_words(bytes)
}

/// Returns true if the bytes above 7F are above A0, in runs of even length. Two in three characters of East Asia have a lower byte in UTF-8.
fn consists_of_pairs(bytes: &[u8]) -> bool {
    let mut runs = bytes.split(u8::is_ascii);
    runs.all(|run| run.len() % 2 == 0 && run.iter().all(|byte| *byte > 0xA0))
}

/// Returns true if the letters of each UTF-8 sequence are of one script, and one sequence is a word: `Привет`, or the `ü` of `Müller`.
fn has_only_words(bytes: &[u8]) -> bool {
    let mut has_word = false;
    let mut is_sound = |run: Range<usize>| {
        let Ok(text) = std::str::from_utf8(&bytes[run.clone()]) else {
            return false;
        };
        let kinds = || {
            text.chars()
                .map(Kind::of)
                .filter(|kind| *kind != Kind::Sign)
        };
        let first = kinds().next();
        has_word |= kinds().nth(1).is_some()
            || first == Some(Kind::Letter(Script::Latin)) && touches_letter(bytes, &run);
        let is_one = kinds().all(|kind| kind != Kind::Other && Some(kind) == first);
        is_one && mojibake_score(text) == 0
    };
    sequences(bytes).all(&mut is_sound) && has_word
}

/// Returns true if an ASCII letter stands beside a run.
fn touches_letter(bytes: &[u8], run: &Range<usize>) -> bool {
    let letter = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied();
    let beside = [letter(run.start.checked_sub(1)), letter(Some(run.end))];
    beside
        .into_iter()
        .flatten()
        .any(|byte| byte.is_ascii_alphabetic())
}

/// The kind of a character in a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter(Script),
    /// Han, kana and Hangul.
    EastAsian,
    /// A sign that stands within text of any script.
    Sign,
    Other,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            '\u{B7}'
            | '\u{2010}'..='\u{2027}'
            | '\u{3000}'..='\u{303F}'
            | '\u{FF00}'..='\u{FF60}' => Self::Sign,
            '\u{3041}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' => {
                Self::EastAsian
            }
            _ => Script::of(c).map_or(Self::Other, Self::Letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_charsets_of_pairs_are_utf8_by_chance() {
        for (charset, name) in [
            (Charset::GBK, "陆璐军"),
            (Charset::GBK, "史倩然"),
            (Charset::GB2312, "石慧 (Shi)"),
            (Charset::EUC_KR, "쩔짹"),
        ] {
            let bytes = charset.encode_exact(name).expect("in the charset");
            assert!(is_utf8_by_chance(charset, &bytes), "{name}");
        }
    }

    /// Words of UTF-8, whole or cut.
    #[test]
    fn words_of_utf8_are_no_chance() {
        for text in [
            "Müller",
            "Привет",
            "ли",
            "山田",
            "张三丰",
            "한국",
            "Café, é",
            "“张三”",
        ] {
            let bytes = text.as_bytes();
            for end in [bytes.len(), bytes.len() - 1] {
                let is_chance = is_utf8_by_chance(Charset::GBK, &bytes[..end]);
                assert!(!is_chance, "{text} {end}");
            }
        }
    }
}
