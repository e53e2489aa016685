//! Decodes and encodes BOCU-1 (Unicode Technical Note 6): each character is its distance from the middle of the previous one's script.
//!
//! Control characters and SPACE are ASCII bytes. Controls, including line ends, also reset the state. So damage ends with its
//! line.
//!
//! ```text
//! 21   22-24  25-4F  50-CF  D0-FA  FB-FD  FE   FF
//! 4     3      2       1      2      3    4    reset      bytes by lead byte
//! ```
//!
//! # Limits
//! A few control characters may be trail bytes, as the definition allows: all except NUL, 07-0F, SUB, ESC and SPACE.

use crate::decode::{Chunk, Decode};
use crate::encoder_machine::{Encode, Out};
use crate::loss::LossKind;
use crate::options::DecodeOptions;
use crate::sink::Sink;
use std::ops::{ControlFlow, Range};

/// The lead byte of distance 0.
const MIDDLE: i32 = 0x90;
/// Values of a trail byte.
const TRAILS: i32 = 243;
/// Lead bytes of two bytes, to either side.
const LEADS_2: i32 = 43;
/// Lead bytes of three bytes, to either side.
const LEADS_3: i32 = 3;
/// Range of the distances that need one, two and three bytes.
const REACH_1: Range<i32> = -64..64;
const REACH_2: Range<i32> = REACH_1.start - LEADS_2 * TRAILS..REACH_1.end + LEADS_2 * TRAILS;
const REACH_3: Range<i32> =
    REACH_2.start - LEADS_3 * TRAILS * TRAILS..REACH_2.end + LEADS_3 * TRAILS * TRAILS;
const RESET: u8 = 0xFF;
/// The code point from which the distance of the first character of a text or line is counted.
const START: i32 = 0x40;
/// The control characters that are trail bytes of the values 0 to 19.
const CONTROL_TRAILS: [u8; 20] = [
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19,
    0x1C, 0x1D, 0x1E, 0x1F,
];

/// A BOCU-1 decoder.
#[derive(Clone, Debug)]
pub(crate) struct Bocu1Decoder {
    from: i32,
    /// True if a byte order mark at the start is removed.
    strips_mark: bool,
    begun: bool,
}

impl Decode for Bocu1Decoder {
    /// Leaves at most three bytes.
    #[inline(always)]
    fn step(&mut self, rest: Chunk<'_>, sink: &mut Sink<'_>) -> Option<usize> {
        let lead = rest.bytes[0];
        match lead {
            0..0x20 => {
                self.from = START;
                self.put(char::from(lead), rest.range(1), sink);
                return Some(1);
            }
            b' ' => {
                self.put(' ', rest.range(1), sink);
                return Some(1);
            }
            RESET => {
                self.from = START;
                return Some(1);
            }
            _ => {}
        }
        let (mut distance, trails) = lead_of(lead);
        let behind = &rest.bytes[1..];
        let mut found = 0;
        while let Some(value) = behind
            .get(found)
            .filter(|_| found < trails)
            .copied()
            .and_then(trail_of)
        {
            distance = distance * TRAILS + value;
            found += 1;
        }
        if found < trails && found == behind.len() && !rest.last {
            return None;
        }
        let range = rest.range(1 + found);
        if found < trails {
            self.damage(range, LossKind::Truncated, sink);
        } else {
            self.scalar(self.from + distance + offset_of(lead), range, sink);
        }
        Some(1 + found)
    }
}

impl Bocu1Decoder {
    pub(crate) fn new(options: DecodeOptions) -> Self {
        Self {
            from: START,
            strips_mark: options.strips_mark(),
            begun: false,
        }
    }

    #[inline(always)]
    fn scalar(&mut self, scalar: i32, range: Range<u64>, sink: &mut Sink<'_>) {
        match u32::try_from(scalar).map(char::from_u32) {
            Ok(Some(c)) => {
                self.from = middle_of(c);
                self.put(c, range, sink);
            }
            _ if (0xD800..0xE000).contains(&scalar) => {
                self.damage(range, LossKind::Surrogate, sink);
            }
            _ => self.damage(range, LossKind::TooLarge, sink),
        }
    }

