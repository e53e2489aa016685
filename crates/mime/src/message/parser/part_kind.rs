//! Sets the properties of a part from its header, and decides its kind.
//!
//! # Limits
//!
//! A media type longer than the limit of a field is not read: the part has the default type.

use super::Parser;
use super::content_fields::{
    boundary, has_text_format, is_quoted_header, names_differ, names_file,
};
use super::part_header::PartHeader;
use crate::event::{Detail, EncodingMeaning, EventKind, Reason};
use crate::media_type::MediaType;
use crate::message::charset;
use crate::message::part::PartKind;
use crate::params;
use crate::part_id::PartId;
use crate::span::Span;
use crate::transfer::TransferEncoding;
use std::borrow::Cow;

impl<'a> Parser<'a> {
    /// Sets the properties of a part from its header. Returns its kind, and its boundary if delimiters must be searched.
    pub(super) fn describe(
        &mut self,
        id: PartId,
        header: &PartHeader,
    ) -> (PartKind, Option<Cow<'a, [u8]>>) {
        let raw = self.raw;
        let last = self.fields.len() as u32;
        let type_at = self.value(header.content_type);
        let transfer_at = self.value(header.content_transfer_encoding);
        let disposition_at = self.value(header.content_disposition);
        if let Some(at) = transfer_at {
            self.report_misspelled_encoding(at);
        }
        let part = &mut self.parts[id.0 as usize];
        part.header = header.span;
        part.body = Span::new(header.body, header.body);
        part.fields.1 = last;
        part.content_type = header.content_type;
        part.content_transfer_encoding = header.content_transfer_encoding;
        if let Some(at) = transfer_at {
            part.transfer = TransferEncoding::from_value(at.of(raw));
        }
        let disposition = disposition_at.map(|at| params::scan(at.of(raw)));
        // An unknown disposition means attachment (RFC 2183, section 2.8).
        part.attachment = disposition.as_ref().is_some_and(|(main, _)| {
            let word = main
                .trim_ascii()
                .split(u8::is_ascii_whitespace)
                .next()
                .unwrap_or_default();
            !word.is_empty() && !word.eq_ignore_ascii_case(b"inline")
        });
        let has_file_name = disposition
            .as_ref()
            .is_some_and(|(_, list)| names_file(list, b"filename"));
        let Some(at) = type_at else {
            self.mark_file(id, has_file_name);
            return self.decide_kind(id, None);
        };
        if at.len() > self.limits.field {
            self.defect(EventKind::HdrBeyondLimit, at, Reason::MediaTypeNotRead, 1);
            self.mark_file(id, has_file_name);
            return self.decide_kind(id, None);
        }
        let (main, list) = params::scan(at.of(raw));
        let has_file_name = has_file_name || names_file(&list, b"name");
        let is_file = part.attachment || has_file_name;
        let written = MediaType::parse(&main);
        if let Some(media) = written {
            part.media = if is_file {
                media
            } else {
                media.corrected(has_text_format(&list))
            };
        }
        self.mark_file(id, has_file_name);
        self.describe_charset(id, at, &list);
        let part = &self.parts[id.0 as usize];
        if !part.media.is_multipart() {
            if let (Some(place), Some((_, others))) = (disposition_at, &disposition)
                && names_differ((at, &list), (place, others), raw, self.limits.field)
            {
                self.defect(EventKind::MimeAmbiguousName, place, Detail::None, 1);
            }
            return self.decide_kind(id, None);
        }
        self.decide_kind(id, boundary(at.of(raw), &list))
    }

    /// Reports a misspelled label of a transfer encoding.
    fn report_misspelled_encoding(&mut self, at: Span) {
        let value = at.of(self.raw);
        let encoding = match TransferEncoding::from_value(value) {
            encoding if encoding.is_spelled(value) => return,
            TransferEncoding::Base64 => EncodingMeaning::Base64,
            TransferEncoding::QuotedPrintable => EncodingMeaning::QuotedPrintable,
            _ => EncodingMeaning::Unencoded,
        };
        let label = String::from_utf8_lossy(value.trim_ascii()).into();
        let detail = Detail::EncodingMeans { label, encoding };
        self.defect(EventKind::CteMisspelled, at, detail, 1);
    }

