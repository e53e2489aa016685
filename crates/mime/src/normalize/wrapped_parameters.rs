//! Writes the blanks that lines of a Content-Type lost, so that other readers read a rewritten message alike.
//!
//! ```text
//! Content-Type: multipart/mixed;           Content-Type: multipart/mixed;
//! boundary="abc"                    →       boundary="abc"
//! ```
//!
//! Most other readers begin the body at such a line.
//!
//! # Limits
//!
//! Sealed parts keep their headers. Nothing changes in a message whose lines end in CR alone.

use crate::edit::Edit;
use crate::event::{EventKind, Reason};
use crate::message::{Eol, Message};
use crate::span::Span;

/// Adds the edits to a sorted list and keeps it sorted.
pub(super) fn plan(message: &Message<'_>, sealed: &[bool], edits: &mut Vec<Edit>) {
    if message.eol() == Eol::Cr {
        return;
    }
    let wrapped = message.defects().iter().filter(|event| {
        let is_wrapped =
            event.kind == EventKind::HdrNoColon && event.detail == Reason::ContinuesField;
        is_wrapped && !sealed[event.part.0 as usize]
    });
    let mut new: Vec<Edit> = wrapped
        .flat_map(|event| blanks_before_lines(message.raw(), event.at))
        .collect();
    if new.is_empty() {
        return;
    }
    // An edit that covers the start of a line has written it already.
    new.retain(|new| {
        let next = edits.partition_point(|edit| edit.span.start < new.span.start);
        let before = next.checked_sub(1).and_then(|before| edits.get(before));
        before.is_none_or(|before| before.span.end <= new.span.start)
    });
    edits.append(&mut new);
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
}

/// Adds a blank before each of these lines.
fn blanks_before_lines(raw: &[u8], lines: Span) -> impl Iterator<Item = Edit> {
    let ends = memchr::memchr_iter(b'\n', lines.of(raw)).map(|end| end + 1);
    let starts = std::iter::once(0).chain(ends);
    starts
        .map(move |start| lines.start + start)
        .filter(move |start| *start < lines.end)
        .map(|start| Edit::new(Span::new(start, start), *b" "))
}