    #[inline(always)]
    fn put(&mut self, c: char, range: Range<u64>, sink: &mut Sink<'_>) {
        if !self.begun && self.strips_mark && c == '\u{FEFF}' {
            sink.note(range, LossKind::ByteOrderMark);
        } else {
            sink.put_char(c);
        }
        self.begun = true;
    }

    fn damage(&mut self, range: Range<u64>, kind: LossKind, sink: &mut Sink<'_>) {
        self.from = START;
        self.begun = true;
        sink.replace(range, kind);
    }
}

/// A BOCU-1 encoder.
#[derive(Clone, Debug)]
pub(crate) struct Bocu1Encoder {
    from: i32,
}

impl Default for Bocu1Encoder {
    fn default() -> Self {
        Self { from: START }
    }
}

impl Encode for Bocu1Encoder {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        for c in text.chars() {
            match c {
                ' ' => out.push(b' '),
                '\0'..' ' => {
                    self.from = START;
                    out.push(c as u8);
                }
                _ => {
                    write_distance(c as i32 - self.from, out.bytes);
                    self.from = middle_of(c);
                }
            }
        }
        ControlFlow::Continue(())
    }
}

fn write_distance(distance: i32, out: &mut Vec<u8>) {
    let (trails, mut rest, first) = match distance {
        _ if REACH_1.contains(&distance) => (0, distance, MIDDLE),
        0.. if REACH_2.contains(&distance) => (1, distance - REACH_1.end, 0xD0),
        0.. if REACH_3.contains(&distance) => (2, distance - REACH_2.end, 0xFB),
        0.. => (3, distance - REACH_3.end, 0xFE),
        _ if REACH_2.contains(&distance) => (1, distance - REACH_1.start, 0x50),
        _ if REACH_3.contains(&distance) => (2, distance - REACH_2.start, 0x25),
        _ => (3, distance - REACH_3.start, 0x22),
    };
    let mut bytes = [0; 4];
    for byte in bytes[1..=trails].iter_mut().rev() {
        *byte = trail_byte(rest.rem_euclid(TRAILS));
        rest = rest.div_euclid(TRAILS);
    }
    bytes[0] = (first + rest) as u8;
    out.extend_from_slice(&bytes[..=trails]);
}

/// The value of a lead byte, which the trail bytes are appended to, and their number.
#[inline]
fn lead_of(lead: u8) -> (i32, usize) {
    let value = i32::from(lead);
    match lead {
        0x50..0xD0 => (value - MIDDLE, 0),
        0xD0..0xFB => (value - 0xD0, 1),
        0xFB..0xFE => (value - 0xFB, 2),
        0xFE.. => (value - 0xFE, 3),
        0x25.. => (value - 0x50, 1),
        0x22.. => (value - 0x25, 2),
        _ => (value - 0x22, 3),
    }
}

/// The distance at which the range of a lead byte's length begins.
#[inline]
fn offset_of(lead: u8) -> i32 {
    match lead {
        0x50..0xD0 => 0,
        0xD0..0xFB => REACH_1.end,
        0xFB..0xFE => REACH_2.end,
        0xFE.. => REACH_3.end,
        0x25.. => REACH_1.start,
        0x22.. => REACH_2.start,
        _ => REACH_3.start,
    }
}

fn trail_of(byte: u8) -> Option<i32> {
    match byte {
        0x21.. => Some(i32::from(byte) - 13),
        _ => CONTROL_TRAILS
            .iter()
            .position(|control| *control == byte)
            .map(|value| value as i32),
    }
}

fn trail_byte(value: i32) -> u8 {
    CONTROL_TRAILS
        .get(value as usize)
        .copied()
        .unwrap_or((value + 13) as u8)
}

/// Returns the code point from which the distance of the character after `c` is counted: the middle of the script of `c`.
#[inline]
fn middle_of(c: char) -> i32 {
    match c {
        // Hiragana is not one aligned block of 128 characters.
        '\u{3040}'..='\u{309F}' => 0x3070,
        // From here two bytes reach all unified ideographs.
        '\u{4E00}'..='\u{9FA5}' => 0x4E00 - REACH_2.start,
        '\u{AC00}'..='\u{D7A3}' => i32::midpoint(0xAC00, 0xD7A3),
        _ => (c as i32 & !0x7F) + 0x40,
    }
}
