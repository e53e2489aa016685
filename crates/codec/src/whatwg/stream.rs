//! Decodes and encodes streams by the WHATWG Encoding Standard, with state across chunks.
//!
//! # Limits
//! A stream decoder copies its text. The functions for whole inputs borrow where they can.

use super::encoding::{CHUNK, Encoding, Malformed, bom_sniff};
use crate::loss::{LossKind, LossLog};
use crate::unencodable::Unencodable;
use encoding_rs::{DecoderResult, EncoderResult};
use std::borrow::Cow;

impl Encoding {
    /// Returns a streaming decoder: it sniffs a byte order mark, in error mode "replacement".
    pub fn new_decoder(self) -> StreamDecoder {
        StreamDecoder::new(self)
    }

    /// Returns a streaming encoder into the output encoding, in error mode "html".
    pub fn new_encoder(self) -> StreamEncoder {
        StreamEncoder::new(self)
    }

    /// Decodes in error mode "replacement" and ignores any byte order mark. `log` gets malformed sequences.
    pub fn decode<'a>(self, bytes: &'a [u8], log: &mut LossLog) -> Cow<'a, str> {
        self.decode_at(0, bytes, log)
    }

    /// Decodes in error mode "fatal": returns the first malformed sequence as an error.
    pub fn decode_or_fail(self, bytes: &[u8]) -> Result<Cow<'_, str>, Malformed> {
        self.decode_whole(0, true, bytes, &mut LossLog::with_limit(0))
    }

    /// Decodes bytes that begin at offset `base` of the whole input.
    pub(super) fn decode_at<'a>(
        self,
        base: usize,
        bytes: &'a [u8],
        log: &mut LossLog,
    ) -> Cow<'a, str> {
        let text = self.decode_whole(base, false, bytes, log);
        text.unwrap_or_default()
    }

    fn decode_whole<'a>(
        self,
        base: usize,
        is_fatal: bool,
        bytes: &'a [u8],
        log: &mut LossLog,
    ) -> Result<Cow<'a, str>, Malformed> {
        if self.0 == encoding_rs::UTF_8
            && let Ok(text) = simdutf8::basic::from_utf8(bytes)
        {
            return Ok(Cow::Borrowed(text));
        }
        let mut decoder = StreamDecoder {
            machine: Some(self.0.new_decoder_without_bom_handling()),
            offset: base as u64,
            ..StreamDecoder::new(self).fatal(is_fatal)
        };
        let mut text = String::with_capacity(bytes.len());
        decoder.decode(bytes, true, &mut text, log)?;
        Ok(Cow::Owned(text))
    }

    /// Encodes a whole text in the output encoding; in error mode "fatal", or "html".
    pub(super) fn encode_whole(
        self,
        is_fatal: bool,
        text: &str,
        log: &mut LossLog,
    ) -> Result<Vec<u8>, Unencodable> {
        let mut bytes = Vec::with_capacity(text.len());
        let mut encoder = self.new_encoder().fatal(is_fatal);
        encoder.push(text, &mut bytes, log)?;
        encoder.finish(&mut bytes);
        Ok(bytes)
    }
}

/// How a [`StreamDecoder`] treats a byte order mark at the start of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Bom {
    /// A mark of UTF-8 or UTF-16 overrules the encoding and is removed ("decode").
    #[default]
    Sniff,
    /// A mark of the encoding itself is removed ("UTF-8 decode"; `ignoreBOM: false` of TextDecoder).
    Remove,
    /// A mark is text ("decode without BOM"; `ignoreBOM: true` of TextDecoder).
    Keep,
}

/// A streaming decoder. Splitting the input anywhere gives the same text, losses and error.
///
/// By default it sniffs a byte order mark, and writes U+FFFD for malformed sequences.
///
/// ```
/// use mailglot_codec::{LossLog, whatwg::{Bom, Encoding}};
///
/// let (mut text, mut log) = (String::new(), LossLog::new());
/// let mut decoder = Encoding::UTF_8.new_decoder();
/// for chunk in [&b"\xEF\xBB"[..], b"\xBFcaf\xC3", b"\xA9 \xFF"] {
///     decoder.push(chunk, &mut text, &mut log)?;
/// }
/// decoder.finish(&mut text, &mut log)?;
/// assert_eq!((text.as_str(), log.losses()), ("café \u{FFFD}", 1));
///
/// let mut strict = Encoding::UTF_8.new_decoder().bom(Bom::Keep).fatal(true);
/// let error = strict.push(b"caf\xFF", &mut text, &mut log).unwrap_err();
/// assert_eq!(error.bytes, 3..4);
/// # Ok::<(), mailglot_codec::whatwg::Malformed>(())
/// ```
pub struct StreamDecoder {
    encoding: Encoding,
    bom: Bom,
    is_fatal: bool,
    /// `None` until the first bytes have shown whether a byte order mark is there.
    machine: Option<encoding_rs::Decoder>,
    /// The first bytes, which may be a part of a byte order mark.
    held: Vec<u8>,
    /// Bytes that the machine has consumed, with the byte order mark.
    offset: u64,
    failed: Option<Malformed>,
}

