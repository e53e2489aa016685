//! Loops that search and classify bytes.
//!
//! # Limits
//! None.

use super::{first_bytes, load, near, twice};
use crate::portable::byte_classes::{ByteClasses, LOWER_HALVES, UPPER_HALVES, portable_classes};
use crate::portable::byte_pairs::BytePairs;
use crate::portable::high_bytes::HighBytes;
use crate::portable::plain_run::Scan;
use std::arch::x86_64::{
    __m256i, _blsmsk_u32, _mm256_and_si256, _mm256_andnot_si256, _mm256_cmpeq_epi8,
    _mm256_cmpgt_epi8, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16, _mm256_sub_epi8,
};

/// See [`PlainRun::scan`](crate::PlainRun::scan); the value has at least [`NEAR`](super::NEAR) bytes.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn look(value: &[u8], from: usize) -> Scan {
    /// Each block begins with the last byte of the one before it.
    const STEP: usize = 31;
    let all = |byte: u8| _mm256_set1_epi8(byte as i8);
    let bits = |vector: __m256i| _mm256_movemask_epi8(vector) as u32;
    let [mut eight, mut control, mut sign] = [_mm256_setzero_si256(); 3];
    let last = value.len().saturating_sub(32);
    let mut at = from;
    loop {
        let raw = near(value, at);
        // `$` and `&` differ in one bit.
        let dollar_or_ampersand = _mm256_cmpeq_epi8(_mm256_andnot_si256(all(2), raw), all(b'$'));
        let low = _mm256_cmpeq_epi8(_mm256_min_epu8(raw, all(0x1F)), raw);
        // `~` and 7F differ in one bit, too.
        let low = _mm256_or_si256(
            low,
            _mm256_cmpeq_epi8(_mm256_or_si256(raw, all(1)), all(0x7F)),
        );
        let end = _mm256_or_si256(
            _mm256_cmpeq_epi8(raw, all(b'\r')),
            _mm256_cmpeq_epi8(raw, all(b'\n')),
        );
        let signs = bits(_mm256_cmpeq_epi8(raw, all(b'=')));
        let stops = signs & bits(_mm256_cmpeq_epi8(raw, all(b'?'))) >> 1 | bits(end);
        if stops != 0 {
            let before = _blsmsk_u32(stops) >> 1;
            return Scan {
                eight: bits(eight) | bits(raw) & before != 0,
                control: bits(control) | bits(low) & before != 0,
                sign: bits(sign) | bits(dollar_or_ampersand) & before != 0,
                stop: Some(at + stops.trailing_zeros() as usize),
            };
        }
        // Zeros behind the end do not count as controls.
        let left = value.len().saturating_sub(at);
        let low = if left < 32 {
            _mm256_and_si256(low, first_bytes(left))
        } else {
            low
        };
        eight = _mm256_or_si256(eight, raw);
        control = _mm256_or_si256(control, low);
        sign = _mm256_or_si256(sign, dollar_or_ampersand);
        if at >= last {
            return Scan {
                eight: bits(eight) != 0,
                control: bits(control) != 0,
                sign: bits(sign) != 0,
                stop: None,
            };
        }
        // The last block ends with the value.
        at = last.min(at + STEP);
    }
}

/// See [`ByteClasses::of`].
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn classes(bytes: &[u8]) -> ByteClasses {
    let (lower, upper) = (twice(&LOWER_HALVES), twice(&UPPER_HALVES));
    let half = _mm256_set1_epi8(0x0F);
    let classes = |raw: __m256i| {
        let of_lower = _mm256_shuffle_epi8(lower, _mm256_and_si256(raw, half));
        let shifted = _mm256_and_si256(_mm256_srli_epi16::<4>(raw), half);
        _mm256_and_si256(of_lower, _mm256_shuffle_epi8(upper, shifted))
    };
    let (blocks, rest) = bytes.as_chunks::<32>();
    let mut found = [_mm256_setzero_si256(); 2];
    let (pairs, single) = blocks.as_chunks::<2>();
    for pair in pairs {
        for (found, block) in found.iter_mut().zip(pair) {
            *found = _mm256_or_si256(*found, classes(load(block)));
        }
    }
    for block in single {
        found[0] = _mm256_or_si256(found[0], classes(load(block)));
    }
    let all = super::bytes(_mm256_or_si256(found[0], found[1]));
    let found = all.iter().fold(0, |found, classes| found | classes);
    ByteClasses(found | portable_classes(rest).0)
}

/// See [`high_mask`](crate::ascii::high_mask).
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn high_mask(block: &[u8; 64]) -> u64 {
    let (halves, _) = block.as_chunks();
    let bits = |half: &[u8; 32]| u64::from(_mm256_movemask_epi8(load(half)) as u32);
    bits(&halves[0]) | bits(&halves[1]) << 32
}

/// See [`HighBytes::of`].
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn highs(block: &[u8; 64]) -> HighBytes {
    let all = |byte: u8| _mm256_set1_epi8(byte as i8);
    let is = |raw: __m256i, byte: u8| _mm256_cmpeq_epi8(raw, all(byte));
    let bits = |vectors: [__m256i; 2]| {
        let [one, other] = vectors.map(|vector| u64::from(_mm256_movemask_epi8(vector) as u32));
        one | other << 32
    };
    let (halves, _) = block.as_chunks();
    let mut raws = [_mm256_setzero_si256(); 2];
    for (raw, half) in raws.iter_mut().zip(halves) {
        *raw = load(half);
    }
    let whole_rows = |raw: __m256i| {
        let place = _mm256_sub_epi8(raw, all(0xB0));
        let within = _mm256_cmpeq_epi8(_mm256_min_epu8(place, all(0xF7 - 0xB0)), place);
        let symbols = _mm256_or_si256(is(raw, 0xA1), is(raw, 0xA3));
        _mm256_or_si256(symbols, _mm256_andnot_si256(is(raw, 0xD7), within))
    };
    HighBytes {
        all: bits(raws),
        // As signed numbers these are the smallest.
        low: bits(raws.map(|raw| _mm256_cmpgt_epi8(all(0xA1), raw))),
        whole_rows: bits(raws.map(whole_rows)),
    }
}

/// See [`BytePairs::find`]; the text has at least [`NEAR`](super::NEAR) bytes.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn suspect(pairs: &BytePairs, text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while at < text.len() {
        let kinds = kinds(pairs, near(text, at), near(text, at + 1));
        let kinds = if text.len() - at < 32 {
            _mm256_and_si256(kinds, first_bytes(text.len() - at))
        } else {
            kinds
        };
        let none = _mm256_movemask_epi8(_mm256_cmpeq_epi8(kinds, _mm256_setzero_si256())) as u32;
        if none != u32::MAX {
            return Some(at + none.trailing_ones() as usize);
        }
        at += 32;
    }
    None
}

/// Returns the kinds that each pair of a first and a second byte may have.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(super) fn kinds(pairs: &BytePairs, first: __m256i, second: __m256i) -> __m256i {
    let half = _mm256_set1_epi8(0xF);
    let [high, low, behind] =
        [&pairs.first_high, &pairs.first_low, &pairs.second_low].map(|table| twice(table));
    _mm256_and_si256(
        _mm256_and_si256(
            _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16::<4>(first), half)),
            _mm256_shuffle_epi8(low, _mm256_and_si256(first, half)),
        ),
        _mm256_shuffle_epi8(behind, _mm256_and_si256(second, half)),
    )
}
