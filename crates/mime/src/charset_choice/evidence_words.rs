//! Whether words of a text prove that its label is wrong.
//!
//! A label under which each byte is a letter within a word, or a sign, is mostly right. Signs prove nothing: every page of single bytes has
//! letters in their places. Words do, where several letters in several of them differ.
//!
//! # Limits
//! Charsets of several bytes a character are believed: what they read whole is hardly chance.

use mailglot_codec::detect;
use mailglot_codec::{Charset, LossLog};
use std::collections::HashSet;

/// Different bytes above 7F that must be letters.
const LETTERS: usize = 3;
/// Different words that they must stand in.
const WORDS: usize = 3;
/// Letters beyond ASCII in a row that are a word of another alphabet than Latin, or are no word under the label.
const IN_A_ROW: usize = 3;
/// Bytes that are looked at.
const WINDOW: usize = 1 << 16;

/// Whether the words of `bytes` prove `other` against a label: three different letters in three words, or in a word of three or more of them
/// in a row; two in two words where the label makes a sign within a word of one.
pub(super) fn words_prove(bytes: &[u8], label: Charset, other: Charset) -> bool {
    if !other.is_single_byte() || !label.is_single_byte() {
        return true;
    }
    let bytes = &bytes[..bytes.len().min(WINDOW)];
    let upper: Vec<u8> = (0x80..=0xFF).collect();
    let read = |charset: Charset| -> Vec<char> {
        let mut log = LossLog::with_limit(0);
        upper
            .iter()
            .map(|byte| {
                charset
                    .decode(&[*byte], &mut log)
                    .chars()
                    .next()
                    .unwrap_or_default()
            })
            .collect()
    };
    let (by_label, by_other) = (read(label), read(other));
    let is_letter = |byte: u8| {
        byte.is_ascii_alphabetic()
            || byte >= 0x80 && by_other[usize::from(byte - 0x80)].is_alphabetic()
    };
    let differs = |byte: u8| {
        byte >= 0x80 && by_label[usize::from(byte - 0x80)] != by_other[usize::from(byte - 0x80)]
    };
    // Signs of the label's reading that do not stand within words.
    let is_sign = |byte: u8| {
        byte >= 0x80 && {
            let c = by_label[usize::from(byte - 0x80)];
            !c.is_alphanumeric()
                && !matches!(
                    c,
                    '\u{A0}' | '\u{AD}' | '\u{B4}' | '\u{B7}' | '\u{2010}'..='\u{203A}'
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
        let kinds: HashSet<&u8> = word.iter().filter(|byte| **byte >= 0x80).collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_prove_and_signs_do_not() {
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
