//! Decodes one embedded message, or finds the reason why it stays.
//!
//! # Limits
//! Damage of the transfer encoding is a reason to stay, except for blanks that end lines of quoted-printable.

use super::super::bodies::widen;
use super::super::lines;
use super::super::part_fields::{OpenLabel, PartFields};
use super::super::settled_plan::{sealed_parts, stays_signed, unchecked_edits};
use crate::edit::{Edit, spliced};
use crate::event::{EventKind, Reason};
use crate::media_type::MediaType;
use crate::message::{Eol, Message, Part, PartKind};
use crate::part_id::PartId;
use crate::policy::{Policy, Transfer};
use crate::recipe::{Base64Lines, OldEol, Recipe, UndoSteps};
use crate::report::Report;
use crate::span::Span;
use crate::text::parse_embedded;
use crate::transfer::{self, TransferEncoding};

/// An embedded message without its transfer encoding.
pub(super) struct DecodedMessage {
    /// The part that embeds it.
    pub(super) id: PartId,
    /// The encoded body.
    pub(super) body: Span,
    /// The message with the line ends of the message around it. Messages in it are decoded, too.
    pub(super) bytes: Vec<u8>,
    /// How to encode it again.
    pub(super) recipe: Option<Recipe>,
    /// True if a line end was added.
    pub(super) is_ended: bool,
    /// Its parts.
    pub(super) parts: Vec<PartShape>,
    /// The message before messages in it were decoded, and its line ends before.
    pub(super) plain: Vec<u8>,
    pub(super) eol: OldEol,
    /// The edits of `plain` that decode the messages in it.
    pub(super) nested: Vec<Edit>,
}

/// What a part is, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PartShape {
    pub(super) media: MediaType,
    pub(super) kind: PartKind,
    pub(super) number: u32,
    pub(super) depth: u32,
    pub(super) body_length: usize,
}

impl PartShape {
    /// Returns the shape of a part inside `depth` levels of other parts.
    pub(super) fn of(part: &Part, depth: u32) -> Self {
        Self {
            media: part.media.clone(),
            kind: part.kind,
            number: part.number,
            depth: part.depth + depth,
            body_length: part.body.len(),
        }
    }
}

/// The encoded messages of a message.
#[derive(Default)]
pub(super) struct FoundMessages {
    /// Those that can be decoded, in document order.
    pub(super) decoded: Vec<DecodedMessage>,
    /// Those that must stay, with the reason.
    pub(super) refused: Vec<(PartId, Reason)>,
}

/// Returns true for a part that embeds a message in base64 or quoted-printable.
pub(super) fn is_candidate(part: &Part) -> bool {
    let is_unparsed_message = part.kind == PartKind::Leaf && part.media.is_message();
    is_unparsed_message && part.transfer.is_base64_or_quoted_printable() && !part.unread
}

/// Decodes the embedded messages that the policy wants decoded, up to `levels` inside each other.
pub(super) fn find(message: &Message<'_>, policy: &Policy, levels: u32) -> FoundMessages {
    let mut found = FoundMessages::default();
    let stay = policy.keep_encoded_messages || stays_signed(message, policy) || levels == 0;
    if stay || !message.parts().iter().any(is_candidate) {
        return found;
    }
    let sealed = sealed_parts(message, policy, &mut Report::with_limit(0));
    for (id, part) in message.numbered_parts() {
        if sealed[id.0 as usize] || !is_candidate(part) {
            continue;
        }
        match decode(message, id, policy, levels) {
            Ok(decoded) => found.decoded.extend(decoded),
            Err(reason) => found.refused.push((id, reason)),
        }
    }
    found
}

