//! Tests whether a label reads text as few plain words, such as a name: `ЯНА ХАН`, `ΠΑΟΚ`, `Ќосев`.
//!
//! Names have letters beside each other that are rare in the texts of their language. So few of them do not prove that the label is wrong.
//!
//! # Limits
//! Single-byte charsets. Text of ASCII alone counts as no word.

use crate::unlogged::decode_unlogged;
use mailglot_codec::detect::high_bytes;
use mailglot_codec::{Charset, Script, is_alphabetic};
use std::collections::HashSet;

/// Maximum number of different words.
const WORDS: usize = 2;
/// Number of bytes above 7F that few words do not have.
const SENTENCE_LETTERS: usize = 48;

/// Returns the number of different words with characters above 7F. `None` unless these are letters of one script, and the words are at
/// most two. Each word must be in small letters, in capitals, or begin with the only capital.
pub(crate) fn few_plain_words(label: Charset, bytes: &[u8]) -> Option<usize> {
    if !label.is_single_byte() || high_bytes(bytes).nth(SENTENCE_LETTERS).is_some() {
        return None;
    }
    let text = decode_unlogged(label, bytes);
    let mut scripts = text.chars().filter(|c| !c.is_ascii()).map(script_of_letter);
    let first = scripts.next().flatten();
    if first.is_none() || scripts.any(|script| script != first) {
        return None;
    }
    let words = text.split(|c: char| c.is_ascii() && !c.is_ascii_alphabetic());
    let words: HashSet<&str> = words.filter(|word| !word.is_ascii()).collect();
    // Initials belong to a name.
    let is_long = |word: &&&str| word.chars().nth(1).is_some();
    let count = words.iter().filter(is_long).count();
    (count <= WORDS && words.iter().all(|word| has_plain_case(word))).then_some(count)
}

/// Returns true for the Cyrillic charsets that are common in mail.
pub(crate) fn is_usual_cyrillic(label: Charset) -> bool {
    matches!(
        label,
        Charset::KOI8_R
            | Charset::KOI8_U
            | Charset::WINDOWS_1251
            | Charset::ISO_8859_5
            | Charset::IBM866
            | Charset::X_MAC_CYRILLIC
    )
}

/// Returns true if text under a Cyrillic label has many letters and no capital. KOI8-R has small letters where windows-1251 has capitals:
/// `ОБЩО` in windows-1251 is `наын` under a label of KOI8-R.
///
/// `label` is one for which [`is_usual_cyrillic`] is true.
pub(crate) fn has_small_letters_only(label: Charset, bytes: &[u8]) -> bool {
    /// Number of letters that a sentence has.
    const SENTENCE_LETTERS: usize = 16;
    /// Number of bytes above 7F that are examined.
    const MAX_HIGH_BYTES: usize = 64;
    let high: Vec<u8> = high_bytes(bytes)
        .take(MAX_HIGH_BYTES)
        .map(|at| bytes[at])
        .collect();
    let text = decode_unlogged(label, &high);
    // Most text has a capital among the first letters.
    !text.chars().any(char::is_uppercase)
        && text.chars().filter(|c| c.is_lowercase()).count() >= SENTENCE_LETTERS
}

/// Returns true for a word in small letters or in capitals, and if only its first letter is a capital.
fn has_plain_case(word: &str) -> bool {
    let rest = || word.chars().skip(1);
    let is_small = !rest().any(char::is_uppercase);
    is_small || !word.chars().any(char::is_lowercase)
}

/// Returns the script of a letter.
fn script_of_letter(c: char) -> Option<Script> {
    // Marks of Thai are letters here. Those of Hebrew and Arabic are hardly written.
    let is_mark = matches!(c, '\u{591}'..='\u{5C7}' | '\u{64B}'..='\u{65F}' | '\u{670}');
    let is_letter = |script: &Script| *script == Script::Thai || is_alphabetic(c) && !is_mark;
    Script::of(c).filter(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::{charset_named, encoded};

    #[test]
    fn names_are_few_plain_words() {
        for (label, text, expected) in [
            ("KOI8-R", "ИННА ЛИ", Some(2)),
            ("windows-1251", "Љубица Њ. Ќосева", Some(2)),
            ("ISO-8859-7", "ΒΑΣΩ ΜΠΑΛΛΗ 3", Some(2)),
            ("windows-1251", "ааа", Some(1)),
            ("ISO-8859-2", "Łucja from Berlin", Some(1)),
            ("KOI8-R", "иННА лИ", None),
            ("KOI8-R", "три слова здесь", None),
            ("windows-1251", "«Да»", None),
            ("windows-1253", "µΤορρεντ", None),
            ("windows-1256", "عمر حداد", Some(2)),
            ("ISO-8859-6", "عٍكل", None),
            ("windows-1251", "no letters", None),
        ] {
            let bytes = encoded(label, text);
            assert_eq!(
                few_plain_words(charset_named(label), &bytes),
                expected,
                "{text}"
            );
        }
        assert_eq!(few_plain_words(Charset::EUC_KR, b"\xA4\xBB\xA4\xBB"), None);
    }
}
