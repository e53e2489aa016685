//! Decodes UTF-16 to UTF-8, sixteen units at a time.
//!
//! # Limits
//! None.

use super::units::{put_units, surrogates};
use crate::avx2::{append_ascii_units, native_units};
use crate::portable::utf16::{one, portable};
use crate::writer::Writer;
use std::arch::x86_64::_mm512_cvtepu16_epi32;

/// See [`portable`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn utf16<const BIG: bool>(input: &[u8], out: &mut Writer<'_>) -> usize {
    let mut at = 0;
    while let Some(block) = input[at..].first_chunk::<32>() {
        let ascii_bytes = append_ascii_units::<BIG>(&input[at..], out);
        if ascii_bytes > 0 {
            at += ascii_bytes;
            continue;
        }
        let units = _mm512_cvtepu16_epi32(native_units::<BIG>(block));
        let surrogate_bits = surrogates(units);
        if surrogate_bits == 0 {
            // SAFETY: `_mm512_cvtepu16_epi32` leaves sixteen bits in each of sixteen lanes. `surrogate_bits` is 0, so none is a surrogate.
            unsafe { put_units(units, 16, out) };
            // A constant step: the address of the next load does not depend on the data.
            at += 32;
            continue;
        }
        let count = surrogate_bits.trailing_zeros() as usize;
        // SAFETY: `surrogate_bits` is not 0, so `count` is at most 15. The lowest bit set is that of the first surrogate, so none stands
        // before it.
        unsafe { put_units(units, count, out) };
        at += 2 * count;
        match one::<BIG>(&input[at..], out) {
            0 => return at,
            len => at += len,
        }
    }
    at + portable::<BIG>(&input[at..], out)
}
