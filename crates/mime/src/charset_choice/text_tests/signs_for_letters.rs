//! Tests whether a likelier charset makes signs where the label makes letters: `‘∏‰Ó` for `Ô¸äî`, `baglaıyº` for `baglaýyş`.
//!
//! Detection prefers such text if it has few letters, since a few signs cost less than letters that no language puts together. But signs
//! within words are no words.
//!
//! # Limits
//! Charsets of one byte. Punctuation and lines of boxes do not count, since letters of Latin-1 stand in their place under a wrong label.

use crate::charset_choice::thresholds::window;
use crate::unlogged::decode_unlogged;
use mailglot_codec::{Charset, is_alphabetic};

/// Returns true if `other` makes signs within words of letters, one for four letters, or a character for private use.
pub(crate) fn has_signs_for_letters(label: Charset, other: Charset, bytes: &[u8]) -> bool {
    const LETTERS: usize = 4;
    if !label.is_single_byte() || !other.is_single_byte() {
        return false;
    }
    let window = window(bytes);
    let read = |charset: Charset| {
        let text = decode_unlogged(charset, window);
        text.chars().collect::<Vec<char>>()
    };
    let (by_label, by_other) = (read(label), read(other));
    let at = |at: Option<usize>| at.and_then(|at| by_other.get(at)).copied().unwrap_or(' ');
    let (mut signs, mut letters) = (0, 0);
    for (place, (own, c)) in by_label.iter().zip(&by_other).enumerate() {
        if own == c || c.is_ascii() {
            continue;
        }
        let is_letter = is_alphabetic(*own) && !matches!(own, 'ª' | 'µ' | 'º');
        if is_alphabetic(*c) && !matches!(c, 'ª' | 'º') {
            letters += 1;
        } else if is_letter && matches!(c, '\u{E000}'..='\u{F8FF}') {
            return true;
        } else if is_letter {
            let (before, after) = (at(place.checked_sub(1)), at(Some(place + 1)));
            let is_alone = || partner(*c).is_some_and(|partner| !by_other.contains(&partner));
            signs += usize::from(
                is_sign_within(before, *c, after)
                    || is_sign_before_word(*c, after)
                    || is_alone() && (is_alphabetic(before) || is_alphabetic(after)),
            );
        }
    }
    signs > 0 && signs * LETTERS >= letters
}

/// Returns true for a sign that stands behind a letter (`Ó©`), or between two letters or signs (`‘∏‰`).
fn is_sign_within(before: char, c: char, after: char) -> bool {
    let is_part = |c: char| is_alphabetic(c) || !c.is_ascii() && !c.is_whitespace();
    match c {
        // Quotation marks, dashes, dots, hyphens, the euro.
        '\u{AB}' | '\u{AD}' | '\u{B4}' | '\u{B7}' | '\u{BB}' => false,
        '\u{2000}'..='\u{202F}' | '\u{2039}' | '\u{203A}' | '\u{20AC}' => false,
        '\u{A1}' | '\u{BF}' => is_alphabetic(before) || is_part(before) && !is_alphabetic(after),
        '\u{2500}'..='\u{259F}' => is_alphabetic(before) && is_alphabetic(after),
        '\u{A1}'..='\u{BF}'
        | '\u{D7}'
        | '\u{F7}'
        | '\u{2C6}'..='\u{2DD}'
        | '\u{2030}'..='\u{2BFF}' => is_alphabetic(before) || is_part(before) && is_part(after),
        // Marks of Vietnamese and Thai are parts of letters.
        _ => false,
    }
}

/// Returns true for a sign before a word of small letters that no Western language has there: `©koda` for `Škoda`.
fn is_sign_before_word(c: char, after: char) -> bool {
    after.is_lowercase()
        && matches!(
            c,
            '£' | '¥'
                | '¦'
                | '©'
                | '¬'
                | '®'
                | '±'
                | '²'
                | '³'
                | '´'
                | '¸'
                | '¹'
                | '¼'
                | '½'
                | '¾'
        )
}

/// Returns the guillemet that stands at the other end of a quotation.
fn partner(c: char) -> Option<char> {
    match c {
        '«' => Some('»'),
        '»' => Some('«'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::{charset_named, encoded};

    #[test]
    fn signs_in_place_of_letters_are_no_words() {
        for (charset, text, label, other, expected) in [
            (
                "windows-1251",
                "to Фёдор Хрящёв",
                "windows-1252",
                "macintosh",
                true,
            ),
            ("Big5", "to 黃淑芬 for", "windows-1252", "macintosh", true),
            ("Big5", "to 陳美玲 for", "ISO-8859-1", "IBM850", true),
            (
                "windows-1250",
                "Saýlanan baglaýyş",
                "windows-1250",
                "windows-1254",
                true,
            ),
            (
                "ISO-8859-2",
                "Autó (Škoda)",
                "ISO-8859-2",
                "windows-1250",
                true,
            ),
            (
                "ISO-8859-2",
                "a város:Ťahanovce",
                "ISO-8859-2",
                "windows-1250",
                true,
            ),
            // Right readings of text under wrong labels.
            (
                "windows-1250",
                "«így» © 2004, ®",
                "ISO-8859-2",
                "windows-1250",
                false,
            ),
            (
                "macintosh",
                "¿Qué tal? 20 °C – «así» l’été",
                "windows-1252",
                "macintosh",
                false,
            ),
            (
                "IBM850",
                "Köln ist 20°C, ± 3 ─── §",
                "windows-1252",
                "IBM850",
                false,
            ),
            ("IBM437", "║Größe║\n╚═════╝", "ISO-8859-1", "IBM437", false),
            (
                "windows-1251",
                "Привет № 5",
                "KOI8-R",
                "windows-1251",
                false,
            ),
            (
                "KOI8-R",
                "╔════╗ Привет ║мир║",
                "windows-1251",
                "KOI8-R",
                false,
            ),
            ("windows-874", "ยังไม่ได้", "ISO-8859-1", "windows-874", false),
            ("GBK", "你好", "ISO-8859-1", "GBK", false),
        ] {
            let bytes = encoded(charset, text);
            let found = has_signs_for_letters(charset_named(label), charset_named(other), &bytes);
            assert_eq!(found, expected, "{text} {other}");
        }
    }
}
