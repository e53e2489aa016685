//! Plans the edits of the parts that the parser finds, and checks that a second pass changes nothing.
//!
//! # Limits
//! A message whose text would change by its own rewriting stays as it is, with `mime.unsettled`.

use super::shortened_message::{Shortened, shortened};
use super::{
    bodies, byte_order_mark, global, headers, message_labels, seven_bit, wrapped_parameters,
};
use crate::edit::{Edit, spliced};
use crate::encoded_word::HeaderContext;
use crate::event::{Detail, Event, EventKind, Reason};
use crate::message::{Message, Part, PartKind};
use crate::params;
use crate::part_id::PartId;
use crate::policy::{Bodies, CharsetOut, Headers, OnLoss, Policy, Transfer};
use crate::reading::{How, Reading};
use crate::report::{Report, ReportMark};
use crate::span::Span;
use std::collections::BTreeSet;

/// The changes of a message, without its new bytes: [`splice`](crate::splice) writes those.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The changes, sorted by place.
    pub edits: Vec<Edit>,
    /// The findings.
    pub report: Report,
}

/// Plans the edits of a message. Embedded messages in a transfer encoding stay.
pub(super) fn settled_plan(message: &Message<'_>, policy: &Policy) -> Plan {
    let mut report = Report::with_limit(policy.limits.events);
    let edits = unchecked_edits(message, policy, &mut report);
    if edits.is_empty() {
        return Plan { edits, report };
    }
    // These defects do not affect how text is decoded.
    let harmless = |kind| {
        matches!(
            kind,
            EventKind::MimeAmbiguousName
                | EventKind::MimePartial
                | EventKind::MimeTnef
                | EventKind::MimeManyParts
        )
    };
    let damaged = message
        .defects()
        .iter()
        .any(|defect| !harmless(defect.kind));
    // The charset of remaining raw bytes may be guessed differently once other raw bytes are rewritten.
    let is_raw = |event: &&Event| event.kind == EventKind::EwRaw8bit;
    let edited = |event: &Event| {
        edits
            .iter()
            .any(|e| e.span.start <= event.at.start && event.at.end <= e.span.end)
    };
    let is_text = |edit: &Edit| std::str::from_utf8(&edit.with).is_ok();
    let found = || report.events.iter().chain(&report.withdrawn);
    let mut eight_bit = found().filter(is_raw).peekable();
    let raw_stays = report.dropped + report.withdrawn_dropped > 0
        || eight_bit.peek().is_some() && !(eight_bit.all(edited) && edits.iter().all(is_text));
    // Words that stay because they cannot be rewritten or decoded may also be decoded differently.
    let unread = |event: &Event| {
        policy.on_loss == OnLoss::Keep && event.kind == EventKind::CharsetInvalidBytes
            || event.detail == Reason::WouldReadDifferently
    };
    let word_stays = found().any(unread);
    // Words in a stateful charset may become evidence for undeclared text.
    let shifting = policy.charset_out == CharsetOut::Iso2022Jp;
    // A guessed charset that is not ASCII-compatible decides about line ends. The next pass may guess differently.
    let opaque_guess = |reading: &Reading| {
        !reading.used.is_ascii_compatible()
            && matches!(reading.how, How::Message | How::Detected | How::Fallback)
    };
    let guess_stays = policy.bodies == Bodies::Keep && report.readings.iter().any(opaque_guess);
    // Text around parts has no label that keeps its reading.
    let outer_text = message.outer_texts().iter().any(|(_, at)| {
        edits
            .binary_search_by_key(&at.start, |edit| edit.span.start)
            .is_ok()
    });
    // A body that stays may be settled once the words that named a charset are UTF-8, and then the header gets raw text.
    let body_stays = report.has(EventKind::MimeUnsettled);
    let needs_check = shifting
        || body_stays
        || outer_text
        || guess_stays
        || damaged
        || raw_stays
        || word_stays
        || edits.iter().any(|e| e.span.is_empty());
    let plan = Plan { edits, report };
    if needs_check && !settles(message, &plan.edits, policy) {
        return withdrawn(message, plan);
    }
    plan
}

/// Drops all edits of a message, since its rewriting would not last.
pub(super) fn withdrawn(message: &Message<'_>, mut plan: Plan) -> Plan {
    plan.edits.clear();
    plan.report.withdraw(&ReportMark::default());
    plan.report.push(unsettled(message.raw()));
    plan
}

