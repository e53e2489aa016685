//! Lists the files that a message carries.
//!
//! # Limits
//! The files inside winmail.dat (TNEF) are not listed, only winmail.dat itself.

use super::{Mail, file_name};
use crate::encoded_word::decode_text;
use crate::event::{Detail, EventKind, Finding, Reason};
use crate::field_kind::FieldKind;
use crate::media_type::MediaType;
use crate::message::PartKind;
use crate::part_id::PartId;
use crate::span::Span;
use crate::text::open;
use crate::transfer::blocks::{self, Block};
use crate::transfer::{self, TransferEncoding};
use crate::{fields, params};
use std::borrow::Cow;
use std::ops::Range;

/// A file that a message carries. [`Mail::attachments`] describes which parts are files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment<'a> {
    part: PartId,
    section: String,
    name: Option<String>,
    media: MediaType,
    content_id: Option<String>,
    is_inline: bool,
    transfer: TransferEncoding,
    body: Cow<'a, [u8]>,
    /// The damage in the block of uuencode or yEnc that `body` was decoded from.
    damage: Option<Finding>,
}

impl Attachment<'_> {
    /// Returns the decoded file name, from Content-Disposition (`filename`) or else from Content-Type (`name`).
    ///
    /// The sender chose it: it may contain `/` or `..`. [`Self::safe_name`] returns a name for a file.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns a name under which the attachment can be saved in a folder.
    ///
    /// It has no path, controls, reserved or invisible characters, and at most 200 bytes. Without a usable name it is `part-` and the
    /// section number. Two attachments may have the same name.
    ///
    /// ```
    /// use mailglot_mime::Mail;
    ///
    /// let mail = Mail::parse("Content-Type: image/png; name=\"../../x?.png\"\n\n");
    /// assert_eq!(mail.attachments()[0].safe_name(), "x_.png");
    /// ```
    pub fn safe_name(&self) -> String {
        let safe = self.name().and_then(file_name::safe);
        safe.unwrap_or_else(|| {
            if self.media.is_message() {
                format!("part-{}.eml", self.section)
            } else {
                format!("part-{}", self.section)
            }
        })
    }

    /// Returns the declared media type. A file in uuencode or yEnc inside a text is `application/octet-stream`.
    pub fn media_type(&self) -> &MediaType {
        &self.media
    }

    /// Returns the Content-ID without angle brackets; HTML refers to it by `cid:`.
    pub fn content_id(&self) -> Option<&str> {
        self.content_id.as_deref()
    }

    /// Returns true if the sender wants the file shown within the text (`Content-Disposition: inline`, or none).
    pub fn is_inline(&self) -> bool {
        self.is_inline
    }

    /// Returns the part. For a file inside an embedded message in base64 or quoted-printable this is the part that embeds it.
    pub fn part(&self) -> PartId {
        self.part
    }

    /// Returns the IMAP section number (RFC 3501, section 6.4.5), counted through embedded messages in a transfer encoding.
    pub fn section(&self) -> &str {
        &self.section
    }

    /// Decodes the transfer encoding. Damaged input gives the bytes that can be read; [`Self::defects`] describes the damage.
    ///
    /// A body without a block of uuencode under that label is returned as it is, with the defect `cte.wrong-label`.
    pub fn decoded(&self) -> Cow<'_, [u8]> {
        transfer::decode(self.transfer, &self.body, &mut Vec::new()).bytes
    }

    /// Returns the damage in the transfer encoding, or in the block of uuencode or yEnc, with ranges of the encoded body.
    ///
    /// ```
    /// use mailglot_mime::Mail;
    ///
    /// let raw = "Content-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=*\n";
    /// let mail = Mail::parse(raw);
    /// assert_eq!(mail.attachments()[0].defects()[0].kind.code(), "cte.b64-trailing");
    /// ```
    pub fn defects(&self) -> Vec<Finding> {
        let mut findings = Vec::from_iter(self.damage.clone());
        if self.transfer != TransferEncoding::Uuencode {
            transfer::decode(self.transfer, &self.body, &mut findings);
        } else if !self.body.trim_ascii().is_empty() {
            // Its blocks were decoded when the attachments were listed.
            let (kind, reason) = (EventKind::CteWrongLabel, Reason::NotUuencode);
            findings.push(Finding::new(0..self.body.len(), kind, reason));
        }
        findings
    }

    /// Copies the borrowed bytes, so that the result outlives the message.
    pub fn into_owned(self) -> Attachment<'static> {
        Attachment {
            body: Cow::Owned(self.body.into_owned()),
            part: self.part,
            section: self.section,
            name: self.name,
            media: self.media,
            content_id: self.content_id,
            is_inline: self.is_inline,
            transfer: self.transfer,
            damage: self.damage,
        }
    }
}

impl<'a> Mail<'a> {
    /// Returns the attachments in document order, also those inside embedded messages.
    ///
    /// An attachment is a part with a file name (`inline` too), or a part with another disposition than `inline`. A part that is neither
    /// text nor multipart nor message is also an attachment. So is a file in uuencode or yEnc inside a text. The message's own text is in
    /// both lists if it has a file name. If a part in uuencode has several files, its fields describe the first one.
    ///
    /// ```
    /// use mailglot_mime::Mail;
    ///
    /// let mail = Mail::parse(
    ///     "Content-Type: multipart/mixed; boundary=b\n\n\
    ///     --b\n\nsee there\n\
    ///     --b\nContent-Type: application/pdf; name=\"=?utf-8?Q?=C3=9Cber?=.pdf\"\nContent-Transfer-Encoding: base64\n\n\
    ///     JVBERi0xLjQ=\n\
    ///     --b--\n",
    /// );
    /// let files = mail.attachments();
    /// assert_eq!(files[0].name(), Some("Über.pdf"));
    /// assert!(files[0].media_type() == "application/pdf");
    /// assert_eq!(&*files[0].decoded(), b"%PDF-1.4");
    /// ```
    pub fn attachments(&self) -> Vec<Attachment<'a>> {
        collect(self, crate::text::ENCODED_LEVELS)
    }
}

