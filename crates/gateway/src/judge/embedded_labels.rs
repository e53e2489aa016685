//! Reverts labels that the planner widened for embedded messages, because these stay unchanged.
//!
//! # Limits
//! Never makes a label narrower than it came.

use mailglot_mime::{Edit, Message, PartKind, Span};

/// Takes the edits away that say 8bit of a composite part without eight bits in it, and those that make an embedded message one in
/// raw UTF-8. Asked when the edits in embedded messages are gone; linear in the message for each level of its parts.
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

/// Returns true if an edit stands in the Content-Type of an embedded message.
fn is_type_of_embedded(message: &Message<'_>, edit: &Edit) -> bool {
    let within = |index: Option<u32>| is_within(message, index, edit);
    part_of(message, edit)
        .is_some_and(|part| part.kind == PartKind::Message && within(part.content_type))
}

/// Returns true if an edit gives an embedded message the type that it has for its place: no other field is put into its header.
fn is_new_field_of_embedded(message: &Message<'_>, edit: &Edit) -> bool {
    let untyped = |part: &mailglot_mime::Part| {
        part.kind == PartKind::Message
            && part.content_type.is_none()
            && part.header.end == edit.span.start
    };
    edit.span.is_empty() && part_of(message, edit).is_some_and(untyped)
}

/// The body of the composite part in whose Content-Transfer-Encoding an edit stands.
fn holder(message: &Message<'_>, edit: &Edit) -> Option<Span> {
    let part = part_of(message, edit)?;
    let composite = matches!(part.kind, PartKind::Message | PartKind::Multipart);
    (composite && is_within(message, part.content_transfer_encoding, edit)).then_some(part.body)
}

/// The part in whose header an edit stands. Parts stand in document order.
fn part_of<'m>(message: &'m Message<'_>, edit: &Edit) -> Option<&'m mailglot_mime::Part> {
    let after = message
        .parts()
        .partition_point(|part| part.header.start <= edit.span.start);
    message.parts()[..after].last()
}

/// Returns true if an edit stands in the value of the field of this number.
fn is_within(message: &Message<'_>, index: Option<u32>, edit: &Edit) -> bool {
    let field = index.and_then(|index| message.all_fields().get(index as usize));
    field.is_some_and(|field| {
        field.value.start <= edit.span.start && edit.span.end <= field.value.end
    })
}
