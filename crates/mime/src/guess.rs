//! Texts that a person should check: those with a guessed charset or an overruled label.
//!
//! # Limits
//! A report keeps the [`GUESSES`] least certain guesses of a message and counts the others. Each kind gets half of the places if
//! there are enough guesses of both.

use crate::named_enum::named;
use crate::part_id::PartId;
use crate::span::Span;
use mailglot_codec::Charset;

/// The number of guesses that a report keeps of one message.
pub const GUESSES: usize = 100;

named! {
    /// The reason why a charset is uncertain.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum GuessKind {
        /// The text has no usable label; detection or the fallback chose the charset.
        Detected = "guessed",
        /// The text was decoded in another charset than its label names.
        Overruled = "overruled",
    }
}

/// A text whose charset was guessed, or whose label was overruled.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Guess {
    /// The part whose body or header contains the text.
    pub part: PartId,
    /// The name of the header field as written; `None` for the body.
    pub field: Option<String>,
    /// The place of the text in the raw message.
    pub at: Span,
    /// The reason of the uncertainty.
    pub kind: GuessKind,
    /// The label as written; `None` without one.
    pub declared: Option<String>,
    /// The charset that was used.
    pub used: Charset,
    /// The confidence from 0 to 1; `None` if a rule decided, such as valid UTF-8 under another label.
    pub confidence: Option<f32>,
    /// The text around the first non-ASCII characters, without controls.
    pub excerpt: String,
}

/// Returns a sort key for a confidence: the least certain guesses come first.
pub(crate) fn certainty(confidence: Option<f32>) -> f32 {
    confidence.unwrap_or(1.0)
}

/// Number of characters of an excerpt before its first non-ASCII character; then the number from there on.
const BEFORE: usize = 16;
const BEHIND: usize = 24;

/// Returns the text around its first non-ASCII character on one line: `…Bütün Ünlüler burada…`.
///
/// Runs of ASCII blanks become one space, other blanks `␣`, and controls their symbols (U+2400). Invisible characters and marks of
/// writing direction become U+FFFD. ASCII text gives its beginning.
pub(crate) fn excerpt(text: &str) -> String {
    let first = text.bytes().position(|byte| byte >= 0x80).unwrap_or(0);
    let start = text[..first]
        .char_indices()
        .rev()
        .take(BEFORE)
        .last()
        .map_or(first, |(at, _)| at);
    let mut out = String::new();
    if !text[..start].trim_ascii().is_empty() {
        out.push('…');
    }
    let before = text[start..first].chars().count();
    let mut rest = text[start..].char_indices();
    let mut blank = true;
    for (_, c) in rest.by_ref().take(before + BEHIND) {
        if c.is_ascii_whitespace() {
            if !blank {
                out.push(' ');
            }
            blank = true;
            continue;
        }
        blank = false;
        out.push(visible(c));
    }
    let end = rest.next().map_or(text.len(), |(at, _)| start + at);
    let more = !text[end..].trim_ascii().is_empty();
    out.truncate(out.trim_ascii_end().len());
    if more {
        out.push('…');
    }
    out
}

/// Replaces characters that could control a terminal or be overlooked.
fn visible(c: char) -> char {
    match c {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => {
            '\u{fffd}'
        }
        '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}' => '\u{fffd}',
        c if c.is_whitespace() => '\u{2423}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_short_and_harmless() {
        for (text, want) in [
            ("", ""),
            ("plain", "plain"),
            ("Ünlüler", "Ünlüler"),
            (
                "one two three four five Ünlüler\r\n\tve ötekiler",
                "…three four five Ünlüler ve ötekiler",
            ),
            (
                "a\u{a0}b \u{1b}[31m \u{202e}x\u{9b}y",
                "a␣b ␛[31m \u{fffd}x\u{fffd}y",
            ),
            ("  \n  é", "é"),
            ("éa bcdefghijklmnopqrstuvwxyz", "éa bcdefghijklmnopqrstuv…"),
            ("\u{3000}\u{3000}x", "␣␣x"),
        ] {
            assert_eq!(excerpt(text), want);
        }
        for n in [10, 1000] {
            for letter in ["ü", "漢", "a", " ", "\n", "\u{202e}"] {
                let excerpt = excerpt(&letter.repeat(n));
                assert!(excerpt.chars().count() <= BEFORE + BEHIND + 2, "{excerpt}");
                assert!(!excerpt.chars().any(char::is_control), "{excerpt}");
            }
        }
    }
}
