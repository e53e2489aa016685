//! Lists the parts that a rewriting changes, with their values on arrival.
//!
//! # Limits
//! A part counts as changed if its bytes, its label or its transfer encoding change. The list of replacements shows other fields of its
//! header.

use super::charsets::readings_by_part;
use mailglot_mime::transfer::TransferEncoding;
use mailglot_mime::{Edit, Message, Part, PartKind, Report, Span};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// A changed part, with its values on arrival.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedPart {
    /// Its IMAP section number.
    pub section: String,
    /// Its media type.
    pub media: String,
    /// The charset from which its text was decoded.
    pub charset: Option<&'static str>,
    /// Its transfer encoding, as a label of RFC 2045, section 6.1.
    pub transfer: &'static str,
    /// The span of its body in the message on arrival.
    pub body: Span,
}

impl ChangedPart {
    /// Returns `p=2.1;type=text/plain;charset=iso-2022-jp;transfer=7bit;sha256=…`. The digest covers the body of the part in `raw`.
    pub fn describe(&self, raw: &[u8]) -> String {
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() || "/.+-_".contains(c) {
                c
            } else {
                '_'
            }
        };
        let media: String = self.media.chars().map(plain).collect();
        let charset = self.charset.unwrap_or("unknown").to_ascii_lowercase();
        let mut text = format!(
            "p={};type={media};charset={charset};transfer={};sha256=",
            self.section, self.transfer
        );
        for byte in Sha256::digest(self.body.of(raw)) {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

/// Returns the parts that edits change, in the order of the message. Linear in the parts and edits.
pub(super) fn parts(message: &Message<'_>, report: &Report, edits: &[Edit]) -> Vec<ChangedPart> {
    if edits.is_empty() {
        return Vec::new();
    }
    let touched = |span: Span| {
        let after = edits.partition_point(|edit| edit.span.end < span.start);
        edits[after..]
            .iter()
            .take_while(|edit| edit.span.start <= span.end)
            .any(|edit| {
                edit.span.start < span.end && span.start < edit.span.end
                    || edit.span.is_empty()
                        && span.start < edit.span.start
                        && edit.span.start <= span.end
            })
    };
    let leaves = message
        .numbered_parts()
        .filter(|(_, part)| part.kind == PartKind::Leaf);
    let changed = leaves.filter(|(_, part)| {
        let fields = [part.content_type, part.content_transfer_encoding]
            .into_iter()
            .flatten();
        let mut fields = fields.map(|index| message.all_fields()[index as usize].full);
        touched(part.body) || fields.any(touched)
    });
    let readings = readings_by_part(message, report);
    changed
        .map(|(id, part)| {
            let reading = readings[id.0 as usize];
            ChangedPart {
                section: message.section(id),
                media: format!("{}/{}", part.media.top, part.media.sub),
                charset: reading.map(|reading| reading.used.name()),
                transfer: transfer(part, message.raw()),
                body: part.body,
            }
        })
        .collect()
}

/// Returns the transfer encoding of a part, as a label of RFC 2045, section 6.1.
pub(super) fn transfer(part: &Part, raw: &[u8]) -> &'static str {
    match part.transfer {
        TransferEncoding::Base64 => "base64",
        TransferEncoding::QuotedPrintable => "quoted-printable",
        _ if part.body.of(raw).is_ascii() => "7bit",
        _ => "8bit",
    }
}
