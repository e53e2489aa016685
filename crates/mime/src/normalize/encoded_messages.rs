//! Decodes embedded messages in base64 or quoted-printable, so that their headers and texts become UTF-8, too.
//!
//! RFC 2046, section 5.2.1, forbids these encodings for message/rfc822. RFC 6532, section 3.5, allows them for message/global.
//!
//! ```text
//! message ─ decode parts ─► decoded message ─ settled_plan ─► edits, report
//!    ▲                                                          │
//!    └─────────────── merged, moved to the message ◄────────────┘
//! ```
//!
//! The decoded message must have the same parts, texts and fields as before. Otherwise the parts stay, with `mime.unsettled`.
//!
//! # Limits
//! The message is copied, also a large one. A part stays that has damaged encoding, mixed line ends, lines that a body must not have,
//! or a signature around it. So does one that would need 8-bit data under a policy of 7-bit data.

mod comparison;
mod decoding;
mod moved_report;

use self::comparison::{PartOrigin, has_same_header_text, has_same_texts, origins};
use self::decoding::{DecodedMessage, decoding_edits, find, is_candidate};
use self::moved_report::move_report;
use super::settled_plan::{Plan, report_voided, settled_plan, withdrawn};
use crate::edit::{Edit, spliced};
use crate::event::{Detail, Event, EventKind, Reason};
use crate::message::Message;
use crate::part_id::PartId;
use crate::policy::Policy;
use crate::report::Report;
use crate::span::Span;
use crate::text::ENCODED_LEVELS;

/// A message with decoded parts.
struct Conversion {
    /// The edits that decode the parts, sorted.
    decodes: Vec<Edit>,
    plan: Plan,
}

/// Plans the edits of a message, and decodes embedded messages first.
pub(super) fn plan(message: &Message<'_>, policy: &Policy) -> Plan {
    if !message.parts().iter().any(is_candidate) {
        return settled_plan(message, policy);
    }
    let Conversion { plan, .. } = decide(message, policy);
    plan
}

/// Returns the edits that decode embedded messages, without those of their texts. For tests and second readers.
#[doc(hidden)]
pub fn decoded_messages(message: &Message<'_>, policy: &Policy) -> Vec<Edit> {
    if !message.parts().iter().any(is_candidate) {
        return Vec::new();
    }
    decide(message, policy).decodes
}

/// Plans a message that has encoded messages. They stay if a second pass would change the result.
fn decide(message: &Message<'_>, policy: &Policy) -> Conversion {
    let lasts = |plan: &Plan| plan.edits.is_empty() || !has_next(message, &plan.edits, policy);
    let mut refused = Vec::new();
    if let Some(mut found) = convert(message, policy, &mut refused)
        && lasts(&found.plan)
    {
        add_events(&mut found.plan, refused);
        return found;
    }
    let mut plan = settled_plan(message, policy);
    add_events(&mut plan, refused);
    // Other text may be evidence for the texts of a part that stays. It may decide otherwise once it is UTF-8.
    if !lasts(&plan) {
        plan = withdrawn(message, plan);
    }
    let decodes = Vec::new();
    Conversion { decodes, plan }
}

/// Adds the events of parts that stay, at their places.
fn add_events(plan: &mut Plan, refused: Vec<Event>) {
    for event in refused {
        plan.report.push(event);
    }
    plan.report.events.sort_by_key(|event| event.at.start);
}

/// Returns true if a second pass decodes a further message.
fn has_next(message: &Message<'_>, edits: &[Edit], policy: &Policy) -> bool {
    let bytes = spliced(message.raw(), edits);
    let after = Message::parse(&bytes, &policy.limits);
    convert(&after, policy, &mut Vec::new()).is_some()
}

/// Decodes the embedded messages and plans the result. Returns `None` if all stay. Adds an event for each that cannot be decoded.
fn convert(message: &Message<'_>, policy: &Policy, refused: &mut Vec<Event>) -> Option<Conversion> {
    let found = find(message, policy, ENCODED_LEVELS);
    for (id, reason) in found.refused {
        refused.push(refusal(message, id, reason));
    }
    if found.decoded.is_empty() {
        return None;
    }
    let conversion = convert_all(message, policy, &found.decoded);
    if conversion.is_none() {
        let ids = found.decoded.iter().map(|decoded| decoded.id);
        refused.extend(ids.map(|id| refusal(message, id, Reason::LeftEncoded)));
    }
    conversion
}

