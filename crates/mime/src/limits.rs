//! Bounds with a defined outcome each.

/// What a message may cost. Beyond a limit nothing fails and nothing is lost: the rest stays as it is, with an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a message; a bigger one passes through untouched (`msg.too-large`).
    pub message: usize,
    /// Nesting of multiparts and message/rfc822; deeper levels are opaque (`mime.depth`).
    pub depth: usize,
    /// Parts of a message; the rest is opaque (`mime.depth`).
    pub parts: usize,
    /// Header fields of one part; further ones are not looked at (`hdr.beyond-limit`).
    pub fields: usize,
    /// Bytes of one field that is decoded or rewritten; a longer one is left alone (`hdr.beyond-limit`).
    pub field: usize,
    /// Events kept of one message; more are only counted, each kind for itself.
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