    /// Sets the charset of a part from the parameters `list` of its media type, which stands at `at`.
    fn describe_charset(&mut self, id: PartId, at: Span, list: &[params::RawParam<'_>]) {
        let value = at.of(self.raw);
        let charsets = charset::labels(value, list);
        let part = &mut self.parts[id.0 as usize];
        part.charset = charset::label(value, &charsets).map(|label| at.at(&label));
        part.joined_charset = charset::joined(value, &charsets);
        let mut others = charset::rivals(&charsets).skip(1);
        let second = others.next().filter(|_| part.media.is_text());
        part.several_charsets = second.is_some();
        if let Some(second) = second {
            let (place, more) = (at.at(&second.range), 1 + others.count() as u64);
            self.push_defect(id, EventKind::CharsetAmbiguous, place, Detail::None, more);
        }
    }

    /// Makes a part with a file name an attachment, unless it may be the text of its message.
    ///
    /// The root, the first part of a multipart and the parts of multipart/alternative may be text.
    fn mark_file(&mut self, id: PartId, has_file_name: bool) {
        let part = &self.parts[id.0 as usize];
        let is_file = has_file_name
            && part.number > 1
            && part.parent.is_some_and(|parent| {
                let media = &self.parts[parent.0 as usize].media;
                media.is_multipart() && media.sub != "alternative"
            });
        self.parts[id.0 as usize].attachment |= is_file;
    }

    /// Decides the kind of a part.
    fn decide_kind(
        &mut self,
        id: PartId,
        boundary: Option<Cow<'a, [u8]>>,
    ) -> (PartKind, Option<Cow<'a, [u8]>>) {
        let part = &self.parts[id.0 as usize];
        let message = part.media.is_message();
        let type_at = self.value(part.content_type).unwrap_or(part.header);
        if !part.media.is_composite() {
            let finding = match (&*part.media.top, &*part.media.sub) {
                ("message", "partial") => EventKind::MimePartial,
                ("application", "ms-tnef" | "vnd.ms-tnef") => EventKind::MimeTnef,
                _ => return (PartKind::Leaf, None),
            };
            self.defect(finding, type_at, Detail::None, 1);
            return (PartKind::Leaf, None);
        }
        let (depth, body) = (part.depth as usize, part.body.start);
        let is_quoted = part.transfer == TransferEncoding::QuotedPrintable
            && is_quoted_header(&self.raw[body..]);
        let label = self.value(part.content_transfer_encoding);
        let label = label.filter(|_| part.transfer.is_base64_or_quoted_printable());
        let is_encoded = message && label.is_some() && (is_quoted || !self.begins_header(body));
        // message/global may have any transfer encoding (RFC 6532, section 3.5).
        let is_allowed = is_encoded && &*part.media.sub == "global";
        if let Some(at) = label.filter(|_| !is_allowed) {
            let (kind, detail) = if is_encoded {
                (EventKind::CteEncodedMessage, Detail::None)
            } else if message {
                (EventKind::CteWrongLabel, Reason::MessageNotEncoded.into())
            } else {
                (EventKind::CteWrongLabel, Reason::CompositeEncoding.into())
            };
            self.defect(kind, at, detail, 1);
        }
        let kind = if is_encoded {
            PartKind::Leaf
        } else if depth >= self.limits.depth || self.parts.len() >= self.limits.parts {
            self.defect(EventKind::MimeDepth, Span::new(body, body), Detail::None, 1);
            PartKind::Opaque
        } else if message {
            PartKind::Message
        } else if boundary.is_some() {
            PartKind::Multipart
        } else {
            let missing = EventKind::MimeMissingBoundary;
            self.defect(missing, type_at, Reason::NoBoundary, 1);
            PartKind::Opaque
        };
        self.parts[id.0 as usize].kind = kind;
        (kind, boundary.filter(|_| kind == PartKind::Multipart))
    }
}
