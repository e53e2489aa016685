//! Decodes a stream of bytes: a closed set of machines behind `push` and `finish`.
//!
//! # Limits
//! Output offsets are not reported.

use crate::charset::{Charset, Kind};
use crate::decode::{Chunk, Decode};
use crate::double_byte::DoubleByteDecoder;
use crate::loss::LossLog;
use crate::machine::Machine;
use crate::mode::Mode;
use crate::multi_byte::Layout;
use crate::options::DecodeOptions;
use crate::single_byte::{EMPTY, SingleByteDecoder};
use crate::sink::Sink;
use crate::{iso2022, koi7, utf7, utf8};
use mailglot_kernel::ByteTable;
use std::borrow::Cow;

impl Charset {
    /// Returns a streaming decoder.
    pub fn new_decoder(self, mode: Mode) -> Decoder {
        Decoder::with(self, mode.into())
    }

    /// Decodes a whole input leniently. Borrows if the bytes are already the UTF-8 text.
    ///
    /// Lenient decoding uses the superset: bytes of windows-1252 under the label ISO-8859-1. `log` gets the byte range of each loss.
    ///
    /// ```
    /// use mailglot_codec::{Charset, LossLog};
    ///
    /// let mut log = LossLog::new();
    /// assert_eq!(Charset::ISO_8859_1.decode(b"\x80 10", &mut log), "€ 10");
    /// ```
    pub fn decode<'a>(self, bytes: &'a [u8], log: &mut LossLog) -> Cow<'a, str> {
        self.decode_with(bytes, Mode::Lenient.into(), log)
    }

    /// Decodes a whole input leniently, or returns `None` if anything is lost.
    ///
    /// Notes, such as that of a byte order mark, are not losses.
    ///
    /// ```
    /// use mailglot_codec::Charset;
    ///
    /// assert_eq!(Charset::KOI8_R.decode_exact(b"\xE4\xC1").as_deref(), Some("Да"));
    /// assert_eq!(Charset::UTF_8.decode_exact(b"\xE4\xC1"), None);
    /// ```
    pub fn decode_exact(self, bytes: &[u8]) -> Option<Cow<'_, str>> {
        let mut log = LossLog::with_limit(0);
        let text = self.decode(bytes, &mut log);
        (log.losses() == 0).then_some(text)
    }

    /// Decodes a whole input leniently, as [`Charset::decode`] does, and appends to `text`.
    pub fn decode_into(self, bytes: &[u8], text: &mut String, log: &mut LossLog) {
        let charset = self.superset();
        let mode = Mode::Lenient;
        let mut sink = Sink::new(text, log, mode);
        match charset.kind() {
            // Without a state there is nothing to set up, and they are as quick about ASCII.
            Kind::SingleByte(page) => {
                SingleByteDecoder::new(page, mode).run_whole(bytes, &mut sink);
            }
            Kind::DoubleByte(family, subset) => {
                DoubleByteDecoder::new(family, subset, mode).run_whole(bytes, &mut sink);
            }
            Kind::Iso2022(flavor) if iso2022::append_usual(flavor, bytes, sink.text) => {}
            kind => match borrowed(kind, bytes) {
                Some(same) => sink.put_str(same),
                None => Machine::new(charset, mode.into()).run_whole(bytes, &mut sink),
            },
        }
    }

    /// Decodes a whole input with options. [`Decoder::with`] does so for a stream.
    pub fn decode_with<'a>(
        self,
        bytes: &'a [u8],
        options: DecodeOptions,
        log: &mut LossLog,
    ) -> Cow<'a, str> {
        if options.mode() == Mode::Lenient
            && let Some(text) = borrowed(self.superset().kind(), bytes)
        {
            return Cow::Borrowed(text);
        }
        Cow::Owned(decode_owned(self, bytes, options, log))
    }

    pub(crate) fn machine(self, options: DecodeOptions) -> Machine {
        Machine::new(
            if options.mode() == Mode::Lenient {
                self.superset()
            } else {
                self
            },
            options,
        )
    }
}

/// A streaming decoder. Splitting the input anywhere gives the same text and the same log.
///
/// ```
/// use mailglot_codec::{Charset, LossKind, LossLog, Mode};
///
/// let (mut text, mut log) = (String::new(), LossLog::new());
/// let mut decoder = Charset::UTF_8.new_decoder(Mode::Lenient);
/// decoder.push(b"caf\xC3", &mut text, &mut log);
/// decoder.push(b"\xA9 \xE2\x82", &mut text, &mut log);
/// decoder.finish(&mut text, &mut log);
/// assert_eq!(text, "café \u{FFFD}");
/// assert_eq!((log.kept()[0].bytes.clone(), log.kept()[0].kind), (6..8, LossKind::Truncated));
/// ```
#[derive(Clone, Debug)]
pub struct Decoder {
    machine: Machine,
    mode: Mode,
    /// Offset of the first byte that the machine has not consumed.
    offset: u64,
    /// Bytes not yet consumed: a truncated sequence, or the beginning of a text whose byte order is not yet known.
    held: Vec<u8>,
}

/// Number of bytes that are joined to a truncated sequence; more than any machine leaves.
const JOIN: usize = 32;

