//! New fields in the header of a part.
//!
//! # Limits
//! They stand at its end.

use crate::{Edit, Message, PartId, PartKind, Span};

/// The edit that puts whole fields at the end of a header; none for no field.
pub(super) fn added_fields(message: &Message<'_>, id: PartId, added: &[u8]) -> Option<Edit> {
    if added.is_empty() {
        return None;
    }
    let part = message.part_at(id);
    let raw = message.raw();
    let eol = message.eol().bytes();
    let at = part.header.end;
    let mut with = Vec::with_capacity(added.len() + 3 * eol.len());
    let parent = part.parent.map(|parent| message.part_at(parent));
    if part.header.is_empty()
        && parent.is_some_and(|p| p.kind == PartKind::Message && p.header.end == at)
    {
        // The header around it was not ended; the new fields would become its own.
        with.extend_from_slice(eol);
    }
    if !part.header.is_empty() && !raw[..at].ends_with(b"\n") && !raw[..at].ends_with(b"\r") {
        with.extend_from_slice(eol);
    }
    with.extend_from_slice(added);
    if part.body.start == at {
        with.extend_from_slice(eol);
    }
    Some(Edit::new(Span::new(at, at), with))
}
