//! Encodes UTF-16 units as UTF-8, up to sixteen at a time.
//!
//! # Limits
//! The caller finds surrogates with [`surrogates`] and decodes them.

use super::{bytes, first};
use crate::writer::Writer;
use std::arch::x86_64::{
    __m512i, _bzhi_u64, _mm512_and_si512, _mm512_cmpeq_epi32_mask, _mm512_cmplt_epu32_mask,
    _mm512_mask_or_epi32, _mm512_mask_slli_epi32, _mm512_maskz_compress_epi8,
    _mm512_multishift_epi64_epi8, _mm512_set1_epi32, _mm512_set1_epi64, _mm512_ternarylogic_epi32,
    _pdep_u64,
};

/// Returns a bit for each 32-bit lane that is a surrogate.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
pub(super) fn surrogates(units: __m512i) -> u16 {
    let top = _mm512_and_si512(units, _mm512_set1_epi32(0xF800));
    _mm512_cmpeq_epi32_mask(top, _mm512_set1_epi32(0xD800))
}

/// Appends the units in the first `count` 32-bit lanes as UTF-8. Returns a bit for each of them that is ASCII.
///
/// # Safety
/// The caller passes a `count` of 16 or less. Each of the first `count` lanes must hold one UTF-16 code unit (0 to FFFF) outside the surrogates
/// D800 to DFFF. Example: 3042 (`あ`) is valid, and D83D (half of `😀`) is not.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn put_units(units: __m512i, count: usize, out: &mut Writer<'_>) -> u16 {
    /// Bit offsets, in a pair of units, of the bytes of UTF-8. The mask clears every fourth byte.
    const SHIFTS: i64 = 0x3F20_262C_1F00_060C;
    const EVERY_FOURTH: u64 = 0x1111_1111_1111_1111;
    let ones = _mm512_cmplt_epu32_mask(units, _mm512_set1_epi32(0x80));
    let up_to_two = _mm512_cmplt_epu32_mask(units, _mm512_set1_epi32(0x800));
    let six_bits = _mm512_multishift_epi64_epi8(_mm512_set1_epi64(SHIFTS), units);
    // Six bits in each byte, and the markers E0 80 80 of a character of three bytes.
    let three = _mm512_ternarylogic_epi32::<0xEA>(
        six_bits,
        _mm512_set1_epi32(0x003F_3F3F),
        _mm512_set1_epi32(0x0080_80E0),
    );
    let utf8 = _mm512_mask_or_epi32(three, up_to_two, three, _mm512_set1_epi32(0x4000));
    let utf8 = _mm512_mask_slli_epi32::<16>(utf8, ones, units);
    let kept = EVERY_FOURTH << 2
        | _pdep_u64(u64::from(!ones), EVERY_FOURTH << 1)
        | _pdep_u64(u64::from(!up_to_two), EVERY_FOURTH);
    let kept = _bzhi_u64(kept, 4 * count as u32);
    let utf8 = bytes(_mm512_maskz_compress_epi8(kept, utf8));
    out.reserve(utf8.len());
    // SAFETY: there is room for the 64 bytes of the store. The caller guarantees that the first `count` lanes are characters.
    // `kept` selects the bytes of these only, because `_bzhi_u64` clears its bits from `4 * count` on (none at 64).
    unsafe { out.store(utf8, kept.count_ones() as usize) };
    ones & first(count) as u16
}
