//! Encodes UTF-16 units as UTF-8, up to sixteen at a time.
//!
//! # Limits
//! Surrogates are left to the caller.

use super::{BLOCK, first, store};
use crate::writer::Writer;
use std::arch::x86_64::{
    __m512i, _bzhi_u64, _mm512_and_si512, _mm512_cmpeq_epi32_mask, _mm512_cmplt_epu32_mask,
    _mm512_mask_or_epi32, _mm512_mask_slli_epi32, _mm512_maskz_compress_epi8,
    _mm512_multishift_epi64_epi8, _mm512_set1_epi32, _mm512_set1_epi64, _mm512_ternarylogic_epi32,
    _pdep_u64,
};

/// Returns a bit for each surrogate among the numbers of a vector.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
pub(super) fn surrogates(units: __m512i) -> u16 {
    let top = _mm512_and_si512(units, _mm512_set1_epi32(0xF800));
    _mm512_cmpeq_epi32_mask(top, _mm512_set1_epi32(0xD800))
}

/// Appends the first `count` units of a vector, which has numbers of 32 bits. Returns a bit for each of them that is ASCII.
///
/// # Safety
/// The first `count` numbers are units below 10000 (hexadecimal), and none is a surrogate. `count` is at most 16.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn put(units: __m512i, count: usize, out: &mut Writer<'_>) -> u16 {
    /// Bit offset of each byte of UTF-8 in its unit, for two units.
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
    let mut bytes = [0; BLOCK];
    store(_mm512_maskz_compress_epi8(kept, chars), &mut bytes);
    out.reserve(BLOCK);
    // SAFETY: there is room, and the bytes kept are those of whole characters.
    unsafe { out.store(bytes, kept.count_ones() as usize) };
    ones & first(count) as u16
}
