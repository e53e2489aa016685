//! Plans edits of text bodies, and of the fields that describe them.
//!
//! # Limits
//! An attachment in a legacy charset stays unless the policy asks for UTF-8. One in UTF-8 also keeps its transfer encoding.

use super::body::Body;
use super::body_target::BodyTarget;
use super::outer_text::OuterTexts;
use super::{global, output_charset};
use crate::edit::Edit;
use crate::event::{Detail, Event, EventKind, Reason};
use crate::message::Message;
use crate::part_id::PartId;
use crate::policy::{Attachments, Bodies, Policy};
use crate::report::Report;
use crate::span::Span;
use crate::text::{DecodedBody, MessageEvidence, reading};
use crate::transfer::TransferEncoding;
use std::collections::BTreeSet;

/// Plans all text bodies. Returns their evidence about the charsets of the message.
pub(super) fn plan(
    message: &Message<'_>,
    policy: &Policy,
    sealed: &[bool],
    report: &mut Report,
    edits: &mut Vec<Edit>,
) -> MessageEvidence {
    let mut hints = MessageEvidence::default();
    let mut widened = Vec::new();
    for (id, part) in message.numbered_parts() {
        let is_sealed = sealed[id.0 as usize];
        if !part.is_text() || is_sealed && !report.keeps_events() {
            continue;
        }
        let decoded_body = DecodedBody::read(message, id);
        if is_sealed {
            let mut own = MessageEvidence::default();
            let choice = decoded_body.choose(message, id, policy, &mut own);
            decoded_body.report_signed(id, &choice, report);
            continue;
        }
        let choice = decoded_body.choose(message, id, policy, &mut hints);
        let body = Body {
            message,
            id,
            policy,
            source: &decoded_body,
            choice: &choice,
        };
        if part.attachment && body.stays_as_attachment(report) {
            continue;
        }
        let Some(target) = body.reported_target(report) else {
            continue;
        };
        let (wide, text) = body.write(&target, edits);
        drop(target);
        if wide {
            widened.extend(part.parent);
        }
        if let Some(edit) = text {
            // Moves the text, which may be long, instead of copying it.
            edits[edit].with = choice.text.into_owned().into_bytes();
        }
    }
    let outer_texts = OuterTexts {
        message,
        policy,
        hints: &hints,
    };
    widened.extend(outer_texts.plan(sealed, report, edits));
    widen(message, &widened, edits);
    hints
}

impl<'a> Body<'a, '_> {
    /// Returns true if an attachment stays as it is. Reports one in a legacy charset.
    fn stays_as_attachment(&self, report: &mut Report) -> bool {
        let legacy = self.policy.bodies == Bodies::Utf8 && self.needs_charset();
        let stays = self.policy.attachments != Attachments::Utf8;
        if legacy && stays {
            let detail = Detail::InCharset(self.choice.used);
            report.push(self.event(EventKind::MimeAttachmentUntouched, detail));
        }
        stays || !(legacy || self.needs_label())
    }

    /// Returns the new form of the body, or None if it stays as it is. Reports the findings of the body.
    fn reported_target(&self, report: &mut Report) -> Option<BodyTarget<'a>> {
        let (message, id, choice) = (self.message, self.id, self.choice);
        let mark = report.mark();
        self.source
            .report_findings(message, id, choice, self.policy, report);
        report.readings.push(reading(message, id, choice));
        if !self.may_change() {
            report.withdraw(&mark);
            if self.is_bare() && self.needs_charset() {
                report.push(self.event(EventKind::MimeUnsettled, Reason::NoTypeInvented));
            }
            let is_unknown = message.part_at(id).transfer == TransferEncoding::Unknown;
            if is_unknown && !choice.text.trim_ascii().is_empty() {
                report.push(self.event(EventKind::MimeUnsettled, Reason::UnknownEncoding));
            }
            return None;
        }
        let mut outgoing = output_charset::of(self);
        let note = outgoing.note.take();
        let target = self.target(outgoing);
        let check = |target: &BodyTarget<'_>| self.check_obstacles(&target.text, target.relabel);
        if let Some(Err(known)) = target.as_ref().map(check) {
            report.withdraw(&mark);
            let is_text = |event: &Event| event.kind != EventKind::MimeNotText;
            if known.as_ref().is_some_and(is_text) {
                self.source.report_wrong_label(id, choice, report);
            }
            report.extend(known);
            return None;
        }
        report.extend(note);
        let target = target?;
        if target.steps.added_end > 0 {
            let end = self.source.span.end;
            let (kind, at) = (EventKind::CteLineEndAdded, Span::new(end, end));
            report.push(Event::new(id, at, kind, Detail::None));
        }
        report.extend(self.stale_digest(&target));
        Some(target)
    }

    /// Returns an event if a digest of the decoded body (RFC 1864) becomes invalid. The digest stays, as signatures do.
    fn stale_digest(&self, target: &BodyTarget<'_>) -> Option<Event> {
        let at = self.message.field(self.id, b"content-md5")?.full;
        // The digest is computed with CR LF line ends, whatever the body has.
        let bare = |bytes: &'_ [u8]| -> Vec<u8> {
            bytes.iter().copied().filter(|b| *b != b'\r').collect()
        };
        if bare(&target.text) == bare(&self.source.decoded.bytes) {
            return None;
        }
        let (kind, detail) = (EventKind::HdrStaleDigest, Detail::Field("Content-MD5"));
        Some(Event::new(self.id, at, kind, detail))
    }
}

/// Changes 7bit to 8bit in composite parts that directly contain raw 8-bit bytes, and around them (RFC 2045, section 6.4).
pub(super) fn widen(message: &Message<'_>, composites: &[PartId], edits: &mut Vec<Edit>) {
    let mut done = BTreeSet::new();
    for id in composites {
        let new = message.with_parents(*id).take_while(|id| done.insert(*id));
        edits.extend(new.filter_map(|id| global::widened(message, id)));
    }
}
