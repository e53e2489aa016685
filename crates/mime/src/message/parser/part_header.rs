//! The header of a part, as far as the parser needs it.

use crate::Span;

/// What was read of a part's header.
#[derive(Default)]
pub(super) struct PartHeader {
    /// All its lines.
    pub(super) span: Span,
    /// Start of the body.
    pub(super) body: usize,
    /// The fields that the parser needs, as indexes into all fields.
    pub(super) content_type: Option<u32>,
    pub(super) content_transfer_encoding: Option<u32>,
    pub(super) content_disposition: Option<u32>,
}
