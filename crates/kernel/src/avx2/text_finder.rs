//! Finds a text by two of its bytes.
//!
//! # Limits
//! None.

use super::load;
use crate::portable::text_finder::{TextFinder, portable_find};
use std::arch::x86_64::{
    __m256i, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_movemask_epi8, _mm256_or_si256,
    _mm256_set1_epi8,
};

/// Bytes of a block.
const BLOCK: usize = 64;

/// See [`TextFinder::find`].
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn find_text(finder: &TextFinder, bytes: &[u8]) -> Option<usize> {
    let TextFinder { text, places } = *finder;
    let [one, other] = places.map(|place| _mm256_set1_epi8(text[place] as i8));
    let both = |ones: &[u8; 32], others: &[u8; 32]| {
        _mm256_and_si256(
            _mm256_cmpeq_epi8(load(ones), one),
            _mm256_cmpeq_epi8(load(others), other),
        )
    };
    let bits = |vector: __m256i| u64::from(_mm256_movemask_epi8(vector) as u32);
    let [ones, others] = places.map(|place| bytes.get(place..).unwrap_or_default());
    let (blocks, _) = others.as_chunks::<BLOCK>();
    for (nth, (ones, others)) in ones.as_chunks::<BLOCK>().0.iter().zip(blocks).enumerate() {
        let ([ones, more_ones], [others, more_others]) = (halves(ones), halves(others));
        let found = [both(ones, others), both(more_ones, more_others)];
        if bits(_mm256_or_si256(found[0], found[1])) == 0 {
            continue;
        }
        let mut candidates = bits(found[0]) | bits(found[1]) << 32;
        while candidates != 0 {
            let at = nth * BLOCK + candidates.trailing_zeros() as usize;
            if bytes[at..].starts_with(text) {
                return Some(at);
            }
            candidates &= candidates - 1;
        }
    }
    portable_find(finder, bytes, blocks.len() * BLOCK)
}

fn halves(block: &[u8; BLOCK]) -> [&[u8; 32]; 2] {
    let (halves, _) = block.as_chunks();
    [&halves[0], &halves[1]]
}
