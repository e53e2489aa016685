//! Decodes a stream of bytes: a closed set of machines behind `push` and `finish`.
//!
//! # Limits
//! Output offsets are not reported.

use crate::bocu1::Bocu1;
use crate::charset::Kind;
use crate::double_byte::{self, Family, Subset};
use crate::grid::Set;
use crate::iso2022::{self, Iso2022};
use crate::koi7::{self, Koi7};
use crate::mixed_ebcdic::MixedEbcdic;
use crate::multi_byte::{self, Layout};
use crate::scsu::Scsu;
use crate::sequences::Sequences;
use crate::single_byte::{self, EMPTY, Page, Table};
use crate::sink::Sink;
use crate::utf_ebcdic::UtfEbcdic;
use crate::utf1::Utf1;
use crate::utf7::{self, Utf7};
use crate::utf8::Utf8;
use crate::utf16::Utf16;
use crate::utf32::Utf32;
use crate::{Charset, DecodeOptions, LossKind, LossLog, Mode, euc_fixed_width, utf8};
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
        Decoder::decode_whole(self, bytes, Mode::Lenient.into(), log)
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

    /// Decodes a whole input leniently, as [`Charset::decode`] does, and appends the text to one that is there.
    pub fn decode_into(self, bytes: &[u8], text: &mut String, log: &mut LossLog) {
        Decoder::decode_append(self, bytes, text, log);
    }

    /// Decodes a whole input with options. [`Decoder::with`] does so for a stream.
    pub fn decode_with<'a>(
        self,
        bytes: &'a [u8],
        options: DecodeOptions,
        log: &mut LossLog,
    ) -> Cow<'a, str> {
        Decoder::decode_whole(self, bytes, options, log)
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
            let more = self
                .machine
                .window(self.mode)
                .saturating_sub(before)
                .max(JOIN)
                .min(rest.len());
            self.held.extend_from_slice(&rest[..more]);
            let used = self
                .machine
                .run(&self.held, self.offset, false, self.mode, &mut sink);
            self.offset += used as u64;
            if used >= before {
                self.held.clear();
                rest = &rest[used - before..];
            } else {
                self.held.drain(..used);
                rest = &rest[more..];
            }
        }
        if !rest.is_empty() {
            let used = self
                .machine
                .run(rest, self.offset, false, self.mode, &mut sink);
            self.offset += used as u64;
            self.held.extend_from_slice(&rest[used..]);
        }
    }

    /// Ends the input.
    pub fn finish(mut self, text: &mut String, log: &mut LossLog) {
        let mut sink = Sink::new(text, log, self.mode);
        let used = self
            .machine
            .run(&self.held, self.offset, true, self.mode, &mut sink);
        self.machine.end(self.offset + used as u64, &mut sink);
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

    pub(crate) fn decode_whole<'a>(
        charset: Charset,
        bytes: &'a [u8],
        options: DecodeOptions,
        log: &mut LossLog,
    ) -> Cow<'a, str> {
        if options.mode() == Mode::Lenient
            && let Some(text) = borrowed(charset.superset().kind(), bytes)
        {
            return Cow::Borrowed(text);
        }
        Cow::Owned(Self::decode_owned(charset, bytes, options, log))
    }

    // A function of its own, so that the borrowing path does not need its stack space.
    #[inline(never)]
    fn decode_owned(
        charset: Charset,
        bytes: &[u8],
        options: DecodeOptions,
        log: &mut LossLog,
    ) -> String {
        let mode = options.mode();
        let mut machine = charset.machine(options);
        let mut text = String::with_capacity(machine.expected_len(bytes));
        machine.run_whole(bytes, mode, &mut text, log);
        text
    }

    pub(crate) fn decode_append(
        charset: Charset,
        bytes: &[u8],
        text: &mut String,
        log: &mut LossLog,
    ) {
        let charset = charset.superset();
        let mode = Mode::Lenient;
        match charset.kind() {
            // Without a state there is nothing to set up, and they are as quick about ASCII.
            Kind::SingleByte(page) => {
                single_byte::run(
                    table(charset, mode),
                    bytes,
                    0,
                    bad_byte(page),
                    &mut Sink::new(text, log, mode),
                );
            }
            Kind::DoubleByte(family, subset) => {
                let repertoire = double_byte::Repertoire::of(family, subset, mode);
                double_byte::run(repertoire, bytes, 0, true, &mut Sink::new(text, log, mode));
            }
            Kind::Iso2022(flavor) if iso2022::append_usual(flavor, bytes, text) => {}
            kind => match borrowed(kind, bytes) {
                Some(same) => text.push_str(same),
                None => Machine::new(charset, mode.into()).run_whole(bytes, mode, text, log),
            },
        }
    }
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

