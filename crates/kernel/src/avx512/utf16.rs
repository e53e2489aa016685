//! Decodes UTF-16 to UTF-8, sixteen units at a time.
//!
//! # Limits
//! None.

use super::units::{put, surrogates};
use crate::avx2::{ascii_units, units};
use crate::portable::utf16::{one, portable};
use crate::writer::Writer;
use std::arch::x86_64::_mm512_cvtepu16_epi32;

/// See [`portable`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn utf16<const BIG: bool>(input: &[u8], out: &mut Writer<'_>) -> usize {
    let mut at = 0;
    while let Some(block) = input[at..].first_chunk::<32>() {
        let ascii = ascii_units::<BIG>(&input[at..], out);
        if ascii > 0 {
            at += ascii;
            continue;
        }
        let units = _mm512_cvtepu16_epi32(units::<BIG>(block));
        let halves = surrogates(units);
        if halves == 0 {
            // SAFETY: the units have sixteen bits, and none is a surrogate.
            unsafe { put(units, 16, out) };
            // Independent of `halves`, so that the next load need not wait for it.
            at += 32;
            continue;
        }
        let count = halves.trailing_zeros() as usize;
        // SAFETY: as above, for the units before the first surrogate.
        unsafe { put(units, count, out) };
        at += 2 * count;
        match one::<BIG>(&input[at..], out) {
            0 => return at,
            len => at += len,
        }
    }
    at + portable::<BIG>(&input[at..], out)
}
