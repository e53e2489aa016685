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

mod stream;

pub use crate::unencodable::Unencodable;
pub use stream::{Bom, Decoder, Encoder};

use crate::{Charset, LossKind, LossLog, Unmappable, View, label};
use encoding_rs::{DecoderResult, EncoderResult};
use std::borrow::Cow;
use std::ops::Range;

/// Bytes decoded or encoded at once.
const CHUNK: usize = 4096;

/// An encoding of the standard (section 4).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Encoding(&'static encoding_rs::Encoding);

/// A sequence that is malformed in the encoding, as a byte range of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Half-open byte range in the input.
    pub bytes: Range<u64>,
}

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "malformed bytes {}..{}",
            self.bytes.start, self.bytes.end
        )
    }
}

impl std::error::Error for Malformed {}

impl Encoding {
    /// UTF-8.
    pub const UTF_8: Self = Self(encoding_rs::UTF_8);
    /// UTF-16, big-endian.
    pub const UTF_16BE: Self = Self(encoding_rs::UTF_16BE);
    /// UTF-16, little-endian.
    pub const UTF_16LE: Self = Self(encoding_rs::UTF_16LE);
    /// Decodes anything to one U+FFFD.
    pub const REPLACEMENT: Self = Self(encoding_rs::REPLACEMENT);
    /// 80-FF are U+F780 to U+F7FF. In mail this label says nothing.
    pub const X_USER_DEFINED: Self = Self(encoding_rs::X_USER_DEFINED);

    /// Returns the encoding of a label ("get an encoding", section 4.2).
    pub fn for_label(label: &[u8]) -> Option<Self> {
        encoding_rs::Encoding::for_label(label).map(Self)
    }

    /// Returns the encoding that the standard has under a charset's name.
    pub fn for_charset(charset: Charset) -> Option<Self> {
        Self::for_label(charset.name().as_bytes())
            .filter(|encoding| encoding.charset() == Some(charset))
    }

    /// Returns the charset of the same name; `None` for `replacement` and `x-user-defined`.
    pub fn charset(self) -> Option<Charset> {
        label::of_encoding(self.0)
    }

    /// Returns the standard's name, such as `windows-1252`.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// Returns the encoding to write ("get an output encoding", section 4.3): UTF-8 for `replacement` and UTF-16.
    #[must_use]
    pub fn output(self) -> Self {
        Self(self.0.output_encoding())
    }

    /// Returns a streaming decoder: it sniffs a byte order mark, in error mode "replacement".
    pub fn new_decoder(self) -> Decoder {
        Decoder::new(self)
    }

    /// Returns a streaming encoder into the output encoding, in error mode "html".
    pub fn new_encoder(self) -> Encoder {
        Encoder::new(self)
    }

