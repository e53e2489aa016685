//! What stands in a short text.
//!
//! # Limits
//! None.

use super::super::scan::{Look, Suspects};
use super::{first_bytes, near, twice};
use std::arch::x86_64::{
    _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256,
    _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16,
};
use std::hint::select_unpredictable;

/// See [`look`](super::super::scan::look); the value has [`NEAR`](super::NEAR) bytes at least.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn look(value: &[u8]) -> Look {
    /// Each block begins with the last byte of the one before it.
    const STEP: usize = 31;
    let all = |byte: u8| _mm256_set1_epi8(byte as i8);
    let (mut eight, mut control, mut open) = (_mm256_setzero_si256(), _mm256_setzero_si256(), usize::MAX);
    let last = value.len().saturating_sub(32);
    let mut at = 0;
    loop {
        let raw = near(value, at);
        eight = _mm256_or_si256(eight, raw);
        let low = _mm256_cmpeq_epi8(_mm256_min_epu8(raw, all(0x1F)), raw);
        let low = _mm256_or_si256(low, _mm256_cmpeq_epi8(raw, all(0x7F)));
        // Zeros behind the end are no controls of the value.
        let low = if value.len() < 32 { _mm256_and_si256(low, first_bytes(value.len())) } else { low };
        control = _mm256_or_si256(control, low);
        let signs = _mm256_movemask_epi8(_mm256_cmpeq_epi8(raw, all(b'='))) as u32;
        let marks = _mm256_movemask_epi8(_mm256_cmpeq_epi8(raw, all(b'?'))) as u32;
        let opens = signs & marks >> 1;
        // No branch waits for bytes that may have to come from far.
        let place = select_unpredictable(opens != 0, at + opens.trailing_zeros() as usize, usize::MAX);
        open = open.min(place);
        if at >= last {
            break;
        }
        // The last block ends with the value.
        at = last.min(at + STEP);
    }
    Look {
        eight: _mm256_movemask_epi8(eight) != 0,
        control: _mm256_movemask_epi8(control) != 0,
        open: Some(open).filter(|open| *open < value.len()),
    }
}

/// See [`suspect`](super::super::scan::suspect); the text has [`NEAR`](super::NEAR) bytes at least.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn suspect(suspects: &Suspects, text: &[u8], from: usize) -> Option<usize> {
    let half = _mm256_set1_epi8(0xF);
    let tables = [&suspects.first_high, &suspects.first_low, &suspects.second_low].map(|table| twice(table));
    let mut at = from;
    while at < text.len() {
        let (first, second) = (near(text, at), near(text, at + 1));
        let kinds = _mm256_and_si256(
            _mm256_and_si256(
                _mm256_shuffle_epi8(tables[0], _mm256_and_si256(_mm256_srli_epi16::<4>(first), half)),
                _mm256_shuffle_epi8(tables[1], _mm256_and_si256(first, half)),
            ),
            _mm256_shuffle_epi8(tables[2], _mm256_and_si256(second, half)),
        );
        let kinds =
            if text.len() - at < 32 { _mm256_and_si256(kinds, first_bytes(text.len() - at)) } else { kinds };
        let none = _mm256_movemask_epi8(_mm256_cmpeq_epi8(kinds, _mm256_setzero_si256())) as u32;
        if none != u32::MAX {
            return Some(at + none.trailing_ones() as usize);
        }
        at += 32;
    }
    None
}
