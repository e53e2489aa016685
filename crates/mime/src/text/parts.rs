//! Finds and decodes the text of a message.
//!
//! Text is every text/* leaf, and text that would otherwise be lost:
//!
//! - the body of an opaque multipart or message (no boundary, beyond a limit), or its parts if delimiters in the body reveal its
//!   boundary
//! - the parts of an embedded message in base64 or quoted-printable
//! - the note that a scanner or list put in the place of an attachment without changing its header
//!
//! # Limits
//!
//! Opens [`ENCODED_LEVELS`] levels of messages in a transfer encoding; deeper ones become text, including their headers. Events
//! inside them have the spans of the encoded bytes and the number of the part that embeds them. A span that ends at a soft line
//! break includes it.

use super::delimiters;
use super::footer::footer_text;
use super::message_evidence::MessageEvidence;
use super::report::reading;
use super::transferred::Transferred;
use crate::charset_choice::Choice;
use crate::event::{Detail, Event, EventKind, Reason};
use crate::reading::Reading;
use crate::transfer::{self, TransferEncoding};
use crate::{Attachments, Guess, MediaType, Message, Part, PartId, PartKind, Policy, Report};
use std::borrow::Cow;

/// Number of nested messages in a transfer encoding that are opened.
const ENCODED_LEVELS: u32 = 4;

/// A text part. Every text/* leaf gives one, including attachments unless the policy skips them.
#[derive(Clone, Debug)]
pub struct TextPart<'a> {
    /// The part. For a part of an embedded message in base64 or quoted-printable, the part that embeds it.
    pub part: PartId,
    /// IMAP section number (RFC 3501 6.4.5), counted through embedded messages in a transfer encoding.
    pub section: String,
    /// The declared media type.
    pub media: MediaType,
    /// How the part was decoded.
    pub reading: Reading,
    /// The text with its original line ends; borrowed if the message contains it verbatim.
    ///
    /// A body in an unknown transfer encoding is given without decoding, so that no text is lost.
    pub text: Option<Cow<'a, str>>,
    /// Codes of losses in the text.
    pub losses: Vec<EventKind>,
}

/// Decodes all text parts. Adds events and guesses to `report`.
pub fn text_parts<'a>(
    message: &Message<'a>,
    policy: &Policy,
    report: &mut Report,
) -> Vec<TextPart<'a>> {
    let mut parts = Vec::new();
    read_level(message, policy, ENCODED_LEVELS, report, &mut parts);
    parts
}

fn read_level<'a>(
    message: &Message<'a>,
    policy: &Policy,
    levels: u32,
    report: &mut Report,
    parts: &mut Vec<TextPart<'a>>,
) {
    let mut hints = MessageEvidence::default();
    for (index, part) in message.parts().iter().enumerate() {
        let id = PartId(index as u32);
        let text = part.is_text();
        if !text && !may_contain_text(message, part)
            || part.attachment && policy.attachments == Attachments::Skip
        {
            continue;
        }
        let transferred = Transferred::read(message, id);
        if !text {
            let closed = Closed {
                outer: message,
                id,
                transferred: &transferred,
            };
            if levels > 0 && is_encoded_structure(part, &transferred) {
                let first = parts.len();
                let header = declared(message, part);
                read_embedded(closed, &header, policy, levels, report, parts);
                if parts.len() > first {
                    continue;
                }
            }
            if levels > 0 && is_closed_multipart(part) {
                let first = parts.len();
                read_delimited(closed, policy, levels, report, parts);
                if parts.len() > first {
                    continue;
                }
            }
            if part.kind == PartKind::Leaf && !part.media.is_message() && !is_note(&transferred) {
                continue;
            }
        }
        let mut report_choice = |choice: &Choice<'_>| {
            transferred.report_findings(message, id, choice, policy, report);
            let reading = reading(message, id, choice);
            report.readings.push(reading.clone());
            (reading, choice.log.losses())
        };
        let ((reading, mut losses), mut text) =
            if let Cow::Borrowed(bytes) = transferred.decoded.bytes {
                let choice = transferred.choose_for(bytes, message, id, policy, &mut hints);
                (report_choice(&choice), choice.text)
            } else {
                let choice = transferred.choose(message, id, policy, &mut hints);
                (report_choice(&choice), Cow::Owned(choice.text.into_owned()))
            };
        if let Some(footer) = transferred.footer() {
            let (footer, lost) =
                footer_text(text.as_bytes(), footer, reading.used, message, policy);
            losses += lost;
            text.to_mut().push_str(&String::from_utf8_lossy(&footer));
        }
        parts.push(TextPart {
            part: id,
            section: message.section(id),
            media: part.media.clone(),
            reading,
            text: Some(text),
            losses: if losses > 0 {
                vec![EventKind::CharsetInvalidBytes]
            } else {
                Vec::new()
            },
        });
    }
}

