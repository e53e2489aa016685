//! Decodes UTF-7, up to 64 bytes or base64 digits at a time.
//!
//! # Limits
//! Stops before a run with a defect, as the AVX2 loop does.

use super::units::{put, surrogates};
use super::{BLOCK, SEXTETS, all, joined, load, near, store};
use crate::avx2;
use crate::portable::utf7::{DIRECT, ReadText, ends_plainly};
use crate::writer::Writer;
use std::arch::x86_64::{
    __m512i, _mm512_and_si512, _mm512_cmpeq_epi32_mask, _mm512_cmplt_epu32_mask,
    _mm512_maskz_permutexvar_epi8, _mm512_movepi8_mask, _mm512_or_si512, _mm512_permutex2var_epi8,
    _mm512_set1_epi32,
};

/// Number of units in 64 digits, and in each half of them.
const UNITS: usize = 24;
const HALF: usize = 12;

/// Positions of the low and the high byte of each unit, in numbers of 32 bits, for each half of the units. Four digits make three bytes, the
/// highest first, in a number of 32 bits.
const UNIT_BYTES: [[u8; BLOCK]; 2] = {
    let mut places = [[0; BLOCK]; 2];
    let mut unit = 0;
    while unit < UNITS {
        let mut byte = 0;
        while byte < 2 {
            let from = 2 * unit + 1 - byte;
            places[unit / HALF][unit % HALF * 4 + byte] = (from / 3 * 4 + 2 - from % 3) as u8;
            byte += 1;
        }
        unit += 1;
    }
    places
};
/// The bytes that [`UNIT_BYTES`] sets. All others are zero.
const UNIT_BYTE_MASK: u64 = 0x3333_3333_3333;
/// Length of a run of four units with `+` and `-`.
const LONGEST_SHORT: usize = 13;

/// The highest bit is set for bytes that are not direct.
const NOT_DIRECT: [[u8; BLOCK]; 2] = {
    let mut table = [[0; BLOCK]; 2];
    let mut byte = 0;
    while byte < 2 * BLOCK {
        if !DIRECT[byte] {
            table[byte / BLOCK][byte % BLOCK] = 0x80;
        }
        byte += 1;
    }
    table
};

/// See [`append_text`](crate::utf7::append_text); stops before a run with a defect.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn text(input: &[u8], text: &mut String) -> ReadText {
    let mut out = Writer::new(text);
    let mut read = ReadText::default();
    loop {
        out = avx2::short_runs(input, out, &mut read);
        // Text with one long run usually has more long runs.
        let mut is_long = true;
        while is_long {
            let run = run(&input[read.bytes..], &mut out);
            if run.bytes == 0 {
                return read;
            }
            is_long = run.bytes > LONGEST_SHORT;
            read.bytes += run.bytes;
            read.ascii += run.ascii;
            read.controls += run.controls;
            read.bytes += direct(&input[read.bytes..], &mut out);
        }
    }
}

/// Appends the direct bytes at the start and returns their number.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
fn direct(input: &[u8], out: &mut Writer<'_>) -> usize {
    let [low, high] = [load(&NOT_DIRECT[0]), load(&NOT_DIRECT[1])];
    let mut at = 0;
    loop {
        // Zeros behind the end are not direct.
        let raw = block(input, at);
        let others = _mm512_or_si512(_mm512_permutex2var_epi8(low, raw, high), raw);
        let len = _mm512_movepi8_mask(others).trailing_zeros() as usize;
        let mut bytes = [0; BLOCK];
        store(raw, &mut bytes);
        out.reserve(BLOCK);
        // SAFETY: there is room, and direct bytes are ASCII.
        unsafe { out.store(bytes, len) };
        at += len;
        if len < BLOCK {
            return at;
        }
    }
}

/// Appends the run at the start. Appends nothing and returns zeros if the run has a defect.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
fn run(input: &[u8], out: &mut Writer<'_>) -> ReadText {
    let start = out.len();
    let mut read = ReadText::default();
    if input.first() != Some(&b'+') {
        return read;
    }
    // The offset of the next digits.
    let mut at = 1;
    loop {
        let raw = block(input, at);
        let values = _mm512_permutex2var_epi8(load(&SEXTETS.0), raw, load(&SEXTETS.1));
        let digits = _mm512_movepi8_mask(_mm512_or_si512(values, raw)).trailing_zeros() as usize;
        let [one, other] = split(values);
        let units = digits * 6 / 16;
        let end = at + digits;
        // 64 digits are whole units, so the rest can be read like a new run.
        let is_plain = digits == BLOCK
            || input
                .get(end)
                .is_some_and(|byte| ends_plainly(digits, input[end - 1], *byte));
        let halves = u32::from(surrogates(one)) | u32::from(surrogates(other)) << HALF;
        let has_halves = halves & ((1 << units) - 1) != 0;
        if !is_plain || has_halves || at == 1 && units == 0 {
            // SAFETY: the text was so long before.
            unsafe { out.rewind(start) };
            return ReadText::default();
        }
        // SAFETY: the units have sixteen bits, and none of those appended is a surrogate.
        let ascii = unsafe { put(one, units.min(HALF), out) };
        count(one, ascii, &mut read);
        if units > HALF {
            // SAFETY: as above.
            let ascii = unsafe { put(other, units - HALF, out) };
            count(other, ascii, &mut read);
        }
        if digits < BLOCK {
            read.bytes = end + usize::from(input[end] == b'-');
            return read;
        }
        // Independent of `digits`, so that the next load need not wait for it.
        at += BLOCK;
    }
}

/// Returns the bytes at an offset, with zeros behind the end. A masked load would wait for the mask.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
fn block(input: &[u8], at: usize) -> __m512i {
    match input[at..].first_chunk() {
        Some(block) => load(block),
        None => near(input, at),
    }
}

/// Returns the units of 64 digits in numbers of 32 bits, twelve in each vector. They are meaningless for other bytes than digits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
fn split(values: __m512i) -> [__m512i; 2] {
    // A byte that is no digit must not change the digit before it.
    let values = _mm512_and_si512(values, all(0x3F));
    let bits = joined(values);
    [
        _mm512_maskz_permutexvar_epi8(UNIT_BYTE_MASK, load(&UNIT_BYTES[0]), bits),
        _mm512_maskz_permutexvar_epi8(UNIT_BYTE_MASK, load(&UNIT_BYTES[1]), bits),
    ]
}

/// Counts the units of a vector that are ASCII. `ascii` has a bit for each of them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
fn count(units: __m512i, ascii: u16, read: &mut ReadText) {
    let controls = ascii
        & (_mm512_cmplt_epu32_mask(units, _mm512_set1_epi32(0x20))
            | _mm512_cmpeq_epi32_mask(units, _mm512_set1_epi32(0x7F)));
    read.ascii += u64::from((ascii & !controls).count_ones());
    read.controls += u64::from(controls.count_ones());
}