impl StreamDecoder {
    fn new(encoding: Encoding) -> Self {
        Self {
            encoding,
            bom: Bom::default(),
            is_fatal: false,
            machine: None,
            held: Vec::new(),
            offset: 0,
            failed: None,
        }
    }

    /// Sets how a byte order mark is treated. Call it before the first [`Self::push`].
    #[must_use]
    pub fn bom(self, bom: Bom) -> Self {
        Self { bom, ..self }
    }

    /// Sets whether the first malformed sequence ends decoding with an error (error mode "fatal").
    #[must_use]
    pub fn fatal(self, is_fatal: bool) -> Self {
        Self { is_fatal, ..self }
    }

    /// Returns the encoding in use. It may change once, when a byte order mark is found.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Decodes the next bytes and appends their text. Keeps an incomplete sequence for the next call.
    ///
    /// # Errors
    /// In error mode "fatal", the first malformed sequence. The text before it was appended; further input is ignored with the same error.
    pub fn push(
        &mut self,
        bytes: &[u8],
        text: &mut String,
        log: &mut LossLog,
    ) -> Result<(), Malformed> {
        self.run(bytes, false, text, log)
    }

    /// Ends the input. An incomplete sequence at its end is malformed.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub fn finish(mut self, text: &mut String, log: &mut LossLog) -> Result<(), Malformed> {
        self.run(b"", true, text, log)
    }

    fn run(
        &mut self,
        bytes: &[u8],
        last: bool,
        text: &mut String,
        log: &mut LossLog,
    ) -> Result<(), Malformed> {
        if let Some(failed) = &self.failed {
            return Err(failed.clone());
        }
        if self.machine.is_some() {
            return self.decode(bytes, last, text, log);
        }
        self.held.extend_from_slice(bytes);
        if !last && self.bom != Bom::Keep && may_become_mark(&self.held) {
            return Ok(());
        }
        let mark = bom_sniff(&self.held).filter(|(named, _)| match self.bom {
            Bom::Sniff => true,
            Bom::Remove => *named == self.encoding,
            Bom::Keep => false,
        });
        let held = std::mem::take(&mut self.held);
        let mut rest = &held[..];
        if let Some((named, length)) = mark {
            log.record(0..length as u64, LossKind::ByteOrderMark);
            self.encoding = named;
            self.offset = length as u64;
            rest = &held[length..];
        }
        self.machine = Some(self.encoding.0.new_decoder_without_bom_handling());
        self.decode(rest, last, text, log)
    }

    fn decode(
        &mut self,
        mut bytes: &[u8],
        last: bool,
        text: &mut String,
        log: &mut LossLog,
    ) -> Result<(), Malformed> {
        let Some(machine) = &mut self.machine else {
            return Ok(());
        };
        let mut chunk = [0; CHUNK];
        loop {
            let (result, read, written) =
                machine.decode_to_utf8_without_replacement(bytes, &mut chunk, last);
            bytes = &bytes[read..];
            self.offset += read as u64;
            text.push_str(&String::from_utf8_lossy(&chunk[..written]));
            match result {
                DecoderResult::InputEmpty => return Ok(()),
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(len, after) => {
                    let end = self.offset - u64::from(after);
                    let bytes = end - u64::from(len)..end;
                    if self.is_fatal {
                        let error = Malformed { bytes };
                        self.failed = Some(error.clone());
                        return Err(error);
                    }
                    log.record(bytes, LossKind::Invalid);
                    text.push('\u{FFFD}');
                }
            }
        }
    }
}

