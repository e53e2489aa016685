//! The streaming decoder: one closed set of machines behind `push` and `finish`.
//!
//! # Limits
//! Output offsets are not reported.

use crate::charset::{COUNT, Kind};
use crate::double_byte::{self, Family, Subset};
use crate::hz::Hz;
use crate::iso2022::Iso2022Jp;
use crate::iso2022_kr::Iso2022Kr;
use crate::single_byte::{self, Table};
use crate::sink::Sink;
use crate::utf7::{self, Utf7};
use crate::utf16::Utf16;
use crate::utf32::Utf32;
use crate::{Charset, LossKind, LossLog, utf8};
use std::borrow::Cow;
use std::sync::OnceLock;

/// How strictly a decoder reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// For mail: supersets, BOM rules, repairs. The default.
    #[default]
    Lenient,
    /// By the charset's own definition: what it does not allow is logged as a loss, even where it is readable.
    Strict,
}

/// A decoder in the middle of its input.
#[derive(Clone, Debug)]
pub struct Decoder {
    machine: Machine,
    mode: Mode,
    /// Offset of the first byte that the machine has not consumed.
    offset: u64,
    /// Bytes given but not consumed: a cut sequence, or what a byte order is still guessed from.
    held: Vec<u8>,
}

/// Bytes joined to a cut sequence at once; more than any machine leaves behind.
const JOIN: usize = 32;

impl Decoder {
    /// Decodes the next piece; what is cut at its end is held until the next call.
    pub fn push(&mut self, bytes: &[u8], text: &mut String, log: &mut LossLog) {
        let mut rest = bytes;
        let mut sink = Sink::new(text, log, self.mode);
        while !self.held.is_empty() && !rest.is_empty() {
            let before = self.held.len();
            let more = self.machine.window(self.mode).saturating_sub(before).max(JOIN).min(rest.len());
            self.held.extend_from_slice(&rest[..more]);
            let used = self.machine.run(&self.held, self.offset, false, self.mode, &mut sink);
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
            let used = self.machine.run(rest, self.offset, false, self.mode, &mut sink);
            self.offset += used as u64;
            self.held.extend_from_slice(&rest[used..]);
        }
        sink.flush();
    }

    /// Ends the input; consumes, so that nothing can come after the end.
    pub fn finish(mut self, text: &mut String, log: &mut LossLog) {
        let mut sink = Sink::new(text, log, self.mode);
        let used = self.machine.run(&self.held, self.offset, true, self.mode, &mut sink);
        self.machine.end(self.offset + used as u64, &mut sink);
        sink.flush();
    }

    pub(crate) fn new(charset: Charset, mode: Mode) -> Self {
        Self { machine: charset.machine(mode), mode, offset: 0, held: Vec::new() }
    }

    pub(crate) fn decode_whole<'a>(charset: Charset, bytes: &'a [u8], log: &mut LossLog) -> Cow<'a, str> {
        if let Some(text) = borrowed(charset.superset().kind(), bytes) {
            return Cow::Borrowed(text);
        }
        let mut machine = charset.machine(Mode::Lenient);
        let mut text = String::with_capacity(machine.expected_len(bytes));
        let mut sink = Sink::new(&mut text, log, Mode::Lenient);
        let used = machine.run(bytes, 0, true, Mode::Lenient, &mut sink);
        machine.end(used as u64, &mut sink);
        sink.flush();
        Cow::Owned(text)
    }
}

/// The bytes themselves, where they are the text and there is nothing to note.
fn borrowed(kind: Kind, bytes: &[u8]) -> Option<&str> {
    let plain = match kind {
        Kind::Utf8 | Kind::Cesu8 => !bytes.starts_with(&utf8::BOM),
        Kind::SingleByte(_) | Kind::DoubleByte(..) => bytes.is_ascii(),
        Kind::Hz => bytes.is_ascii() && !bytes.contains(&b'~'),
        Kind::Iso2022Jp | Kind::Iso2022Kr => {
            bytes.is_ascii() && !bytes.iter().any(|b| matches!(b, 0x1B | 0x0E | 0x0F))
        }
        Kind::Utf7 => utf7::is_plain(bytes),
        Kind::Utf16(_) | Kind::Utf32(_) => bytes.is_empty(),
    };
    if plain { simdutf8::basic::from_utf8(bytes).ok() } else { None }
}