/// Returns true if a part with another media type may contain text. Fast, since it runs for every attachment.
fn may_contain_text(message: &Message<'_>, part: &Part) -> bool {
    let blank = || part.body.of(message.raw()).trim_ascii().is_empty();
    match part.kind {
        PartKind::Opaque => !blank(),
        PartKind::Leaf if part.media.is_message() => {
            part.transfer != TransferEncoding::Identity && !blank()
        }
        PartKind::Leaf => {
            part.transfer == TransferEncoding::Base64
                && transfer::base64::begins_as_text(part.body.of(message.raw()))
        }
        PartKind::Multipart | PartKind::Message => false,
    }
}

/// Returns true for a multipart or message whose body is encoded, so that its structure appears only after decoding.
fn is_encoded_structure(part: &Part, transferred: &Transferred<'_>) -> bool {
    let encoded = matches!(
        transferred.decoded.used,
        TransferEncoding::Base64 | TransferEncoding::QuotedPrintable
    );
    encoded && (part.media.is_message() || part.media.top == "multipart")
}

fn is_closed_multipart(part: &Part) -> bool {
    part.kind == PartKind::Opaque && part.media.top == "multipart"
}

/// A part that the parser did not open, with its decoded body.
#[derive(Clone, Copy)]
struct Closed<'c> {
    outer: &'c Message<'c>,
    id: PartId,
    transferred: &'c Transferred<'c>,
}

/// Reads the text parts of a multipart whose boundary is found in its body.
fn read_delimited(
    closed: Closed<'_>,
    policy: &Policy,
    levels: u32,
    report: &mut Report,
    parts: &mut Vec<TextPart<'_>>,
) {
    let Closed {
        outer,
        id,
        transferred,
    } = closed;
    let bytes = &*transferred.decoded.bytes;
    let Some((at, boundary)) = delimiters::boundary(bytes) else {
        return;
    };
    let first = parts.len();
    let media = &outer.part(id).media;
    let mut header = format!("Content-Type: {}/{}; boundary=\"", media.top, media.sub).into_bytes();
    for &byte in boundary {
        if matches!(byte, b'"' | b'\\') {
            header.push(b'\\');
        }
        header.push(byte);
    }
    // In a message with lone CRs, an LF would change the rule for line ends.
    let eol = outer.eol().bytes();
    header.push(b'"');
    header.extend_from_slice(eol);
    header.extend_from_slice(eol);
    read_embedded(closed, &header, policy, levels, report, parts);
    if parts.len() > first {
        let line = at..at + 2 + boundary.len();
        let place = transfer::locate_any(
            transferred.decoded.used,
            transferred.body,
            std::slice::from_ref(&line),
        );
        let at = place
            .first()
            .map_or(transferred.span, |place| transferred.span.at(place));
        let (kind, reason) = (EventKind::MimeMissingBoundary, Reason::FoundDelimiters);
        report.push(Event::new(id, at, kind, reason));
    }
}