/// Plans the edits, sorted by start and without overlap. The events come in the order of the message.
// For tests of the laws: unlike `plan_parsed` it does not check that a second pass changes nothing.
#[doc(hidden)]
pub fn unchecked_edits(message: &Message<'_>, policy: &Policy, report: &mut Report) -> Vec<Edit> {
    let mark = report.mark();
    for defect in message.defects() {
        report.push(defect.clone());
    }
    let signature = headers::signature(message, PartId::ROOT);
    let mut sealed = sealed_parts(message, policy, report);
    if stays_signed(message, policy) {
        if let Some(at) = signature {
            report_signature(PartId::ROOT, at, EventKind::MimeSignedUntouched, report);
        }
        return Vec::new();
    }
    let mut edits = Vec::new();
    let hints = bodies::plan(message, policy, &sealed, report, &mut edits);
    if policy.transfer == Transfer::SevenBit {
        seven_bit::plan(message, &sealed, &mut edits);
    }
    // Neither the encryption nor the signature of a body covers the fields of the message (RFC 1847, section 2).
    sealed[0] = false;
    headers::plan(message, policy, &sealed, &hints, report, &mut edits);
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let keeps_all = policy.headers == Headers::Keep && policy.bodies == Bodies::Keep;
    // The layout alone is no reason to void a signature.
    if !edits.is_empty() || signature.is_none() && !keeps_all {
        if policy.headers != Headers::Keep {
            byte_order_mark::plan(message, &mut edits);
        }
        wrapped_parameters::plan(message, &sealed, &mut edits);
    }
    if policy.headers == Headers::RawUtf8 && policy.transfer != Transfer::SevenBit {
        global::widen(message, &sealed, &mut edits);
    }
    message_labels::plan(message, &sealed, &mut edits);
    if !edits.is_sorted_by(|a, b| a.span.end <= b.span.start) {
        // A parameter without an end may overlap another edit.
        edits.clear();
        report.withdraw(&mark);
        report.push(unsettled(message.raw()));
    }
    report_voided(message, policy, &edits, report);
    report.events.sort_by_key(|event| event.at.start);
    edits
}

/// Returns true if a signature over the whole message or body forbids every edit.
pub(super) fn stays_signed(message: &Message<'_>, policy: &Policy) -> bool {
    let is_signed =
        || headers::signature(message, PartId::ROOT).is_some() || has_signed_body(message);
    policy.keep_signed && is_signed()
}

/// Reports the signatures that the edits void, once each.
pub(super) fn report_voided(
    message: &Message<'_>,
    policy: &Policy,
    edits: &[Edit],
    report: &mut Report,
) {
    if edits.is_empty() {
        return;
    }
    let kind = EventKind::SignatureVoided;
    let known = report.events.iter().filter(|event| event.kind == kind);
    let known: BTreeSet<PartId> = known.map(|event| event.part).collect();
    let mut void = |id: PartId, at: Span| {
        if !known.contains(&id) {
            report_signature(id, at, kind, report);
        }
    };
    if let Some(at) = headers::signature(message, PartId::ROOT) {
        void(PartId::ROOT, at);
    }
    let mut sealed = None;
    for (id, at) in headers::signed_within(message) {
        let part = message.part_at(id);
        let first = edits.partition_point(|edit| edit.span.start < part.header.start);
        let sealed =
            sealed.get_or_insert_with(|| sealed_parts(message, policy, &mut Report::with_limit(0)));
        if !sealed[id.0 as usize]
            && edits
                .get(first)
                .is_some_and(|e| e.span.end <= part.body.end)
        {
            void(id, at);
        }
    }
}

/// Returns the event for a message that stays because its text would change by its rewriting.
fn unsettled(raw: &[u8]) -> Event {
    let (at, kind) = (Span::new(0, raw.len()), EventKind::MimeUnsettled);
    Event::new(PartId::ROOT, at, kind, Reason::LeftAlone)
}

/// Reports a signature over a whole message.
fn report_signature(part: PartId, at: Span, kind: EventKind, report: &mut Report) {
    let untouched = kind == EventKind::MimeSignedUntouched;
    let detail = if untouched {
        Reason::SignedMessage.into()
    } else {
        Detail::None
    };
    report.push(Event::new(part, at, kind, detail));
}

