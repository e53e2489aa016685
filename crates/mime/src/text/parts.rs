//! Finds and decodes the text of a message.
//!
//! Text is every leaf of text/* or application/xhtml+xml, and text that would otherwise be lost:
//!
//! - the body of an opaque multipart or message (no boundary, beyond a limit), or its parts if delimiters in the body reveal its
//!   boundary
//! - the parts of an embedded message in base64 or quoted-printable
//! - the note that a scanner or list put in the place of an attachment without changing its header
//!
//! # Limits
//!
//! Preambles and epilogues are no text, since mail programs do not show them (RFC 2046, section 5.1.1).
//! Opens [`ENCODED_LEVELS`] levels of messages in a transfer encoding; deeper ones become text, including their headers. Events
//! inside them have the spans of the encoded bytes and the number of the part that embeds them. A span that ends at a soft line
//! break includes it.

use super::decoded_body::DecodedBody;
use super::delimiters;
use super::footer::footer_text;
use super::message_evidence::MessageEvidence;
use super::report::reading;
use crate::charset_choice::Choice;
use crate::event::{Detail, Event, EventKind, Reason};
use crate::guess::Guess;
use crate::limits::Limits;
use crate::media_type::MediaType;
use crate::message::{Message, Part, PartKind};
use crate::part_id::PartId;
use crate::policy::{Attachments, Policy};
use crate::reading::Reading;
use crate::report::Report;
use crate::transfer::TransferEncoding;
use mailglot_codec::{Charset, Loss};
use std::borrow::Cow;
use std::ops::Range;

/// How many embedded messages in a transfer encoding are opened inside each other.
pub(crate) const ENCODED_LEVELS: u32 = 4;

/// A decoded text of a message.
///
/// [`text_parts`] makes one of every text leaf ([`MediaType::is_text`]), and of attachments unless the policy leaves them out.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TextPart<'a> {
    /// The part. For a text inside an embedded message in base64 or quoted-printable this is the part that embeds it.
    pub part: PartId,
    /// The IMAP section number (RFC 3501, section 6.4.5), counted through embedded messages in a transfer encoding.
    pub section: String,
    /// The media type, as declared.
    pub media: MediaType,
    /// How the charset was chosen.
    pub reading: Reading,
    /// The text with its line ends. Borrows from the message if the text is already UTF-8 there.
    ///
    /// A body in an unknown transfer encoding is given undecoded, so that no text is dropped.
    pub text: Cow<'a, str>,
    /// Kinds of the losses in the text.
    pub losses: Vec<EventKind>,
    /// Whether the part is an attachment ([`Part::attachment`]).
    pub attachment: bool,
    /// Byte ranges that were lost, in the coordinates of the decoded part.
    lost: Vec<Loss>,
}

impl TextPart<'_> {
    /// Returns the decoded text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the charset that decoded the text. [`Self::reading`] has the label, too.
    pub fn charset(&self) -> Charset {
        self.reading.used
    }

    /// Returns the byte ranges that could not be decoded; the text has U+FFFD there.
    ///
    /// Offsets count the bytes of the part without its transfer encoding. At most 64 ranges are kept of one text. Losses in plain text that
    /// follows an encoded body have no range.
    pub fn lost_ranges(&self) -> &[Loss] {
        &self.lost
    }

    /// Returns the media type, such as `text/html`.
    pub fn media_type(&self) -> &MediaType {
        &self.media
    }

    /// Copies the borrowed bytes, so that the result outlives the message.
    pub fn into_owned(self) -> TextPart<'static> {
        TextPart {
            text: Cow::Owned(self.text.into_owned()),
            part: self.part,
            section: self.section,
            media: self.media,
            reading: self.reading,
            losses: self.losses,
            attachment: self.attachment,
            lost: self.lost,
        }
    }
}

