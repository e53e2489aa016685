//! A part of a message with the properties from its header.

use crate::media_type::MediaType;
use crate::part_id::PartId;
use crate::span::Span;
use crate::transfer::{TransferEncoding, base64};

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
    /// The parent part; None for the root.
    pub parent: Option<PartId>,
    /// The nesting depth, 0 for the root.
    pub depth: u32,
    /// The position among its siblings, from 1.
    pub number: u32,
    /// Span of all header lines, without the empty line.
    pub header: Span,
    /// Span from after the empty line to before the line end of the next delimiter, or to the end.
    pub body: Span,
    /// The range of its fields in [`Message::all_fields`](crate::Message::all_fields), end excluded.
    pub fields: (u32, u32),
    /// Declared or default media type.
    pub media: MediaType,
    /// What it contains.
    pub kind: PartKind,
    /// The declared transfer encoding, with spelling errors corrected.
    pub transfer: TransferEncoding,
    /// The index of the field Content-Type in [`Message::all_fields`](crate::Message::all_fields).
    pub content_type: Option<u32>,
    /// The index of the field Content-Transfer-Encoding in [`Message::all_fields`](crate::Message::all_fields).
    pub content_transfer_encoding: Option<u32>,
    /// The span of the value of the charset parameter as written, with quotes.
    ///
    /// For a value of RFC 2231 (`us-ascii'en'utf-7`) it is the text alone; for segments it is the range of all of them.
    pub charset: Option<Span>,
    /// The charset from RFC 2231 segments or percent-encoding, if present. Takes precedence over the bytes of `charset`.
    pub joined_charset: Option<Box<str>>,
    /// True if there are several charset parameters.
    pub(crate) several_charsets: bool,
    /// True for `Content-Disposition: attachment` and for any disposition other than `inline` (RFC 2183, section 2.8).
    ///
    /// Also true for a part with a file name, unless it is the root, the first part of its multipart, or part of a
    /// multipart/alternative.
    pub attachment: bool,
    /// True for text that is not read, because the text before it reaches [`Limits::text`](crate::Limits::text).
    pub(crate) unread: bool,
}

impl Part {
    /// Returns true if this crate decodes the part as text.
    pub(crate) fn is_text(&self) -> bool {
        self.kind == PartKind::Leaf && self.media.is_text() && !self.unread
    }

    /// Returns true if a part with another media type than text may contain text. Fast, since it runs for every attachment.
    pub(crate) fn may_contain_text(&self, raw: &[u8]) -> bool {
        if self.unread {
            return false;
        }
        let blank = || self.body.of(raw).trim_ascii().is_empty();
        match self.kind {
            PartKind::Opaque => !blank(),
            PartKind::Leaf if self.media.is_message() => {
                self.transfer != TransferEncoding::Identity && !blank()
            }
            PartKind::Leaf => {
                self.transfer == TransferEncoding::Base64
                    && base64::begins_as_text(self.body.of(raw))
            }
            PartKind::Multipart | PartKind::Message => false,
        }
    }

    /// Returns true for signed or encrypted parts, which any change would break.
    ///
    /// `application/pgp-encrypted` (RFC 3156, section 4) counts as encrypted outside `multipart/encrypted`, too: some servers write
    /// `multipart/mixed` there.
    pub(crate) fn is_signed_or_encrypted(&self) -> bool {
        let sub = &*self.media.sub;
        match &*self.media.top {
            "multipart" => matches!(sub, "signed" | "encrypted"),
            "application" => {
                sub.starts_with("pkcs7-") || sub.starts_with("x-pkcs7-") || sub == "pgp-encrypted"
            }
            _ => false,
        }
    }
}