impl Decoder {
    /// Decodes the next piece. Keeps a truncated character at its end for the next call.
    pub fn push(&mut self, bytes: &[u8], text: &mut String, log: &mut LossLog) {
        let mut rest = bytes;
        let mut sink = Sink::new(text, log, self.mode);
        while !self.held.is_empty() && !rest.is_empty() {
            let before = self.held.len();
            let window = self.machine.window();
            let more = window.saturating_sub(before).max(JOIN).min(rest.len());
            self.held.extend_from_slice(&rest[..more]);
            let used = self.run(false, &mut sink);
            if used >= before {
                self.held.clear();
                rest = &rest[used - before..];
            } else {
                self.held.drain(..used);
                rest = &rest[more..];
            }
        }
        if !rest.is_empty() {
            let chunk = Chunk {
                bytes: rest,
                base: self.offset,
                last: false,
            };
            let used = self.machine.run(chunk, &mut sink);
            self.offset += used as u64;
            self.held.extend_from_slice(&rest[used..]);
        }
    }

    /// Takes the characters at the start of the next piece that need no decoding, and returns them without a copy. What follows
    /// them is not taken: push it, or give it again in front of more bytes.
    ///
    /// The text is empty if the charset is not UTF-8, if the decoder keeps a truncated character, and before a byte order mark.
    ///
    /// ```
    /// use mailglot_codec::{Charset, Mode};
    ///
    /// let mut decoder = Charset::UTF_8.new_decoder(Mode::Strict);
    /// assert_eq!(decoder.take_text(b"caf\xC3\xA9 \xE2\x82"), "café ");
    /// ```
    pub fn take_text<'b>(&mut self, bytes: &'b [u8]) -> &'b str {
        let is_start = self.offset == 0;
        let text = match &self.machine {
            Machine::Utf8(decoder) if self.held.is_empty() => {
                decoder.text_at_start(bytes, is_start)
            }
            _ => "",
        };
        self.offset += text.len() as u64;
        text
    }

    /// Ends the input. A truncated character at its end is a loss.
    pub fn finish(mut self, text: &mut String, log: &mut LossLog) {
        let mut sink = Sink::new(text, log, self.mode);
        self.run(true, &mut sink);
        self.machine.end(self.offset, &mut sink);
    }

    /// Decodes the bytes held. Returns the number of bytes consumed.
    fn run(&mut self, last: bool, sink: &mut Sink<'_>) -> usize {
        let chunk = Chunk {
            bytes: &self.held,
            base: self.offset,
            last,
        };
        let used = self.machine.run(chunk, sink);
        self.offset += used as u64;
        used
    }

    /// Returns a decoder with options. [`Charset::new_decoder`] returns one with a mode only.
    pub fn with(charset: Charset, options: DecodeOptions) -> Self {
        Self {
            machine: charset.machine(options),
            mode: options.mode(),
            offset: 0,
            held: Vec::new(),
        }
    }
}

// A function of its own, so that the borrowing path does not need its stack space.
#[inline(never)]
fn decode_owned(
    charset: Charset,
    bytes: &[u8],
    options: DecodeOptions,
    log: &mut LossLog,
) -> String {
    let mut machine = charset.machine(options);
    let mut text = String::with_capacity(machine.expected_len(bytes));
    machine.run_whole(bytes, &mut Sink::new(&mut text, log, options.mode()));
    text
}

/// Returns the bytes themselves if they are the text and nothing is logged.
fn borrowed(kind: Kind, bytes: &[u8]) -> Option<&str> {
    let plain = match kind {
        Kind::Utf8 | Kind::Cesu8 if bytes.starts_with(&utf8::BOM) => false,
        Kind::Utf8 | Kind::Cesu8 => return mailglot_kernel::utf8::as_str(bytes),
        Kind::SingleByte(page) => page.is_ascii(),
        // Stored sets that are not ASCII differ from it at these two.
        Kind::MultiByte(Layout::Stored, set) if !set.is_ascii() => {
            memchr::memchr2(b'\\', b'~', bytes).is_none()
        }
        Kind::DoubleByte(..) | Kind::MultiByte(..) | Kind::Utf1 => true,
        Kind::Iso2022(flavor) => iso2022::is_plain(flavor, bytes),
        Kind::EucFixedWidth => bytes.is_empty(),
        Kind::Utf7 => utf7::is_plain(bytes),
        Kind::MixedEbcdic(_) | Kind::Bocu1 | Kind::UtfEbcdic | Kind::Utf16(_) | Kind::Utf32(_) => {
            bytes.is_empty()
        }
        Kind::Scsu => bytes
            .iter()
            .all(|b| matches!(b, 0 | b'\t' | b'\r' | b'\n' | 0x20..0x80)),
        Kind::Utf7Imap => bytes.iter().all(|b| matches!(b, 0x20..0x7F) && *b != b'&'),
        Kind::Koi7 => koi7::is_plain(bytes),
        Kind::Sequences(list) => list.is_plain(bytes),
    };
    if plain {
        mailglot_kernel::ascii::as_str(bytes)
    } else {
        None
    }
}

/// The table of a single-byte charset; that of others is empty.
pub(crate) fn table(charset: Charset, mode: Mode) -> &'static ByteTable {
    match charset.kind() {
        Kind::SingleByte(page) => page.table(mode == Mode::Strict),
        _ => &EMPTY,
    }
}
