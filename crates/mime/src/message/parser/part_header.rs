//! The header of a part, as far as the parser needs it.

use crate::span::Span;

/// Spans and fields of a part's header.
#[derive(Default)]
pub(super) struct PartHeader {
    /// All lines of the header.
    pub(super) span: Span,
    /// Start of the body.
    pub(super) body: usize,
    /// Indexes of the fields that the parser needs.
    pub(super) content_type: Option<u32>,
    pub(super) content_transfer_encoding: Option<u32>,
    pub(super) content_disposition: Option<u32>,
}
