//! Finds words of UTF-8 that Latin-1 decodes to letters and signs which no word has: `Åžirket` is `Şirket`.
//!
//! # Limits
//! Expects valid UTF-8. Short text in Latin-1 may be valid UTF-8 by chance.

use crate::charset_choice::text_tests::neighbor_bytes::byte_or_blank;
use crate::charset_choice::text_tests::western_letters::is_latin_1;
use mailglot_codec::Charset;
use mailglot_codec::detect::high_bytes;

/// Returns true if the label is Latin-1, and valid UTF-8 has such a word.
///
/// ```text
/// Œuvre       Å’u
/// Şirket      Åž
/// Țara Șosea  Èš È˜
/// Nguyễn      á» and a sign between letters
/// đường       Ä‘ before a letter
/// Δ           Î” that begins a word
/// │           â”‚: â and two signs
/// ```
pub(super) fn has_misread_word(label: Charset, bytes: &[u8]) -> bool {
    is_latin_1(label)
        && high_bytes(bytes).any(|at| {
            let before = byte_or_blank(bytes, at.checked_sub(1));
            let begins_word = before.is_ascii() && !before.is_ascii_alphanumeric();
            let is_small = |place: usize| bytes.get(place).is_some_and(u8::is_ascii_lowercase);
            match bytes[at..] {
                [0xC5, 0x92, b'u', ..] => begins_word,
                [0xC5, 0xBD, ..] => {
                    label == Charset::ISO_8859_15 && begins_word && is_small(at + 2)
                }
                [0xC5, 0x9E, ..] | [0xC8, 0x98 | 0x9A, ..] => begins_word && is_small(at + 2),
                [0xC4, 0x91, next, ..] => next.is_ascii_lowercase() || next >= 0xC3,
                [0xCE, 0x94, ..] => begins_word,
                [0xE2, 0x80..=0xBF, 0x80..=0xBF, ..] => true,
                [0xE1, 0xBA | 0xBB, ..] => before.is_ascii_alphabetic() && is_small(at + 3),
                _ => false,
            }
        })
}

/// Returns true if the label is Latin-1, and valid UTF-8 begins a word with `Š`: `Å` and a no-break space in `Petr Å tetiar`.
///
/// Norwegian and Danish have the same bytes for the word `å`, so they are reported only.
pub(super) fn may_be_misread_word(label: Charset, bytes: &[u8]) -> bool {
    let is_name = |at: usize| {
        let before = byte_or_blank(bytes, at.checked_sub(1));
        matches!(bytes[at..], [0xC5, 0xA0, b'a'..=b'z', ..]) && !before.is_ascii_alphanumeric()
    };
    is_latin_1(label)
        && memchr::memchr_iter(0xC5, bytes).any(is_name)
        && std::str::from_utf8(bytes).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_utf8_are_no_words_of_latin_1() {
        for text in [
            "Œuvre",
            "Şirket",
            "Țara",
            "Șosea",
            "Nguyễn",
            "Trần",
            "đi",
            "the Δ-net",
            "\"│\".",
        ] {
            for label in [
                Charset::ISO_8859_1,
                Charset::WINDOWS_1252,
                Charset::ISO_8859_15,
            ] {
                assert!(has_misread_word(label, text.as_bytes()), "{text} {label}");
            }
            assert!(!has_misread_word(Charset::WINDOWS_1250, text.as_bytes()));
        }
        assert!(has_misread_word(Charset::ISO_8859_15, "Žena".as_bytes()));
    }

    #[test]
    fn words_of_latin_1_that_are_valid_utf8_keep_their_label() {
        for text in [
            // `Å` and a no-break space, a word of its own in Norwegian and Danish.
            &b"\xC5\xA0v\xE6re"[..],
            b"Odense \xC5\xA0ligger",
            b"P\xC5\xA0gata",
            b"\xC5\x92en",
            b"est\xE1\xBB\x85",
            b"est\xE1\xBB\x94 y",
            b"caf\xC3\xA9",
            b"plain",
        ] {
            assert!(
                !has_misread_word(Charset::WINDOWS_1252, text),
                "{}",
                text.escape_ascii()
            );
        }
    }
}
