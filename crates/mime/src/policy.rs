//! What a caller wants of a normalised message.

use crate::Limits;
use crate::encoded_word::Repairs;
use mailglot_codec::Charset;

/// Form of non-ASCII text in header fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Headers {
    /// Untouched.
    Keep,
    /// RFC 2047 encoded words in UTF-8.
    #[default]
    Words,
    /// Raw UTF-8 (RFC 6532).
    RawUtf8,
}

/// Form of text bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Bodies {
    /// Untouched.
    Keep,
    /// UTF-8.
    #[default]
    Utf8,
}

/// Transfer encoding of text bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Transfer {
    /// As it is, where the new bytes allow it.
    Keep,
    /// Only 7-bit data: quoted-printable or base64 where needed.
    SevenBit,
    /// Plain text that a search can read, wherever lines allow it.
    #[default]
    EightBit,
}

/// What to do with a part whose bytes cannot all be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OnLoss {
    /// Write U+FFFD where bytes could not be read.
    #[default]
    Replace,
    /// Leave that part as it is.
    Keep,
}

/// What to make of a message. The default is the archive's.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Policy {
    /// Header fields.
    pub headers: Headers,
    /// Text bodies.
    pub bodies: Bodies,
    /// Transfer encoding of text bodies.
    pub transfer: Transfer,
    /// Unreadable bytes.
    pub on_loss: OnLoss,
    /// Leave messages alone that carry a signature over the whole message (DKIM, DomainKey, ARC).
    pub keep_signed: bool,
    /// Charset of text that nothing else tells (mime.md 5.1 step 7 and 9).
    pub default_charset: Option<Charset>,
    /// Damage in header fields that is undone.
    pub repairs: Repairs,
    /// Bounds.
    pub limits: Limits,
}
