//! Finds signs within words, where letters of other charsets stand: `m†ndag` is `måndag` in IBM850, `Cu‡ndo` is `Cuándo` in macintosh.
//!
//! # Limits
//! Labels of Latin charsets. Signs that some language or program writes within words prove nothing: apostrophes, hyphens, dashes,
//! ellipses, guillemets, ordinals, middle dots.

use super::neighbor_bytes::byte_or_blank;
use super::western_letters::is_latin_1;
use crate::charset_choice::thresholds::window;
use crate::unlogged::decode_unlogged;
use mailglot_codec::detect::{MAX_HIGH_BYTES, high_bytes};
use mailglot_codec::{Charset, is_alphabetic};

/// What signs within words say of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SignsWithin {
    /// No word has a sign inside: `für`, `† 1999`.
    None,
    /// One sign from A1 to BF, once or repeated. It may be a typing error, or hide a word from filters: `V¡agra and C¡alis`.
    One,
    /// A sign from 80 to 9F, or different signs.
    Several,
}

/// Finds the signs within words of a text under its label.
pub(crate) fn signs_within_words(label: Charset, bytes: &[u8]) -> SignsWithin {
    if !has_latin_letters(label) {
        return SignsWithin::None;
    }
    let window = window(bytes);
    // Most bytes that may be signs are letters: each is decoded once.
    let mut letters = [false; 256];
    let mut is_a_sign = |byte: u8| {
        let is_letter = &mut letters[usize::from(byte)];
        *is_letter = *is_letter || !is_sign(label, byte);
        !*is_letter
    };
    let mut first = None;
    for at in high_bytes(window).take(MAX_HIGH_BYTES) {
        let is_misplaced =
            may_be_sign(window[at]) && is_within(window, at) && is_a_sign(window[at])
                || is_inner_capital(label, window, at);
        if !is_misplaced {
            continue;
        }
        if window[at] < 0xA0 || first.is_some_and(|first| first != window[at]) {
            return SignsWithin::Several;
        }
        first = Some(window[at]);
    }
    match first {
        Some(_) => SignsWithin::One,
        None => SignsWithin::None,
    }
}

/// Returns true for charsets that have the letters of Latin languages from C0 on.
pub(crate) fn has_latin_letters(label: Charset) -> bool {
    matches!(
        label,
        Charset::ISO_8859_1
            | Charset::ISO_8859_2
            | Charset::ISO_8859_4
            | Charset::ISO_8859_9
            | Charset::ISO_8859_13
            | Charset::ISO_8859_15
            | Charset::WINDOWS_1250
            | Charset::WINDOWS_1252
            | Charset::WINDOWS_1254
            | Charset::WINDOWS_1257
    )
}

/// Returns false for letters, and for the apostrophes, dashes and other signs of every Windows charset that stand within words. Fast.
fn may_be_sign(byte: u8) -> bool {
    !matches!(
        byte,
        0x85 | 0x8A
            | 0x8C
            | 0x8E
            | 0x91
            | 0x92
            | 0x96
            | 0x97
            | 0x9A
            | 0x9C
            | 0x9E
            | 0x9F
            | 0xA0
            | 0xAB
            | 0xAD
            | 0xB0
            | 0xB4
            | 0xB7
            | 0xBB
            | 0xC0..
    )
}

/// Returns true if a byte, or the run of bytes 80 to BF around it, has a letter on each side: `N£¤ez` is `Núñez` in IBM850.
fn is_within(window: &[u8], at: usize) -> bool {
    let is_part = |byte: &&u8| matches!(byte, 0x80..=0xBF);
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte >= 0xC0;
    let before = window[..at].iter().rev().find(|byte| !is_part(byte));
    let after = window[at..].iter().find(|byte| !is_part(byte));
    before.is_some_and(is_letter) && after.is_some_and(is_letter)
}

/// Returns true if windows-1252 has one of its capitals below C0 behind a small letter and not before a capital: `fŸr` is `für` in macintosh.
fn is_inner_capital(label: Charset, window: &[u8], at: usize) -> bool {
    let beside = |at: Option<usize>| byte_or_blank(window, at);
    is_latin_1(label)
        && matches!(window[at], 0x8A | 0x8C | 0x8E | 0x9F)
        && beside(at.checked_sub(1)).is_ascii_lowercase()
        && !beside(at.checked_add(1)).is_ascii_uppercase()
}

/// Returns true if the label reads a byte as a sign that no language has within words.
fn is_sign(label: Charset, byte: u8) -> bool {
    let bytes = [byte];
    let text = decode_unlogged(label.superset(), &bytes);
    text.chars().all(|c| match c {
        // The florin is a letter only in African languages, which these charsets do not serve.
        '\u{192}' => true,
        '\u{A0}' | '\u{AA}' | '\u{AB}' | '\u{AD}' | '\u{B0}' | '\u{B4}' | '\u{B7}' | '\u{BA}'
        | '\u{BB}' => false,
        '\u{2010}'..='\u{2019}' | '\u{2026}' => false,
        _ => !is_alphabetic(c),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::charset_named;

    #[test]
    fn letters_of_other_charsets_are_signs_within_words() {
        use SignsWithin::{None, One, Several};
        for (label, bytes, expected) in [
            ("windows-1252", &b"p\x86 m\x86ndag"[..], Several),
            ("ISO-8859-1", b"Cu\x87ndo", Several),
            ("windows-1250", b"k\x94szi", Several),
            ("ISO-8859-1", b"N\xA3\xA4ez", Several),
            ("ISO-8859-1", b"R\x83UNION", Several),
            ("ISO-8859-1", b"N\xA3ria", One),
            ("ISO-8859-1", b"Jos\x8E, f\x9Fr", Several),
            ("ISO-8859-1", b"\x8Eivko MI\x8AI\x8E \x8Akoda, e\x8AA", None),
            ("ISO-8859-2", b"Ni\xE7u", None),
            ("ISO-8859-1", b"it\x92s, a\x85b, c\x97d", None),
            ("ISO-8859-1", b"3\xAA l\xB7l \xABa\xBBb", None),
            ("windows-1252", b"\x84Wort\x93 \x86 \xA7 5, 12\x80", None),
            ("windows-1250", b"d\xEDt\xECte\x9A\xB9\xBEa", None),
            ("KOI8-R", b"p\x86 m\x86ndag", None),
            ("windows-1252", b"plain", None),
        ] {
            let charset = charset_named(label);
            let found = signs_within_words(charset, bytes);
            assert_eq!(found, expected, "{label} {}", bytes.escape_ascii());
        }
    }
}
