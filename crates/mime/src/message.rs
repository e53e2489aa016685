//! A message as a flat list of parts, each a handful of spans.
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
mod part;
mod section;

pub use part::{Eol, MediaType, Part, PartKind};

use crate::event::Event;
use crate::header::Field;
use crate::part_id::PartId;
use crate::transfer::TransferEncoding;
use std::borrow::Cow;

/// A parsed message. Parsing is total: any bytes are a message.
#[derive(Debug)]
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
    /// The bytes that were parsed.
    pub fn raw(&self) -> &'a [u8] {
        self.raw
    }
    /// All parts in document order; never empty.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }
    /// One part.
    pub fn part(&self, id: PartId) -> &Part {
        &self.parts[id.0 as usize]
    }
    /// The header fields of all parts.
    pub fn all_fields(&self) -> &[Field] {
        &self.fields
    }
    /// The header fields of a part, in order.
    pub fn fields(&self, id: PartId) -> &[Field] {
        let (start, end) = self.part(id).fields;
        &self.fields[start as usize..end as usize]
    }
    /// The value of a part's charset parameter, without quotes and the forms of RFC 2231.
    pub fn charset_label(&self, id: PartId) -> Option<Cow<'a, [u8]>> {
        let part = self.part(id);
        match (&part.joined_charset, part.charset) {
            (Some(joined), _) => Some(Cow::Owned(joined.as_bytes().to_vec())),
            (None, Some(span)) => Some(charset::unquote(span.of(self.raw))),
            (None, None) => None,
        }
    }
    /// Whether a part lies in what is signed or encrypted.
    pub(crate) fn is_sealed(&self, id: PartId) -> bool {
        let mut next = Some(id);
        while let Some(part) = next.map(|id| self.part(id)) {
            if part.seals() {
                return true;
            }
            next = part.parent;
        }
        false
    }
    /// Whether the structure of a message tells that no rewriting touches the body of a part.
    pub(crate) fn stays(&self, id: PartId) -> bool {
        let part = self.part(id);
        part.attachment
            || !part.is_text()
            || matches!(
                part.transfer,
                TransferEncoding::Unknown | TransferEncoding::Uuencode
            )
            || self.is_sealed(id)
    }
    /// The first field of a part with this name (compared without case).
    pub fn field(&self, id: PartId, name: &[u8]) -> Option<&Field> {
        self.fields(id)
            .iter()
            .find(|f| f.name.of(self.raw).eq_ignore_ascii_case(name))
    }
    /// Line end of the message's first line.
    pub fn eol(&self) -> Eol {
        self.eol
    }
    /// IMAP section number (RFC 3501 6.4.5): `1` for a single-part message, `1.2`, …; empty for a multipart root. The root of an embedded
    /// message has the number of the part that embeds it when it is a multipart, and else that number with `.1`.
    pub fn section(&self, id: PartId) -> String {
        section::number(&self.parts, id)
    }
    /// What the parser found wrong, in document order.
    pub fn defects(&self) -> &[Event] {
        &self.defects
    }
    /// Boundary of a multipart (unquoted bytes).
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
