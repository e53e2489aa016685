//! UTF-7 (RFC 2152), decoder and encoder.
//!
//! Lenient and strict decoding give the same text, but for a byte order mark, which only lenient decoding takes off:
//! what RFC 2152 does not allow is read in the way that loses least, and reported.
//!
//! # Limits
//! An `=` behind a run is text. Eight-bit bytes are U+FFFD each: whether a whole part is mislabeled UTF-8 is for the
//! caller to find out. Which characters came out of base64 is not told.

use crate::sink::{Sink, ascii_8};
use crate::{LossKind, Mode};
use std::ops::Range;

const NOT_BASE64: u8 = 0xFF;

/// Set B and its values.
const VALUES: [u8; 256] = values(b'/');

/// Bytes that stand for themselves without remark: Set D but for nothing, Set O, and SP TAB CR LF.
const DIRECT: [bool; 256] = {
    let mut direct = [false; 256];
    let mut b = 0x20;
    while b < 0x7F {
        direct[b] = b != b'+' as usize && b != b'\\' as usize && b != b'~' as usize;
        b += 1;
    }
    direct[b'\t' as usize] = true;
    direct[b'\r' as usize] = true;
    direct[b'\n' as usize] = true;
    direct
};

/// The values of the modified base64 alphabet with the given last character.
pub(crate) const fn values(last: u8) -> [u8; 256] {
    let mut values = [NOT_BASE64; 256];
    let mut i = 0;
    while i < 64 {
        values[digit(i as u8, last) as usize] = i as u8;
        i += 1;
    }
    values
}

/// The base64 character of a value below 64.
pub(crate) const fn digit(value: u8, last: u8) -> u8 {
    match value {
        0..26 => b'A' + value,
        26..52 => b'a' + value - 26,
        52..62 => b'0' + value - 52,
        62 => b'+',
        _ => last,
    }
}

/// True where every byte stands for itself without remark.
pub(crate) fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().all(|b| DIRECT[usize::from(*b)])
}

/// A UTF-7 decoder; it consumes all that it is given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Utf7 {
    run: Option<Run>,
    /// A high surrogate that waits for its low half, and the base64 characters that carry it.
    high: Option<(u16, Range<u64>)>,
    /// The high surrogate came from an earlier run, which ended in `-` just before.
    high_of_earlier_run: bool,
    /// Something was decoded already.
    begun: bool,
}

/// A run in work.
#[derive(Clone, Debug)]
struct Run {
    /// Offset of the `+`.
    start: u64,
    /// Base64 characters so far.
    chars: u64,
    /// UTF-16 units so far.
    units: u64,
    /// The last bits, right-aligned; `bits` of them belong to no unit yet.
    last: u32,
    bits: u32,
}

impl Utf7 {
    /// Decodes all of `input`, which begins at offset `base`.
    pub(crate) fn run(&mut self, input: &[u8], base: u64, mode: Mode, sink: &mut Sink<'_>) {
        let mut at = 0;
        while at < input.len() {
            at = match self.run.take() {
                Some(run) => self.shifted(run, input, at, mode, sink),
                None => self.direct(input, at, base, sink),
            };
        }
    }

    /// Ends the text at offset `end`.
    pub(crate) fn end(&mut self, end: u64, sink: &mut Sink<'_>) {
        let open = self.run.take();
        let long = open.as_ref().is_some_and(|run| run.chars >= 3);
        if let Some(run) = open {
            self.close(&run, None, sink);
        }
        self.drop_high(sink);
        if long {
            sink.note(end..end, LossKind::UnterminatedRun);
        }
    }

