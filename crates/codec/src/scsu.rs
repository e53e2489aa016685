//! Decodes SCSU, the Standard Compression Scheme for Unicode (Unicode Technical Standard 6).
//!
//! Text is in one of two modes. In single-byte mode 20-7F, NUL, TAB, LF and CR are ASCII, 80-FF are 128 characters of
//! the active window, and the other controls are commands. In Unicode mode text is UTF-16, E0-F2 are commands.
//!
//! # Limits
//! CR and LF do not reset windows and modes, as the standard requires.

use crate::decode::{Chunk, Decode};
use crate::loss::LossKind;
use crate::options::DecodeOptions;
use crate::sink::Sink;
use std::ops::Range;

mod encode;

pub(crate) use encode::ScsuEncoder;

const SQ0: u8 = 0x01;
const SDX: u8 = 0x0B;
const SQU: u8 = 0x0E;
const SCU: u8 = 0x0F;
const SC0: u8 = 0x10;
const SD0: u8 = 0x18;
const UC0: u8 = 0xE0;
const UD0: u8 = 0xE8;
const UQU: u8 = 0xF0;
const UDX: u8 = 0xF1;

/// Start code points of the static windows, which only quoting uses.
const STATIC: [u32; 8] = [0, 0x80, 0x100, 0x300, 0x2000, 0x2080, 0x2100, 0x3000];
/// Initial start code points of the dynamic windows.
const DYNAMIC: [u32; 8] = [0x80, 0xC0, 0x400, 0x600, 0x900, 0x3040, 0x30A0, 0xFF00];
/// Start code points of windows that are not multiples of 80, for the bytes from F9 on.
const ODD: [u32; 7] = [0xC0, 0x250, 0x370, 0x530, 0x3040, 0x30A0, 0xFF60];

/// Returns the start code point of the window that a byte defines; `None` for a reserved byte.
fn window_start(byte: u8) -> Option<u32> {
    match byte {
        0x01..0x68 => Some(u32::from(byte) << 7),
        0x68..0xA8 => Some((u32::from(byte) << 7) + 0xAC00),
        0xF9.. => ODD.get(usize::from(byte - 0xF9)).copied(),
        _ => None,
    }
}

/// An SCSU decoder.
#[derive(Clone, Debug)]
pub(crate) struct ScsuDecoder {
    unicode: bool,
    active: usize,
    windows: [u32; 8],
    /// A pending high surrogate and the range of its bytes.
    high: Option<(u16, Range<u64>)>,
    /// True if a byte order mark at the start is removed.
    strips_mark: bool,
    begun: bool,
}

/// A command or character, and the number of its bytes.
enum Command {
    Ascii,
    /// The character at this distance of the window.
    Window(u32, u8),
    Unit(u16),
    /// The window is active from here on.
    Active(usize),
    /// The window begins here and is active from here on.
    Define(usize, u32),
    UnicodeMode,
    Reserved,
}

impl Decode for ScsuDecoder {
    /// Leaves at most two bytes.
    #[inline(always)]
    fn step(&mut self, rest: Chunk<'_>, sink: &mut Sink<'_>) -> Option<usize> {
        let len = self.len_of(rest.bytes[0]);
        if len > rest.bytes.len() {
            if !rest.last {
                return None;
            }
            self.drop_high(sink);
            sink.replace(rest.range(rest.bytes.len()), LossKind::Truncated);
            return Some(rest.bytes.len());
        }
        let range = rest.range(len);
        match self.command(&rest.bytes[..len]) {
            Command::Ascii => {
                self.put(u32::from(rest.bytes[0]), range, sink);
                return Some(len + put_ascii(&rest.bytes[len..], sink));
            }
            Command::Window(start, distance) => {
                let c = start + u32::from(distance);
                // Scanners miss quoted ASCII as they miss that of Unicode mode.
                sink.shifted(c);
                self.put(c, range, sink);
            }
            Command::Unit(unit) => self.unit(unit, range, sink),
            Command::Active(window) => (self.active, self.unicode) = (window, false),
            Command::Define(window, start) => {
                self.windows[window] = start;
                (self.active, self.unicode) = (window, false);
            }
            Command::UnicodeMode => self.unicode = true,
            Command::Reserved => {
                self.drop_high(sink);
                self.begun = true;
                sink.replace(range, LossKind::Invalid);
            }
        }
        Some(len)
    }

