//! Text as it stands inside a JSON string (RFC 8259 section 7).
//!
//! # Limits
//! Of the short escapes those for line ends, tabs, quotes and backslashes are written; other controls have four digits.

use crate::kernel;

/// What becomes of line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnds {
    /// They stay what they are.
    Kept,
    /// Each CR LF, CR and LF is one LF.
    Lf,
}

/// Appends a text without quotes around it.
///
/// ```
/// use mailglot_codec::json::{LineEnds, escape};
///
/// let mut out = Vec::new();
/// escape("a \"b\"\r\nc", LineEnds::Lf, &mut out);
/// assert_eq!(out, br#"a \"b\"\nc"#);
/// ```
pub fn escape(text: &str, line_ends: LineEnds, out: &mut Vec<u8>) {
    kernel::json(text.as_bytes(), line_ends == LineEnds::Lf, out);
}
