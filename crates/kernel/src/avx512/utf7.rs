//! Decodes UTF-7, up to 64 bytes or base64 digits at a time.
//!
//! # Limits
//! Stops before a run that has a surrogate, no unit (`+-`) or a defect, as the AVX2 loop does.

use super::units::{put_units, surrogates};
use super::{BLOCK, OCTETS, SEXTETS, all, bytes, joined, load, near};
use crate::avx2;
use crate::portable::utf7::{DIRECT, ReadText, ends_without_defect};
use crate::writer::Writer;
use std::arch::x86_64::{
    __m512i, _mm512_and_si512, _mm512_cmpeq_epi32_mask, _mm512_cmplt_epu32_mask,
    _mm512_maskz_permutexvar_epi8, _mm512_movepi8_mask, _mm512_or_si512, _mm512_permutex2var_epi8,
    _mm512_set1_epi32,
};

/// Number of units in 64 digits, and in each of the two vectors that have them.
const UNITS: usize = 24;
const UNITS_PER_VECTOR: usize = 12;

/// Positions of the two bytes of each unit in the result of [`joined`], the low byte first, for twelve units each.
const UNIT_BYTES: [[u8; BLOCK]; 2] = {
    let mut places = [[0; BLOCK]; 2];
    let mut unit = 0;
    while unit < UNITS {
        let (vector, lane) = (unit / UNITS_PER_VECTOR, unit % UNITS_PER_VECTOR);
        places[vector][lane * 4] = OCTETS[2 * unit + 1];
        places[vector][lane * 4 + 1] = OCTETS[2 * unit];
        unit += 1;
    }
    places
};
/// A bit for each byte that [`UNIT_BYTES`] sets. All others are zero.
const UNIT_BYTE_MASK: u64 = 0x3333_3333_3333;
/// Maximum length of a run that [`avx2::short_runs`] reads: `+`, eleven digits of four units, and `-`.
const MAX_SHORT_RUN: usize = 13;

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

/// See [`append_text`](crate::utf7::append_text).
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn text(input: &[u8], text: &mut String) -> ReadText {
    let mut out = Writer::new(text);
    let mut read = ReadText::default();
    loop {
        out = avx2::short_runs(input, out, &mut read);
        // Text with one long run usually has more long runs.
        let mut is_long = true;
        while is_long {
            let run = long_run(&input[read.bytes..], &mut out);
            if run.bytes == 0 {
                return read;
            }
            is_long = run.bytes > MAX_SHORT_RUN;
            read.add(run);
            read.bytes += copy_direct(&input[read.bytes..], &mut out);
        }
    }
}

/// Appends the direct bytes at the start and returns their number.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
fn copy_direct(input: &[u8], out: &mut Writer<'_>) -> usize {
    let [low, high] = [load(&NOT_DIRECT[0]), load(&NOT_DIRECT[1])];
    let mut at = 0;
    loop {
        // Zeros behind the end are not direct.
        let raw = load_or_pad(input, at);
        let others = _mm512_or_si512(_mm512_permutex2var_epi8(low, raw, high), raw);
        let len = _mm512_movepi8_mask(others).trailing_zeros() as usize;
        out.reserve(BLOCK);
        // SAFETY: there is room for the 64 bytes of the store, and direct bytes are ASCII.
        unsafe { out.store(bytes(raw), len) };
        at += len;
        if len < BLOCK {
            return at;
        }
    }
}

/// Appends the run at the start. Appends nothing and returns zeros if no run starts here, or if it has a surrogate, no unit or a defect.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
fn long_run(input: &[u8], out: &mut Writer<'_>) -> ReadText {
    let start = out.len();
    let mut read = ReadText::default();
    if input.first() != Some(&b'+') {
        return read;
    }
    // The offset of the next digits.
    let mut at = 1;
    loop {
        let raw = load_or_pad(input, at);
        let values = _mm512_permutex2var_epi8(load(&SEXTETS.0), raw, load(&SEXTETS.1));
        let digits = _mm512_movepi8_mask(_mm512_or_si512(values, raw)).trailing_zeros() as usize;
        let [one, other] = units_of_digits(values);
        let units = digits * 6 / 16;
        let end = at + digits;
        // 64 digits are whole units, so the rest can be read like a new run.
        let is_plain = digits == BLOCK
            || input
                .get(end)
                .is_some_and(|byte| ends_without_defect(digits, input[end - 1], *byte));
        let surrogate_bits =
            u32::from(surrogates(one)) | u32::from(surrogates(other)) << UNITS_PER_VECTOR;
        let has_surrogates = surrogate_bits & ((1 << units) - 1) != 0;
        if !is_plain || has_surrogates || at == 1 && units == 0 {
            // SAFETY: `start` is the length that `out` had when this function began.
            unsafe { out.rewind(start) };
            return ReadText::default();
        }
        // SAFETY: `units_of_digits` leaves sixteen bits in each of twelve lanes, the count is at most 12, and `has_surrogates` is false.
        let ascii = unsafe { put_units(one, units.min(UNITS_PER_VECTOR), out) };
        count_ascii(one, ascii, &mut read);
        if units > UNITS_PER_VECTOR {
            // SAFETY: as above; `units` is at most 24.
            let ascii = unsafe { put_units(other, units - UNITS_PER_VECTOR, out) };
            count_ascii(other, ascii, &mut read);
        }
        if digits < BLOCK {
            read.bytes = end + usize::from(input[end] == b'-');
            return read;
        }
        // A constant step: the address of the next load does not depend on the data.
        at += BLOCK;
    }
}

/// Returns the bytes at an offset, with zeros behind the end. Avoids the masked load of [`near`] for whole blocks, because it waits for its
/// mask.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
fn load_or_pad(input: &[u8], at: usize) -> __m512i {
    match input[at..].first_chunk() {
        Some(block) => load(block),
        None => near(input, at),
    }
}

/// Returns the units of 64 digits, twelve in the 32-bit lanes of each vector. Units with other bytes than digits are meaningless.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
fn units_of_digits(values: __m512i) -> [__m512i; 2] {
    // The mask clears the bits above the six of a base64 digit. Example: in `Q-`, the value 80 of `-` would change the bits of `Q`.
    let values = _mm512_and_si512(values, all(0x3F));
    let bits = joined(values);
    [
        _mm512_maskz_permutexvar_epi8(UNIT_BYTE_MASK, load(&UNIT_BYTES[0]), bits),
        _mm512_maskz_permutexvar_epi8(UNIT_BYTE_MASK, load(&UNIT_BYTES[1]), bits),
    ]
}

/// Adds the ASCII units of a vector to the counts of `read`. `ascii` has a bit for each of them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
fn count_ascii(units: __m512i, ascii: u16, read: &mut ReadText) {
    let controls = ascii
        & (_mm512_cmplt_epu32_mask(units, _mm512_set1_epi32(0x20))
            | _mm512_cmpeq_epi32_mask(units, _mm512_set1_epi32(0x7F)));
    read.ascii += u64::from((ascii & !controls).count_ones());
    read.controls += u64::from(controls.count_ones());
}