    /// Reads direct characters from `at`; returns where it stopped.
    fn direct(&mut self, input: &[u8], mut at: usize, base: u64, sink: &mut Sink<'_>) -> usize {
        if input[at] == b'+' {
            self.high_of_earlier_run = self.high.is_some();
            self.run = Some(Run { start: base + at as u64, chars: 0, units: 0, last: 0, bits: 0 });
            return at + 1;
        }
        self.drop_high(sink);
        self.begun = true;
        while at < input.len() && input[at] != b'+' {
            if let Some(block) = ascii_8(&input[at..])
                && block.iter().all(|b| DIRECT[usize::from(*b)])
            {
                sink.put_ascii_8(block);
                at += 8;
                continue;
            }
            let byte = input[at];
            let here = base + at as u64..base + at as u64 + 1;
            at += 1;
            if byte >= 0x80 {
                sink.replace(here, LossKind::EightBit);
                continue;
            }
            if !DIRECT[usize::from(byte)] {
                sink.record(here, LossKind::DirectNotAllowed);
            }
            sink.put_basic(u32::from(byte) | 1 << 24);
        }
        at
    }

    /// Reads base64 characters of a run from `at`; returns where it stopped.
    fn shifted(
        &mut self,
        mut run: Run,
        input: &[u8],
        mut at: usize,
        mode: Mode,
        sink: &mut Sink<'_>,
    ) -> usize {
        loop {
            // Eight characters are three units: the common case in one step.
            if run.bits == 0
                && self.high.is_none()
                && self.begun
                && let Some(block) = input[at..].first_chunk::<8>()
                && let Some(units) = three_units(*block)
            {
                for unit in units {
                    sink.put_unit(unit);
                }
                run.chars += 8;
                run.units += 3;
                run.last = 0;
                at += 8;
                continue;
            }
            let Some(byte) = input.get(at) else {
                self.run = Some(run);
                return at;
            };
            let value = VALUES[usize::from(*byte)];
            if value == NOT_BASE64 {
                self.close(&run, Some(*byte), sink);
                return at + usize::from(*byte == b'-');
            }
            at += 1;
            run.chars += 1;
            run.last = run.last << 6 | u32::from(value);
            run.bits += 6;
            if run.bits >= 16 {
                run.bits -= 16;
                let first = run.start + 1 + run.units * 16 / 6;
                let end = run.start + 1 + (run.units * 16 + 15) / 6 + 1;
                run.units += 1;
                self.unit((run.last >> run.bits) as u16, first..end, mode, sink);
            }
        }
    }

    /// Takes one UTF-16 unit, carried by the base64 characters `from`.
    fn unit(&mut self, unit: u16, from: Range<u64>, mode: Mode, sink: &mut Sink<'_>) {
        if let Some((high, high_from)) = self.high.take() {
            if (0xDC00..=0xDFFF).contains(&unit) {
                if self.high_of_earlier_run {
                    sink.record(high_from.start..from.end, LossKind::PairSplitOverRuns);
                }
                let scalar = 0x10000 + ((u32::from(high) & 0x3FF) << 10 | u32::from(unit) & 0x3FF);
                sink.put_char(char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER));
                self.begun = true;
                return;
            }
            self.begun = true;
            sink.replace(high_from, LossKind::LoneSurrogate);
        }
        self.high_of_earlier_run = false;
        match unit {
            0xD800..=0xDBFF => {
                self.high = Some((unit, from));
                return;
            }
            0xDC00..=0xDFFF => sink.replace(from, LossKind::LoneSurrogate),
            0xFEFF if !self.begun && mode == Mode::Lenient => {
                sink.note(from, LossKind::ByteOrderMark);
            }
            _ => sink.put_unit(unit),
        }
        self.begun = true;
    }

    /// Ends a run at `terminator`, or at the end of the text.
    fn close(&mut self, run: &Run, terminator: Option<u8>, sink: &mut Sink<'_>) {
        let end = run.start + 1 + run.chars;
        let absorbed = terminator == Some(b'-');
        if run.chars < 3 {
            // No room for a unit: never UTF-7, so the bytes stand for themselves.
            self.drop_high(sink);
            self.begun = true;
            sink.put_char('+');
            if run.chars == 0 {
                if !absorbed {
                    sink.record(run.start..end, LossKind::PlusNotShift);
                }
                return;
            }
            for i in (0..run.chars as u32).rev() {
                sink.put_char(char::from(digit((run.last >> (6 * i) & 0x3F) as u8, b'/')));
            }
            if absorbed {
                sink.put_char('-');
            }
            sink.record(run.start..end + u64::from(absorbed), LossKind::RunTooShort);
            return;
        }
        let surplus = run.last & ((1 << run.bits) - 1);
        let tail = end - u64::from(run.bits.div_ceil(6))..end;
        match run.bits {
            0 => {}
            1..6 if surplus == 0 => {}
            1..6 => sink.record(tail, LossKind::NonzeroPadBits),
            _ if surplus == 0 => sink.record(tail, LossKind::SurplusZeroBits),
            _ => {
                self.drop_high(sink);
                sink.replace(tail, LossKind::TruncatedUnit);
                self.begun = true;
            }
        }
        // Only an absorbed terminator puts nothing between this run and the next one.
        if !absorbed {
            self.drop_high(sink);
        }
    }

    /// Gives up waiting for a low surrogate.
    fn drop_high(&mut self, sink: &mut Sink<'_>) {
        if let Some((_, from)) = self.high.take() {
            sink.replace(from, LossKind::LoneSurrogate);
            self.begun = true;
        }
    }
}

