//! Recognizes characters for private use, which text in a right charset hardly ever has.
//!
//! # Limits
//! Characters from U+F000 do not count. Vendors use them in right text, such as U+F8FF, the Apple logo.

/// Returns true for the characters U+E000 to U+EFFF.
pub(crate) fn is_private(c: char) -> bool {
    matches!(c, '\u{E000}'..='\u{EFFF}')
}
