//! Encodes attachments and binary data that would leave with 8-bit data although the policy asks for 7 bits.
//!
//! Their decoded bytes stay the same (RFC 6152, section 3). Only lines of text end in CR LF in base64, whatever the message has.
//!
//! # Limits
//! Bodies of type message/* stay, because they may not be encoded (RFC 2046, section 5.2). Signed and encrypted parts, text in an
//! unknown charset and text between parts stay, too. So do bodies with another declared transfer encoding than 7bit, 8bit or binary.
//!
//! Data in a message with LF line ends keeps LF, even if it came in lines that ended in CR LF.

use super::body_edits::{LineEnds, base64_body, quoted_printable_body};
use super::body_target::shorter;
use super::part_fields::{OpenLabel, PartFields};
use crate::edit::Edit;
use crate::message::{Message, PartKind};
use crate::part_id::PartId;
use crate::transfer::TransferEncoding;
use mailglot_codec::{Charset, Resolved, View};

/// Adds the edits of all bodies that no other edit has changed.
pub(super) fn plan(message: &Message<'_>, sealed: &[bool], edits: &mut Vec<Edit>) {
    let mut starts: Vec<usize> = edits.iter().map(|edit| edit.span.start).collect();
    starts.sort_unstable();
    for (id, part) in message.numbered_parts() {
        let body = part.body.of(message.raw());
        // The charset of other text that stays may be a guess, which its encoding would change.
        let is_file = part.kind == PartKind::Leaf && (part.attachment || !part.is_text());
        let is_eight_bit =
            is_file && part.transfer == TransferEncoding::Identity && !body.is_ascii();
        // Data without any field is not mail.
        let is_bare = message.fields(id).is_empty() && part.parent.is_none();
        let next = starts.get(starts.partition_point(|start| *start < part.body.start));
        let has_edit = next.is_some_and(|start| *start < part.body.end);
        if !is_eight_bit
            || is_bare
            || sealed[id.0 as usize]
            || part.media.top == "message"
            || has_edit
        {
            continue;
        }
        encode(message, id, edits);
    }
}

/// Adds the edits that encode a body.
fn encode(message: &Message<'_>, id: PartId, edits: &mut Vec<Edit>) {
    let part = message.part_at(id);
    let (span, body) = (part.body, part.body.of(message.raw()));
    let is_text = part.media.is_text() && has_plain_lines(message, id) && !body.contains(&0);
    let (name, with) = if !is_text {
        ("base64", base64_body(message, span, body, LineEnds::Data))
    } else if shorter(body) == TransferEncoding::Base64 {
        ("base64", base64_body(message, span, body, LineEnds::OfText))
    } else {
        let with = quoted_printable_body(message, span, body);
        ("quoted-printable", with)
    };
    edits.push(Edit::new(span, with));
    let mut fields = PartFields::new(message, id, edits);
    fields.add_version();
    fields.set_transfer(name, OpenLabel::Exact);
    fields.finish();
}

/// Returns false if CR and LF bytes may be parts of other characters in the declared charset.
fn has_plain_lines(message: &Message<'_>, id: PartId) -> bool {
    let label = message.charset_label(id);
    let resolved = label.map(|label| Charset::for_label(&label, View::Mail));
    let charset = resolved.and_then(Resolved::charset);
    charset.is_none_or(Charset::is_ascii_compatible)
}
