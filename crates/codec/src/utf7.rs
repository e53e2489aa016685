//! Decodes UTF-7 (RFC 2152), and its form for mailbox names (RFC 3501, section 5.1.3) if that is the label of a text.
//!
//! Lenient and strict decoding give the same text; only lenient decoding removes a byte order mark. Input that RFC 2152 does
//! not allow is decoded with the least loss, and reported.
//!
//! # Limits
//! Without their repairs, an `=` behind a run is text and an 8-bit byte is U+FFFD. Reports only how many ASCII characters came
//! from base64, not which.

use crate::decode::{Chunk, Decode, progress};
use crate::loss::LossKind;
use crate::options::{DecodeOptions, Repair};
use crate::sink::Sink;
use mailglot_kernel::base64::{NOT_A_DIGIT, VALUES, digit, values};
use mailglot_kernel::utf7::{DIRECT, ReadRun, append_run, append_text, direct_bytes};
use std::ops::Range;

mod encode;

pub(crate) use encode::{Direct, Utf7Encoder};

const IMAP_VALUES: [u8; 256] = values(b',');
const IMAP_DIRECT: [bool; 256] = direct_bytes(b"&", b"");

/// Returns true if every byte is direct, without a defect.
pub(crate) fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().all(|b| DIRECT[usize::from(*b)])
}

/// Returns true if there are bytes above 7F and all of them are well-formed UTF-8. Use [`Repair::Utf7EightBit`] for such a part
/// that is labelled UTF-7.
pub fn carries_utf8(bytes: &[u8]) -> bool {
    !bytes.is_ascii() && simdutf8::basic::from_utf8(bytes).is_ok()
}

/// A UTF-7 decoder, or one of modified UTF-7.
#[derive(Clone, Debug, Default)]
pub(crate) struct Utf7Decoder<const IMAP: bool> {
    options: DecodeOptions,
    run: Option<Run>,
    /// A pending high surrogate and the range of its base64 characters.
    high: Option<(u16, Range<u64>)>,
    /// The high surrogate came from an earlier run, which ended in `-` just before.
    high_of_earlier_run: bool,
    /// A run ended in `-` just before.
    after_run: bool,
    /// Something was decoded already.
    begun: bool,
}

/// The kind of an 8-bit byte.
enum EightBit {
    Damage,
    /// The start of a character in UTF-8.
    Utf8(char),
    /// Perhaps one: more bytes must be seen.
    Cut,
}

/// A run in work.
#[derive(Clone, Debug, Default)]
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
    /// `=` behind the base64 characters, where padding is dropped.
    padding: u64,
    /// Another run ended just before this one.
    adjacent: bool,
}

impl Run {
    fn new(start: u64, adjacent: bool) -> Self {
        Self {
            start,
            adjacent,
            ..Self::default()
        }
    }

    /// Counts in what was read from a place where no bits were left over.
    fn take(&mut self, read: &ReadRun) {
        self.chars += read.chars as u64;
        self.units += read.units as u64;
        self.last = read.last;
        self.bits = (read.chars * 6 - read.units * 16) as u32;
    }

    /// The number of `=` that make the run's length a multiple of four.
    fn wanted_padding(&self) -> u64 {
        match self.chars % 4 {
            _ if self.chars < 3 => 0,
            2 => 2,
            3 => 1,
            _ => 0,
        }
    }
}

impl<const IMAP: bool> Decode for Utf7Decoder<IMAP> {
    /// Leaves at most three bytes.
    #[inline(always)]
    fn step(&mut self, rest: Chunk<'_>, sink: &mut Sink<'_>) -> Option<usize> {
        match self.run.take() {
            Some(run) => Some(self.shifted(run, rest.bytes, sink)),
            None => self.direct(rest, sink),
        }
    }

    fn end(&mut self, end: u64, sink: &mut Sink<'_>) {
        let open = self.run.take();
        let long = !IMAP
            && open
                .as_ref()
                .is_some_and(|run| run.chars >= 3 && run.padding == 0);
        if let Some(run) = open {
            self.close_padded(&run, None, sink);
        }
        self.drop_high(sink);
        if long {
            sink.note(end..end, LossKind::UnterminatedRun);
        }
    }

    fn expected_len(&self, bytes: &[u8]) -> usize {
        // Sixteen digits are six bytes, which are nine of text at most; and room for the last step of the inner loops.
        let n = bytes.len();
        if IMAP {
            n + n / 2 + 16
        } else {
            n + n / 8 + 160
        }
    }
}

impl<const IMAP: bool> Utf7Decoder<IMAP> {
    const SHIFT: u8 = if IMAP { b'&' } else { b'+' };
    const LAST_DIGIT: u8 = if IMAP { b',' } else { b'/' };
    const VALUES: &'static [u8; 256] = if IMAP { &IMAP_VALUES } else { &VALUES };
    const DIRECT: &'static [bool; 256] = if IMAP { &IMAP_DIRECT } else { &DIRECT };

    pub(crate) fn new(options: DecodeOptions) -> Self {
        Self {
            options,
            ..Self::default()
        }
    }

