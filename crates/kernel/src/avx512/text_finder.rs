//! Finds a text by two of its bytes.
//!
//! # Limits
//! None.

use super::{BLOCK, all, first, load, near};
use crate::portable::text_finder::TextFinder;
use std::arch::x86_64::{__m512i, _mm512_cmpeq_epi8_mask, _mm512_mask_cmpeq_epi8_mask};

/// Blocks that are compared before a branch.
const ROW: usize = 4;

/// See [`TextFinder::find`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn find_text(finder: &TextFinder, bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some((block, mut candidates)) = next_candidates(finder, bytes, at) {
        while candidates != 0 {
            let at = block + candidates.trailing_zeros() as usize;
            if bytes[at..].starts_with(finder.text) {
                return Some(at);
            }
            candidates &= candidates - 1;
        }
        at = block + BLOCK;
    }
    None
}

/// Returns the offset of the first block at or after `from` with candidates, and a bit for each of them. A candidate has both bytes in their
/// places.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
fn next_candidates(finder: &TextFinder, bytes: &[u8], from: usize) -> Option<(usize, u64)> {
    let [one, other] = finder.places;
    let (ones, others) = (bytes.get(from + one..)?, bytes.get(from + other..)?);
    let (one, other) = (all(finder.text[one]), all(finder.text[other]));
    let both = |ones: __m512i, others: __m512i| {
        _mm512_mask_cmpeq_epi8_mask(_mm512_cmpeq_epi8_mask(ones, one), others, other)
    };
    let (rows_of_ones, rows) = (rows(ones), rows(others));
    for (nth, (ones, others)) in rows_of_ones.iter().zip(rows).enumerate() {
        let mut found = [0; ROW];
        for (found, (ones, others)) in found.iter_mut().zip(ones.iter().zip(others)) {
            *found = both(load(ones), load(others));
        }
        if found.iter().fold(0, |all, found| all | found) != 0 {
            let mut places = found.into_iter().enumerate();
            let (block, found) = places.find(|(_, found)| *found != 0)?;
            return Some((from + (nth * ROW + block) * BLOCK, found));
        }
    }
    let mut at = rows.len() * ROW * BLOCK;
    while at < others.len() {
        let found = both(near(ones, at), near(others, at)) & first(others.len() - at);
        if found != 0 {
            return Some((from + at, found));
        }
        at += BLOCK;
    }
    None
}

fn rows(bytes: &[u8]) -> &[[[u8; BLOCK]; ROW]] {
    bytes.as_chunks().0.as_chunks().0
}
