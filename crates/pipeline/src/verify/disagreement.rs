//! Describes a difference that the second reader found.
//!
//! # Limits
//! None.

use std::fmt;

/// One difference between the readers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// IMAP section number of the part.
    pub section: String,
    /// Offset in the original message.
    pub at: usize,
    /// `text`, `Subject`, `the inverse of the edits`.
    pub what: String,
    /// What this project reads in the original: a short excerpt that begins just before the difference.
    pub expected: String,
    /// What the second reader reads in the rewritten message.
    pub seen: String,
}

impl Disagreement {
    /// Bytes that differ from the `expected` ones, whose number is `length`.
    pub(super) fn of_bytes(what: &str, length: usize) -> Self {
        Self {
            section: String::new(),
            at: 0,
            what: what.to_owned(),
            expected: format!("{length} bytes"),
            seen: "other bytes".to_owned(),
        }
    }
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} in the original, {} in the rewritten message",
            self.what, self.expected, self.seen
        )
    }
}
