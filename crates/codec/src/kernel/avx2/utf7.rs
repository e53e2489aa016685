//! UTF-7.
//!
//! # Limits
//! None.

use super::super::utf7::{Shifted, Text};
use super::super::writer::Writer;
use super::units::{eight_units, surrogates};
use super::{load, twice, unit_array};
use crate::utf7::{DIRECT, NOT_BASE64, VALUES};
use std::arch::x86_64::{
    __m256i, _mm256_add_epi8, _mm256_and_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi8,
    _mm256_extracti128_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_movemask_epi8,
    _mm256_permutevar8x32_epi32, _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_setr_epi32,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16,
};

/// See [`text`](super::super::utf7::text); stops where fewer than 32 bytes are left, and before a run that is long or not plain.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn text(input: &[u8], out: &mut Writer<'_>) -> Text {
    let mut read = Text::default();
    while let Some(block) = input[read.bytes..].first_chunk::<32>() {
        let len = members(load(block), &DIRECT_CLASS).trailing_ones() as usize;
        out.reserve(32);
        // SAFETY: there is room, and direct bytes are ASCII.
        unsafe { out.store(*block, len) };
        read.bytes += len;
        if len < 32 {
            match plain_run(&input[read.bytes..], &mut read, out) {
                0 => break,
                len => read.bytes += len,
            }
        }
    }
    read
}

/// Appends the characters of a whole run at the start of `input`, `+` and `-` with it, if it has eight at most and
/// there is nothing to be told of it; returns the number of bytes read.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn plain_run(input: &[u8], read: &mut Text, out: &mut Writer<'_>) -> usize {
    let Some((b'+', rest)) = input.split_first() else { return 0 };
    let Some(block) = rest.first_chunk::<32>() else { return 0 };
    let characters = load(block);
    let chars = members(characters, &BASE64_CLASS).trailing_ones();
    let count = chars * 6 / 16;
    if count == 0 || count > 8 {
        return 0;
    }
    let spare = chars * 6 % 16;
    let surplus = VALUES[usize::from(block[chars as usize - 1])] & ((1_u32 << spare) - 1) as u8;
    let units = twelve_units(characters);
    let counted = (1 << count) - 1;
    let halves = surrogates(units) & ((1 << (2 * count)) - 1);
    let terminator = block[chars as usize];
    if spare >= 6 || surplus != 0 || halves != 0 || terminator == b'=' {
        return 0;
    }
    out.reserve(48);
    // SAFETY: there is room, and none of the units counted is half of a pair.
    let ones = unsafe { eight_units(_mm256_castsi256_si128(units), count, out) } & counted;
    if ones != 0 {
        let units = unit_array(units);
        let mut counts = Shifted::default();
        (0..8).filter(|i| ones >> i & 1 == 1).for_each(|i| counts.count(units[i]));
        read.ascii += u64::from(counts.ascii);
        read.controls += u64::from(counts.controls);
    }
    1 + chars as usize + usize::from(terminator == b'-')
}

/// See [`shifted`](super::super::utf7::shifted).
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn shifted(input: &[u8], out: &mut Writer<'_>) -> Shifted {
    let mut read = Shifted::default();
    loop {
        let rest = &input[read.chars..];
        let characters = if let Some(block) = rest.first_chunk::<32>() {
            load(block)
        } else {
            let mut block = [0; 32];
            block[..rest.len()].copy_from_slice(rest);
            load(&block)
        };
        let chars = members(characters, &BASE64_CLASS).trailing_ones();
        let count = chars * 6 / 16;
        let units = twelve_units(characters);
        if surrogates(units) & ((1 << (2 * count)) - 1) != 0 {
            break;
        }
        out.reserve(64);
        // SAFETY: there is room for 64 bytes, of which the first eight units take 24 at most; none of those counted is
        // half of a pair.
        let mut ones = unsafe { eight_units(_mm256_castsi256_si128(units), count.min(8), out) };
        if count > 8 {
            // SAFETY: as above.
            ones |= unsafe { eight_units(_mm256_extracti128_si256::<1>(units), count - 8, out) } << 8;
        }
        ones &= (1 << count) - 1;
        if ones != 0 {
            let units = unit_array(units);
            (0..12).filter(|i| ones >> i & 1 == 1).for_each(|i| read.count(units[i]));
        }
        read.chars += chars as usize;
        read.units += count as usize;
        if chars < 32 {
            break;
        }
    }
    read.last_of(input);
    read
}

