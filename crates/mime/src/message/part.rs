//! A part of a message with the properties from its header.

use crate::Span;
use crate::part_id::PartId;
use crate::transfer::TransferEncoding;
use std::borrow::Cow;

/// The line end of a message: that of its first line, or LF if it has none.
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
    /// Returns its bytes.
    pub fn bytes(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
            Self::Cr => b"\r",
        }
    }
}

/// The media type of a part (RFC 2045 5), in lower case.
///
/// Defaults to `text/plain`, or to `message/rfc822` inside multipart/digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaType {
    /// The top-level type, such as `text`.
    pub top: Cow<'static, str>,
    /// The subtype, such as `plain`.
    pub sub: Cow<'static, str>,
}

impl MediaType {
    /// Returns true if this type embeds a message: message/rfc822, message/global (RFC 6532), message/news (RFC 5537).
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
    /// One child: the embedded message (message/rfc822, message/global, message/news).
    Message,
    /// A multipart or message that is not opened because of a limit or a missing boundary.
    Opaque,
}

/// A part of a message.
#[derive(Clone, Debug)]
pub struct Part {
    /// The parent part; None for the root.
    pub parent: Option<PartId>,
    /// Nesting depth; 0 for the root.
    pub depth: u32,
    /// Position among its siblings, from 1.
    pub number: u32,
    /// Span of all header lines, without the empty line.
    pub header: Span,
    /// Span from after the empty line to before the line end of the next delimiter, or to the end.
    pub body: Span,
    /// Range of indexes into [`Message::all_fields`](crate::Message::all_fields).
    pub fields: (u32, u32),
    /// Declared or default media type.
    pub media: MediaType,
    /// Kind of content.
    pub kind: PartKind,
    /// The declared transfer encoding, with spelling errors corrected.
    pub transfer: TransferEncoding,
    /// Index of the field `Content-Type` in all fields, if present.
    pub content_type: Option<u32>,
    /// Index of the field `Content-Transfer-Encoding` in all fields, if present.
    pub content_transfer_encoding: Option<u32>,
    /// Span of the charset parameter's value as written, including quotes.
    ///
    /// For an RFC 2231 value (`us-ascii'en'utf-7`), the span of the text; for segments, a span that covers all of them.
    pub charset: Option<Span>,
    /// The charset from RFC 2231 segments or percent-encoding, if present. Takes precedence over the bytes of `charset`.
    pub joined_charset: Option<Box<str>>,
    /// True if there are several charset parameters.
    pub(crate) several_charsets: bool,
    /// True for `Content-Disposition: attachment` and for any disposition other than `inline` (RFC 2183 2.8).
    ///
    /// Also true for a part with a file name, unless it is the root, the first part of its multipart, or part of a
    /// multipart/alternative.
    pub attachment: bool,
}

impl Part {
    /// Returns true if this crate decodes the part as text.
    pub(crate) fn is_text(&self) -> bool {
        self.kind == PartKind::Leaf && self.media.top == "text"
    }

    /// Returns true for signed or encrypted parts, which any change would break.
    pub(crate) fn is_signed_or_encrypted(&self) -> bool {
        let sub = &*self.media.sub;
        match &*self.media.top {
            "multipart" => matches!(sub, "signed" | "encrypted"),
            "application" => sub.starts_with("pkcs7-") || sub.starts_with("x-pkcs7-"),
            _ => false,
        }
    }
}
