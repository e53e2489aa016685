//! Decodes and encodes whole inputs in an encoding of the WHATWG Encoding Standard.
//!
//! # Limits
//! Ignores byte order marks.

use crate::{Charset, LossKind, LossLog, Unencodable, label};
use encoding_rs::{DecoderResult, EncoderResult};
use std::borrow::Cow;
use std::ops::Range;

/// Bytes decoded or encoded at once.
pub(super) const CHUNK: usize = 4096;

/// An encoding of the standard (section 4).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Encoding(pub(super) &'static encoding_rs::Encoding);

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

    /// Decodes in error mode "replacement" and ignores any byte order mark. `log` gets malformed sequences.
    pub fn decode<'a>(self, bytes: &'a [u8], log: &mut LossLog) -> Cow<'a, str> {
        self.decode_at(0, bytes, log)
    }

    /// Decodes bytes that begin at offset `base` of the whole input.
    pub(super) fn decode_at<'a>(
        self,
        base: usize,
        bytes: &'a [u8],
        log: &mut LossLog,
    ) -> Cow<'a, str> {
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
    pub(super) fn write(
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
