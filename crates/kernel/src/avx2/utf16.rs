//! Decodes UTF-16 to UTF-8.
//!
//! # Limits
//! None.

use super::{bytes, half_bytes, load, load_half, twice};
use crate::portable::utf16::{beyond_ascii, one, portable};
use crate::writer::Writer;
use std::arch::x86_64::{
    __m128i, __m256i, _mm_and_si128, _mm_blendv_epi8, _mm_castsi128_ps, _mm_cmpgt_epi32,
    _mm_movemask_ps, _mm_or_si128, _mm_set1_epi32, _mm_shuffle_epi8, _mm_slli_epi32,
    _mm_srli_epi32, _mm256_and_si256, _mm256_blendv_epi8, _mm256_castsi256_ps,
    _mm256_castsi256_si128, _mm256_cmpeq_epi16, _mm256_cmpgt_epi32, _mm256_cvtepu16_epi32,
    _mm256_extracti128_si256, _mm256_movemask_epi8, _mm256_movemask_ps, _mm256_or_si256,
    _mm256_packus_epi16, _mm256_permute4x64_epi64, _mm256_set_m128i, _mm256_set1_epi16,
    _mm256_set1_epi32, _mm256_shuffle_epi8, _mm256_slli_epi32, _mm256_srli_epi16,
    _mm256_srli_epi32, _mm256_testz_si256,
};

/// For four units: which of their packed bytes to keep. The index has a bit for each unit of one byte, and above these
/// a bit for each of three bytes.
const KEEP: [[u8; 16]; 256] = {
    let mut keep = [[0x80; 16]; 256];
    let mut index = 0;
    while index < 256 {
        let (mut unit, mut to) = (0, 0);
        while unit < 4 {
            let len = if index >> unit & 1 == 1 {
                1
            } else {
                2 + (index >> (4 + unit) & 1)
            };
            let mut byte = 0;
            while byte < len {
                keep[index][to] = (4 * unit + byte) as u8;
                to += 1;
                byte += 1;
            }
            unit += 1;
        }
        index += 1;
    }
    keep
};

/// See [`portable`].
#[target_feature(enable = "avx2,popcnt")]
pub(in super::super) fn utf16<const BIG: bool>(input: &[u8], out: &mut Writer<'_>) -> usize {
    let beyond_ascii = beyond_ascii_mask::<BIG>();
    let mut at = 0;
    while let Some(block) = input[at..].first_chunk::<32>() {
        let raw = load(block);
        out.reserve(64);
        if _mm256_testz_si256(raw, beyond_ascii) != 0 {
            let ascii = low_bytes::<BIG>(raw, raw);
            // SAFETY: there is room, and the units are ASCII.
            unsafe { out.store(bytes(ascii), 16) };
            at += 32;
            at += append_ascii_units::<BIG>(&input[at..], out);
            continue;
        }
        let units = native_units::<BIG>(block);
        let halves = surrogates(units);
        if halves == 0 {
            // SAFETY: there is room for 64 bytes, of which the first eight units take 24 at most; none is half of a pair.
            unsafe {
                eight_units(_mm256_castsi256_si128(units), 8, out);
                eight_units(_mm256_extracti128_si256::<1>(units), 8, out);
            }
            at += 32;
            continue;
        }
        // The units before the first surrogate, and the pair that it begins.
        for _ in 0..=halves.trailing_zeros() / 2 {
            match one::<BIG>(&input[at..], out) {
                0 => return at,
                len => at += len,
            }
        }
    }
    at + portable::<BIG>(&input[at..], out)
}

/// Appends 32 units at a time while they are ASCII. Returns the number of bytes read.
#[target_feature(enable = "avx2,popcnt")]
#[inline]
pub(in super::super) fn append_ascii_units<const BIG: bool>(
    input: &[u8],
    out: &mut Writer<'_>,
) -> usize {
    let beyond_ascii = beyond_ascii_mask::<BIG>();
    let mut at = 0;
    while let Some([one, other]) = input[at..]
        .first_chunk::<64>()
        .map(|block| block.as_chunks::<32>().0)
    {
        let (one, other) = (load(one), load(other));
        if _mm256_testz_si256(_mm256_or_si256(one, other), beyond_ascii) == 0 {
            break;
        }
        out.reserve(32);
        // SAFETY: there is room, and the units are ASCII.
        unsafe { out.store(bytes(low_bytes::<BIG>(one, other)), 32) };
        at += 64;
    }
    at
}

#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn beyond_ascii_mask<const BIG: bool>() -> __m256i {
    _mm256_set1_epi16(beyond_ascii::<BIG>() as i16)
}

/// Returns the units of a block in native byte order.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
pub(in super::super) fn native_units<const BIG: bool>(block: &[u8; 32]) -> __m256i {
    let raw = load(block);
    if BIG { swapped(raw) } else { raw }
}

/// The bytes of two times sixteen units below 100.
#[target_feature(enable = "avx2,popcnt")]
fn low_bytes<const BIG: bool>(one: __m256i, other: __m256i) -> __m256i {
    let packed = if BIG {
        _mm256_packus_epi16(_mm256_srli_epi16::<8>(one), _mm256_srli_epi16::<8>(other))
    } else {
        _mm256_packus_epi16(one, other)
    };
    _mm256_permute4x64_epi64::<0b11_01_10_00>(packed)
}

