//! Parses a message into a flat list of parts, each with the spans of its header and body.
//!
//! ```text
//! header ── empty line ── body                                  (a part)
//! preamble ── delimiter ── part ── delimiter ── … ── epilogue   (the body of a multipart)
//! ```
//!
//! Delimiters, preambles, epilogues and empty lines are no nodes: they are the gaps between the spans of the parts.
//!
//! # Rules
//!
//! - Lines end in LF or CR LF, mixed at will. CR alone ends lines only in a message whose header (or which as a whole) has no LF.
//! - A delimiter is a whole line: `--`, the boundary exactly, `--` for the closing one, white space (RFC 2046 5.1.1). The line end
//!   before it belongs to it. The delimiter of an outer multipart closes all inner ones; of equal boundaries the innermost open one
//!   counts.
//! - A line that only begins as a delimiter is text (`mime.ambiguous-boundary`). The innermost four open boundaries are compared.
//! - Of several fields `Content-Type`, `Content-Transfer-Encoding` or `Content-Disposition` the first counts; of several charset or
//!   boundary parameters too. A second field of those that may occur once gives `hdr.duplicate`.
//! - How a header ends, and what its damaged lines mean, is told in the reader of headers (`message/parser/header_lines.rs`).
//!
//! # Limits
//!
//! - Beyond [`Limits::depth`] multiparts and embedded messages are opaque; beyond [`Limits::parts`] the rest of the message belongs to
//!   no part. Both give `mime.depth`.
//! - An embedded message in base64 or quoted-printable (forbidden by RFC 2046 5.2.1) is a leaf, which [`crate::text_parts`] opens; a
//!   multipart so labelled is read as if it were not, and is opaque when no delimiter shows.
//! - Parts after a closing delimiter, and boundaries that no field declares, are not looked for ([`crate::text_parts`] reads by the latter).

pub(crate) mod charset;
mod lines;
mod parser;
mod section;

use crate::event::Event;
use crate::header::Field;
use crate::part_id::PartId;
use crate::transfer::TransferEncoding;
use crate::{Limits, Span};
use std::borrow::Cow;
use std::fmt;

/// The line end of a message: that of its first line, or LF without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eol {
    /// LF
    Lf,
    /// CR LF
    CrLf,
    /// CR
    Cr,
}

impl Eol {
    /// Returns the bytes of the line end.
    pub fn bytes(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
            Self::Cr => b"\r",
        }
    }
}

/// The media type of a part in lower case (RFC 2045, section 5).
///
/// Without a Content-Type it is `text/plain`, or `message/rfc822` inside multipart/digest. Compares with `"text/html"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaType {
    /// The type, such as `text`.
    pub top: Cow<'static, str>,
    /// The subtype, such as `plain`.
    pub sub: Cow<'static, str>,
}

/// Writes `text/plain`.
impl fmt::Display for MediaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.top, self.sub)
    }
}

/// Compares with `type/subtype` in lower case.
impl PartialEq<str> for MediaType {
    fn eq(&self, other: &str) -> bool {
        other
            .split_once('/')
            .is_some_and(|(top, sub)| self.top == top && self.sub == sub)
    }
}

impl PartialEq<&str> for MediaType {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl MediaType {
    /// Returns true if a part of this type embeds a message: message/rfc822, message/global (RFC 6532), message/news (RFC 5537).
    pub fn is_message(&self) -> bool {
        self.top == "message" && matches!(&*self.sub, "rfc822" | "global" | "news")
    }
}

/// The content of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// A body without parts.
    Leaf,
    /// Children between delimiters.
    Multipart,
    /// An embedded message, as its only child (message/rfc822, message/global, message/news).
    Message,
    /// A multipart or message that was not parsed, because of a limit or a missing boundary.
    Opaque,
}

/// A node of the tree of parts.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Part {
    /// The part that encloses this one.
    pub parent: Option<PartId>,
    /// The nesting depth, 0 for the root.
    pub depth: u32,
    /// The position among its siblings, from 1.
    pub number: u32,
    /// All header lines, without the empty line.
    pub header: Span,
    /// All bytes between the empty line and the line end before the next delimiter (or the end).
    pub body: Span,
    /// The range of its fields in [`Message::all_fields`], end excluded.
    pub fields: (u32, u32),
    /// Declared or default media type.
    pub media: MediaType,
    /// What it contains.
    pub kind: PartKind,
    /// The transfer encoding that the label names, spelling errors corrected.
    pub transfer: TransferEncoding,
    /// The index of the field Content-Type in [`Message::all_fields`].
    pub content_type: Option<u32>,
    /// The index of the field Content-Transfer-Encoding in [`Message::all_fields`].
    pub content_transfer_encoding: Option<u32>,
    /// The span of the value of the charset parameter as written, with quotes.
    ///
    /// For a value of RFC 2231 (`us-ascii'en'utf-7`) it is the text alone; for segments it is the range of all of them.
    pub charset: Option<Span>,
    /// The charset that segments or percent signs of RFC 2231 name; where it is there, it counts and not the bytes of `charset`.
    pub joined_charset: Option<Box<str>>,
    /// There are several charset parameters.
    pub(crate) several_charsets: bool,
    /// `Content-Disposition: attachment`, or another word than `inline` (RFC 2183 2.8); or a part with a file name that is neither the root,
    /// nor the first part of its multipart, nor a form of multipart/alternative.
    pub attachment: bool,
}