/// Returns for each part whether it must stay byte-identical.
///
/// These are signed and encrypted parts with all their descendants, and embedded messages under a signature that is kept.
pub(super) fn sealed_parts(
    message: &Message<'_>,
    policy: &Policy,
    report: &mut Report,
) -> Vec<bool> {
    let mut sealed = vec![false; message.parts().len()];
    for (id, at) in headers::signed_within(message).take_while(|_| policy.keep_signed) {
        sealed[id.0 as usize] = true;
        report_signature(id, at, EventKind::MimeSignedUntouched, report);
    }
    for (id, part) in message.numbered_parts() {
        let own = part.is_signed_or_encrypted();
        let is_below = part.parent.is_some_and(|parent| sealed[parent.0 as usize]);
        if own && !is_below {
            let detail = Detail::MediaType(format!("{}/{}", part.media.top, part.media.sub).into());
            let kind = EventKind::MimeSignedUntouched;
            report.push(Event::new(id, part.body, kind, detail));
        }
        sealed[id.0 as usize] |= own || is_below;
    }
    sealed
}

/// Returns true if the body of a message is signed as a whole, with S/MIME or PGP/MIME (RFC 1847, section 2.1; RFC 8551, section 3.5).
pub fn has_signed_body(message: &Message<'_>) -> bool {
    message.root().is_signed_or_encrypted() && !is_encrypted(message, PartId::ROOT)
}

/// Returns true for a part that is encrypted and not signed outside the encryption (RFC 1847, section 2.2; RFC 8551, section 3.2.2).
fn is_encrypted(message: &Message<'_>, id: PartId) -> bool {
    let media = &message.part_at(id).media;
    let of_smime = |value: Span| {
        let value = value.of(message.raw());
        let params = params::parse(value, &HeaderContext::default(), &mut Vec::new());
        let kind = params.get("smime-type").unwrap_or_default();
        kind.eq_ignore_ascii_case("enveloped-data")
            || kind.eq_ignore_ascii_case("authEnveloped-data")
    };
    *media == *"multipart/encrypted"
        || *media == *"application/pgp-encrypted"
        || media.top == "application"
            && matches!(&*media.sub, "pkcs7-mime" | "x-pkcs7-mime")
            && message.content_type_value(id).is_some_and(of_smime)
}

/// Returns true if a second pass over the rewritten message changes nothing. A large message is shortened for it.
fn settles(message: &Message<'_>, edits: &[Edit], policy: &Policy) -> bool {
    let Some(Shortened { raw, edits }) = shortened(message, edits, policy) else {
        return is_settled(message, edits, &spliced(message.raw(), edits), policy);
    };
    let message = Message::parse(&raw, &policy.limits);
    is_settled(&message, &edits, &spliced(&raw, &edits), policy)
}

/// Returns true if the rewritten message has the same tree and bodies, and needs no further edit.
fn is_settled(before: &Message<'_>, edits: &[Edit], bytes: &[u8], policy: &Policy) -> bool {
    let after = Message::parse(bytes, &policy.limits);
    let same = |(b, a): (&Part, &Part)| {
        // Leaves may get fields, and so may messages without a Content-Type.
        let given = |kind| matches!(kind, PartKind::Leaf | PartKind::Message);
        let fields = |part: &Part| {
            if given(part.kind) {
                0
            } else {
                part.fields.1 - part.fields.0
            }
        };
        (b.parent, b.kind, fields(b)) == (a.parent, a.kind, fields(a)) && global::same_media(b, a)
    };
    before.parts().len() == after.parts().len()
        && before.parts().iter().zip(after.parts()).all(same)
        && bodies_after(before, edits).eq(bodies(&after))
        && unchecked_edits(&after, policy, &mut Report::with_limit(0)).is_empty()
}

/// Returns the bodies without parts.
fn bodies(message: &Message<'_>) -> impl Iterator<Item = Span> {
    let closed = |part: &&Part| matches!(part.kind, PartKind::Leaf | PartKind::Opaque);
    message.parts().iter().filter(closed).map(|part| part.body)
}

/// Returns the spans of these bodies after the edits. Both are in document order.
fn bodies_after(message: &Message<'_>, edits: &[Edit]) -> impl Iterator<Item = Span> {
    let mut edits = edits.iter().peekable();
    let (mut removed, mut added) = (0, 0);
    let mut moved = move |place: usize| {
        while let Some(edit) = edits.next_if(|edit| edit.span.end <= place) {
            removed += edit.span.len();
            added += edit.with.len();
        }
        place - removed + added
    };
    bodies(message).map(move |body| {
        let start = moved(body.start);
        Span::new(start, moved(body.end))
    })
}
