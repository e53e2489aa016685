//! Deletes byte order marks before the first field, which other readers take for the beginning of its name: `\u{FEFF}From: a@example.org`.

use crate::edit::Edit;
use crate::event::{EventKind, Reason};
use crate::message::Message;

/// Adds the edit to a sorted list and keeps it sorted.
pub(super) fn plan(message: &Message<'_>, edits: &mut Vec<Edit>) {
    let marks = message
        .defects()
        .iter()
        .find(|event| event.kind == EventKind::HdrNoColon && event.detail == Reason::ByteOrderMark);
    let Some(marks) = marks else {
        return;
    };
    let edit = Edit::new(marks.at, Vec::new());
    let next = edits.partition_point(|other| other.span.start <= edit.span.start);
    edits.insert(next, edit);
}