/// Returns true for plain text that is labelled base64, as in a note that replaced an attachment.
fn is_note(transferred: &Transferred<'_>) -> bool {
    let control = |b: &u8| b.is_ascii_control() && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c);
    transferred.decoded.used == TransferEncoding::Identity
        && !transferred.body.iter().any(control)
        && (transferred.body.is_ascii() || std::str::from_utf8(transferred.body).is_ok())
}

/// Reads the text parts of a message or multipart in a transfer encoding or with a wrong boundary.
///
/// `header` is the header for a multipart.
fn read_embedded(
    closed: Closed<'_>,
    header: &[u8],
    policy: &Policy,
    levels: u32,
    report: &mut Report,
    parts: &mut Vec<TextPart<'_>>,
) {
    let Closed {
        outer,
        id,
        transferred,
    } = closed;
    let part = outer.part(id);
    let bytes = &*transferred.decoded.bytes;
    let mut limits = policy.limits;
    limits.depth = limits.depth.saturating_sub(part.depth as usize + 1);
    limits.parts = limits.parts.saturating_sub(outer.parts().len());
    // The header of the part declares the boundary, so it precedes the body here.
    let framed;
    let (bytes, added) = if part.media.top == "multipart" {
        framed = [header, bytes].concat();
        (&*framed, framed.len() - bytes.len())
    } else {
        (bytes, 0)
    };
    let inner = Message::parse(bytes, &limits);
    let is_structured = if added > 0 {
        inner.part(PartId::ROOT).kind == PartKind::Multipart
    } else {
        !inner.fields(PartId::ROOT).is_empty()
    };
    if !is_structured {
        return;
    }
    let mut within = Vec::new();
    let mut found = Report::with_limit(policy.limits.events);
    for defect in inner.defects() {
        found.push(defect.clone());
    }
    read_level(&inner, policy, levels - 1, &mut found, &mut within);
    let outer_number = match part.parent {
        // A multipart has the number of the message whose body it is.
        None if added > 0 => String::new(),
        Some(parent) if added > 0 && outer.part(parent).kind == PartKind::Message => {
            outer.section(parent)
        }
        _ => outer.section(id),
    };
    for mut text in within {
        text.part = id;
        text.reading.part = id;
        text.section = match (outer_number.as_str(), text.section.as_str()) {
            ("", inner) => inner.to_owned(),
            (outer, "") => outer.to_owned(),
            (outer, inner) => format!("{outer}.{inner}"),
        };
        report.readings.push(text.reading.clone());
        parts.push(TextPart {
            text: text.text.map(|text| Cow::Owned(text.into_owned())),
            ..text
        });
    }
    report_embedded(id, transferred, added, found, report);
}

/// Returns the Content-Type of a part as a header of its own.
fn declared(outer: &Message<'_>, part: &Part) -> Vec<u8> {
    let mut header = Vec::new();
    if let Some(index) = part.content_type {
        let field = outer.all_fields()[index as usize];
        header.extend_from_slice(b"Content-Type:");
        header.extend_from_slice(field.value.of(outer.raw()));
    }
    header.extend_from_slice(b"\n\n");
    header
}

/// Reports the events of an embedded message with the spans of the bytes that they were decoded from.
fn report_embedded(
    id: PartId,
    transferred: &Transferred<'_>,
    added: usize,
    mut found: Report,
    report: &mut Report,
) {
    let length = transferred.decoded.bytes.len();
    let decoded = |offset: usize| offset.saturating_sub(added).min(length);
    let ranges: Vec<_> = found
        .events
        .iter()
        .map(|event| decoded(event.at.start)..decoded(event.at.end))
        .collect();
    let places = transfer::locate_any(transferred.decoded.used, transferred.body, &ranges);
    report.extend_guesses(&mut found, |guess| Guess {
        part: id,
        at: transferred.span,
        ..guess
    });
    for (event, place) in found.events.into_iter().zip(&places) {
        let at = transferred.span.at(place);
        let detail = Detail::Embedded(Box::new(event.detail));
        report.push(Event {
            part: id,
            at,
            detail,
            ..event
        });
    }
    report.extend_unkept(found.unkept);
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