    fn end(&mut self, _end: u64, sink: &mut Sink<'_>) {
        self.drop_high(sink);
    }
}

impl ScsuDecoder {
    pub(crate) fn new(options: DecodeOptions) -> Self {
        Self {
            unicode: false,
            active: 0,
            windows: DYNAMIC,
            high: None,
            strips_mark: options.strips_mark(),
            begun: false,
        }
    }

    /// Returns the length of the sequence that begins with `first`.
    #[inline(always)]
    fn len_of(&self, first: u8) -> usize {
        match (self.unicode, first) {
            (true, UC0..UD0 | 0xF2) => 1,
            (true, UQU | UDX) | (false, SDX | SQU) => 3,
            (true, _) | (false, SQ0..=0x08 | SD0..=0x1F) => 2,
            (false, _) => 1,
        }
    }

    #[inline(always)]
    fn command(&self, bytes: &[u8]) -> Command {
        let byte = |at: usize| bytes.get(at).copied().unwrap_or_default();
        let number = |first: u8| usize::from(bytes[0] - first);
        let extended = || {
            let place = u32::from(byte(1) & 0x1F) << 8 | u32::from(byte(2));
            Command::Define(usize::from(byte(1) >> 5), 0x10000 + (place << 7))
        };
        let defined = |window| {
            window_start(byte(1)).map_or(Command::Reserved, |start| Command::Define(window, start))
        };
        match (self.unicode, bytes[0]) {
            (false, SQ0..=0x08) if byte(1) < 0x80 => Command::Window(STATIC[number(SQ0)], byte(1)),
            (false, SQ0..=0x08) => Command::Window(self.windows[number(SQ0)], byte(1) - 0x80),
            (false, SDX) | (true, UDX) => extended(),
            (false, SQU) | (true, UQU) => Command::Unit(u16::from_be_bytes([byte(1), byte(2)])),
            (false, SCU) => Command::UnicodeMode,
            (false, SC0..SD0) => Command::Active(number(SC0)),
            (false, SD0..=0x1F) => defined(number(SD0)),
            (false, 0x0C) | (true, 0xF2) => Command::Reserved,
            (false, 0x80..) => Command::Window(self.windows[self.active], bytes[0] - 0x80),
            (false, _) => Command::Ascii,
            (true, UC0..UD0) => Command::Active(number(UC0)),
            (true, UD0..UQU) => defined(number(UD0)),
            (true, _) => Command::Unit(u16::from_be_bytes([byte(0), byte(1)])),
        }
    }

    #[inline(always)]
    fn unit(&mut self, unit: u16, range: Range<u64>, sink: &mut Sink<'_>) {
        match (unit, self.high.take()) {
            (0xDC00..=0xDFFF, Some((high, from))) => {
                let c = 0x10000 + ((u32::from(high) & 0x3FF) << 10 | u32::from(unit) & 0x3FF);
                self.put(c, from.start..range.end, sink);
            }
            (0xD800..=0xDBFF, before) => {
                self.high = before;
                self.drop_high(sink);
                self.high = Some((unit, range));
            }
            (0xDC00..=0xDFFF, None) => {
                self.begun = true;
                sink.replace(range, LossKind::LoneSurrogate);
            }
            (_, before) => {
                self.high = before;
                sink.shifted(u32::from(unit));
                self.put(u32::from(unit), range, sink);
            }
        }
    }

    #[inline(always)]
    fn put(&mut self, c: u32, range: Range<u64>, sink: &mut Sink<'_>) {
        self.drop_high(sink);
        match char::from_u32(c) {
            Some('\u{FEFF}') if !self.begun && self.strips_mark => {
                sink.note(range, LossKind::ByteOrderMark);
            }
            Some(c) => sink.put_char(c),
            None => sink.replace(range, LossKind::Invalid),
        }
        self.begun = true;
    }

    /// Records a pending high surrogate as lost.
    fn drop_high(&mut self, sink: &mut Sink<'_>) {
        if let Some((_, from)) = self.high.take() {
            self.begun = true;
            sink.replace(from, LossKind::LoneSurrogate);
        }
    }
}

/// Writes the printable ASCII at the start; returns its length.
fn put_ascii(rest: &[u8], sink: &mut Sink<'_>) -> usize {
    let len = rest
        .iter()
        .position(|byte| !matches!(byte, b' '..=0x7F))
        .unwrap_or(rest.len());
    sink.put_ascii(&rest[..len]);
    len
}
