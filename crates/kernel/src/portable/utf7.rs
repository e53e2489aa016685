//! Decodes UTF-7.
//!
//! # Limits
//! None.

use super::base64::{NOT_A_DIGIT, VALUES};
use crate::packed::Packed;
use crate::writer::Writer;

/// True for direct bytes, which stand for themselves: Set D, Set O, and SP TAB CR LF.
pub const DIRECT: [bool; 256] = direct_bytes(b"+\\~", b"\t\r\n");

/// Builds a table such as [`DIRECT`]: SP and printable ASCII without the bytes `except`, plus the bytes `and`.
pub const fn direct_bytes(except: &[u8], and: &[u8]) -> [bool; 256] {
    let mut direct = [false; 256];
    let mut b = b' ';
    while b < 0x7F {
        direct[b as usize] = true;
        b += 1;
    }
    let mut i = 0;
    while i < except.len() {
        direct[except[i] as usize] = false;
        i += 1;
    }
    let mut i = 0;
    while i < and.len() {
        direct[and[i] as usize] = true;
        i += 1;
    }
    direct
}

// `copy_direct` stores valid UTF-8 because these bytes are ASCII.
const _: () = {
    let mut byte = 0x80;
    while byte < 0x100 {
        assert!(!DIRECT[byte], "direct bytes are ASCII");
        byte += 1;
    }
};

/// What [`append_run`](crate::utf7::append_run) read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadRun {
    /// Number of base64 digits.
    pub chars: usize,
    /// Number of UTF-16 units that were complete and appended.
    pub units: usize,
    /// The value of the last three digits, or of all if there are fewer; six bits each, right-aligned.
    pub last: u32,
    /// Number of units that are printable ASCII.
    pub ascii: u32,
    /// Number of units below 80 that are not printable.
    pub controls: u32,
}

/// What [`append_text`](crate::utf7::append_text) read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadText {
    /// Number of bytes of the input.
    pub bytes: usize,
    /// Number of characters in runs of base64 that are printable ASCII.
    pub ascii: u64,
    /// Number of characters in runs of base64 below 80 that are not printable.
    pub controls: u64,
}

impl ReadText {
    /// Adds what was read of a run.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub(crate) fn add(&mut self, run: Self) {
        self.bytes += run.bytes;
        self.ascii += run.ascii;
        self.controls += run.controls;
    }

    /// Counts the ASCII characters at the start of a text.
    #[cfg(target_arch = "x86_64")]
    #[cold]
    #[inline(never)]
    pub(crate) fn count(&mut self, text: [u8; 16], len: usize) {
        let mut counts = ReadRun::default();
        text[..len]
            .iter()
            .filter(|byte| byte.is_ascii())
            .for_each(|byte| counts.count(u16::from(*byte)));
        self.ascii += u64::from(counts.ascii);
        self.controls += u64::from(counts.controls);
    }
}

/// Returns true if a run ends without a defect: fewer than six bits are left over, they are zero, and no `=` follows.
///
/// `digits` is the number of digits of the run. A multiple of eight may be missing, because eight digits are three whole units. `last` is the
/// byte before `terminator`.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn ends_without_defect(digits: usize, last: u8, terminator: u8) -> bool {
    let spare = digits * 6 % 16;
    let surplus = VALUES[usize::from(last)] & ((1_u32 << spare) - 1) as u8;
    spare < 6 && surplus == 0 && terminator != b'='
}

/// Appends the direct bytes at the start and returns their number.
pub(crate) fn copy_direct(input: &[u8], out: &mut Writer<'_>) -> usize {
    let mut at = 0;
    while let Some(block) = input[at..].first_chunk::<8>() {
        let len = block
            .iter()
            .position(|byte| !DIRECT[usize::from(*byte)])
            .unwrap_or(8);
        out.reserve(8);
        // SAFETY: there is room, and direct bytes are ASCII.
        unsafe { out.store(*block, len) };
        at += len;
        if len < 8 {
            return at;
        }
    }
    for byte in input[at..]
        .iter()
        .take_while(|byte| DIRECT[usize::from(**byte)])
    {
        out.reserve(1);
        // SAFETY: there is room, and direct bytes are ASCII.
        unsafe { out.store([*byte], 1) };
        at += 1;
    }
    at
}

/// Portable loop: reads eight characters, which are three units, in one step.
pub(crate) fn portable(input: &[u8], out: &mut Writer<'_>) -> ReadRun {
    let mut read = ReadRun::default();
    while let Some(units) = input[read.chars..]
        .first_chunk::<8>()
        .and_then(|block| three_units(*block))
    {
        out.reserve(3 * 4);
        for unit in units {
            // SAFETY: there is room for four bytes for each of the three.
            unsafe { out.put(Packed::unit(unit)) };
            read.count(unit);
        }
        read.chars += 8;
        read.units += 3;
    }
    read.last_of(input);
    read
}

impl ReadRun {
    #[inline]
    pub(crate) fn count(&mut self, unit: u16) {
        self.ascii += u32::from((0x20..0x7F).contains(&unit));
        self.controls += u32::from(unit < 0x20 || unit == 0x7F);
    }

    /// Sets the value of the last characters read.
    #[inline]
    pub(crate) fn last_of(&mut self, input: &[u8]) {
        let from = self.chars.saturating_sub(3);
        let value = |last, byte: &u8| last << 6 | u32::from(VALUES[usize::from(*byte)]);
        self.last = input[from..self.chars].iter().fold(0, value);
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
    if bad == NOT_A_DIGIT {
        return None;
    }
    let units = [(bits >> 32) as u16, (bits >> 16) as u16, bits as u16];
    units.iter().all(|u| u & 0xF800 != 0xD800).then_some(units)
}