/// Decodes all text parts, and adds what it finds to `report`.
///
/// ```
/// use mailglot_mime::{Limits, Message, Policy, Report, text_parts};
///
/// let message = Message::parse(b"Content-Type: text/plain; charset=latin1\n\n\xE9", &Limits::default());
/// let texts = text_parts(&message, &Policy::default(), &mut Report::default());
/// assert_eq!((texts[0].as_str(), &*texts[0].section), ("é", "1"));
/// ```
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
    for (id, part) in message.numbered_parts() {
        let text = part.is_text();
        if !text && !part.may_contain_text(message.raw())
            || part.attachment
                && policy.attachments == Attachments::Skip
                && !part.media.is_message()
        {
            continue;
        }
        let decoded_body = DecodedBody::read(message, id);
        if !text {
            let closed = Closed {
                outer: message,
                id,
                decoded_body: &decoded_body,
                policy,
                levels,
            };
            let first = parts.len();
            if levels > 0 && is_encoded_structure(part, &decoded_body) {
                closed.read_embedded(&declared(message, part), report, parts);
            }
            if levels > 0 && is_closed_multipart(part) && parts.len() == first {
                closed.read_delimited(report, parts);
            }
            if parts.len() > first {
                continue;
            }
            let is_other = part.kind == PartKind::Leaf && !part.media.is_message();
            if is_other && !is_note(&decoded_body)
                || is_closed_multipart(part) && is_only_delimiter(message, id)
            {
                continue;
            }
        }
        let mut report_choice = |choice: &Choice<'_>| {
            decoded_body.report_findings(message, id, choice, policy, report);
            let reading = reading(message, id, choice);
            report.readings.push(reading.clone());
            let lost = choice.log.kept().iter().filter(|loss| loss.kind.is_loss());
            (reading, choice.log.losses(), lost.cloned().collect())
        };
        let ((reading, mut losses, lost), mut text) = if is_outer_text(message, id) {
            let choice = decoded_body.choose_outer_text(message, id, policy, &hints);
            (report_choice(&choice), Cow::Owned(choice.text.into_owned()))
        } else if let Cow::Borrowed(bytes) = decoded_body.decoded.bytes {
            let choice = decoded_body.choose_for(bytes, message, id, policy, &mut hints);
            (report_choice(&choice), choice.text)
        } else {
            let choice = decoded_body.choose(message, id, policy, &mut hints);
            (report_choice(&choice), Cow::Owned(choice.text.into_owned()))
        };
        if let Some(footer) = decoded_body.footer() {
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
            text,
            losses: if losses > 0 {
                vec![EventKind::CharsetInvalidBytes]
            } else {
                Vec::new()
            },
            attachment: part.attachment,
            lost,
        });
    }
}

/// Returns true for a multipart or message whose body is encoded, so that its structure appears only after decoding.
fn is_encoded_structure(part: &Part, decoded_body: &DecodedBody<'_>) -> bool {
    decoded_body.decoded.used.is_base64_or_quoted_printable() && part.media.is_composite()
}

/// Returns true for a body of the closing delimiter alone, which a server leaves when it truncates a multipart.
fn is_only_delimiter(message: &Message<'_>, id: PartId) -> bool {
    let line = message.part_at(id).body.of(message.raw()).trim_ascii();
    let name = line
        .strip_prefix(b"--")
        .and_then(|line| line.strip_suffix(b"--"));
    name.is_some_and(|name| message.boundary(id) == Some(name))
}

/// Returns true for a message without parts whose body is one text. It is read like text around parts.
fn is_outer_text(message: &Message<'_>, id: PartId) -> bool {
    // Such a message has no other text.
    let body = message.part_at(PartId::ROOT).body;
    id == PartId::ROOT && message.outer_texts().first() == Some(&(id, body))
}

fn is_closed_multipart(part: &Part) -> bool {
    part.kind == PartKind::Opaque && part.media.is_multipart()
}

