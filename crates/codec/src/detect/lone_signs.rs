//! Finds text whose only bytes above 7F are signs of windows-1252 that stand alone.
//!
//! ```text
//! 100 \xB5A     100 µA, not 100 에 (Johab)       a\xA6b     a¦b, not a在 (Big5)
//! 20\xBAC       20ºC, not 20慢 (Big5)            a\xD7b     a×b, not a譩 (GBK)
//! ```
//!
//! # Limits
//! Says nothing of letters of other single-byte charsets in place of the signs: `\xAEona` is `Žona` in windows-1250.

use super::odd_text::high_bytes;

/// Returns true if each byte above 7F is a sign beside ASCII. Few of them may form a character of two bytes with the next letter.
///
/// Words of Chinese, Japanese and Korean have several characters side by side, or characters with two bytes above 7F.
pub(super) fn are_lone_signs(bytes: &[u8]) -> bool {
    /// Number of different pairs that are no text in a charset of two bytes.
    const FEW: usize = 3;
    let mut pairs = Vec::with_capacity(FEW);
    for at in high_bytes(bytes) {
        let around = Around::of(bytes, at);
        if !is_sign(bytes[at]) || !around.is_lone || is_elsewhere(bytes[at], around.before) {
            return false;
        }
        let pair = (bytes[at], around.after);
        if around.after.is_ascii_alphabetic() && !pairs.contains(&pair) {
            if pairs.len() == FEW {
                return false;
            }
            pairs.push(pair);
        }
    }
    !pairs.is_empty()
}

/// The ASCII beside a byte above 7F; spaces at the start and the end of the text.
struct Around {
    before: u8,
    after: u8,
    /// Neither the byte before nor the two behind it are above 7F.
    is_lone: bool,
}

impl Around {
    fn of(bytes: &[u8], at: usize) -> Self {
        let byte = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied().unwrap_or(b' ');
        let (before, after, far_after) = (
            byte(at.checked_sub(1)),
            byte(at.checked_add(1)),
            byte(at.checked_add(2)),
        );
        Self {
            before,
            after,
            is_lone: (before | after | far_after).is_ascii(),
        }
    }
}

/// Returns true for signs of windows-1252, without the currency sign, which hardly anybody writes.
fn is_sign(byte: u8) -> bool {
    matches!(
        byte,
        0x80 | 0x82 | 0x84..=0x89 | 0x8B | 0x91..=0x99 | 0x9B | 0xA0..=0xA3 | 0xA5..=0xBF | 0xD7 | 0xF7
    )
}

/// Returns true for a sign behind a character where another charset has a sign that belongs there. Such signs are the comma and the
/// full stop of Big5 (`well\xA1A`), the degree of macintosh (`20\xA1C`), and the ordinal of IBM850 (`20\xA7C`).
fn is_elsewhere(sign: u8, before: u8) -> bool {
    match sign {
        0xA1 | 0xBF => before.is_ascii_graphic() && !matches!(before, b'(' | b'"' | b'\''),
        0xA7 => before.is_ascii_digit(),
        // `\xA6b` alone is 在.
        0xA6 => !before.is_ascii_alphanumeric(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Hints, detect};
    use super::*;
    use crate::charset::Charset;

    fn guessed(bytes: &[u8], hints: &Hints<'_>) -> Charset {
        let hints = Hints {
            ascii_compatible: true,
            ..*hints
        };
        detect(bytes, &hints).charset
    }

    #[test]
    fn a_lone_sign_beside_a_letter_is_no_character_of_two_bytes() {
        for text in [
            &b"100 \xB5A"[..],
            b"The part list says 100 \xB5A and I do not know why.",
            b"4.7 \xB5F capacitor",
            b"\xB5P",
            b"20\xBAC",
            b"It was 20\xBAC today.",
            b"a\xA6b",
            b"select a\xA6b here",
            b"a\xD7b",
            b"a\xACb",
            b"x\xF7y",
            b"see \xA7B",
            b"5\xB5H and 3\xB5A",
            b"1\xBDc",
        ] {
            let found = guessed(text, &Hints::default());
            assert_eq!(found, Charset::WINDOWS_1252, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn characters_side_by_side_and_east_asian_hints_are_evidence() {
        for bytes in [
            &b"\xA7A\xA6n"[..],
            b"Hello\xA1A how are you\xA1H",
            b"\xA4\xA4",
            b"\xA4@ \xA4G \xA4T",
            b"20\xA1C",
            b"\xB5A \xA6b \xBAC \xB6p",
            b"caf\xE9s",
            b"plain",
        ] {
            assert!(!are_lone_signs(bytes), "{}", bytes.escape_ascii());
        }
        let chinese = Hints {
            language: Some("zh-TW"),
            ..Hints::default()
        };
        assert_eq!(guessed(b"\xA7A", &chinese), Charset::BIG5);
        assert_eq!(guessed(b"\xA7A", &Hints::default()), Charset::WINDOWS_1252);
    }

    #[test]
    fn words_with_letters_in_place_of_signs_keep_their_charset() {
        for (bytes, expected) in [
            (&b"\xA3ukasz"[..], Charset::WINDOWS_1250),
            (b"d\xB1b", Charset::ISO_8859_2),
            (b"Mysle, \xBEe ano", Charset::ISO_8859_2),
            (b"Pawe\xB3 i \xAEA", Charset::ISO_8859_2),
            (b"5 \xB5A", Charset::WINDOWS_1252),
            (b"20\xBAc", Charset::WINDOWS_1252),
        ] {
            assert!(are_lone_signs(bytes), "{}", bytes.escape_ascii());
            let found = guessed(bytes, &Hints::default());
            assert_eq!(found, expected, "{}", bytes.escape_ascii());
        }
    }
}