/// The decoder of a family of charsets.
#[derive(Clone, Debug)]
pub(crate) enum Machine {
    Utf8(Utf8),
    Utf16(Utf16),
    Utf32(Utf32),
    Utf7(Utf7<false>),
    Utf7Imap(Utf7<true>),
    Scsu(Scsu),
    Bocu1(Bocu1),
    Utf1(Utf1),
    UtfEbcdic(UtfEbcdic),
    SingleByte(&'static Table, LossKind),
    DoubleByte(Family, Subset),
    MultiByte(Layout, Set),
    MixedEbcdic(MixedEbcdic),
    Iso2022(Iso2022),
    Koi7(Koi7),
    Sequences(&'static Sequences),
    EucFixedWidth,
}

impl Machine {
    pub(crate) fn new(charset: Charset, options: DecodeOptions) -> Self {
        let mode = options.mode();
        match charset.kind() {
            Kind::Utf8 => Self::Utf8(Utf8::new(options)),
            Kind::Cesu8 => Self::Utf8(Utf8::cesu(options)),
            Kind::Utf16(order) => Self::Utf16(Utf16::new(order, options.mark_rules())),
            Kind::Utf32(order) => Self::Utf32(Utf32::new(order, options.mark_rules())),
            Kind::Utf7 => Self::Utf7(Utf7::new(options)),
            Kind::Utf7Imap => Self::Utf7Imap(Utf7::new(options)),
            Kind::Scsu => Self::Scsu(Scsu::new(options)),
            Kind::Bocu1 => Self::Bocu1(Bocu1::new(options)),
            Kind::Utf1 => Self::Utf1(Utf1::new(options)),
            Kind::UtfEbcdic => Self::UtfEbcdic(UtfEbcdic::new(options)),
            Kind::SingleByte(page) => Self::SingleByte(table(charset, mode), bad_byte(page)),
            Kind::DoubleByte(family, subset) => Self::DoubleByte(family, subset),
            Kind::MultiByte(layout, set) => Self::MultiByte(layout, set),
            Kind::EucFixedWidth => Self::EucFixedWidth,
            Kind::MixedEbcdic(set) => Self::MixedEbcdic(MixedEbcdic::new(set)),
            Kind::Iso2022(flavor) => Self::Iso2022(Iso2022::new(flavor, mode)),
            Kind::Koi7 => Self::Koi7(Koi7::default()),
            Kind::Sequences(list) => Self::Sequences(list),
        }
    }

    /// Bytes that must be held until decoding can begin.
    fn window(&self, mode: Mode) -> usize {
        match self {
            Self::Utf16(machine) => machine.window(mode),
            Self::Utf32(machine) => machine.window(mode),
            _ => 0,
        }
    }

    fn run_whole(&mut self, input: &[u8], mode: Mode, text: &mut String, log: &mut LossLog) {
        let mut sink = Sink::new(text, log, mode);
        let used = self.run(input, 0, true, mode, &mut sink);
        self.end(used as u64, &mut sink);
    }

    /// Decodes the complete characters of `input`, or all of it if it is the `last` piece. Returns the number of bytes consumed.
    fn run(
        &mut self,
        input: &[u8],
        base: u64,
        last: bool,
        mode: Mode,
        sink: &mut Sink<'_>,
    ) -> usize {
        match self {
            Self::Utf8(machine) => machine.run(input, base, last, sink),
            Self::Utf16(machine) => machine.run(input, base, last, mode, sink),
            Self::Utf32(machine) => machine.run(input, base, last, mode, sink),
            Self::Utf7(machine) => machine.run(input, base, last, sink),
            Self::Utf7Imap(machine) => machine.run(input, base, last, sink),
            Self::Scsu(machine) => machine.run(input, base, last, sink),
            Self::Bocu1(machine) => machine.run(input, base, last, sink),
            Self::Utf1(machine) => machine.run(input, base, last, sink),
            Self::UtfEbcdic(machine) => machine.run(input, base, last, sink),
            Self::SingleByte(table, bad) => {
                single_byte::run(table, input, base, *bad, sink);
                input.len()
            }
            Self::DoubleByte(family, subset) => {
                let repertoire = double_byte::Repertoire::of(*family, *subset, mode);
                double_byte::run(repertoire, input, base, last, sink)
            }
            Self::MultiByte(layout, set) => multi_byte::run(*layout, *set, input, base, last, sink),
            Self::MixedEbcdic(machine) => machine.run(input, base, last, sink),
            Self::Iso2022(machine) => machine.run(input, base, last, sink),
            Self::Koi7(machine) => machine.run(input, base, sink),
            Self::Sequences(list) => list.run(input, base, last, sink),
            Self::EucFixedWidth => euc_fixed_width::run(input, base, last, mode, sink),
        }
    }

    fn end(&mut self, end: u64, sink: &mut Sink<'_>) {
        match self {
            Self::Utf7(machine) => machine.end(end, sink),
            Self::Utf7Imap(machine) => machine.end(end, sink),
            Self::Scsu(machine) => machine.end(sink),
            Self::MixedEbcdic(machine) => machine.end(end, sink),
            Self::Iso2022(machine) => machine.end(end, sink),
            Self::Koi7(machine) => machine.end(end, sink),
            _ => {}
        }
    }

    /// A guess at the length of the text, so that it seldom moves.
    fn expected_len(&self, bytes: &[u8]) -> usize {
        let n = bytes.len();
        match self {
            Self::Utf8(_) | Self::Utf32(_) => n + 16,
            // Sixteen digits are six bytes, which are nine of text at most; and room for the last step of the inner loops.
            Self::Utf7(_) => n + n / 8 + 160,
            Self::SingleByte(table, _) => {
                // Non-ASCII letters grow to two or three bytes. For a long text a sample estimates their number.
                let sample = &bytes[..n.min(128)];
                let high = if n <= 512 {
                    n
                } else {
                    n / 128 * usize::from(sample.iter().map(|b| b >> 7).sum::<u8>())
                };
                n + high * table.growth() + 40
            }
            _ => n + n / 2 + 16,
        }
    }
}

/// Returns the kind of loss for a byte without a character.
fn bad_byte(page: Page) -> LossKind {
    if page.is_seven_bit() {
        LossKind::EightBit
    } else {
        LossKind::Invalid
    }
}

/// The table of a single-byte charset; that of others is empty.
pub(crate) fn table(charset: Charset, mode: Mode) -> &'static Table {
    match charset.kind() {
        Kind::SingleByte(page) => page.table(mode == Mode::Strict),
        _ => &EMPTY,
    }
}
