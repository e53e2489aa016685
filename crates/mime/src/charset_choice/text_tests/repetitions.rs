//! Removes repeated characters from text before its charset is detected.
//!
//! # Limits
//! Characters of one or two bytes.

use mailglot_codec::Charset;
use mailglot_codec::detect::high_bytes;
use std::borrow::Cow;
use std::collections::HashSet;
use std::iter;

/// Removes repeated characters and repetitions of a word: [`without_repetitions`], then [`words_once`].
pub(crate) fn unrepeated(bytes: &[u8], label: Charset) -> Cow<'_, [u8]> {
    match without_repetitions(bytes) {
        Cow::Borrowed(text) => words_once(text, label),
        Cow::Owned(text) => Cow::Owned(words_once(&text, label).into_owned()),
    }
}

/// Removes repeated characters, such as lines and boxes. They prove nothing, and mislead charsets that have them as symbols.
pub(crate) fn without_repetitions(bytes: &[u8]) -> Cow<'_, [u8]> {
    /// Number of repetitions that no word has.
    const RUN: usize = 4;
    let is_run = |at: usize, width: usize| {
        let first = bytes.get(at..at + width).filter(|first| first[0] >= 0x80);
        first.is_some_and(|first| {
            bytes
                .get(at..at + RUN * width)
                .is_some_and(|run| run.chunks_exact(width).all(|c| c == first))
        })
    };
    let width = |at: usize| [1, 2].into_iter().find(|width| is_run(at, *width));
    if !high_bytes(bytes).any(|at| width(at).is_some()) {
        return Cow::Borrowed(bytes);
    }
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        let Some(width) = width(at) else {
            out.push(*byte);
            at += 1;
            continue;
        };
        let first = bytes.get(at..at + width).unwrap_or_default();
        at += bytes[at..]
            .chunks_exact(width)
            .take_while(|c| *c == first)
            .count()
            * width;
        out.push(b' ');
    }
    Cow::Owned(out)
}

/// Keeps one of each row of equal characters if the label is a multi-byte charset. Laughter proves as much as one of its characters: `ㅋㅋㅋ`.
pub(crate) fn once(bytes: &[u8], label: Charset) -> Cow<'_, [u8]> {
    if label.is_single_byte() {
        return Cow::Borrowed(bytes);
    }
    let (mut out, mut last): (_, &[u8]) = (Vec::with_capacity(bytes.len()), &[]);
    for character in characters(bytes) {
        if character.len() == 1 || character != last {
            out.extend_from_slice(character);
        }
        last = character;
    }
    if out.len() == bytes.len() {
        return Cow::Borrowed(bytes);
    }
    Cow::Owned(out)
}

/// Removes repetitions of a word if all words with bytes above 7F are equal: `楊梅縣=楊梅縣` becomes `楊梅縣=`. A repeated name is one piece of evidence.
/// Texts with several different words stay.
///
/// ASCII characters other than letters separate words, and all ASCII characters do in a multi-byte charset. Examines the bytes that
/// detection samples.
pub(crate) fn words_once(bytes: &[u8], label: Charset) -> Cow<'_, [u8]> {
    /// Number of bytes that are examined.
    const WINDOW: usize = 1 << 16;
    let is_single = label.is_single_byte();
    let width = |at: usize| match bytes[at..] {
        [0x80..=0xFF, 0x40..=0xFF, ..] if !is_single => 2,
        _ => 1,
    };
    let is_of_word = |byte: u8| !byte.is_ascii() || is_single && byte.is_ascii_alphabetic();
    let mut first = None;
    let (mut out, mut at) = (Vec::new(), 0);
    let mut copied = 0;
    while at < bytes.len().min(WINDOW) {
        let start = at;
        while at < bytes.len() && is_of_word(bytes[at]) {
            at += width(at);
        }
        let word = &bytes[start..at];
        if !word.is_ascii() {
            match first {
                None => first = Some(word),
                Some(first) if first == word => {
                    out.extend_from_slice(&bytes[copied..start]);
                    copied = at;
                }
                Some(_) => return Cow::Borrowed(bytes),
            }
        }
        at = at.max(start + 1);
    }
    if copied == 0 {
        return Cow::Borrowed(bytes);
    }
    out.extend_from_slice(&bytes[copied..]);
    Cow::Owned(out)
}

/// Returns the number of different characters of two bytes.
pub(crate) fn different_pairs(bytes: &[u8]) -> usize {
    let pairs: HashSet<&[u8]> = characters(bytes).filter(|c| c.len() == 2).collect();
    pairs.len()
}

/// Divides bytes into characters of one or two bytes, as double-byte charsets do.
pub(super) fn characters(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    iter::from_fn(move || {
        let width = match rest {
            [] => return None,
            [0x80..=0xFF, 0x40..=0xFF, ..] => 2,
            _ => 1,
        };
        let (character, behind) = rest.split_at(width);
        rest = behind;
        Some(character)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::{charset_named, encoded};

    #[test]
    fn rows_of_one_character_count_once() {
        let label = Charset::EUC_KR;
        for (bytes, expected, pairs) in [
            (&b"\xA4\xBB\xA4\xBB\xA4\xBB ok"[..], &b"\xA4\xBB ok"[..], 1),
            (b"\xA4\xD0\xA4\xD0 \xA4\xD0aa", b"\xA4\xD0 \xA4\xD0aa", 1),
            (b"\xC1\xF8\xC2\xA5", b"\xC1\xF8\xC2\xA5", 2),
            (b"\xBB\xA4\xA4\xBB\xA4", b"\xBB\xA4\xA4\xBB\xA4", 2),
            (b"", b"", 0),
        ] {
            let once = once(bytes, label);
            assert_eq!(
                once.escape_ascii().to_string(),
                expected.escape_ascii().to_string()
            );
            assert_eq!(different_pairs(&once), pairs, "{}", bytes.escape_ascii());
        }
        let single = once(b"\xA4\xBB\xA4\xBB", Charset::KOI8_R);
        assert_eq!(*single, b"\xA4\xBB\xA4\xBB"[..]);
    }

    #[test]
    fn equal_words_count_once() {
        for (charset, text, expected) in [
            ("EUC-JP", "匝瑳市=匝瑳市", "匝瑳市="),
            ("Big5", "楊梅縣1楊梅縣2", "楊梅縣12"),
            // Several words.
            ("Big5", "楊梅縣1楊梅縣2楊梅", "楊梅縣1楊梅縣2楊梅"),
            ("TIS-620", "นวลฉวี-นวลฉวี", "นวลฉวี-"),
            ("windows-1251", "Да, Да, Да", "Да, , "),
            ("windows-1251", "Да, Да, Нет, Да", "Да, Да, Нет, Да"),
            ("ISO-8859-2", "Škoda=Škoda and Škoda", "Škoda= and "),
            ("EUC-JP", "a=a a=a", "a=a a=a"),
            ("EUC-JP", "東京と東京", "東京と東京"),
            ("EUC-JP", "", ""),
        ] {
            let bytes = encoded(charset, text);
            let charset = charset_named(charset);
            let once = words_once(&bytes, charset);
            assert_eq!(charset.decode_exact(&once).unwrap(), expected, "{text}");
        }
    }
}