    /// Reads direct characters; returns their number, or `None` if more bytes must be seen.
    fn direct(&mut self, rest: Chunk<'_>, sink: &mut Sink<'_>) -> Option<usize> {
        let bytes = rest.bytes;
        let adjacent = std::mem::take(&mut self.after_run);
        if bytes[0] == Self::SHIFT {
            self.high_of_earlier_run = self.high.is_some();
            self.run = Some(Run::new(rest.base, adjacent));
            return Some(1);
        }
        self.drop_high(sink);
        self.begun = true;
        let mut at = 0;
        while at < bytes.len() && bytes[at] != Self::SHIFT {
            if !IMAP {
                let read = append_text(&bytes[at..], sink.text);
                sink.count_shifted(read.ascii, read.controls);
                at += read.bytes;
            }
            let Some(byte) = bytes.get(at).copied().filter(|byte| *byte != Self::SHIFT) else {
                break;
            };
            let here = rest.behind(at);
            at += 1;
            if byte >= 0x80 {
                match self.eight_bit(here.bytes, rest.last) {
                    EightBit::Damage => sink.replace(here.range(1), LossKind::EightBit),
                    EightBit::Cut => return progress(at - 1),
                    EightBit::Utf8(c) => {
                        at += c.len_utf8() - 1;
                        sink.record(here.range(c.len_utf8()), LossKind::Utf8InUtf7);
                        sink.put_char(c);
                    }
                }
                continue;
            }
            if !Self::DIRECT[usize::from(byte)] {
                sink.record(here.range(1), LossKind::DirectNotAllowed);
            }
            sink.put_ascii_byte(byte);
        }
        Some(at)
    }

    /// Returns the kind of the 8-bit byte at the start of `rest`.
    fn eight_bit(&self, rest: &[u8], last: bool) -> EightBit {
        if !self.options.repairs(Repair::Utf7EightBit) {
            return EightBit::Damage;
        }
        let near = &rest[..rest.len().min(4)];
        let valid = match std::str::from_utf8(near) {
            Ok(text) => text,
            Err(e) if e.valid_up_to() == 0 && e.error_len().is_none() && !last => {
                return EightBit::Cut;
            }
            Err(e) => std::str::from_utf8(&near[..e.valid_up_to()]).unwrap_or_default(),
        };
        valid
            .chars()
            .next()
            .map_or(EightBit::Damage, EightBit::Utf8)
    }

    /// Reads base64 characters of a run; returns their number.
    fn shifted(&mut self, mut run: Run, input: &[u8], sink: &mut Sink<'_>) -> usize {
        let mut at = 0;
        loop {
            if !IMAP && run.bits == 0 && run.padding == 0 && self.high.is_none() && self.begun {
                let read = append_run(&input[at..], sink.text);
                if read.chars > 0 {
                    run.take(&read);
                    sink.count_shifted(read.ascii.into(), read.controls.into());
                    at += read.chars;
                }
            }
            let Some(byte) = input.get(at) else {
                self.run = Some(run);
                return at;
            };
            let value = Self::VALUES[usize::from(*byte)];
            if value == NOT_A_DIGIT || run.padding > 0 {
                if *byte == b'='
                    && run.padding < run.wanted_padding()
                    && self.options.repairs(Repair::Utf7Padding)
                {
                    run.padding += 1;
                    at += 1;
                    continue;
                }
                return at + usize::from(self.close_padded(&run, Some(*byte), sink));
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
                self.unit((run.last >> run.bits) as u16, first..end, sink);
            }
        }
    }

    /// Takes one UTF-16 unit, carried by the base64 characters `from`.
    fn unit(&mut self, unit: u16, from: Range<u64>, sink: &mut Sink<'_>) {
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
            0xFEFF if !self.begun && self.options.strips_mark() => {
                sink.note(from, LossKind::ByteOrderMark);
            }
            _ => {
                if IMAP && matches!(unit, 0x20..0x7F) {
                    sink.record(from, LossKind::NotCanonical);
                }
                sink.shifted(u32::from(unit));
                sink.put_unit(unit);
            }
        }
        self.begun = true;
    }

    /// Ends a run behind its padding; true if the terminator was absorbed.
    fn close_padded(&mut self, run: &Run, terminator: Option<u8>, sink: &mut Sink<'_>) -> bool {
        let padding = run.padding > 0 && run.padding == run.wanted_padding();
        let absorbed = terminator == Some(b'-') && (padding || run.padding == 0);
        let end = run.start + 1 + run.chars;
        // Padding that is too short is text, which ends the run itself.
        self.close(
            run,
            if absorbed || run.padding == 0 {
                terminator
            } else {
                Some(b'=')
            },
            sink,
        );
        if padding {
            sink.record(end..end + run.padding, LossKind::PaddedRun);
        } else {
            (0..run.padding).for_each(|_| sink.put_char('='));
        }
        absorbed
    }

    /// Ends a run at `terminator`, or at the end of the text.
    fn close(&mut self, run: &Run, terminator: Option<u8>, sink: &mut Sink<'_>) {
        let end = run.start + 1 + run.chars;
        let absorbed = terminator == Some(b'-');
        if IMAP && run.chars > 0 && run.adjacent {
            sink.record(run.start..run.start + 1, LossKind::NotCanonical);
        }
        self.after_run = absorbed && run.chars > 0;
        if run.chars < 3 {
            // No room for a unit: never UTF-7, so the bytes stand for themselves.
            self.drop_high(sink);
            self.begun = true;
            sink.put_char(char::from(Self::SHIFT));
            if run.chars == 0 {
                if !absorbed {
                    sink.record(run.start..end, LossKind::PlusNotShift);
                }
                return;
            }
            for i in (0..run.chars as u32).rev() {
                sink.put_char(char::from(digit(
                    (run.last >> (6 * i) & 0x3F) as u8,
                    Self::LAST_DIGIT,
                )));
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
            if IMAP {
                sink.record(end..end, LossKind::NotCanonical);
            }
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