/// Decodes these messages and plans the result. Returns `None` if a text, field or part would be read differently.
fn convert_all(
    message: &Message<'_>,
    policy: &Policy,
    decoded: &[DecodedMessage],
) -> Option<Conversion> {
    let decodes = decoding_edits(message, policy, decoded);
    let bytes = spliced(message.raw(), &decodes);
    let opened = Message::parse(&bytes, &policy.limits);
    let origins = origins(message, &opened, decoded)?;
    let further = find(&opened, policy, ENCODED_LEVELS);
    if !further.decoded.is_empty()
        || !has_same_texts(message, &opened, policy)
        || !has_same_header_text(message, &opened, policy, &origins)
    {
        return None;
    }
    let mut planned = settled_plan(&opened, policy);
    for (id, reason) in further.refused {
        // `convert` reports those that the parser finds.
        if matches!(origins[id.0 as usize], PartOrigin::Inside(_)) {
            planned.report.push(refusal(&opened, id, reason));
        }
    }
    let edits = merged(message, &decodes, planned.edits)?;
    let is_wide = |edit: &Edit| !edit.with.is_ascii() && is_body(decoded, edit);
    if policy.transfer.keeps_seven_bit() && edits.iter().any(is_wide) {
        return None;
    }
    let mut report = planned.report;
    move_report(message, &decodes, decoded, &origins, &mut report);
    report_decoding(message, decoded, &mut report);
    report_voided(message, policy, &edits, &mut report);
    report.events.sort_by_key(|event| event.at.start);
    Some(Conversion {
        decodes,
        plan: Plan { edits, report },
    })
}

fn is_body(decoded: &[DecodedMessage], edit: &Edit) -> bool {
    let place = decoded.binary_search_by_key(&edit.span.start, |decoded| decoded.body.start);
    place.is_ok_and(|place| decoded[place].body == edit.span)
}

/// Returns the event for a message that stays encoded.
fn refusal(message: &Message<'_>, id: PartId, reason: Reason) -> Event {
    let at = message.part_at(id).body;
    Event::new(id, at, EventKind::MimeUnsettled, reason)
}

/// Merges the edits of the decoded message into those that decode it. Returns `None` if an edit lies partly in decoded bytes.
fn merged(message: &Message<'_>, decodes: &[Edit], later: Vec<Edit>) -> Option<Vec<Edit>> {
    let mut later = later.into_iter().peekable();
    let mut edits = Vec::with_capacity(decodes.len() + later.len());
    let (mut written, mut replaced) = (0, 0);
    let moved = |edit: Edit, written: usize, replaced: usize| {
        let old = |at: usize| at + replaced - written;
        let span = Span::new(old(edit.span.start), old(edit.span.end));
        Edit { span, ..edit }
    };
    for first in decodes {
        let start = first.span.start + written - replaced;
        let end = start + first.with.len();
        while let Some(edit) = later.next_if(|edit| edit.span.end <= start) {
            edits.push(moved(edit, written, replaced));
        }
        let mut inside = Vec::new();
        while let Some(mut edit) = later.next_if(|edit| edit.span.start < end) {
            if edit.span.start < start || edit.span.end > end {
                return None;
            }
            edit.span = Span::new(edit.span.start - start, edit.span.end - start);
            inside.push(edit);
        }
        let is_same = inside.is_empty();
        edits.push(Edit {
            span: first.span,
            with: spliced(&first.with, &inside),
            recipe: first.recipe.clone().filter(|_| is_same),
        });
        written += first.with.len();
        replaced += first.span.len();
    }
    edits.extend(later.map(|edit| moved(edit, written, replaced)));
    edits.retain(|edit| edit.span.of(message.raw()) != edit.with);
    let is_sorted = edits.is_sorted_by(|one, next| one.span.end <= next.span.start);
    is_sorted.then_some(edits)
}

/// Reports the labels of decoded parts, which the decoded message does not have, and added line ends.
fn report_decoding(message: &Message<'_>, decoded: &[DecodedMessage], report: &mut Report) {
    let is_decoded = |id: PartId| decoded.binary_search_by_key(&id, |one| one.id).is_ok();
    let labels = message.defects().iter().filter(|event| {
        matches!(
            event.kind,
            EventKind::CteEncodedMessage | EventKind::CteMisspelled
        ) && is_decoded(event.part)
    });
    for event in labels {
        report.push(event.clone());
    }
    for one in decoded.iter().filter(|decoded| decoded.is_ended) {
        let (at, kind) = (one.body.end, EventKind::CteLineEndAdded);
        report.push(Event::new(one.id, Span::new(at, at), kind, Detail::None));
    }
}

#[cfg(test)]
#[path = "encoded_messages/tests.rs"]
mod tests;
