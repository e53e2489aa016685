//! Finds Latin words with single bytes above 7F, and charsets that decode these bytes to another script.
//!
//! ```text
//! \xCDsland      Ísland, not мsland (KOI8-R)
//! M\xFCller     Müller, not Mьller (windows-1251)
//! \xC7a va       Ça va, not 크 va (Johab)
//! \xD1o\xF1o     Ñoño, not 裲駉 (GBK)
//! \xD5szi        Őszi, not ’szi (x-mac-ce)
//! ```
//!
//! # Limits
//! Examines texts with few such words and no other bytes above 7F. Words in the script of a charset are evidence for it.

use super::odd_text::high_bytes;
use crate::alphabetic::is_alphabetic;
use crate::charset::Charset;
use crate::loss::LossLog;
use crate::script::Script;

/// Returns true if each byte above 7F is a capital of windows-1252 at the start of a Latin word, or a small letter within one.
/// Examples: `\xC6var`, `\xD1o\xF1o`, `\xC7a`.
///
/// GBK, Big5, Shift_JIS and Johab make a character of it and the next letter, but hardly a word: `苬ar`.
pub(super) fn begin_latin_words(bytes: &[u8]) -> bool {
    /// Number of words; more of them may be in any charset.
    const FEW: usize = 2;
    let mut words = 0;
    let mut end = 0;
    for at in high_bytes(bytes) {
        if at < end {
            continue;
        }
        let Some(length) = capitalized_word(bytes, at) else {
            return false;
        };
        words += 1;
        end = at + length;
        if words > FEW {
            return false;
        }
    }
    words > 0
}

/// Returns the length of the word that begins with a capital above 7F at `at`. All its other letters are small, and none of those above 7F
/// touches another one.
///
/// Two ASCII letters follow the capital, or one of the small letters is above 7F. `Š` and `Ž` need the latter. `Ça` counts beside another word.
fn capitalized_word(bytes: &[u8], at: usize) -> Option<usize> {
    let is_capital = |byte: u8| matches!(byte, 0xC0..=0xD6 | 0xD8..=0xDE);
    let is_caron = |byte: u8| matches!(byte, 0x8A | 0x8E);
    let is_small = |byte: &u8| matches!(byte, 0xE0..=0xF6 | 0xF8..=0xFE);
    let is_start = !at
        .checked_sub(1)
        .is_some_and(|before| bytes[before].is_ascii_alphanumeric() || !bytes[before].is_ascii());
    let rest = &bytes[at + 1..];
    let length = rest
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii())
        .count();
    let rest = &rest[..length];
    let are_apart = rest.first().is_some_and(u8::is_ascii)
        && rest
            .windows(2)
            .all(|pair| pair[0].is_ascii() || pair[1].is_ascii());
    let are_small = rest
        .iter()
        .all(|byte| byte.is_ascii_lowercase() || is_small(byte));
    let has_small = rest.iter().any(is_small);
    let is_long = rest
        .first_chunk()
        .is_some_and(|two: &[u8; 2]| two.iter().all(u8::is_ascii))
        || has_small
        || bytes[at] == 0xC7 && rest == b"a" && has_latin_word(&bytes[at + 2..]);
    let begins = is_capital(bytes[at]) || is_caron(bytes[at]) && has_small;
    (is_start && begins && are_apart && are_small && is_long).then_some(length + 1)
}

/// Returns true if a text has a word of two small letters.
fn has_latin_word(bytes: &[u8]) -> bool {
    bytes
        .windows(2)
        .any(|pair| pair.iter().all(u8::is_ascii_lowercase))
}

/// Returns true if each byte above 7F stands alone in a Latin word, and `charset` has a letter of another script for it.
///
/// At the start of a word it counts if it is a capital in windows-1252 and a small letter in `charset`: `мsland`. Other letters beside a
/// word may be a prefix or an ending: `בweb`, `emailы`.
pub(super) fn mixes_scripts(charset: Charset, bytes: &[u8]) -> bool {
    /// Number of bytes above 7F; more of them may be words of the other script.
    const FEW: usize = 2;
    let places: Vec<usize> = high_bytes(bytes).take(FEW + 1).collect();
    let is_mixed = |at: &usize| {
        let byte = bytes[*at];
        let (Some(western), Some(other)) =
            (letter(Charset::WINDOWS_1252, byte), letter(charset, byte))
        else {
            return false;
        };
        let is_foreign = Script::of(other).is_some_and(|script| script != Script::Latin);
        is_foreign
            && match place_in_latin_word(bytes, *at) {
                Some(WordPlace::Start) => western.is_uppercase() && other.is_lowercase(),
                Some(WordPlace::Within) => true,
                Some(WordPlace::End) | None => false,
            }
    };
    charset.is_single_byte() && (1..=FEW).contains(&places.len()) && places.iter().all(is_mixed)
}

