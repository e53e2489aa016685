//! Decodes UTF-7, up to 64 bytes or base64 digits at a time.
//!
//! # Limits
//! Stops before a run with a defect, as the AVX2 loop does.

use super::{BLOCK, SEXTETS, all, first, load, near, store};
use crate::avx2;
use crate::portable::base64::VALUES;
use crate::portable::utf7::{DIRECT, ReadText};
use crate::writer::Writer;
use std::arch::x86_64::{
    __m512i, _bzhi_u64, _mm512_and_si512, _mm512_cmpeq_epi32_mask, _mm512_cmplt_epu32_mask,
    _mm512_madd_epi16, _mm512_maddubs_epi16, _mm512_mask_or_epi32, _mm512_mask_slli_epi32,
    _mm512_maskz_compress_epi8, _mm512_maskz_permutexvar_epi8, _mm512_movepi8_mask,
    _mm512_multishift_epi64_epi8, _mm512_or_si512, _mm512_permutex2var_epi8, _mm512_set1_epi16,
    _mm512_set1_epi32, _mm512_set1_epi64, _mm512_ternarylogic_epi32, _pdep_u64,
};

/// Number of units in 64 digits, and in each half of them.
const UNITS: usize = 24;
const HALF: usize = 12;

/// Positions of the low and the high byte of each unit, in numbers of 32 bits, for each half of the units. Four digits make three bytes, the
/// highest first, in a number of 32 bits.
const PLACES: [[u8; BLOCK]; 2] = {
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
/// Bytes of a run of four units with its signs.
const LONGEST_SHORT: usize = 13;
/// The bytes that [`PLACES`] sets.
const PLACED: u64 = 0x3333_3333_3333;

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
        // Text with a long run mostly has more of them.
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

/// Appends the run at the start. Appends nothing if the run has a defect.
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
        let [one, other] = units(values);
        let count = digits * 6 / 16;
        // 64 digits are whole units, so the rest can be read like a new run.
        let is_plain = digits == BLOCK || ends_plainly(input, at + digits, digits);
        let halves = surrogates([one, other]) & ((1 << count) - 1);
        if !is_plain || halves != 0 || at == 1 && count == 0 {
            // SAFETY: the text was so long before.
            unsafe { out.rewind(start) };
            return ReadText::default();
        }
        // SAFETY: none of the units counted is half of a pair.
        unsafe { put(one, count.min(HALF), out, &mut read) };
        if count > HALF {
            // SAFETY: as above.
            unsafe { put(other, count - HALF, out, &mut read) };
        }
        at += digits;
        if digits < BLOCK {
            read.bytes = at + usize::from(input[at] == b'-');
            return read;
        }
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

/// Returns true if a byte behind so many digits ends their run, and the bits left over are in order.
#[inline]
fn ends_plainly(input: &[u8], end: usize, digits: usize) -> bool {
    let spare = digits * 6 % 16;
    let surplus = VALUES[usize::from(input[end - 1])] & ((1_u32 << spare) - 1) as u8;
    input.get(end).is_some_and(|byte| *byte != b'=') && spare < 6 && surplus == 0
}

/// Returns the units of 64 digits in numbers of 32 bits, twelve in each vector. They are meaningless for other bytes than digits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
fn units(values: __m512i) -> [__m512i; 2] {
    // A byte that is no digit must not change the digit before it.
    let values = _mm512_and_si512(values, all(0x3F));
    // Two times six bits, then four times: 24 bits in each number of 32.
    let pairs = _mm512_maddubs_epi16(values, _mm512_set1_epi16(0x0140));
    let bits = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x0001_1000));
    [
        _mm512_maskz_permutexvar_epi8(PLACED, load(&PLACES[0]), bits),
        _mm512_maskz_permutexvar_epi8(PLACED, load(&PLACES[1]), bits),
    ]
}

/// Returns a bit for each surrogate.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
fn surrogates([one, other]: [__m512i; 2]) -> u32 {
    let (top, surrogate) = (_mm512_set1_epi32(0xF800), _mm512_set1_epi32(0xD800));
    let one = _mm512_cmpeq_epi32_mask(_mm512_and_si512(one, top), surrogate);
    let other = _mm512_cmpeq_epi32_mask(_mm512_and_si512(other, top), surrogate);
    u32::from(one) | u32::from(other) << HALF
}

/// Appends the first `count` units of a vector, and counts those that are ASCII.
///
/// # Safety
/// None of the first `count` units is a surrogate. `count` is at most 12.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
unsafe fn put(units: __m512i, count: usize, out: &mut Writer<'_>, read: &mut ReadText) {
    /// By how many bits the three bytes of each of two units are shifted.
    const SHIFTS: i64 = 0x3F20_262C_1F00_060C;
    const EVERY_FOURTH: u64 = 0x1111_1111_1111_1111;
    let ones = _mm512_cmplt_epu32_mask(units, _mm512_set1_epi32(0x80));
    let twos = _mm512_cmplt_epu32_mask(units, _mm512_set1_epi32(0x800));
    let sixes = _mm512_multishift_epi64_epi8(_mm512_set1_epi64(SHIFTS), units);
    // `sixes & 3F | marks`.
    let threes = _mm512_ternarylogic_epi32::<0xEA>(
        sixes,
        _mm512_set1_epi32(0x003F_3F3F),
        _mm512_set1_epi32(0x0080_80E0),
    );
    let chars = _mm512_mask_or_epi32(threes, twos, threes, _mm512_set1_epi32(0x4000));
    let chars = _mm512_mask_slli_epi32::<16>(chars, ones, units);
    let kept = EVERY_FOURTH << 2
        | _pdep_u64(u64::from(!ones), EVERY_FOURTH << 1)
        | _pdep_u64(u64::from(!twos), EVERY_FOURTH);
    let kept = _bzhi_u64(kept, 4 * count as u32);
    let len = kept.count_ones() as usize;
    let mut bytes = [0; BLOCK];
    store(_mm512_maskz_compress_epi8(kept, chars), &mut bytes);
    out.reserve(BLOCK);
    // SAFETY: there is room, and the bytes kept are those of whole characters.
    unsafe { out.store(bytes, len) };
    if u64::from(ones) & first(count) != 0 {
        read.count(bytes, len);
    }
}
