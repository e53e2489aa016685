//! Limits of a message, each with a defined result when it is exceeded.

use crate::setters::setters;

/// Limits of a message. Beyond a limit nothing fails: the rest stays unchanged, and an event reports it.
///
/// ```
/// use mailglot_mime::{Limits, Policy};
///
/// let policy = Policy::default().limits(Limits::default().message(1 << 20).parts(100));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum length of a message in bytes; a longer one stays unchanged (`msg.too-large`).
    pub message: usize,
    /// Maximum length of the text parts of a message together, in bytes of the message. A part that would exceed it stays unread
    /// (`msg.too-large`).
    ///
    /// Attachments do not count, because only [`Attachments::Utf8`](crate::Attachments::Utf8) decodes them. An embedded message counts if it has
    /// a transfer encoding.
    pub text: usize,
    /// Maximum nesting of multiparts and embedded messages; deeper levels are opaque (`mime.depth`).
    pub depth: usize,
    /// Maximum number of parts; the rest is opaque (`mime.depth`).
    pub parts: usize,
    /// Maximum number of header fields of a part; the rest is not examined (`hdr.beyond-limit`).
    pub fields: usize,
    /// Maximum length of a field in bytes; a longer one is neither decoded nor rewritten (`hdr.beyond-limit`).
    pub field: usize,
    /// Maximum number of events of a message that are kept; others are only counted, by kind.
    pub events: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message: 64 << 20,
            text: 64 << 20,
            depth: 100,
            parts: 10_000,
            fields: 100_000,
            field: 1 << 20,
            events: 1_000,
        }
    }
}

/// Setters, one for each field.
impl Limits {
    setters! {
        /// Sets the largest size of a message in bytes.
        message: usize,
        /// Sets the largest length of the text parts of a message in bytes.
        text: usize,
        /// Sets the largest nesting of multiparts and embedded messages.
        depth: usize,
        /// Sets the largest number of parts.
        parts: usize,
        /// Sets the largest number of header fields of a part.
        fields: usize,
        /// Sets the largest length of a header field in bytes.
        field: usize,
        /// Sets the largest number of events that a report keeps.
        events: usize,
    }
}
