//! Finds MIME fields that blanks before their names make continuation lines of the field before them.
//!
//! ```text
//! From: a@b.example
//!  MIME-Version: 1.0
//!  Content-Type: multipart/mixed; boundary="abc"
//! ```
//!
//! PHP scripts write such headers: `mail()` gets lines that were indented in the source.
//!
//! # Rules
//!
//! - The header of the message has no Content-Type and no Content-Transfer-Encoding of its own, and one field has all lines that begin
//!   like these. Its values are never free text: From, To, Date, MIME-Version and a few others. It is complete before these lines.
//! - No field with free text stands before the MIME fields among the lines, no field that may occur once occurs twice, and none is a
//!   Content-Length.
//! - Both values follow their grammars. The type is text, a multipart with a boundary, or a file in base64.
//! - The whole body proves them: it has the first and the last delimiter of the multipart; it is base64 or quoted-printable and
//!   nothing else; or it is one HTML document.
//!
//! If one rule is broken, all lines stay text of their field.
//!
//! # Limits
//!
//! Fields of parts and of embedded messages stay. So the body is examined once per message.

use super::Parser;
use super::body_form::{is_base64, is_html, is_quoted_printable};
use super::content_fields::{boundary, media_type};
use super::field_names::{CONTENT_TYPE, TRANSFER_ENCODING, field_name, single};
use crate::Span;
use crate::header::{Field, is_known};
use crate::lexer;
use crate::params;
use crate::transfer::TransferEncoding;
use mailglot_codec::{Charset, View};

/// Fields whose values are addresses, dates, identifiers or tokens. Text of people stands in none of them, apart from names.
const WITHOUT_TEXT: [&[u8]; 13] = [
    b"from",
    b"sender",
    b"reply-to",
    b"to",
    b"cc",
    b"bcc",
    b"date",
    b"message-id",
    b"mime-version",
    b"content-type",
    b"content-transfer-encoding",
    b"content-disposition",
    b"content-id",
];

