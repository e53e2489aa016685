//! Deletes a byte order mark before the first field, which other readers take for the beginning of its name: `\u{FEFF}From: a@example.org`.
//!
//! # Limits
//!
//! Sealed messages keep it.

use crate::edit::Edit;
use crate::event::{EventKind, Reason};
use crate::message::Message;
use crate::part_id::PartId;

/// Adds the edit to a sorted list and keeps it sorted.
pub(super) fn plan(message: &Message<'_>, sealed: &[bool], edits: &mut Vec<Edit>) {
    let mark = message
        .defects()
        .iter()
        .find(|event| event.kind == EventKind::HdrNoColon && event.detail == Reason::ByteOrderMark);
    let Some(mark) = mark.filter(|_| !sealed[PartId::ROOT.0 as usize]) else {
        return;
    };
    let edit = Edit::new(mark.at, Vec::new());
    let next = edits.partition_point(|other| other.span.start <= edit.span.start);
    edits.insert(next, edit);
}