/// What really decodes.
#[derive(Clone, Debug)]
pub(crate) enum Machine {
    Utf8 { cesu: bool },
    Utf16(Utf16),
    Utf32(Utf32),
    Utf7(Utf7),
    SingleByte(&'static Table, LossKind),
    DoubleByte(Family, Subset),
    Iso2022Jp(Iso2022Jp),
    Iso2022Kr(Iso2022Kr),
    Hz(Hz),
}

impl Machine {
    pub(crate) fn new(charset: Charset, mode: Mode) -> Self {
        match charset.kind() {
            Kind::Utf8 => Self::Utf8 { cesu: false },
            Kind::Cesu8 => Self::Utf8 { cesu: true },
            Kind::Utf16(order) => Self::Utf16(Utf16::new(order)),
            Kind::Utf32(order) => Self::Utf32(Utf32::new(order)),
            Kind::Utf7 => Self::Utf7(Utf7::default()),
            Kind::SingleByte(page) => {
                let seven_bit = matches!(page, single_byte::Page::Ascii);
                let bad = if seven_bit { LossKind::EightBit } else { LossKind::Invalid };
                Self::SingleByte(table(charset, mode), bad)
            }
            Kind::DoubleByte(family, subset) => Self::DoubleByte(family, subset),
            Kind::Iso2022Jp => Self::Iso2022Jp(Iso2022Jp::default()),
            Kind::Iso2022Kr => Self::Iso2022Kr(Iso2022Kr::default()),
            Kind::Hz => Self::Hz(Hz::default()),
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

    /// Consumes what is complete of `input`, all if it is the `last`; returns the number of bytes consumed.
    fn run(&mut self, input: &[u8], base: u64, last: bool, mode: Mode, sink: &mut Sink<'_>) -> usize {
        match self {
            Self::Utf8 { cesu } => {
                let mut mark = 0;
                if base == 0 && mode == Mode::Lenient {
                    if input.starts_with(&utf8::BOM) {
                        sink.note(0..3, LossKind::ByteOrderMark);
                        mark = 3;
                    } else if !last && utf8::BOM.starts_with(input) {
                        return 0;
                    }
                }
                mark + utf8::run(&input[mark..], base + mark as u64, last, *cesu, sink)
            }
            Self::Utf16(machine) => machine.run(input, base, last, mode, sink),
            Self::Utf32(machine) => machine.run(input, base, last, mode, sink),
            Self::Utf7(machine) => {
                machine.run(input, base, mode, sink);
                input.len()
            }
            Self::SingleByte(table, bad) => {
                single_byte::run(table, input, base, *bad, sink);
                input.len()
            }
            Self::DoubleByte(family, subset) => {
                double_byte::run(*family, *subset, input, base, last, mode, sink)
            }
            Self::Iso2022Jp(machine) => machine.run(input, base, last, mode, sink),
            Self::Iso2022Kr(machine) => machine.run(input, base, last, sink),
            Self::Hz(machine) => machine.run(input, base, last, sink),
        }
    }

    fn end(&mut self, end: u64, sink: &mut Sink<'_>) {
        match self {
            Self::Utf7(machine) => machine.end(end, sink),
            Self::Iso2022Jp(machine) => machine.end(end, sink),
            Self::Iso2022Kr(machine) => machine.end(end, sink),
            Self::Hz(machine) => machine.end(end, sink),
            _ => {}
        }
    }

    /// A guess at the length of the text, so that it seldom moves.
    fn expected_len(&self, bytes: &[u8]) -> usize {
        let n = bytes.len();
        match self {
            Self::Utf8 { .. } | Self::Utf7(_) | Self::Utf32(_) => n + 16,
            Self::SingleByte(..) => {
                // Letters beyond ASCII grow to two or three bytes; a sample tells how many there are.
                let sample = &bytes[..n.min(256)];
                let high = sample.iter().filter(|b| **b >= 0x80).count();
                n + n * high / sample.len().max(1) + 16
            }
            _ => n + n / 2 + 16,
        }
    }
}

/// The table of a single-byte charset, built at first use.
pub(crate) fn table(charset: Charset, mode: Mode) -> &'static Table {
    static TABLES: [OnceLock<Box<Table>>; 2 * COUNT] = [const { OnceLock::new() }; 2 * COUNT];
    let strict = mode == Mode::Strict;
    TABLES[charset.index() * 2 + usize::from(strict)].get_or_init(|| match charset.kind() {
        Kind::SingleByte(page) => page.table(strict),
        _ => Box::new([0; 256]),
    })
}
