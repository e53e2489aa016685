//! Decodes hexadecimal escapes, in text of any length and in short text.
//!
//! # Limits
//! None.

use super::{bytes, load, near};
use crate::portable::short_bytes::{MOST, ROOM};
use std::arch::x86_64::{
    __m128i, __m256i, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_shuffle_epi8, _mm_unpackhi_epi64,
    _mm256_add_epi8, _mm256_alignr_epi8, _mm256_and_si256, _mm256_blendv_epi8,
    _mm256_castsi256_si128, _mm256_cmpeq_epi8, _mm256_extracti128_si256, _mm256_max_epu8,
    _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256, _mm256_permute2x128_si256,
    _mm256_set1_epi8, _mm256_slli_epi16, _mm256_sub_epi8,
};

/// See [`decode`](crate::hex_escapes::decode); `out` has the required room.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn hex_escapes(input: &[u8], out: &mut [u8]) -> (usize, usize) {
    let (mut at, mut to) = (0, 0);
    while let Some(rest) = input.get(at..).filter(|rest| !rest.is_empty()) {
        let raw = if let Some(block) = rest.first_chunk() {
            load(block)
        } else {
            let mut block = [0; 32];
            block[..rest.len()].copy_from_slice(rest);
            load(&block)
        };
        let signs = _mm256_cmpeq_epi8(raw, _mm256_set1_epi8(b'=' as i8));
        let places = _mm256_movemask_epi8(signs) as u32;
        let len = rest.len().min(32);
        if places == 0 {
            let Some(target) = out.get_mut(to..).and_then(|out| out.first_chunk_mut()) else {
                break;
            };
            *target = bytes(raw);
            (at, to) = (at + len, to + len);
            continue;
        }
        let (values, is_hex) = hex(raw);
        let is_digit = _mm256_movemask_epi8(is_hex) as u32;
        // Zeros behind the end are no digits.
        let faulty = places & !(is_digit >> 1 & is_digit >> 2);
        let read = len.min(faulty.trailing_zeros() as usize);
        if read == 0 {
            break;
        }
        let before = u32::MAX >> (32 - read);
        let kept = before & !(places | places << 1);
        let Some(written) = join_digits(raw, values, signs, kept, to, out) else {
            break;
        };
        (at, to) = (at + read, written);
    }
    (at, to)
}

/// See [`ShortBytes::decode_escapes`](crate::ShortBytes::decode_escapes); the text has [`NEAR`](super::NEAR) bytes at least.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn escapes(
    text: &[u8],
    at: usize,
    room: &mut [u8; ROOM],
) -> Option<(usize, usize)> {
    text.get(at..)?;
    let (mut at, mut written) = (at, 0);
    loop {
        let raw = near(text, at);
        let is = |byte: u8| _mm256_cmpeq_epi8(raw, _mm256_set1_epi8(byte as i8));
        let signs = is(b'=');
        // Bytes that are not printable, and the question mark.
        let place = _mm256_sub_epi8(raw, _mm256_set1_epi8(0x21));
        let beyond = _mm256_cmpeq_epi8(_mm256_max_epu8(place, _mm256_set1_epi8(0x5E)), place);
        let stops = _mm256_movemask_epi8(_mm256_or_si256(beyond, is(b'?'))) as u32;
        let end = stops.trailing_zeros();
        // If the digits of a sign may be in the next block, that block decodes it.
        let cut = _mm256_movemask_epi8(signs) as u32 & 0xC000_0000;
        let read = end.min(cut.trailing_zeros());
        let before = if read == 32 {
            u32::MAX
        } else {
            (1 << read) - 1
        };
        let escapes = _mm256_movemask_epi8(signs) as u32 & before;
        let (values, is_hex) = hex(raw);
        let digits = escapes << 1 | escapes << 2;
        if digits & !(_mm256_movemask_epi8(is_hex) as u32) != 0 {
            return None;
        }
        let spaced = _mm256_blendv_epi8(raw, _mm256_set1_epi8(b' ' as i8), is(b'_'));
        let kept = before & !(escapes | escapes << 1);
        written = join_digits(spaced, values, signs, kept, written, room)?;
        at += read as usize;
        if end == read && end < 32 {
            return (text.get(at) == Some(&b'?') && written <= MOST).then_some((at, written));
        }
    }
}

/// Replaces the last digit of each escape by its byte, and writes the bytes whose bits are set in `kept`. Returns the new end.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn join_digits(
    text: __m256i,
    values: __m256i,
    signs: __m256i,
    kept: u32,
    at: usize,
    out: &mut [u8],
) -> Option<usize> {
    let high = behind::<15>(values);
    let escaped = _mm256_or_si256(_mm256_slli_epi16::<4>(high), values);
    let joined = _mm256_blendv_epi8(text, escaped, behind::<14>(signs));
    let mut written = at;
    for (half, kept) in [
        (_mm256_castsi256_si128(joined), kept),
        (_mm256_extracti128_si256::<1>(joined), kept >> 16),
    ] {
        written = gather(half, kept as u8, written, out)?;
        written = gather(
            _mm_unpackhi_epi64(half, half),
            (kept >> 8) as u8,
            written,
            out,
        )?;
    }
    Some(written)
}

/// Writes those of the first eight bytes whose bits are set. Returns the new end.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn gather(bytes: __m128i, kept: u8, at: usize, out: &mut [u8]) -> Option<usize> {
    /// For each mask, the positions of its bits.
    const PLACES: [[u8; 8]; 256] = {
        let mut places = [[0; 8]; 256];
        let mut set = 0;
        while set < 256 {
            let (mut bit, mut n) = (0, 0);
            while bit < 8 {
                if set >> bit & 1 == 1 {
                    places[set][n] = bit;
                    n += 1;
                }
                bit += 1;
            }
            set += 1;
        }
        places
    };
    let places = _mm_cvtsi64_si128(i64::from_le_bytes(PLACES[usize::from(kept)]));
    let gathered = _mm_cvtsi128_si64(_mm_shuffle_epi8(bytes, places));
    *out.get_mut(at..)?.first_chunk_mut()? = gathered.to_le_bytes();
    Some(at + kept.count_ones() as usize)
}

/// Returns the values of hexadecimal digits, and a mask of the bytes that are digits.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn hex(raw: __m256i) -> (__m256i, __m256i) {
    let all = |byte: u8| _mm256_set1_epi8(byte as i8);
    let within =
        |place: __m256i, last: u8| _mm256_cmpeq_epi8(_mm256_min_epu8(place, all(last)), place);
    let digit = _mm256_sub_epi8(raw, all(b'0'));
    let letter = _mm256_sub_epi8(_mm256_or_si256(raw, all(0x20)), all(b'a'));
    let (is_digit, is_letter) = (within(digit, 9), within(letter, 5));
    let values = _mm256_blendv_epi8(_mm256_add_epi8(letter, all(10)), digit, is_digit);
    (
        _mm256_and_si256(values, all(0xF)),
        _mm256_or_si256(is_digit, is_letter),
    )
}

/// Moves each byte one place on for 15, two for 14, and fills with zeros.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn behind<const BY: i32>(vector: __m256i) -> __m256i {
    _mm256_alignr_epi8::<BY>(vector, _mm256_permute2x128_si256::<0x08>(vector, vector))
}
