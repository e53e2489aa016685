//! Validates UTF-8 while copying it, by the method of Keiser and Lemire ("Validating UTF-8 in less than one instruction per byte").
//! Three tables give the possible errors of two adjacent bytes.
//!
//! # Limits
//! None.

use super::scan::kinds;
use super::{bytes, first_bytes, near, twice};
use crate::portable::byte_pairs::BytePairs;
use crate::portable::utf8::Utf8Properties;
use crate::writer::Writer;
use std::arch::x86_64::{
    __m256i, _bzhi_u32, _mm256_alignr_epi8, _mm256_and_si256, _mm256_andnot_si256,
    _mm256_movemask_epi8, _mm256_or_si256, _mm256_permute2x128_si256, _mm256_set1_epi8,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16, _mm256_subs_epu8,
    _mm256_testz_si256, _mm256_xor_si256,
};
use std::hint::select_unpredictable;
use std::ops::Range;

/// See [`BytePairs::append_utf8`]; the source has at least [`NEAR`](super::NEAR) bytes.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn push_utf8(
    pairs: &BytePairs,
    source: &[u8],
    range: Range<usize>,
    text: &mut String,
) -> Option<bool> {
    // The range must be in the source, even if fewer bytes are read.
    let len = source[range.clone()].len();
    let mut out = Writer::new(text);
    out.reserve(len + 32);
    let mut check = Check::new();
    let mut done = 0;
    // The last block ends in at least one zero, before which no character may be truncated.
    while done <= len {
        let block = _mm256_and_si256(near(source, range.start + done), first_bytes(len - done));
        check.feed(pairs, block, len - done);
        // SAFETY: there is room for all blocks: the last one begins at the end of the text, or before it.
        unsafe { out.place(done, bytes(block)) };
        done += 32;
    }
    let is_suspect = check.is_suspect()?;
    // SAFETY: all of these bytes were placed, and found to be whole characters.
    unsafe { out.keep(len) };
    Some(is_suspect)
}

/// See [`BytePairs::check_utf8`]; the source has at least [`NEAR`](super::NEAR) bytes.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn check_utf8(pairs: &BytePairs, source: &[u8]) -> Option<Utf8Properties> {
    let len = source.len();
    let mut check = Check::new();
    let (mut first, mut end, mut count) = (usize::MAX, 0, 0);
    let mut done = 0;
    while done <= len {
        let block = _mm256_and_si256(near(source, done), first_bytes(len - done));
        check.feed(pairs, block, len - done);
        let high = _mm256_movemask_epi8(block) as u32;
        let [lowest, highest] =
            [high.trailing_zeros(), 32 - high.leading_zeros()].map(|bit| done + bit as usize);
        first = first.min(select_unpredictable(high != 0, lowest, usize::MAX));
        end = select_unpredictable(high != 0, highest, end);
        count += high.count_ones() as usize;
        done += 32;
    }
    let is_suspect = check.is_suspect()?;
    Some(Utf8Properties {
        is_suspect,
        eight: first.min(end)..end,
        count,
    })
}

/// See [`append`](crate::ascii::append); the source has at least [`NEAR`](super::NEAR) bytes.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn push_ascii(source: &[u8], range: Range<usize>, text: &mut String) -> bool {
    let len = source[range.clone()].len();
    let mut out = Writer::new(text);
    out.reserve(len + 32);
    let mut high = 0;
    let mut done = 0;
    while done < len {
        let block = near(source, range.start + done);
        high |= _bzhi_u32(
            _mm256_movemask_epi8(block) as u32,
            (len - done).min(32) as u32,
        );
        // SAFETY: there is room for all blocks: the last one begins before the end of the text.
        unsafe { out.place(done, bytes(block)) };
        done += 32;
    }
    if high == 0 {
        // SAFETY: all of these bytes were placed, and found to be ASCII.
        unsafe { out.keep(len) };
    }
    high == 0
}

/// State after the blocks read so far.
struct Check {
    before: __m256i,
    wrong: __m256i,
    found: __m256i,
    /// In the first block, a mask of the first position, whose pair would begin before the text; zero afterwards.
    none: __m256i,
}

impl Check {
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    fn new() -> Self {
        let zero = _mm256_setzero_si256();
        Self {
            before: zero,
            wrong: zero,
            found: zero,
            none: first_bytes(1),
        }
    }