impl std::fmt::Debug for StreamDecoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StreamDecoder")
            .field("encoding", &self.encoding)
            .field("bom", &self.bom)
            .field("is_fatal", &self.is_fatal)
            .field("offset", &self.offset)
            .finish_non_exhaustive()
    }
}

/// Returns true if more bytes could make these a byte order mark.
fn may_become_mark(bytes: &[u8]) -> bool {
    matches!(bytes, [] | [0xEF | 0xFE | 0xFF] | [0xEF, 0xBB])
}

/// A streaming encoder into the output encoding. Splitting the text anywhere gives the same bytes, losses and error.
///
/// By default it writes `&#8364;` for a character that the encoding lacks (error mode "html").
///
/// ```
/// use mailglot_codec::{LossLog, whatwg::Encoding};
///
/// let latin1 = Encoding::for_label(b"latin1").expect("a label of the standard");
/// let (mut bytes, mut log) = (Vec::new(), LossLog::new());
/// let mut encoder = latin1.new_encoder();
/// encoder.push("é", &mut bytes, &mut log)?;
/// encoder.push("✓", &mut bytes, &mut log)?;
/// encoder.finish(&mut bytes);
/// assert_eq!(bytes, b"\xE9&#10003;");
///
/// let error = latin1.new_encoder().fatal(true).push("é✓", &mut bytes, &mut log).unwrap_err();
/// assert_eq!((error.character, error.at), ('✓', 2));
/// # Ok::<(), mailglot_codec::whatwg::Unencodable>(())
/// ```
pub struct StreamEncoder {
    encoding: Encoding,
    is_fatal: bool,
    machine: encoding_rs::Encoder,
    /// Bytes of text that were read.
    offset: u64,
    failed: Option<Unencodable>,
}

impl StreamEncoder {
    fn new(encoding: Encoding) -> Self {
        let encoding = encoding.output();
        Self {
            encoding,
            is_fatal: false,
            machine: encoding.0.new_encoder(),
            offset: 0,
            failed: None,
        }
    }

    /// Sets whether the first character that the encoding lacks ends encoding with an error (error mode "fatal").
    #[must_use]
    pub fn fatal(self, is_fatal: bool) -> Self {
        Self { is_fatal, ..self }
    }

    /// Returns the output encoding: UTF-8 for `replacement` and UTF-16.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Encodes the next text and appends its bytes. `log` gets the byte ranges of characters that the encoding lacks.
    ///
    /// # Errors
    /// In error mode "fatal", the first such character. The bytes before it were appended; further text is ignored with the same error.
    pub fn push(
        &mut self,
        text: &str,
        bytes: &mut Vec<u8>,
        log: &mut LossLog,
    ) -> Result<(), Unencodable> {
        if let Some(failed) = &self.failed {
            return Err(failed.clone());
        }
        let mut chunk = [0; CHUNK];
        let mut at = 0;
        loop {
            let (result, read, written) =
                self.machine
                    .encode_from_utf8_without_replacement(&text[at..], &mut chunk, false);
            at += read;
            bytes.extend_from_slice(&chunk[..written]);
            match result {
                EncoderResult::InputEmpty => break,
                EncoderResult::OutputFull => {}
                EncoderResult::Unmappable(character) => {
                    let len = text[..at].chars().next_back().map_or(0, char::len_utf8);
                    let end = self.offset + at as u64;
                    let found = Unencodable {
                        character,
                        at: end - len as u64,
                    };
                    if self.is_fatal {
                        self.failed = Some(found.clone());
                        return Err(found);
                    }
                    log.record(found.at..end, LossKind::Unmappable);
                    bytes.extend_from_slice(format!("&#{};", character as u32).as_bytes());
                }
            }
        }
        self.offset += text.len() as u64;
        Ok(())
    }

    /// Ends the text: ISO-2022-JP returns to ASCII.
    pub fn finish(mut self, bytes: &mut Vec<u8>) {
        if self.failed.is_none() {
            let mut chunk = [0; 16];
            let (_, _, written) = self
                .machine
                .encode_from_utf8_without_replacement("", &mut chunk, true);
            bytes.extend_from_slice(&chunk[..written]);
        }
    }
}

impl std::fmt::Debug for StreamEncoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StreamEncoder")
            .field("encoding", &self.encoding)
            .field("is_fatal", &self.is_fatal)
            .field("offset", &self.offset)
            .finish_non_exhaustive()
    }
}