/// The units of eight base64 characters, if none is a surrogate.
fn three_units(block: [u8; 8]) -> Option<[u16; 3]> {
    let mut bits = 0_u64;
    let mut bad = 0;
    for byte in block {
        let value = VALUES[usize::from(byte)];
        bad |= value;
        bits = bits << 6 | u64::from(value & 0x3F);
    }
    if bad == NOT_BASE64 {
        return None;
    }
    let units = [(bits >> 32) as u16, (bits >> 16) as u16, bits as u16];
    units.iter().all(|u| u & 0xF800 != 0xD800).then_some(units)
}

/// Which characters the encoder writes as themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direct {
    /// Set D and SP TAB CR LF.
    SetD,
    /// Set O too.
    WithSetO,
}

/// Encodes; a run is always ended by `-` (some decoders eat another terminator, some drop an open run).
pub(crate) fn encode(text: &str, direct: Direct) -> Vec<u8> {
    let stays = |c: char| match c {
        'A'..='Z' | 'a'..='z' | '0'..='9' => true,
        '\'' | '(' | ')' | ',' | '-' | '.' | '/' | ':' | '?' | ' ' | '\t' | '\r' | '\n' => true,
        '!'..='}' => direct == Direct::WithSetO && c != '+' && c != '\\',
        _ => false,
    };
    let mut out = Vec::with_capacity(text.len() + 8);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if stays(c) {
            out.push(c as u8);
            continue;
        }
        if c == '+' && chars.peek().is_none_or(|next| stays(*next) || *next == '+') {
            out.extend_from_slice(b"+-");
            continue;
        }
        out.push(b'+');
        let mut base64 = Base64::new(b'/');
        base64.push(c, &mut out);
        while let Some(next) = chars.next_if(|next| !stays(*next)) {
            base64.push(next, &mut out);
        }
        base64.finish(&mut out);
        out.push(b'-');
    }
    out
}

/// The modified base64 of UTF-16 units.
pub(crate) struct Base64 {
    last_digit: u8,
    pending: u32,
    bits: u32,
}

impl Base64 {
    pub(crate) fn new(last_digit: u8) -> Self {
        Self { last_digit, pending: 0, bits: 0 }
    }

    pub(crate) fn push(&mut self, c: char, out: &mut Vec<u8>) {
        for unit in c.encode_utf16(&mut [0; 2]) {
            self.pending = self.pending << 16 | u32::from(*unit);
            self.bits += 16;
            while self.bits >= 6 {
                self.bits -= 6;
                out.push(digit((self.pending >> self.bits & 0x3F) as u8, self.last_digit));
            }
        }
    }

    pub(crate) fn finish(self, out: &mut Vec<u8>) {
        if self.bits > 0 {
            out.push(digit((self.pending << (6 - self.bits) & 0x3F) as u8, self.last_digit));
        }
    }
}