/// A part that the parser did not open, with its decoded body.
struct Closed<'c> {
    outer: &'c Message<'c>,
    id: PartId,
    decoded_body: &'c DecodedBody<'c>,
    policy: &'c Policy,
    /// How many embedded messages are opened inside each other from here on.
    levels: u32,
}

impl Closed<'_> {
    /// Reads the text parts of a multipart whose boundary is found in its body.
    fn read_delimited(&self, report: &mut Report, parts: &mut Vec<TextPart<'_>>) {
        let (id, decoded_body) = (self.id, self.decoded_body);
        let Some((line, header)) = delimited_header(self.outer, id, &decoded_body.decoded.bytes)
        else {
            return;
        };
        let first = parts.len();
        self.read_embedded(&header, report, parts);
        if parts.len() > first {
            let (kind, reason) = (EventKind::MimeMissingBoundary, Reason::FoundDelimiters);
            report.push(Event::new(id, decoded_body.place(&line), kind, reason));
        }
    }

    /// Reads the text parts of a message or multipart in a transfer encoding or with a wrong boundary.
    ///
    /// `header` is the header for a multipart.
    fn read_embedded(&self, header: &[u8], report: &mut Report, parts: &mut Vec<TextPart<'_>>) {
        let (outer, id, policy) = (self.outer, self.id, self.policy);
        let (bytes, added) = framed(outer.part_at(id), header, &self.decoded_body.decoded.bytes);
        let limits = limits_inside(outer, id, &policy.limits);
        let Some(inner) = parse_inside(&bytes, added, &limits) else {
            return;
        };
        let mut within = Vec::new();
        let mut found = Report::with_limit(policy.limits.events);
        for defect in inner.defects() {
            found.push(defect.clone());
        }
        read_level(&inner, policy, self.levels - 1, &mut found, &mut within);
        for mut text in within {
            text.part = id;
            text.reading.part = id;
            text.section = section_inside(outer, id, added, &text.section);
            report.readings.push(text.reading.clone());
            parts.push(text.into_owned());
        }
        report_embedded(id, self.decoded_body, added, found, report);
    }
}

/// Returns the line of the first delimiter in a body, and a header that declares its boundary.
fn delimited_header(
    outer: &Message<'_>,
    id: PartId,
    bytes: &[u8],
) -> Option<(Range<usize>, Vec<u8>)> {
    let (at, boundary) = delimiters::boundary(bytes)?;
    let media = &outer.part_at(id).media;
    let mut header = format!("Content-Type: {media}; boundary=\"").into_bytes();
    for &byte in boundary {
        if matches!(byte, b'"' | b'\\') {
            header.push(b'\\');
        }
        header.push(byte);
    }
    // The added lines end as those of the message do: an LF would hide that all others end in CR alone.
    let eol = outer.eol().bytes();
    header.push(b'"');
    header.extend_from_slice(eol);
    header.extend_from_slice(eol);
    Some((at..at + 2 + boundary.len(), header))
}

/// Plain text under a label of base64, where an attachment was.
fn is_note(decoded_body: &DecodedBody<'_>) -> bool {
    let control = |b: &u8| b.is_ascii_control() && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c);
    decoded_body.decoded.used == TransferEncoding::Identity
        && !decoded_body.body.iter().any(control)
        && (decoded_body.body.is_ascii() || std::str::from_utf8(decoded_body.body).is_ok())
}

/// Puts the header before the body of a multipart, whose boundary stands in the header outside. Returns the bytes added, too.
fn framed<'b>(part: &Part, header: &[u8], bytes: &'b [u8]) -> (Cow<'b, [u8]>, usize) {
    if part.media.is_multipart() {
        (Cow::Owned([header, bytes].concat()), header.len())
    } else {
        (Cow::Borrowed(bytes), 0)
    }
}

