//! Defines how the messages of a mailbox are separated.
//!
//! # Limits
//! Knows `From ` lines and MMDF only.

use crate::line_ends::line_end_length;
use mailglot_kernel::TextFinder;

/// How messages are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum Division {
    /// By `From ` lines.
    FromLines,
    /// By lines of four ^A.
    Mmdf,
}

/// Finds the line that separates messages in MMDF.
pub(super) static MMDF_LINE: TextFinder = TextFinder::new(b"\x01\x01\x01\x01", [0, 3]);

/// Returns the length of a line of four ^A with its line end, if `bytes` starts with one.
pub(super) fn mmdf_line(bytes: &[u8]) -> Option<usize> {
    let rest = bytes.strip_prefix(MMDF_LINE.text())?;
    let end = line_end_length(rest);
    (end > 0 || rest.is_empty()).then_some(4 + end)
}