/// Returns the attachments of a message. Opens `levels` embedded messages inside each other.
fn collect<'a>(mail: &Mail<'a>, levels: u32) -> Vec<Attachment<'a>> {
    let message = &mail.message;
    let mut files = Vec::new();
    for (id, part) in message.numbered_parts() {
        if part.kind == PartKind::Multipart {
            continue;
        }
        let (name, disposition) = name(mail, id);
        let is_text = part.is_text() || part.media.is_composite();
        if part.attachment || name.is_some() || !is_text {
            let file = Attachment {
                part: id,
                section: message.section(id),
                name,
                media: part.media.clone(),
                content_id: content_id(mail, id),
                is_inline: disposition.is_none_or(|word| word.starts_with("inline")),
                transfer: part.transfer,
                body: Cow::Borrowed(part.body.of(message.raw())),
                damage: None,
            };
            if part.transfer == TransferEncoding::Uuencode {
                push_uuencoded(mail, file, &mut files);
            } else {
                files.push(file);
            }
        } else if part.is_text() {
            push_blocks(mail, id, &mut files);
        }
        if levels > 0 {
            let inner = open(message, id, &mail.policy.limits, |inner, number| {
                let inner = Mail::of(inner, mail.policy.clone());
                let within = collect(&inner, levels - 1).into_iter();
                let outside = |file: Attachment<'_>| Attachment {
                    part: id,
                    section: number(&file.section),
                    ..file.into_owned()
                };
                within.map(outside).collect::<Vec<_>>()
            });
            files.extend(inner.into_iter().flatten());
        }
    }
    files
}

/// Returns the file name of a part, and its disposition in lower case.
fn name(mail: &Mail<'_>, id: PartId) -> (Option<String>, Option<String>) {
    let raw = mail.raw();
    let read = |value: Span| {
        let value = value.of(raw);
        let context = mail.context(value, FieldKind::Parameters);
        params::parse(value, &context, &mut Vec::new())
    };
    let named = |params: &params::Params, name: &str| {
        let text = params.get(name).map(str::trim);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let field = mail.message.field(id, b"content-disposition");
    let disposition = field.map(|field| read(field.value));
    let name = disposition
        .as_ref()
        .and_then(|params| named(params, "filename"))
        .or_else(|| named(&mail.message.content_type_value(id).map(read)?, "name"));
    let word = disposition.map(|params| params.value);
    (name, word.filter(|word| !word.is_empty()))
}

fn content_id(mail: &Mail<'_>, id: PartId) -> Option<String> {
    let field = mail.message.field(id, b"Content-ID")?;
    fields::identifiers(field.value.of(mail.raw()))
        .into_iter()
        .next()
}

/// Adds the files of a body in uuencode. `described` has what the fields of the part say of the first one.
fn push_uuencoded<'a>(mail: &Mail<'_>, described: Attachment<'a>, files: &mut Vec<Attachment<'a>>) {
    let first = files.len();
    push_blocks(mail, described.part, files);
    match files.get_mut(first) {
        None => files.push(described),
        Some(file) => {
            *file = Attachment {
                name: described.name.or_else(|| file.name.take()),
                transfer: file.transfer,
                body: std::mem::take(&mut file.body),
                damage: file.damage.take(),
                ..described
            };
        }
    }
}

/// Adds the files in uuencode or yEnc inside a text.
fn push_blocks(mail: &Mail<'_>, id: PartId, files: &mut Vec<Attachment<'_>>) {
    let message = &mail.message;
    let part = message.part_at(id);
    let body = part.body.of(message.raw());
    let decoded = transfer::decode(part.transfer, body, &mut Vec::new());
    let found = blocks::blocks(&decoded.bytes);
    let ranges: Vec<_> = found.iter().map(|block| block.at.clone()).collect();
    let places = transfer::locate_any(decoded.used, body, &ranges);
    for (block, place) in found.into_iter().zip(places) {
        files.push(Attachment {
            part: id,
            section: message.section(id),
            name: block_name(mail, &decoded.bytes, &block),
            media: MediaType {
                top: "application".into(),
                sub: "octet-stream".into(),
            },
            content_id: None,
            is_inline: true,
            transfer: TransferEncoding::Identity,
            body: Cow::Owned(blocks::content(&decoded.bytes, &block)),
            damage: damage(&block, place),
        });
    }
}

/// Returns a finding at `place` if a block lacks its end, or contradicts what it states.
fn damage(block: &Block, place: Range<usize>) -> Option<Finding> {
    let is_sound = block.ended && block.size_fits != Some(false) && block.sum_fits != Some(false);
    (!is_sound).then(|| Finding::new(place, block.kind, Detail::Block(block.check())))
}

fn block_name(mail: &Mail<'_>, text: &[u8], block: &Block) -> Option<String> {
    let name = &text[block.name.clone()];
    let context = mail.context(name, FieldKind::Unstructured);
    let name = decode_text(name, &context, &mut Vec::new());
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}