    /// Reads the next block, which has zeros behind the end of the text.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    fn feed(&mut self, pairs: &BytePairs, block: __m256i, left: usize) {
        let border = _mm256_permute2x128_si256::<0x21>(self.before, block);
        let one = _mm256_alignr_epi8::<15>(block, border);
        let kinds = _mm256_and_si256(kinds(pairs, one, block), first_bytes(left + 1));
        self.found = _mm256_or_si256(self.found, _mm256_andnot_si256(self.none, kinds));
        self.none = _mm256_setzero_si256();
        // ASCII after ASCII is always valid.
        if _mm256_movemask_epi8(_mm256_or_si256(self.before, block)) != 0 {
            self.wrong = _mm256_or_si256(self.wrong, faults(border, one, block));
        }
        self.before = block;
    }

    /// Returns whether a pair of the set may occur, or `None` if the text is not valid UTF-8. The last block must end in a zero.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    fn is_suspect(&self) -> Option<bool> {
        (_mm256_testz_si256(self.wrong, self.wrong) != 0)
            .then_some(_mm256_testz_si256(self.found, self.found) == 0)
    }
}

/// Kinds of invalid sequences, a bit for each. `PAIR` marks two continuation bytes, which are valid only where a third or fourth byte
/// is due.
const SHORT: u8 = 1;
const LONG: u8 = 2;
const OVERLONG_3: u8 = 4;
const LARGE: u8 = 8;
const SURROGATE: u8 = 0x10;
const OVERLONG_2: u8 = 0x20;
const LARGE_1000: u8 = 0x40;
const OVERLONG_4: u8 = 0x40;
const PAIR: u8 = 0x80;

/// The possible errors by the high half of a byte.
const FIRST_HIGH: [u8; 16] = {
    let mut table = [LONG; 16];
    let mut i = 8;
    while i < 16 {
        table[i] = match i {
            0xC => SHORT | OVERLONG_2,
            0xD => SHORT,
            0xE => SHORT | OVERLONG_3 | SURROGATE,
            0xF => SHORT | LARGE | LARGE_1000 | OVERLONG_4,
            _ => PAIR,
        };
        i += 1;
    }
    table
};

/// The possible errors by its low half.
const FIRST_LOW: [u8; 16] = {
    const CARRY: u8 = SHORT | LONG | PAIR;
    let mut table = [CARRY; 16];
    let mut i = 0;
    while i < 16 {
        table[i] |= match i {
            0 => OVERLONG_3 | OVERLONG_2 | OVERLONG_4,
            1 => OVERLONG_2,
            2 | 3 => 0,
            4 => LARGE,
            0xD => LARGE | LARGE_1000 | SURROGATE,
            _ => LARGE | LARGE_1000,
        };
        i += 1;
    }
    table
};

/// The possible errors by the high half of the next byte.
const SECOND_HIGH: [u8; 16] = {
    let mut table = [SHORT; 16];
    table[8] = LONG | OVERLONG_2 | PAIR | OVERLONG_3 | LARGE_1000 | OVERLONG_4;
    table[9] = LONG | OVERLONG_2 | PAIR | OVERLONG_3 | LARGE;
    table[0xA] = LONG | OVERLONG_2 | PAIR | SURROGATE | LARGE;
    table[0xB] = table[0xA];
    table
};

/// Returns a value that is not zero where a block is invalid, given the bytes before it. A character that is truncated at the end of the
/// block is found with the next block.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn faults(border: __m256i, one: __m256i, block: __m256i) -> __m256i {
    let two = _mm256_alignr_epi8::<14>(block, border);
    let three = _mm256_alignr_epi8::<13>(block, border);
    let all = |byte: u8| _mm256_set1_epi8(byte as i8);
    let low = |vector: __m256i| _mm256_and_si256(vector, all(0xF));
    let high = |vector: __m256i| low(_mm256_srli_epi16::<4>(vector));
    let look = |table: &[u8; 16], half: __m256i| _mm256_shuffle_epi8(twice(table), half);
    let special = _mm256_and_si256(
        _mm256_and_si256(look(&FIRST_HIGH, high(one)), look(&FIRST_LOW, low(one))),
        look(&SECOND_HIGH, high(block)),
    );
    // The highest bit where a sequence of three or four bytes has its third or fourth.
    let due = _mm256_or_si256(
        _mm256_subs_epu8(two, all(0xE0 - 0x80)),
        _mm256_subs_epu8(three, all(0xF0 - 0x80)),
    );
    _mm256_xor_si256(_mm256_and_si256(due, all(0x80)), special)
}
