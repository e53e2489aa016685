//! Tests whether the words of a text prove that its label is wrong.
//!
//! A label that reads each high byte as a letter within a word, or as punctuation, is mostly right. Punctuation proves nothing,
//! since other single-byte charsets have letters in its place. Words prove it if several letters in several of them differ.
//!
//! # Limits
//! Multi-byte labels are accepted: bytes hardly decode in them by chance.

use mailglot_codec::detect;
use mailglot_codec::{Charset, LossLog, is_alphabetic};
use std::collections::HashSet;

/// Minimum number of different bytes above 7F that are letters.
const LETTERS: usize = 3;
/// Minimum number of different words with such letters.
const WORDS: usize = 3;
/// Non-ASCII letters in a row that make a word of a non-Latin alphabet, or no word under the label.
const IN_A_ROW: usize = 3;
/// Maximum number of bytes that are examined.
const WINDOW: usize = 1 << 16;

/// Returns true if the words of `bytes` prove that the text is in `other` and not in `label`.
///
/// Proof is three different letters in three words, or in one word that has three or more of them in a row. Two letters in two
/// words suffice if the label reads a byte inside a word as a symbol. In words that the label reads as letters of Greek or Cyrillic,
/// only letters that `other` reads otherwise count.
pub(crate) fn words_prove(bytes: &[u8], label: Charset, other: Charset) -> bool {
    if !other.is_single_byte() || !label.is_single_byte() {
        return true;
    }
    let bytes = &bytes[..bytes.len().min(WINDOW)];
    let (Some(by_label), Some(by_other)) = (upper_half(label), upper_half(other)) else {
        return true;
    };
    let is_letter = |byte: u8| {
        byte.is_ascii_alphabetic()
            || byte >= 0x80 && is_alphabetic(by_other[usize::from(byte - 0x80)])
    };
    let differs = |byte: u8| {
        byte >= 0x80 && by_label[usize::from(byte - 0x80)] != by_other[usize::from(byte - 0x80)]
    };
    // Two charsets of Cyrillic may differ in few letters, which names have: `Ѓорѓи`. In Latin, most letters are ASCII anyway.
    let is_greek_or_cyrillic = |byte: &u8| {
        let c = by_label[usize::from(byte & 0x7F)];
        is_alphabetic(c) && matches!(c, '\u{370}'..='\u{52F}')
    };
    // Symbols that do not occur inside words.
    let is_sign = |byte: u8| {
        byte >= 0x80 && {
            let c = by_label[usize::from(byte - 0x80)];
            !c.is_alphanumeric()
                && !matches!(
                    c,
                    '\u{A0}' | '\u{AD}' | '\u{B4}' | '\u{B7}' | '\u{2010}'
                        ..='\u{2019}' | '\u{201C}' | '\u{201D}' | '\u{2026}'
                )
        }
    };
    let (mut letters, mut words, mut longest) = (HashSet::new(), HashSet::new(), 0);
    let mut has_sign_within = false;
    let mut at = 0;
    while let Some(start) = detect::high_bytes(&bytes[at..]).next().map(|n| at + n) {
        let before = bytes[at..start]
            .iter()
            .rev()
            .take_while(|b| is_letter(**b))
            .count();
        let word = &bytes[start - before..];
        let length = word
            .iter()
            .position(|b| !is_letter(*b))
            .unwrap_or(word.len());
        let word = &word[..length];
        at = (start - before + length).max(start + 1);
        if !word.iter().any(|byte| differs(*byte)) || word.len() < 2 {
            continue;
        }
        let rows = word
            .split(u8::is_ascii)
            .map(<[u8]>::len)
            .max()
            .unwrap_or_default();
        let high = || word.iter().filter(|byte| **byte >= 0x80);
        let is_name = high().all(is_greek_or_cyrillic);
        let kinds: HashSet<&u8> = high().filter(|byte| !is_name || differs(**byte)).collect();
        if kinds.len() >= LETTERS {
            longest = longest.max(rows);
        }
        letters.extend(kinds.into_iter().copied());
        words.insert(word);
        let inner = word.get(1..word.len() - 1).unwrap_or_default();
        has_sign_within |= inner.iter().any(|byte| is_sign(*byte));
        let is_enough = letters.len() >= LETTERS && (words.len() >= WORDS || longest >= IN_A_ROW);
        if is_enough || has_sign_within && letters.len() > 1 && words.len() > 1 {
            return true;
        }
    }
    false
}

/// Returns the characters of the bytes 80 to FF in a single-byte charset; U+FFFD where it has none.
fn upper_half(charset: Charset) -> Option<[char; 128]> {
    let bytes: [u8; 128] = std::array::from_fn(|at| 0x80 + at as u8);
    let text = charset.decode(&bytes, &mut LossLog::with_limit(0));
    let chars: Vec<char> = text.chars().collect();
    chars.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_of_a_single_byte_charset_is_one_character() {
        let all = Charset::all().filter(|charset| charset.is_single_byte());
        let mut count = 0;
        for charset in all {
            let upper = upper_half(charset);
            for byte in 0x80..=0xFF_u8 {
                let mut log = LossLog::with_limit(0);
                let alone = charset.decode(&[byte], &mut log).chars().next();
                let found = upper.map(|upper| upper[usize::from(byte - 0x80)]);
                assert_eq!(found, alone, "{charset} {byte:02X}");
            }
            count += 1;
        }
        assert!(count > 100, "{count}");
    }

    #[test]
    fn words_are_evidence_and_symbols_are_not() {
        for (other, bytes, expected) in [
            ("windows-1251", &b"\xCF\xF0\xE8\xE2\xE5\xF2"[..], true),
            (
                "windows-1250",
                b"k\xF9n b\xECl\xFD, \xE8ten\xE1\xF8 a p\xF8\xEDtel",
                true,
            ),
            (
                "IBM850",
                b"\xA0\xA0 1. Opening\n\xA0\xA0 2. Next\n\xA0\xA0 3.",
                false,
            ),
            ("IBM866", b"3.50\xA0\xA4 5\xA0\xA4", false),
            (
                "IBM855",
                b"\xB7 \xA0 one\n\xB7 \xA0two\n\xB7\xA0\xA0three",
                false,
            ),
            ("windows-1250", b"n\xECco", false),
        ] {
            let other = Charset::for_name(other).unwrap();
            assert_eq!(
                words_prove(bytes, Charset::WINDOWS_1252, other),
                expected,
                "{}",
                bytes.escape_ascii()
            );
        }
    }
}
