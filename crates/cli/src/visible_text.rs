//! Shows control characters of text from mail as symbols, so that they cannot steer a terminal.
//!
//! # Limits
//!
//! Invisible characters that do not change the direction of writing stay.

use std::borrow::Cow;

/// Replaces control characters and bidirectional controls in text from mail by symbols, so that it cannot control a terminal.
///
/// Also replaces line ends and tabs, so that the result is one line.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().any(|c| symbol(c).is_some()) {
        Cow::Owned(text.chars().map(|c| symbol(c).unwrap_or(c)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Replaces control characters as [`visible`] does, but keeps line ends and tabs.
pub(crate) fn visible_lines(text: &str) -> String {
    let shown = |c| match c {
        '\n' | '\t' => c,
        c => symbol(c).unwrap_or(c),
    };
    text.chars().map(shown).collect()
}

fn symbol(c: char) -> Option<char> {
    match c {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + c as u32),
        '\u{7f}' => Some('\u{2421}'),
        '\u{80}'..='\u{9f}'
        | '\u{61c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => Some('\u{fffd}'),
        _ => None,
    }
}