/// Returns the letter of a byte in a charset of one byte.
fn letter(charset: Charset, byte: u8) -> Option<char> {
    let text = [byte];
    let text = charset.decode(&text, &mut LossLog::with_limit(0));
    text.chars().next().filter(|c| is_alphabetic(*c))
}

/// The place of a byte in a word.
enum WordPlace {
    Start,
    Within,
    End,
}

/// Returns the place of a byte that is the only one above 7F in a word with ASCII letters, most of them small.
fn place_in_latin_word(bytes: &[u8], at: usize) -> Option<WordPlace> {
    const LETTERS: usize = 2;
    let is_part = |byte: &&u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
    let before = bytes[..at].iter().rev().take_while(is_part).count();
    let after = bytes[at + 1..].iter().take_while(is_part).count();
    let word = [&bytes[at - before..at], &bytes[at + 1..at + 1 + after]].concat();
    let small = word.iter().filter(|byte| byte.is_ascii_lowercase()).count();
    let is_latin = word.is_ascii() && small >= LETTERS && 2 * small > word.len();
    is_latin.then_some(match (before, after) {
        (0, _) => WordPlace::Start,
        (_, 0) => WordPlace::End,
        _ => WordPlace::Within,
    })
}

/// Returns true if `charset` makes an apostrophe of each byte above 7F, and each stands before a word: `’szi` is `Őszi`.
pub(super) fn has_apostrophes_before_words(charset: Charset, bytes: &[u8]) -> bool {
    let byte = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied().unwrap_or(b' ');
    let begins_word = |at: usize| {
        !byte(at.checked_sub(1)).is_ascii_alphanumeric()
            && (at + 1..at + 3).all(|next| byte(Some(next)).is_ascii_lowercase())
            && letter(Charset::WINDOWS_1252, bytes[at]).is_some()
            && charset.decode(&bytes[at..=at], &mut LossLog::with_limit(0)) == "’"
    };
    charset.is_single_byte() && !bytes.is_ascii() && high_bytes(bytes).all(begins_word)
}

#[cfg(test)]
mod tests {
    use super::super::{Hints, detect};
    use super::*;

    #[test]
    fn capitals_of_latin_words_are_no_characters_of_two_bytes() {
        for (text, expected) in [
            (&b"my name is \xC6var"[..], true),
            (b"Thanks \xC5sa", true),
            (b"\xC9milie and \xD6zlem", true),
            (b"Re: \xC7a y est", true),
            (b"\xD1o\xF1o", true),
            (b"\x8Am\xEDd", true),
            // Two bytes above 7F are a character in more charsets: `pls 请check`.
            (b"pls \xC7\xEBcheck", false),
            (b"\xC9milie, \xC9milie, \xC9milie", false),
            (b"\xC6v", false),
            (b"\xC7a", false),
            (b"\xB5ar", false),
            (b"a\xC6var", false),
            (b"\xB9\xFE\xB9\xFEhome", false),
            // 各 and テスト in Shift_JIS.
            (b"\x8Akoda", false),
            (b"\x83e\x83X\x83g", false),
            (b"plain", false),
        ] {
            assert_eq!(begin_latin_words(text), expected, "{}", text.escape_ascii());
            if expected {
                let found = detect(text, &Hints::default()).charset;
                assert!(found.is_single_byte(), "{found} {}", text.escape_ascii());
            }
        }
    }

    #[test]
    fn words_of_two_scripts_are_latin_ones() {
        for (charset, text, expected) in [
            (Charset::WINDOWS_1251, &b"<p>M\xFCller</p>"[..], true),
            (Charset::WINDOWS_1251, b"d\xE9j\xE0 vu", false),
            (Charset::KOI8_R, b"\xCDsland", true),
            // A prefix in Hebrew, and an ending in Russian.
            (Charset::WINDOWS_1255, b"\xE1web", false),
            (Charset::WINDOWS_1251, b"email\xFB", false),
            (Charset::WINDOWS_1251, b"SMS\xEA\xE0", false),
            (Charset::WINDOWS_1251, b"CD\xFB", false),
            (Charset::WINDOWS_1251, b"\xC4\xE0, Bob", false),
            (Charset::WINDOWS_1251, b"Skoda \xE8 Audi", false),
            (Charset::WINDOWS_1251, b"plain", false),
        ] {
            assert_eq!(
                mixes_scripts(charset, text),
                expected,
                "{}",
                text.escape_ascii()
            );
            assert!(!mixes_scripts(Charset::WINDOWS_1250, text));
        }
    }

    #[test]
    fn an_apostrophe_stands_within_words_or_behind_them() {
        let mac = Charset::MACINTOSH;
        for (text, expected) in [
            (&b"\xD5szi"[..], true),
            (b"don\xD5t", false),
            (b"rock \xD5n\xD5 roll", false),
            (b"the \xD590s", false),
            (b"plain", false),
        ] {
            let found = has_apostrophes_before_words(mac, text);
            assert_eq!(found, expected, "{}", text.escape_ascii());
            assert!(!has_apostrophes_before_words(Charset::WINDOWS_1252, text));
        }
    }
}