impl Part {
    /// Returns true if this crate decodes the part as text.
    pub(crate) fn is_text(&self) -> bool {
        self.kind == PartKind::Leaf && self.media.top == "text"
    }

    /// Whether a change of anything in it would spoil it: what is signed or encrypted.
    pub(crate) fn seals(&self) -> bool {
        let sub = &*self.media.sub;
        match &*self.media.top {
            "multipart" => matches!(sub, "signed" | "encrypted"),
            "application" => sub.starts_with("pkcs7-") || sub.starts_with("x-pkcs7-"),
            _ => false,
        }
    }
}

/// A parsed message as spans over its bytes. Any bytes are a message.
///
/// [`Mail`](crate::Mail) decodes it; this type has the positions.
///
/// ```
/// use mailglot_mime::{Limits, Message, PartId};
///
/// let raw = b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nhello\n--b--\n";
/// let message = Message::parse(raw, &Limits::default());
/// let part = message.part(PartId(1)).expect("a part");
/// assert_eq!((part.body.of(raw), message.section(PartId(1))), (&b"hello"[..], "1".to_owned()));
/// assert!(message.part(PartId(9)).is_none());
/// ```
#[derive(Clone, Debug)]
pub struct Message<'a> {
    raw: &'a [u8],
    eol: Eol,
    parts: Vec<Part>,
    fields: Vec<Field>,
    /// Boundaries of the multiparts that have one, by part.
    boundaries: Vec<(PartId, Cow<'a, [u8]>)>,
    defects: Vec<Event>,
}

impl<'a> Message<'a> {
    /// Parses in one forward pass, in time linear in the input, without recursion.
    pub fn parse(raw: &'a [u8], limits: &Limits) -> Self {
        parser::parse(raw, limits)
    }
    /// Returns the bytes that were parsed.
    pub fn raw(&self) -> &'a [u8] {
        self.raw
    }
    /// Returns all parts in document order. The first is the message itself.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }
    /// Returns the part that is the message itself.
    pub fn root(&self) -> &Part {
        self.part_at(PartId::ROOT)
    }
    /// Returns one part, or `None` if the message has no part with this number.
    pub fn part(&self, id: PartId) -> Option<&Part> {
        self.parts.get(id.0 as usize)
    }
    /// Returns a part of this message. An id of another message is a bug.
    pub(crate) fn part_at(&self, id: PartId) -> &Part {
        &self.parts[id.0 as usize]
    }
    /// Returns the header fields of all parts.
    pub fn all_fields(&self) -> &[Field] {
        &self.fields
    }
    /// Returns the header fields of a part, in order; none for an unknown part.
    pub fn fields(&self, id: PartId) -> &[Field] {
        let range = self.part(id).map_or(0..0, |part| {
            let (start, end) = part.fields;
            start as usize..end as usize
        });
        &self.fields[range]
    }
    /// Returns the value of a part's charset parameter, without quotes and the forms of RFC 2231.
    pub fn charset_label(&self, id: PartId) -> Option<Cow<'a, [u8]>> {
        let part = self.part(id)?;
        match (&part.joined_charset, part.charset) {
            (Some(joined), _) => Some(Cow::Owned(joined.as_bytes().to_vec())),
            (None, Some(span)) => Some(charset::unquote(span.of(self.raw))),
            (None, None) => None,
        }
    }
    /// Whether a part lies in what is signed or encrypted.
    pub(crate) fn is_sealed(&self, id: PartId) -> bool {
        let mut next = Some(id);
        while let Some(part) = next.map(|id| self.part_at(id)) {
            if part.seals() {
                return true;
            }
            next = part.parent;
        }
        false
    }
    /// Whether the structure of a message tells that no rewriting touches the body of a part.
    pub(crate) fn stays(&self, id: PartId) -> bool {
        let part = self.part_at(id);
        part.attachment
            || !part.is_text()
            || matches!(
                part.transfer,
                TransferEncoding::Unknown | TransferEncoding::Uuencode
            )
            || self.is_sealed(id)
    }
    /// Returns the first field of a part with this name, compared without case.
    pub fn field(&self, id: PartId, name: &[u8]) -> Option<&Field> {
        self.fields(id)
            .iter()
            .find(|f| f.name.of(self.raw).eq_ignore_ascii_case(name))
    }
    /// Returns the line end of the first line.
    pub fn eol(&self) -> Eol {
        self.eol
    }
    /// Returns the IMAP section number (RFC 3501, section 6.4.5), such as `1.2`.
    ///
    /// A message without parts has `1`. A multipart root has an empty number, and so has an unknown part. The root of an embedded message
    /// has the number of the part that embeds it if it is a multipart, otherwise that number with `.1`.
    pub fn section(&self, id: PartId) -> String {
        if self.part(id).is_none() {
            return String::new();
        }
        section::number(&self.parts, id)
    }
    /// Returns the defects that the parser found, in document order.
    pub fn defects(&self) -> &[Event] {
        &self.defects
    }
    /// Returns the boundary of a multipart, unquoted.
    pub fn boundary(&self, id: PartId) -> Option<&[u8]> {
        let index = self
            .boundaries
            .binary_search_by_key(&id, |(part, _)| *part)
            .ok()?;
        Some(&self.boundaries[index].1)
    }
}

#[cfg(test)]
mod finding_tests;
#[cfg(test)]
mod law_tests;
#[cfg(test)]
mod tests;