/// The units of 32 base64 characters, in the first twelve places; nonsense where the characters are others.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn twelve_units(characters: __m256i) -> __m256i {
    const UNITS: [u8; 16] = [1, 2, 6, 0, 4, 5, 9, 10, 14, 8, 12, 13, 0x80, 0x80, 0x80, 0x80];
    let row = _mm256_and_si256(_mm256_srli_epi16::<4>(characters), _mm256_set1_epi8(0xF));
    let is_slash = _mm256_cmpeq_epi8(characters, _mm256_set1_epi8(b'/' as i8));
    let offset = _mm256_shuffle_epi8(twice(&VALUE_OFFSETS), _mm256_add_epi8(row, is_slash));
    // What is no digit must not spill into the digit before it.
    let values = _mm256_and_si256(_mm256_add_epi8(characters, offset), _mm256_set1_epi8(0x3F));
    // Two times six bits, then four times: 24 bits in each number of 32.
    let pairs = _mm256_maddubs_epi16(values, _mm256_set1_epi16(0x0140));
    let bits = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x0001_1000));
    let units = _mm256_shuffle_epi8(bits, twice(&UNITS));
    _mm256_permutevar8x32_epi32(units, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7))
}

/// A table for a class of bytes: a byte is in it if `low[byte & 15] & high[byte >> 4]` is 0. Rows of sixteen bytes that
/// have the same members share a bit; there may be eight different ones.
struct Class {
    low: [u8; 16],
    high: [u8; 16],
}

impl Class {
    const fn new(members: &[bool; 256]) -> Self {
        let mut class = Self { low: [0; 16], high: [0; 16] };
        // Rows that were seen, by number; a row all of whose bytes are members needs no bit.
        let mut row = 0;
        let mut bit = 1_u8;
        while row < 16 {
            let mut same = 0;
            while same < row && !Self::alike(members, same, row) {
                same += 1;
            }
            if same < row {
                class.high[row] = class.high[same];
            } else {
                class.high[row] = bit;
                let mut column = 0;
                while column < 16 {
                    if !members[row * 16 + column] {
                        class.low[column] |= bit;
                    }
                    column += 1;
                }
                bit = bit.wrapping_shl(1);
            }
            row += 1;
        }
        let mut byte = 0;
        while byte < 256 {
            let is_member = class.low[byte & 15] & class.high[byte >> 4] == 0;
            assert!(is_member == members[byte], "too many rows that differ");
            byte += 1;
        }
        class
    }

    const fn alike(members: &[bool; 256], one: usize, other: usize) -> bool {
        let mut column = 0;
        while column < 16 {
            if members[one * 16 + column] != members[other * 16 + column] {
                return false;
            }
            column += 1;
        }
        true
    }
}

const DIRECT_CLASS: Class = Class::new(&DIRECT);
const BASE64_CLASS: Class = {
    let mut members = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        members[byte] = VALUES[byte] != NOT_BASE64;
        byte += 1;
    }
    Class::new(&members)
};

/// What to add to a base64 character to get its value, by its high four bits; `/` has the place before its own.
const VALUE_OFFSETS: [u8; 16] = {
    let mut offsets = [0; 16];
    offsets[1] = 63_u8.wrapping_sub(b'/');
    offsets[2] = 62_u8.wrapping_sub(b'+');
    offsets[3] = 52_u8.wrapping_sub(b'0');
    offsets[4] = 0_u8.wrapping_sub(b'A');
    offsets[5] = offsets[4];
    offsets[6] = 26_u8.wrapping_sub(b'a');
    offsets[7] = offsets[6];
    offsets
};

/// A bit for each byte that is in the class.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn members(block: __m256i, class: &Class) -> u32 {
    let low = _mm256_and_si256(block, _mm256_set1_epi8(0xF));
    let high = _mm256_and_si256(_mm256_srli_epi16::<4>(block), _mm256_set1_epi8(0xF));
    let faults = _mm256_and_si256(
        _mm256_shuffle_epi8(twice(&class.low), low),
        _mm256_shuffle_epi8(twice(&class.high), high),
    );
    _mm256_movemask_epi8(_mm256_cmpeq_epi8(faults, _mm256_setzero_si256())) as u32
}