#[target_feature(enable = "avx2,popcnt")]
fn swapped(units: __m256i) -> __m256i {
    const SWAP: [u8; 16] = [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14];
    _mm256_shuffle_epi8(units, twice(&SWAP))
}

/// Returns two bits for each surrogate.
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn surrogates(units: __m256i) -> u32 {
    let top = _mm256_and_si256(units, _mm256_set1_epi16(0xF800_u16 as i16));
    _mm256_movemask_epi8(_mm256_cmpeq_epi16(
        top,
        _mm256_set1_epi16(0xD800_u16 as i16),
    )) as u32
}

/// Four units in UTF-8.
pub(super) struct Four {
    pub(super) utf8: __m128i,
    /// A bit for each unit below 80, and for each above 7FF.
    pub(super) ones: u32,
    threes: u32,
}

impl Four {
    /// Encodes units in numbers of 32 bits. None may be a surrogate.
    #[inline]
    #[target_feature(enable = "avx2,popcnt")]
    pub(super) fn new(units: __m128i) -> Self {
        let six = |shifted, mask| _mm_and_si128(shifted, _mm_set1_epi32(mask));
        let last = six(_mm_slli_epi32::<16>(units), 0x3F_0000);
        let middle = six(_mm_slli_epi32::<2>(units), 0x3F00);
        let first = _mm_or_si128(_mm_srli_epi32::<12>(units), _mm_set1_epi32(0x80_80E0));
        let three = _mm_or_si128(_mm_or_si128(last, middle), first);
        let trail = six(_mm_slli_epi32::<8>(units), 0x3F00);
        let lead = _mm_or_si128(_mm_srli_epi32::<6>(units), _mm_set1_epi32(0x80C0));
        let two = _mm_or_si128(trail, lead);
        let is_one = _mm_cmpgt_epi32(_mm_set1_epi32(0x80), units);
        let is_three = _mm_cmpgt_epi32(units, _mm_set1_epi32(0x7FF));
        let packed = _mm_blendv_epi8(_mm_blendv_epi8(two, three, is_three), units, is_one);
        let ones = _mm_movemask_ps(_mm_castsi128_ps(is_one)) as u32;
        let threes = _mm_movemask_ps(_mm_castsi128_ps(is_three)) as u32;
        let keep = load_half(&KEEP[(ones & 0xF | (threes & 0xF) << 4) as usize]);
        Self {
            utf8: _mm_shuffle_epi8(packed, keep),
            ones,
            threes,
        }
    }

    /// The length in bytes of the first `count`.
    #[inline]
    #[target_feature(enable = "avx2,popcnt")]
    pub(super) fn len(&self, count: u32) -> usize {
        len(self.ones, self.threes, count)
    }
}

/// The length in bytes of the first `count` of four units.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn len(ones: u32, threes: u32, count: u32) -> usize {
    let counted = (1 << count) - 1;
    (2 * count + (threes & counted).count_ones() - (ones & counted).count_ones()) as usize
}

/// Appends the first `count` of eight units. Returns a bit for each unit below 80, also behind the count.
///
/// # Safety
/// There is room for 28 bytes, and none of the first `count` units is a surrogate.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
pub(super) unsafe fn eight_units(units: __m128i, count: u32, out: &mut Writer<'_>) -> u32 {
    let units = _mm256_cvtepu16_epi32(units);
    let six = |shifted, mask| _mm256_and_si256(shifted, _mm256_set1_epi32(mask));
    let last = six(_mm256_slli_epi32::<16>(units), 0x3F_0000);
    let middle = six(_mm256_slli_epi32::<2>(units), 0x3F00);
    let first = _mm256_or_si256(_mm256_srli_epi32::<12>(units), _mm256_set1_epi32(0x80_80E0));
    let three = _mm256_or_si256(_mm256_or_si256(last, middle), first);
    let trail = six(_mm256_slli_epi32::<8>(units), 0x3F00);
    let lead = _mm256_or_si256(_mm256_srli_epi32::<6>(units), _mm256_set1_epi32(0x80C0));
    let two = _mm256_or_si256(trail, lead);
    let is_one = _mm256_cmpgt_epi32(_mm256_set1_epi32(0x80), units);
    let is_three = _mm256_cmpgt_epi32(units, _mm256_set1_epi32(0x7FF));
    let packed = _mm256_blendv_epi8(_mm256_blendv_epi8(two, three, is_three), units, is_one);
    let ones = _mm256_movemask_ps(_mm256_castsi256_ps(is_one)) as u32;
    let threes = _mm256_movemask_ps(_mm256_castsi256_ps(is_three)) as u32;
    let index = [ones & 0xF | (threes & 0xF) << 4, ones >> 4 | threes & 0xF0];
    let keep = index.map(|i| load_half(&KEEP[(i & 0xFF) as usize]));
    let packed = _mm256_shuffle_epi8(packed, _mm256_set_m128i(keep[1], keep[0]));
    let halves = [
        _mm256_castsi256_si128(packed),
        _mm256_extracti128_si256::<1>(packed),
    ];
    let lens = [
        len(ones, threes, count.min(4)),
        len(ones >> 4, threes >> 4, count.saturating_sub(4)),
    ];
    for (half, len) in halves.into_iter().zip(lens) {
        // SAFETY: there is room for 28 bytes, of which the first half takes 12 at most and the store 16. Units that are
        // no halves of pairs are characters, and each length ends behind one of them.
        unsafe { out.store(half_bytes(half), len) };
    }
    ones
}
