//! Parses a message into a flat list of parts, each with the spans of its header and body.
//!
//! ```text
//! header ── empty line ── body                                  (a part)
//! preamble ── delimiter ── part ── delimiter ── … ── epilogue   (the body of a multipart)
//! ```
//!
//! Delimiters and empty lines are not stored: they are the gaps between the spans of the parts. Preambles and epilogues are stored if they
//! have text that a normalization may change.
//!
//! # Rules
//!
//! - Lines end in LF or CR LF, even mixed. A lone CR ends lines only in a message whose header (or which as a whole) has no LF.
//! - A delimiter is a whole line: `--`, the exact boundary, `--` for the closing one, and white space (RFC 2046, section 5.1.1). The line
//!   end before it belongs to it.
//! - The delimiter of an outer multipart closes all inner ones. Of equal boundaries, the innermost open one counts.
//! - A line that only begins like a delimiter is text (`mime.ambiguous-boundary`). It is compared with the four innermost open
//!   boundaries.
//! - Of repeated fields `Content-Type`, `Content-Transfer-Encoding` or `Content-Disposition`, the first counts. So does the first
//!   of repeated charset or boundary parameters. A second field of a kind that may occur once gives `hdr.duplicate`.
//! - `message/parser/header_lines.rs` describes where a header ends and how its damaged lines are read. `wrapped_parameters.rs`
//!   beside it says which of these lines continue a Content-Type.
//!
//! # Limits
//!
//! - Multiparts and embedded messages deeper than [`Limits::depth`] are opaque. After [`Limits::parts`] parts, the rest of the
//!   message belongs to no part. Both give `mime.depth`.
//! - An embedded message in base64 or quoted-printable (forbidden by RFC 2046, section 5.2.1) is a leaf, which [`crate::text_parts`] opens.
//!   The label of such a multipart is ignored; it is opaque if it contains no delimiter.
//! - The parser does not search for parts after a closing delimiter, or for undeclared boundaries. [`crate::text_parts`] finds the
//!   latter.

pub(crate) mod charset;
mod lines;
mod parser;
mod part;
mod section;

#[doc(hidden)]
pub use lines::LineRule;
pub use part::{Eol, Part, PartKind};

use crate::event::Event;
use crate::header::Field;
use crate::part_id::PartId;
use crate::span::Span;
use std::borrow::Cow;

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
    /// The boundaries of multiparts, with their parts.
    boundaries: Vec<(PartId, Cow<'a, [u8]>)>,
    outer_texts: Vec<(PartId, Span)>,
    defects: Vec<Event>,
}

impl<'a> Message<'a> {
    /// Returns the bytes that were parsed.
    pub fn raw(&self) -> &'a [u8] {
        self.raw
    }
    /// Returns all parts in document order. The first is the message itself.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }
    /// Returns all parts in document order, each with its number.
    pub fn numbered_parts(&self) -> impl Iterator<Item = (PartId, &Part)> {
        let numbered = |(index, part)| (PartId(index as u32), part);
        self.parts.iter().enumerate().map(numbered)
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
    /// Returns true if a part lies in a signed or encrypted part.
    pub(crate) fn is_sealed(&self, id: PartId) -> bool {
        let mut around = self.with_parents(id);
        around.any(|id| self.part_at(id).is_signed_or_encrypted())
    }
    /// Returns a part and the parts around it, from the inside out.
    pub(crate) fn with_parents(&self, id: PartId) -> impl Iterator<Item = PartId> {
        std::iter::successors(Some(id), |id| self.part_at(*id).parent)
    }
    /// Returns the parts around a part, from the inside out.
    pub(crate) fn parents(&self, id: PartId) -> impl Iterator<Item = PartId> {
        self.with_parents(id).skip(1)
    }
    /// Returns true if the structure of the message prevents any rewriting of a part's body.
    pub(crate) fn stays(&self, id: PartId) -> bool {
        let part = self.part_at(id);
        part.attachment || !part.is_text() || part.transfer.is_undecodable() || self.is_sealed(id)
    }
    /// Returns the first field of a part with this name, compared without case.
    pub fn field(&self, id: PartId, name: &[u8]) -> Option<&Field> {
        self.fields(id)
            .iter()
            .find(|f| f.name.of(self.raw).eq_ignore_ascii_case(name))
    }
    /// Returns the value of the Content-Type field that counts for a part.
    pub(crate) fn content_type_value(&self, id: PartId) -> Option<Span> {
        let index = self.part_at(id).content_type?;
        Some(self.fields[index as usize].value)
    }
    /// Returns the value of the Content-Transfer-Encoding field that counts for a part.
    pub(crate) fn transfer_encoding_value(&self, id: PartId) -> Option<Span> {
        let index = self.part_at(id).content_transfer_encoding?;
        Some(self.fields[index as usize].value)
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
    /// Returns the preambles, epilogues and the body of a message without parts, with their multiparts, in document order. Returns only those
    /// with non-ASCII bytes or escape characters.
    ///
    /// The line end before the first delimiter belongs to the delimiter.
    pub(crate) fn outer_texts(&self) -> &[(PartId, Span)] {
        &self.outer_texts
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
mod damaged_header_tests;
#[cfg(test)]
mod finding_tests;
#[cfg(test)]
mod header_tests;
#[cfg(test)]
mod law_tests;
#[cfg(test)]
mod test_support;
#[cfg(test)]
mod tests;
