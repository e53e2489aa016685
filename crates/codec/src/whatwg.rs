//! Implements the WHATWG Encoding Standard: its encodings, error modes, and hooks for other standards.
//!
//! Use [`Charset`] for mail. This module is for programs that must decode as a browser does, including `replacement` and
//! `x-user-defined`. It calls `encoding_rs`.
//!
//! ```
//! use mailglot_codec::{LossLog, whatwg};
//!
//! let encoding = whatwg::Encoding::for_label(b" Latin1 ").expect("a label of the standard");
//! assert_eq!(encoding.name(), "windows-1252");
//! let mut log = LossLog::new();
//! // A byte order mark overrules what was declared.
//! assert_eq!(whatwg::decode(b"\xEF\xBB\xBF\xC3\xA9", encoding, &mut log), "é");
//! assert_eq!(whatwg::encode("é ✓", encoding, &mut log), &b"\xE9 &#10003;"[..]);
//! assert_eq!(log.kept().last().map(|loss| loss.bytes.clone()), Some(3..6));
//! ```
//!
//! # Limits
//! Every malformed sequence is a [`LossKind::Invalid`].

mod encoding;
mod stream;

pub use crate::unencodable::Unencodable;
pub use encoding::{Encoding, Malformed, bom_sniff};
pub use stream::{Bom, StreamDecoder, StreamEncoder};

use crate::charset::Charset;
use crate::encoder::Unmappable;
use crate::label_view::View;
use crate::loss::{LossKind, LossLog};
use crate::utf8::BOM;
use std::borrow::Cow;

/// Decodes ("decode", section 6). A byte order mark overrules `fallback` and is removed.
pub fn decode<'a>(bytes: &'a [u8], fallback: Encoding, log: &mut LossLog) -> Cow<'a, str> {
    let (encoding, mark) = bom_sniff(bytes).unwrap_or((fallback, 0));
    behind(mark, bytes, encoding, log)
}

/// Decodes UTF-8 and removes its byte order mark ("UTF-8 decode", section 6).
pub fn utf8_decode<'a>(bytes: &'a [u8], log: &mut LossLog) -> Cow<'a, str> {
    let mark = match bytes.strip_prefix(&BOM) {
        Some(_) => BOM.len(),
        None => 0,
    };
    behind(mark, bytes, Encoding::UTF_8, log)
}

/// Decodes UTF-8 and keeps a byte order mark as text ("UTF-8 decode without BOM", section 6).
pub fn utf8_decode_without_bom<'a>(bytes: &'a [u8], log: &mut LossLog) -> Cow<'a, str> {
    Encoding::UTF_8.decode(bytes, log)
}

/// Decodes UTF-8, or returns the first malformed sequence ("UTF-8 decode without BOM or fail", section 6).
pub fn utf8_decode_without_bom_or_fail(bytes: &[u8]) -> Result<Cow<'_, str>, Malformed> {
    Encoding::UTF_8.decode_or_fail(bytes)
}

/// Encodes in the output encoding, with `&#8364;` for a character that it lacks ("encode", section 6, error mode "html").
pub fn encode<'a>(text: &'a str, encoding: Encoding, log: &mut LossLog) -> Cow<'a, [u8]> {
    if encoding.output() == Encoding::UTF_8 {
        return Cow::Borrowed(text.as_bytes());
    }
    let written = encoding.encode_whole(false, text, log);
    Cow::Owned(written.unwrap_or_default())
}

/// Encodes in the output encoding, or returns the first character that it lacks ("encode or fail", section 6, error mode "fatal").
pub fn encode_or_fail(text: &str, encoding: Encoding) -> Result<Cow<'_, [u8]>, Unencodable> {
    if encoding.output() == Encoding::UTF_8 {
        return Ok(Cow::Borrowed(text.as_bytes()));
    }
    let written = encoding.encode_whole(true, text, &mut LossLog::with_limit(0));
    written.map(Cow::Owned)
}

/// Decodes the bytes behind a byte order mark; ranges in the log are those of all bytes.
fn behind<'a>(mark: usize, bytes: &'a [u8], encoding: Encoding, log: &mut LossLog) -> Cow<'a, str> {
    if mark > 0 {
        log.record(0..mark as u64, LossKind::ByteOrderMark);
    }
    encoding.decode_at(mark, &bytes[mark..], log)
}
impl Charset {
    /// Returns the charset to write if this one was read ("get an output encoding").
    ///
    /// WHATWG view (Encoding, section 4.3): UTF-8 for UTF-16 and charsets outside the standard, otherwise itself. Other views: UTF-8
    /// if CR LF are not the octets 0D 0A (UTF-16, UTF-32, EBCDIC), otherwise itself. Text bodies and encoded words need these octets
    /// (RFC 2046, section 4.1.1).
    #[must_use]
    pub fn output_encoding(self, view: View) -> Self {
        let keeps = match view {
            View::Whatwg => {
                Encoding::for_charset(self).is_some_and(|encoding| encoding.output() == encoding)
            }
            _ => self
                .encode("\r\n", Unmappable::Skip, &mut LossLog::with_limit(0))
                .ends_with(b"\r\n"),
        };
        if keeps { self } else { Self::UTF_8 }
    }
}