/// Returns the limits of what the parser left closed: depth and parts that are left.
fn limits_inside(outer: &Message<'_>, id: PartId, limits: &Limits) -> Limits {
    let depth = outer.part_at(id).depth as usize + 1;
    Limits {
        depth: limits.depth.saturating_sub(depth),
        parts: limits.parts.saturating_sub(outer.parts().len()),
        ..*limits
    }
}

/// Parses the decoded message of a part. Returns `None` if it has no header.
pub(crate) fn parse_embedded<'b>(
    outer: &Message<'_>,
    id: PartId,
    bytes: &'b [u8],
    limits: &Limits,
) -> Option<Message<'b>> {
    parse_inside(bytes, 0, &limits_inside(outer, id, limits))
}

/// Parses what the parser left closed, after `added` bytes of a header. Returns `None` if it has no structure.
fn parse_inside<'b>(bytes: &'b [u8], added: usize, limits: &Limits) -> Option<Message<'b>> {
    let inner = Message::parse(bytes, limits);
    let shows = if added > 0 {
        inner.part_at(PartId::ROOT).kind == PartKind::Multipart
    } else {
        !inner.fields(PartId::ROOT).is_empty()
    };
    shows.then_some(inner)
}

/// Returns the section number in `outer` of a part with the number `inner` inside the part `id`.
fn section_inside(outer: &Message<'_>, id: PartId, added: usize, inner: &str) -> String {
    let number = match outer.part_at(id).parent {
        // A multipart has the number of the message whose body it is.
        None if added > 0 => String::new(),
        Some(parent) if added > 0 && outer.part_at(parent).kind == PartKind::Message => {
            outer.section(parent)
        }
        _ => outer.section(id),
    };
    match (number.as_str(), inner) {
        ("", inner) => inner.to_owned(),
        (outer, "") => outer.to_owned(),
        (outer, inner) => format!("{outer}.{inner}"),
    }
}

/// Calls `read` with the message inside a part that the parser left closed, and with a function that numbers its parts.
///
/// Such a part is a message or multipart in a transfer encoding, or a multipart whose boundary only its body shows. Returns `None` for any
/// other part.
pub(crate) fn open<R>(
    outer: &Message<'_>,
    id: PartId,
    limits: &Limits,
    read: impl FnOnce(Message<'_>, &dyn Fn(&str) -> String) -> R,
) -> Option<R> {
    let part = outer.part_at(id);
    let is_open = matches!(part.kind, PartKind::Message | PartKind::Multipart);
    if part.unread || is_open || !part.media.is_composite() {
        return None;
    }
    let decoded_body = DecodedBody::read(outer, id);
    let bytes = &*decoded_body.decoded.bytes;
    let limits = limits_inside(outer, id, limits);
    let encoded = is_encoded_structure(part, &decoded_body).then(|| declared(outer, part));
    let delimited = || {
        let header = is_closed_multipart(part).then(|| delimited_header(outer, id, bytes));
        Some(header??.1)
    };
    let found = std::iter::once_with(delimited).flatten();
    for header in encoded.into_iter().chain(found) {
        let (bytes, added) = framed(part, &header, bytes);
        if let Some(inner) = parse_inside(&bytes, added, &limits) {
            let number = |section: &str| section_inside(outer, id, added, section);
            return Some(read(inner, &number));
        }
    }
    None
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
    decoded_body: &DecodedBody<'_>,
    added: usize,
    mut found: Report,
    report: &mut Report,
) {
    let length = decoded_body.decoded.bytes.len();
    let decoded = |offset: usize| offset.saturating_sub(added).min(length);
    let ranges: Vec<_> = found
        .events
        .iter()
        .map(|event| decoded(event.at.start)..decoded(event.at.end))
        .collect();
    let places = decoded_body.places(&ranges);
    report.extend_guesses(&mut found, |guess| Guess {
        part: id,
        at: decoded_body.span,
        ..guess
    });
    for (event, at) in found.events.into_iter().zip(places) {
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
