//! Adds spellings of mail that the gathered text, which is documentation, hardly has.
//!
//! # Limits
//! The shares are estimates: no collection of such mail is at hand.

use super::Language;
use super::ngrams::Ngrams;
use super::tokens::Script;

/// One Greek letter in this many stands in text without accents: in capitals, or in short messages.
const WITHOUT_ACCENTS: u64 = 8;

/// Korean letters that stand alone in chat, as laughter and tears, with their shares of all characters.
const CHAT_LETTERS: [(char, f64); 14] = [
    ('\u{314B}', 4e-3),
    ('\u{314E}', 2e-3),
    ('\u{3160}', 2e-3),
    ('\u{315C}', 1e-3),
    ('\u{3147}', 1e-3),
    ('\u{3131}', 5e-4),
    ('\u{3134}', 5e-4),
    ('\u{3137}', 5e-4),
    ('\u{3142}', 2e-4),
    ('\u{3145}', 2e-4),
    ('\u{3148}', 2e-4),
    ('\u{3161}', 2e-4),
    ('\u{314F}', 1e-4),
    ('\u{3157}', 1e-4),
];

/// Adds the spellings of a language to its counts.
pub(super) fn add_spellings(language: &Language, ngrams: &mut Ngrams) {
    if language.script == Script::Greek {
        ngrams.add_spelling(without_accent, WITHOUT_ACCENTS);
    }
    if language.name == "ko" {
        ngrams.add_shares(&CHAT_LETTERS);
    }
}

/// Returns a Greek letter as capitals have it, in lower case: without its accent, and σ at the end of a word.
fn without_accent(c: char) -> char {
    match c {
        '\u{3AC}' => '\u{3B1}',
        '\u{3AD}' => '\u{3B5}',
        '\u{3AE}' => '\u{3B7}',
        '\u{3AF}' | '\u{3CA}' | '\u{390}' => '\u{3B9}',
        '\u{3CC}' => '\u{3BF}',
        '\u{3CD}' | '\u{3CB}' | '\u{3B0}' => '\u{3C5}',
        '\u{3CE}' => '\u{3C9}',
        '\u{3C2}' => '\u{3C3}',
        other => other,
    }
}
