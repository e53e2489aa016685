//! Limits on the resources that a message may use.

/// The resources that a message may use.
///
/// Beyond a limit, nothing fails and nothing is lost: the rest stays as it is, with an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum length of a message in bytes; a longer one stays unchanged (`msg.too-large`).
    pub message: usize,
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
            depth: 100,
            parts: 10_000,
            fields: 100_000,
            field: 1 << 20,
            events: 1_000,
        }
    }
}