/// Returns true if a continuation line, without its blanks, begins with the name of a MIME field that describes the body.
pub(super) fn declares_body(text: &[u8]) -> bool {
    let begins = |name: &[u8]| {
        text.get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    // Most continuation lines begin otherwise.
    matches!(text, [b'C' | b'c', ..])
        && (begins(b"content-type:") || begins(b"content-transfer-encoding:"))
}

impl Parser<'_> {
    /// Divides field `index` at lines that are fields of their own, if the rules above hold. `seen` has a bit for each name that may occur
    /// once and that the header has. Returns the fields that the lines are.
    pub(super) fn split_field(
        &mut self,
        index: usize,
        seen: u32,
        body: usize,
    ) -> Option<Vec<Field>> {
        let host = *self.fields.get(index)?;
        if host.full.len() > self.limits.field || !is_without_text(host.name.of(self.raw)) {
            return None;
        }
        let (host, own) = self.divided(host);
        if !is_complete(host.value.of(self.raw))
            || self.fields.len() + own.len() > self.limits.fields
        {
            return None;
        }
        let (mut seen, mut is_text) = (seen, false);
        let (mut media, mut transfer) = (None, None);
        for field in &own {
            let name = field.name.of(self.raw);
            let number = single(name);
            let bit = number.map_or(0, |number| 1 << number);
            // A mailbox has no Content-Length when it is written, and none may appear then.
            if seen & bit != 0 || name.eq_ignore_ascii_case(b"content-length") {
                return None;
            }
            seen |= bit;
            match number {
                Some(CONTENT_TYPE | TRANSFER_ENCODING) if is_text => return None,
                Some(CONTENT_TYPE) => media = Some(field.value),
                Some(TRANSFER_ENCODING) => transfer = Some(field.value),
                _ if !is_without_text(name) => is_text = true,
                _ if !is_complete(field.value.of(self.raw)) => return None,
                _ => {}
            }
        }
        if !self.proves(media, transfer, body)? {
            return None;
        }
        let with_own = std::iter::once(host).chain(own.iter().copied());
        drop(self.fields.splice(index..=index, with_own));
        Some(own)
    }

    /// Divides a field at its lines that begin with a known name. Lines of blanks continue the field before them, as everywhere.
    fn divided(&self, host: Field) -> (Field, Vec<Field>) {
        let first = self.lines.line(self.raw, host.full.start);
        let (mut at, end) = (first.next, host.full.end);
        let mut own: Vec<Field> = Vec::new();
        let mut host = Field {
            value: Span::new(host.value.start, first.end),
            full: Span::new(host.full.start, first.next),
            ..host
        };
        while at < end {
            let line = self.lines.line(self.raw, at);
            let text = self.raw[line.start..line.end].trim_ascii_start();
            at = line.next;
            let start = line.end - text.len();
            match field_name(text) {
                Some((name, colon)) if name == colon && is_known(&text[..name]) => {
                    own.push(Field {
                        name: Span::new(start, start + name),
                        value: Span::new(start + colon + 1, line.end),
                        full: Span::new(line.start, line.next),
                    });
                }
                _ => {
                    let last = own.last_mut().unwrap_or(&mut host);
                    (last.value.end, last.full.end) = (line.end, line.next);
                }
            }
        }
        (host, own)
    }

    /// Returns true if the body at `body` has the form that these values declare. Returns `None` if they break a grammar.
    fn proves(&self, media: Option<Span>, transfer: Option<Span>, body: usize) -> Option<bool> {
        let text = self.raw.get(body..)?;
        let encoding = match transfer.map(|at| at.of(self.raw)) {
            None => TransferEncoding::Identity,
            Some(value) => {
                let encoding = TransferEncoding::from_value(value);
                let is_label = encoding.is_spelled(value) && !value.trim_ascii().is_empty();
                let is_usual = !matches!(
                    encoding,
                    TransferEncoding::Unknown | TransferEncoding::Uuencode
                );
                (is_label && is_usual).then_some(encoding)?
            }
        };
        let is_plain = encoding == TransferEncoding::Identity;
        let Some(value) = media.map(|at| at.of(self.raw)) else {
            return Some(is_encoded(text, encoding, true));
        };
        let mut findings = Vec::new();
        if params::survey(value, &mut findings) || !findings.is_empty() {
            return None;
        }
        let (main, list) = params::scan(value);
        let media = media_type(&main)?;
        let charset = list
            .iter()
            .find(|param| param.name.eq_ignore_ascii_case(b"charset"));
        if let Some(charset) = charset {
            Charset::for_label(&charset.value, View::Mail).charset()?;
        }
        Some(match &*media.top {
            "multipart" => is_plain && self.has_both_delimiters(&boundary(value, &list)?, body),
            "text" if is_plain => media.sub == "html" && is_html(text),
            "text" => is_encoded(text, encoding, true),
            "application" | "image" | "audio" | "video" => {
                encoding == TransferEncoding::Base64 && is_encoded(text, encoding, false)
            }
            _ => false,
        })
    }

    /// Returns true if the first delimiter of `boundary` stands above a MIME field, and its closing delimiter follows.
    fn has_both_delimiters(&self, boundary: &[u8], body: usize) -> bool {
        let mut lines = self.dashed_lines(body);
        let Some(first) = lines.find(|line| self.delimiter_name(*line) == boundary) else {
            return false;
        };
        let field: &[u8] = b"content-";
        let begins = self.raw.get(first.next..first.next + field.len());
        begins.is_some_and(|start| start.eq_ignore_ascii_case(field))
            && lines.any(|line| self.delimiter_name(line).strip_suffix(b"--") == Some(boundary))
    }
}

fn is_encoded(body: &[u8], encoding: TransferEncoding, is_text: bool) -> bool {
    match encoding {
        TransferEncoding::Base64 => is_base64(body, is_text),
        TransferEncoding::QuotedPrintable => is_text && is_quoted_printable(body),
        _ => false,
    }
}

fn is_without_text(name: &[u8]) -> bool {
    WITHOUT_TEXT
        .iter()
        .any(|known| known.eq_ignore_ascii_case(name))
}

/// Returns true if a value does not end within a list, a quoted string, a comment or an address.
fn is_complete(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    let (mut at, mut angles) = (0, 0_usize);
    while let Some(byte) = value.get(at) {
        let end = match byte {
            b'"' => lexer::quoted_end(value, at),
            b'(' => lexer::comment_end(value, at),
            b'\\' => None,
            _ => Some(at + 1),
        };
        let Some(end) = end else {
            return false;
        };
        match byte {
            b'<' => angles += 1,
            b'>' if angles == 0 => return false,
            b'>' => angles -= 1,
            _ => {}
        }
        at = end;
    }
    angles == 0 && !value.is_empty() && !value.ends_with(b",") && !value.ends_with(b";")
}
