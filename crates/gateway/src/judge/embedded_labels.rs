//! Reverts labels that the planner widened for embedded messages, because these stay unchanged.
//!
//! # Limits
//! Never makes a label narrower than it was on arrival.

use mailglot_mime::{Edit, Message, PartKind, Span};

/// Removes the edits that label a composite part without eight-bit content as 8bit, and those that relabel an embedded message as message/global.
/// Requires that the edits in embedded messages are removed already. Linear in the message for each level of its parts.
pub(super) fn take_back(message: &Message<'_>, edits: &mut Vec<Edit>) {
    if !message
        .parts()
        .iter()
        .any(|part| part.kind == PartKind::Message)
    {
        return;
    }
    let wide: Vec<Span> = edits
        .iter()
        .filter(|edit| !edit.with.is_ascii())
        .map(|edit| edit.span)
        .collect();
    edits.retain(|edit| match edit.with.as_slice() {
        _ if is_new_field_of_embedded(message, edit) => false,
        b"global" => !is_type_of_embedded(message, edit),
        b"8bit" => holder(message, edit).is_none_or(|body| {
            let first = wide.partition_point(|span| span.start < body.start);
            wide.get(first).is_some_and(|span| span.end <= body.end)
                || !body.of(message.raw()).is_ascii()
        }),
        _ => true,
    });
}

/// Returns true if an edit is in the Content-Type of an embedded message.
fn is_type_of_embedded(message: &Message<'_>, edit: &Edit) -> bool {
    let within = |index: Option<u32>| is_within(message, index, edit);
    part_of(message, edit)
        .is_some_and(|part| part.kind == PartKind::Message && within(part.content_type))
}

/// Returns true if an edit adds a Content-Type to an embedded message that has none, as in a digest. No other field is ever added to its header.
fn is_new_field_of_embedded(message: &Message<'_>, edit: &Edit) -> bool {
    let untyped = |part: &mailglot_mime::Part| {
        part.kind == PartKind::Message
            && part.content_type.is_none()
            && part.header.end == edit.span.start
    };
    edit.span.is_empty() && part_of(message, edit).is_some_and(untyped)
}

/// Returns the body of the composite part whose Content-Transfer-Encoding an edit changes.
fn holder(message: &Message<'_>, edit: &Edit) -> Option<Span> {
    let part = part_of(message, edit)?;
    let composite = matches!(part.kind, PartKind::Message | PartKind::Multipart);
    (composite && is_within(message, part.content_transfer_encoding, edit)).then_some(part.body)
}

/// Returns the part in whose header an edit is. Parts are in document order.
fn part_of<'m>(message: &'m Message<'_>, edit: &Edit) -> Option<&'m mailglot_mime::Part> {
    let after = message
        .parts()
        .partition_point(|part| part.header.start <= edit.span.start);
    message.parts()[..after].last()
}

/// Returns true if an edit is in the value of the field with this index.
fn is_within(message: &Message<'_>, index: Option<u32>, edit: &Edit) -> bool {
    let field = index.and_then(|index| message.all_fields().get(index as usize));
    field.is_some_and(|field| {
        field.value.start <= edit.span.start && edit.span.end <= field.value.end
    })
}