    /// Decodes in error mode "replacement" and ignores any byte order mark. `log` gets malformed sequences.
    pub fn decode<'a>(self, bytes: &'a [u8], log: &mut LossLog) -> Cow<'a, str> {
        self.decode_at(0, bytes, log)
    }

    /// Decodes bytes that begin at offset `base` of the whole input.
    fn decode_at<'a>(self, base: usize, bytes: &'a [u8], log: &mut LossLog) -> Cow<'a, str> {
        let base = base as u64;
        let text = self.run(bytes, |range| {
            log.record(base + range.start..base + range.end, LossKind::Invalid);
            true
        });
        text.unwrap_or_default()
    }

    /// Decodes in error mode "fatal": returns the first malformed sequence as an error.
    pub fn decode_or_fail(self, bytes: &[u8]) -> Result<Cow<'_, str>, Malformed> {
        let mut found = Malformed { bytes: 0..0 };
        let text = self.run(bytes, |range| {
            found.bytes = range;
            false
        });
        text.ok_or(found)
    }

    /// Decodes; `malformed` decides whether to continue with U+FFFD.
    fn run(
        self,
        bytes: &[u8],
        mut malformed: impl FnMut(Range<u64>) -> bool,
    ) -> Option<Cow<'_, str>> {
        if self.0 == encoding_rs::UTF_8
            && let Ok(text) = simdutf8::basic::from_utf8(bytes)
        {
            return Some(Cow::Borrowed(text));
        }
        let mut decoder = self.0.new_decoder_without_bom_handling();
        let mut text = String::with_capacity(bytes.len());
        let mut chunk = [0; CHUNK];
        let mut at = 0;
        loop {
            let (result, read, written) =
                decoder.decode_to_utf8_without_replacement(&bytes[at..], &mut chunk, true);
            at += read;
            text.push_str(&String::from_utf8_lossy(&chunk[..written]));
            match result {
                DecoderResult::InputEmpty => return Some(Cow::Owned(text)),
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(len, after) => {
                    let end = at as u64 - u64::from(after);
                    if !malformed(end - u64::from(len)..end) {
                        return None;
                    }
                    text.push('\u{FFFD}');
                }
            }
        }
    }

    /// Encodes in this encoding itself, not its output encoding; `missing` says what to write for a character.
    fn write(
        self,
        text: &str,
        mut missing: impl FnMut(Unencodable) -> Option<String>,
    ) -> Result<Vec<u8>, Unencodable> {
        let mut encoder = self.output().0.new_encoder();
        let mut bytes = Vec::with_capacity(text.len());
        let mut chunk = [0; CHUNK];
        let mut at = 0;
        loop {
            let (result, read, written) =
                encoder.encode_from_utf8_without_replacement(&text[at..], &mut chunk, true);
            at += read;
            bytes.extend_from_slice(&chunk[..written]);
            match result {
                EncoderResult::InputEmpty => return Ok(bytes),
                EncoderResult::OutputFull => {}
                EncoderResult::Unmappable(character) => {
                    let len = text[..at].chars().next_back().map_or(0, char::len_utf8);
                    let found = Unencodable {
                        character,
                        at: (at - len) as u64,
                    };
                    match missing(found.clone()) {
                        Some(instead) => bytes.extend_from_slice(instead.as_bytes()),
                        None => return Err(found),
                    }
                }
            }
        }
    }
}

impl std::fmt::Debug for Encoding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Encoding({})", self.name())
    }
}

/// Returns the encoding of a byte order mark and the length of the mark ("BOM sniff", section 6).
pub fn bom_sniff(bytes: &[u8]) -> Option<(Encoding, usize)> {
    encoding_rs::Encoding::for_bom(bytes).map(|(encoding, len)| (Encoding(encoding), len))
}

/// Decodes ("decode", section 6). A byte order mark overrules `fallback` and is removed.
pub fn decode<'a>(bytes: &'a [u8], fallback: Encoding, log: &mut LossLog) -> Cow<'a, str> {
    let (encoding, mark) = bom_sniff(bytes).unwrap_or((fallback, 0));
    behind(mark, bytes, encoding, log)
}

/// Decodes UTF-8 and removes its byte order mark ("UTF-8 decode", section 6).
pub fn utf8_decode<'a>(bytes: &'a [u8], log: &mut LossLog) -> Cow<'a, str> {
    let mark = if bytes.starts_with(b"\xEF\xBB\xBF") {
        3
    } else {
        0
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
    let written = encoding.write(text, |found| {
        let len = text[found.at as usize..]
            .chars()
            .next()
            .map_or(0, char::len_utf8);
        log.record(found.at..found.at + len as u64, LossKind::Unmappable);
        Some(format!("&#{};", found.character as u32))
    });
    Cow::Owned(written.unwrap_or_default())
}

/// Encodes in the output encoding, or returns the first character that it lacks ("encode or fail", section 6, error mode "fatal").
pub fn encode_or_fail(text: &str, encoding: Encoding) -> Result<Cow<'_, [u8]>, Unencodable> {
    if encoding.output() == Encoding::UTF_8 {
        return Ok(Cow::Borrowed(text.as_bytes()));
    }
    encoding.write(text, |_| None).map(Cow::Owned)
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
    /// if CR LF are not the octets 0D 0A (UTF-16, UTF-32, EBCDIC), because text bodies and encoded words need them (RFC 2046,
    /// section 4.1.1), otherwise itself.
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
