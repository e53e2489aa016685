//! Adjusts the parts around raw UTF-8 header fields (RFC 6532, section 3.7; RFC 2045, section 6.4).
//!
//! An embedded message becomes message/global, and a composite part changes from 7bit to 8bit.
//!
//! # Limits
//!
//! A message with fields that are not UTF-8 stays message/rfc822. message/global never becomes message/rfc822.

use super::fields::added_fields;
use crate::edit::Edit;
use crate::message::{Message, Part, PartKind};
use crate::part_id::PartId;
use crate::span::Span;
use std::collections::BTreeSet;

/// Adds the edits to a sorted list and keeps it sorted.
pub(super) fn widen(message: &Message<'_>, sealed: &[bool], edits: &mut Vec<Edit>) {
    let mut more = Vec::new();
    let mut wide = BTreeSet::new();
    // Part headers are in the order of the edits.
    let mut rest = &edits[..];
    for (id, part) in message.numbered_parts() {
        let before = rest
            .iter()
            .take_while(|edit| edit.span.end <= part.header.start)
            .count();
        rest = &rest[before..];
        let within = rest
            .iter()
            .take_while(|edit| edit.span.start < part.header.end)
            .count();
        let (own, after) = rest.split_at(within);
        rest = after;
        if sealed[id.0 as usize] || !is_raw_utf8(message.raw(), part.header, own) {
            continue;
        }
        // From a part up to the message whose header or part it is, and on from there.
        for parent in message.parents(id).take_while(|id| wide.insert(*id)) {
            more.extend(globalized(message, parent));
            more.extend(widened(message, parent));
        }
    }
    let place = |edit: &Edit| (edit.span.start, edit.span.end);
    more.retain(|new| edits.binary_search_by_key(&place(new), place).is_err());
    edits.append(&mut more);
    edits.sort_by_key(place);
}

/// Returns true if a header contains raw UTF-8 and no other non-ASCII text after its edits.
fn is_raw_utf8(raw: &[u8], header: Span, edits: &[Edit]) -> bool {
    let mut wide = edits.iter().any(|edit| !edit.with.is_ascii());
    let mut at = header.start;
    for edit in edits
        .iter()
        .map(|edit| edit.span)
        .chain([Span::new(header.end, header.end)])
    {
        let kept = raw.get(at..edit.start).unwrap_or_default();
        if !kept.is_ascii() {
            wide = true;
            if std::str::from_utf8(kept).is_err() {
                return false;
            }
        }
        at = edit.end;
    }
    wide
}

/// Returns the edit from message/rfc822 to message/global. Adds a Content-Type to a message without one (RFC 2046, section 5.1.5).
fn globalized(message: &Message<'_>, id: PartId) -> Option<Edit> {
    let part = message.part_at(id);
    if part.kind != PartKind::Message || part.media.sub != "rfc822" {
        return None;
    }
    let Some(value) = message.content_type_value(id) else {
        let field = [b"Content-Type: message/global", message.eol().bytes()].concat();
        return added_fields(message, id, &field);
    };
    let text = value.of(message.raw());
    let main = &text[..memchr::memchr(b';', text).unwrap_or(text.len())];
    let at = main
        .windows(6)
        .position(|word| word.eq_ignore_ascii_case(b"rfc822"))?;
    Some(Edit::new(value.at(&(at..at + 6)), *b"global"))
}

/// Returns the edit from 7bit to 8bit.
pub(super) fn widened(message: &Message<'_>, id: PartId) -> Option<Edit> {
    let old = message.transfer_encoding_value(id)?.trimmed(message.raw());
    let is_seven_bit = old.of(message.raw()).eq_ignore_ascii_case(b"7bit");
    is_seven_bit.then(|| Edit::new(old, *b"8bit"))
}

/// Returns true if two parts have the same media type. The types of embedded messages count as equal.
pub(super) fn same_media(one: &Part, other: &Part) -> bool {
    one.media == other.media || one.kind == PartKind::Message && other.kind == PartKind::Message
}
