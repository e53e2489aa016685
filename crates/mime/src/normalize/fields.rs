//! Adds fields to the header of a part.
//!
//! # Limits
//! Fields are added at the end only.

use crate::edit::Edit;
use crate::message::{Message, PartKind};
use crate::part_id::PartId;
use crate::span::Span;

/// Returns the edit that adds whole fields at the end of a header; None without fields.
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
    let follows_open_header = part.header.is_empty()
        && parent.is_some_and(|p| {
            let between = &raw[p.header.end..at];
            let is_empty_line = !between.is_empty() && between.iter().all(|b| b"\r\n".contains(b));
            p.kind == PartKind::Message && !is_empty_line
        });
    if follows_open_header {
        // The enclosing header ends without an empty line or in a line of blanks. New fields would become part of it.
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
