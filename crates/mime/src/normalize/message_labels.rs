//! Corrects the transfer encoding of an embedded message that is not encoded.
//!
//! ```text
//! Content-Type: message/rfc822
//! Content-Transfer-Encoding: quoted-printable   →   Content-Transfer-Encoding: 7bit
//!
//! Subject: x
//! ```
//!
//! Readers that believe the label decode the message, its header and its own encoded parts.
//!
//! # Limits
//! The label of a multipart stays, because readers ignore it (RFC 2045, section 6.4).

use super::global;
use super::part_fields::{OpenLabel, PartFields};
use crate::edit::Edit;
use crate::message::{Message, PartKind};
use crate::part_id::PartId;
use crate::span::Span;
use crate::transfer::TransferEncoding;
use memchr::memmem;

/// Adds the edits to a sorted list and keeps it sorted.
pub(super) fn plan(message: &Message<'_>, sealed: &[bool], edits: &mut Vec<Edit>) {
    let mut more = Vec::new();
    for (id, part) in message.numbered_parts() {
        let may_be_wrong =
            part.kind == PartKind::Message && part.transfer.is_base64_or_quoted_printable();
        if !may_be_wrong || sealed[id.0 as usize] || may_be_encoded(message, id) {
            continue;
        }
        let is_seven_bit = is_ascii_after(message.raw(), part.body, edits);
        let mut fields = PartFields::new(message, id, &mut more);
        fields.set_transfer(if is_seven_bit { "7bit" } else { "8bit" }, OpenLabel::Exact);
        fields.finish();
        if !is_seven_bit {
            more.extend(parents_with_seven_bit(message, id));
        }
    }
    if more.is_empty() {
        return;
    }
    let place = |edit: &Edit| (edit.span.start, edit.span.end);
    more.sort_by_key(place);
    more.dedup_by_key(|edit| place(edit));
    more.retain(|new| edits.binary_search_by_key(&place(new), place).is_err());
    edits.append(&mut more);
    edits.sort_by_key(place);
}

/// Returns true if the body of an embedded message may be quoted-printable, although its header has no escapes: `1+1=3D2`.
///
/// A part within it that names an encoding of its own shows that it is not.
fn may_be_encoded(message: &Message<'_>, id: PartId) -> bool {
    let part = message.part_at(id);
    let has_escapes = || {
        let body = part.body.of(message.raw());
        ["=3D", "=\n", "=\r\n"]
            .iter()
            .any(|escape| memmem::find(body, escape.as_bytes()).is_some())
    };
    let within = || {
        message
            .numbered_parts()
            .skip(id.0 as usize + 1)
            .take_while(|(_, inner)| inner.header.start < part.body.end)
    };
    part.transfer == TransferEncoding::QuotedPrintable
        && has_escapes()
        && !within().any(|(_, inner)| inner.transfer.is_base64_or_quoted_printable())
}

/// Returns the edits that label the parts around a part as 8bit.
fn parents_with_seven_bit(message: &Message<'_>, id: PartId) -> impl Iterator<Item = Edit> {
    message
        .parents(id)
        .filter_map(|parent| global::widened(message, parent))
}

/// Returns true if a body has only ASCII after the edits.
fn is_ascii_after(raw: &[u8], body: Span, edits: &[Edit]) -> bool {
    let first = edits.partition_point(|edit| edit.span.start < body.start);
    let mut at = body.start;
    for edit in edits[first..]
        .iter()
        .take_while(|edit| edit.span.end <= body.end)
    {
        let is_ascii = |bytes: Option<&[u8]>| bytes.unwrap_or_default().is_ascii();
        if !is_ascii(raw.get(at..edit.span.start)) || !edit.with.is_ascii() {
            return false;
        }
        at = edit.span.end;
    }
    raw.get(at..body.end).unwrap_or_default().is_ascii()
}
