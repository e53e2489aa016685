//! Limits the confidence in text whose few bytes above 7F another charset reads as letters: `virt—` for `virtù`, `Nicol•` for `Nicolò`.
//!
//! Signs cost little, and the letters of a rare charset or language may fit by chance: `doši` in windows-1257 for `dođi` in windows-1250.
//!
//! # Limits
//! Changes no guess. Dashes within words of English text are right.

use super::language::for_label;
use super::odd_text::{differing_letters, high_bytes, letters_within_words};
use super::priors::Priors;
use crate::alphabetic::is_alphabetic;
use crate::charset::Charset;
use crate::loss::LossLog;

/// Most confidence in such text.
const MAX_CONFIDENCE: f32 = 0.85;
/// Different letters that prove a rare charset.
const MIN_LETTERS: usize = 3;

/// Returns `confidence` in a charset, or the most that the sample deserves.
pub(super) fn limited(confidence: f32, charset: Charset, sample: &[u8], priors: &Priors) -> f32 {
    /// From which on another charset is far less likely.
    const CLEAR: f32 = 0.98;
    let text = charset.decode(sample, &mut LossLog::with_limit(0));
    let is_limited = if charset.is_single_byte() {
        letters_within_words(sample, charset) == 0 && has_sign_in_word(&text, priors.is_english)
            || confidence < CLEAR && is_rare_by_few_letters(charset, sample, priors)
    } else {
        is_one_sign(&text)
    };
    if is_limited {
        confidence.min(MAX_CONFIDENCE)
    } else {
        confidence
    }
}

/// Returns true if a bullet touches a letter. Also returns true if a dash stands directly behind a letter, and a space or a letter follows
/// it.
fn has_sign_in_word(text: &str, is_english: bool) -> bool {
    let at = |c: Option<char>| c.unwrap_or(' ');
    let (mut before, mut chars) = (' ', text.chars().peekable());
    while let Some(c) = chars.next() {
        let after = at(chars.peek().copied());
        let is_part = match c {
            '\u{2022}' => is_alphabetic(before) || is_alphabetic(after),
            '\u{2013}' | '\u{2014}' => {
                !is_english && is_alphabetic(before) && (is_alphabetic(after) || after == ' ')
            }
            _ => false,
        };
        if is_part {
            return true;
        }
        before = c;
    }
    false
}

/// Returns true for few letters in a charset that is rare in mail, unless hints name its country. From C0 on every Latin charset has letters.
fn is_rare_by_few_letters(charset: Charset, sample: &[u8], priors: &Priors) -> bool {
    for_label(charset).is_some_and(|candidate| {
        (candidate.is_rare() || charset == Charset::WINDOWS_1258)
            && !candidate.is_common_in(&priors.local)
    }) && differing_letters(sample, charset) < MIN_LETTERS
        && high_bytes(sample).all(|at| sample[at] >= 0xC0)
}

/// Returns true if the only character beyond ASCII is a sign.
fn is_one_sign(text: &str) -> bool {
    let mut wide = text.chars().filter(|c| !c.is_ascii());
    let first = wide.next();
    wide.next().is_none() && first.is_some_and(|c| !is_alphabetic(c) && c != '\u{3000}')
}

#[cfg(test)]
mod tests {
    use super::super::{Hints, detect};
    use super::*;

    #[test]
    fn signs_in_place_of_letters_make_a_guess_less_certain() {
        for (charset, text) in [
            ("IBM850", "Nicolò Salò"),
            ("IBM850", "virtù"),
            ("macintosh", "Iñaki"),
            ("macintosh", "Åh nej"),
            ("windows-1250", "Hvala, dođi večeras"),
            ("windows-1250", "kôň"),
        ] {
            let charset = Charset::for_name(charset).unwrap();
            let bytes = charset.encode_exact(text).unwrap();
            let guess = detect(&bytes, &Hints::default());
            assert!(guess.confidence < 0.9, "{text} {guess:?}");
        }
    }

    #[test]
    fn right_guesses_stay_certain() {
        for (charset, text) in [
            (
                "windows-1252",
                "The fax–modem is here — it works; the cat—a big one—sleeps",
            ),
            ("windows-1252", "Grüße • Köln"),
            (
                "windows-1257",
                "Ar galite atsiųsti man naujausią ataskaitos versiją?",
            ),
        ] {
            let charset = Charset::for_name(charset).unwrap();
            let bytes = charset.encode_exact(text).unwrap();
            let guess = detect(&bytes, &Hints::default());
            assert!(guess.confidence >= 0.9, "{text} {guess:?}");
        }
    }
}
