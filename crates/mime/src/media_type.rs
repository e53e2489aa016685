//! The media type of a part.

use std::borrow::Cow;
use std::fmt;

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
    /// Reads the value of a Content-Type without its parameters, with [`Self::top`] and [`Self::sub`] in lower case: `Text/HTML` → `text/html`.
    /// Returns `None` for an invalid media type, which RFC 2045 5.2 reads as the default.
    pub(crate) fn parse(value: &[u8]) -> Option<Self> {
        let slash = memchr::memchr(b'/', value)?;
        let word = |bytes: &[u8]| {
            let bytes = bytes.trim_ascii();
            let end = bytes
                .iter()
                .position(u8::is_ascii_whitespace)
                .unwrap_or(bytes.len());
            (end > 0).then(|| intern(&bytes[..end]))
        };
        Some(Self {
            top: word(&value[..slash])?,
            sub: word(&value[slash + 1..])?,
        })
    }

    /// Returns `text/plain` or `text/html` for types that programs write in their place, such as `txt/plain`, `html/text` and `*/*`. Returns
    /// other types unchanged.
    ///
    /// `has_text_format` is true for the parameter `format=text`. With it, `application/pgp` is text, too: early versions of Mutt wrote it for
    /// text that PGP had signed or encrypted (`x-action=sign`).
    pub(crate) fn corrected(self, has_text_format: bool) -> Self {
        let sub = match (&*self.top, &*self.sub) {
            ("plain" | "txt" | "application", "text" | "plain") | ("*", "*") => "plain",
            ("application", "pgp") if has_text_format => "plain",
            ("html", "text" | "html") => "html",
            _ => return self,
        };
        Self {
            top: Cow::Borrowed("text"),
            sub: Cow::Borrowed(sub),
        }
    }

    /// Returns true if a part of this type embeds a message: message/rfc822, message/global (RFC 6532), message/news (RFC 5537).
    pub fn is_message(&self) -> bool {
        self.top == "message" && matches!(&*self.sub, "rfc822" | "global" | "news")
    }

    /// Returns true for multipart/*.
    pub(crate) fn is_multipart(&self) -> bool {
        self.top == "multipart"
    }

    /// Returns true if a part of this type contains parts: a multipart, or an embedded message.
    pub(crate) fn is_composite(&self) -> bool {
        self.is_multipart() || self.is_message()
    }

    /// Returns true if a part of this type is text: text/*, and application/xhtml+xml, which is HTML in XML (RFC 3236).
    pub fn is_text(&self) -> bool {
        self.top == "text" || self.top == "application" && self.sub == "xhtml+xml"
    }
}

/// Returns the lower-case word. Does not allocate for common words.
fn intern(word: &[u8]) -> Cow<'static, str> {
    const COMMON: [&str; 24] = [
        "text",
        "plain",
        "html",
        "multipart",
        "alternative",
        "mixed",
        "related",
        "signed",
        "report",
        "digest",
        "encrypted",
        "application",
        "octet-stream",
        "pdf",
        "pgp-signature",
        "pkcs7-signature",
        "image",
        "jpeg",
        "png",
        "gif",
        "message",
        "rfc822",
        "delivery-status",
        "calendar",
    ];
    match COMMON
        .iter()
        .find(|common| common.as_bytes().eq_ignore_ascii_case(word))
    {
        Some(common) => Cow::Borrowed(common),
        None => Cow::Owned(String::from_utf8_lossy(word).to_lowercase()),
    }
}