/// Decodes an embedded message. Returns `None` if it needs no change under the policy, and the reason if it must stay.
fn decode(
    outer: &Message<'_>,
    id: PartId,
    policy: &Policy,
    levels: u32,
) -> Result<Option<DecodedMessage>, Reason> {
    let part = outer.part_at(id);
    let encoded = part.body.of(outer.raw());
    if encoded.trim_ascii().is_empty() {
        return Ok(None);
    }
    let mut findings = Vec::new();
    let content = transfer::decode(part.transfer, encoded, &mut findings);
    if content.used != part.transfer {
        return Err(match part.transfer {
            TransferEncoding::Base64 => Reason::NotBase64,
            _ => Reason::NotQuotedPrintable,
        });
    }
    let is_harmless = |kind| kind == EventKind::CteQpTrailingBlanks;
    if content.footer.is_some() || !findings.iter().all(|found| is_harmless(found.kind)) {
        return Err(Reason::EncodingDamaged);
    }
    let eol = outer.eol();
    let lines = lines::with_line_ends(&content.bytes, eol);
    let (plain, old_eol) = lines.ok_or(Reason::LineEndsAreData)?;
    let mut plain = plain.into_owned();
    let is_ended = ends_without_line(outer.raw(), part.body, &plain);
    if is_ended {
        plain.extend_from_slice(eol.bytes());
    }
    let inner = parse_embedded(outer, id, &plain, &policy.limits).ok_or(Reason::NoHeader)?;
    let nested = nested_edits(&inner, policy, levels);
    let bytes = spliced(&plain, &nested);
    let inner = parse_embedded(outer, id, &bytes, &policy.limits).ok_or(Reason::NoHeader)?;
    let edits = unchecked_edits(&inner, policy, &mut Report::with_limit(0));
    if policy.transfer != Transfer::EightBit && nested.is_empty() && edits.is_empty() {
        return Ok(None);
    }
    if let Some(reason) = obstacle(outer, id, &bytes) {
        return Err(reason);
    }
    if policy.transfer.keeps_seven_bit() && !spliced(&bytes, &edits).is_ascii() {
        return Err(Reason::WouldNeedEightBit);
    }
    let depth = part.depth + 1;
    let parts = inner.parts().iter().map(|part| PartShape::of(part, depth));
    let parts = parts.collect();
    let is_base64 = part.transfer == TransferEncoding::Base64;
    let steps = UndoSteps {
        added_end: if is_ended { eol.bytes().len() } else { 0 },
        eol: old_eol,
        patches: Vec::new(),
        charset: None,
        base64: is_base64.then(|| Base64Lines::of(encoded)),
    };
    Ok(Some(DecodedMessage {
        id,
        body: part.body,
        recipe: (is_base64 && nested.is_empty()).then(|| steps.recipe()),
        is_ended,
        parts,
        bytes,
        plain,
        eol: old_eol,
        nested,
    }))
}

/// Returns true if a message at the end of a file that ends in a line end has none.
fn ends_without_line(raw: &[u8], body: Span, plain: &[u8]) -> bool {
    let is_last = body.end == raw.len() && raw.ends_with(b"\n");
    is_last && !plain.is_empty() && !plain.ends_with(b"\n")
}

/// Returns the edits that decode messages inside an embedded one.
fn nested_edits(inner: &Message<'_>, policy: &Policy, levels: u32) -> Vec<Edit> {
    let found = find(inner, policy, levels - 1);
    decoding_edits(inner, policy, &found.decoded)
}

/// Returns the reason why a message cannot stand without transfer encoding.
fn obstacle(outer: &Message<'_>, id: PartId, bytes: &[u8]) -> Option<Reason> {
    let eol = outer.eol();
    let boundaries = lines::boundaries_around(outer, id);
    if lines::may_stand(bytes, eol, &boundaries, true) {
        return None;
    }
    let length = if eol == Eol::CrLf { 999 } else { 998 };
    let has_long_line = bytes.split(|byte| *byte == b'\n').any(|l| l.len() > length);
    Some(match () {
        () if memchr::memchr(0, bytes).is_some() => Reason::HasNul,
        () if has_long_line => Reason::HasLongLine,
        () if !lines::may_stand(bytes, eol, &boundaries, false) => Reason::HasDelimiter,
        () => Reason::HasFromLine,
    })
}

/// Returns the edits of bodies and of Content-Transfer-Encoding, sorted.
pub(super) fn decoding_edits(
    message: &Message<'_>,
    policy: &Policy,
    decoded: &[DecodedMessage],
) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut wide = Vec::new();
    for one in decoded {
        let is_wide = !policy.transfer.keeps_seven_bit() && !one.bytes.is_ascii();
        edits.push(Edit {
            span: one.body,
            with: one.bytes.clone(),
            recipe: one.recipe.clone(),
        });
        let mut fields = PartFields::new(message, one.id, &mut edits);
        fields.set_transfer(if is_wide { "8bit" } else { "7bit" }, OpenLabel::Exact);
        fields.finish();
        if is_wide {
            wide.extend(message.part_at(one.id).parent);
        }
    }
    widen(message, &wide, &mut edits);
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    edits
}
