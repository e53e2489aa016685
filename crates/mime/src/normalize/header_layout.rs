//! Repairs the layout of MIME fields, so that other readers read a rewritten message alike.
//!
//! ```text
//! From: a@b.example                        From: a@b.example
//!  Content-Type: text/html       →         Content-Type: text/html
//! ```
//!
//! - A field behind a blank gets a line of its own, and a line of a Content-Type gets the blank that it lacks. Most other readers take
//!   such a field for text of the field before it, and such a line for the first one of the body.
//! - A repeated Content-Transfer-Encoding of a rewritten text is deleted, and a repeated Content-Type with the same media type. The first
//!   one counts and describes the new text, but some readers use the last one.
//!
//! # Limits
//!
//! Sealed parts keep their headers. Nothing changes in a message whose lines end in CR alone.

use crate::event::{Detail, Event, EventKind, Reason};
use crate::header::Field;
use crate::{Edit, Eol, Message, PartId, PartKind, Span, params};

/// Adds the edits to a sorted list and keeps it sorted.
pub(super) fn plan(message: &Message<'_>, sealed: &[bool], edits: &mut Vec<Edit>) {
    if message.defects().is_empty() || message.eol() == Eol::Cr {
        return;
    }
    let free = |event: &&Event| !sealed[event.part.0 as usize];
    let mut new = Vec::new();
    for event in message.defects().iter().filter(free) {
        match event.kind {
            EventKind::HdrFoldedField => new.extend(own_lines(message, event.part)),
            EventKind::HdrNoColon if event.detail == Reason::ContinuesField => {
                new.extend(blanks_before_lines(message.raw(), event.at));
            }
            EventKind::HdrDuplicate => {
                if let Detail::Field(name) = event.detail {
                    new.extend(without_repeated(message, event.part, name, edits));
                }
            }
            _ => {}
        }
    }
    if new.is_empty() {
        return;
    }
    new.sort_by_key(|edit: &Edit| (edit.span.start, edit.span.end));
    // An edit that covers the start of a line has written it already.
    new.retain(|new| {
        let next = edits.partition_point(|edit| edit.span.start < new.span.start);
        let before = next.checked_sub(1).and_then(|before| edits.get(before));
        before.is_none_or(|before| before.span.end <= new.span.start)
    });
    // Deleted fields need no other edit.
    edits.retain(|edit| {
        let next = new.partition_point(|new| new.span.start <= edit.span.start);
        let before = next.checked_sub(1).and_then(|before| new.get(before));
        before.is_none_or(|before| before.span.end <= edit.span.start)
    });
    edits.append(&mut new);
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
}

/// Deletes the blanks before the fields of a header.
fn own_lines(message: &Message<'_>, id: PartId) -> impl Iterator<Item = Edit> {
    let fields = message.fields(id).iter();
    fields
        .map(|field| Span::new(field.full.start, field.name.start))
        .filter(|blanks| !blanks.is_empty())
        .map(|blanks| Edit::new(blanks, *b""))
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

/// Deletes the fields of this name that do not count, if the text of the part or one of its labels is edited.
fn without_repeated(
    message: &Message<'_>,
    id: PartId,
    name: &'static str,
    edits: &[Edit],
) -> Vec<Edit> {
    let part = message.part_at(id);
    let counted = match name {
        "Content-Type" => part.content_type,
        "Content-Transfer-Encoding" => part.content_transfer_encoding,
        _ => None,
    };
    let Some(counted) = counted.filter(|_| part.kind == PartKind::Leaf && part.is_text()) else {
        return Vec::new();
    };
    let is_edited = |span: Span| {
        let next = edits.partition_point(|edit| edit.span.start < span.start);
        edits
            .get(next)
            .is_some_and(|edit| edit.span.start <= span.end)
    };
    let labels = [
        message.content_type_value(id),
        message.transfer_encoding_value(id),
    ];
    let body = Span::new(part.header.end, part.body.end);
    if !is_edited(body) && !labels.into_iter().flatten().any(is_edited) {
        return Vec::new();
    }
    let raw = message.raw();
    let main = |field: &Field| params::scan(field.value.of(raw)).0.to_ascii_lowercase();
    let fields = message.all_fields();
    let of_counted = main(&fields[counted as usize]);
    let is_type = name == "Content-Type";
    let is_repeated = |(number, field): &(u32, &Field)| {
        *number > counted
            && field.name.of(raw).eq_ignore_ascii_case(name.as_bytes())
            && (!is_type || main(field) == of_counted && of_counted.contains(&b'/'))
    };
    (part.fields.0..)
        .zip(message.fields(id))
        .filter(is_repeated)
        .map(|(_, field)| Edit::new(field.full, *b""))
        .collect()
}
