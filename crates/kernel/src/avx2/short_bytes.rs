//! Base64 and escaped text of some tens of bytes.
//!
//! # Limits
//! None.

use super::base64::octets;
use super::utf7::{BASE64_CLASS, faults};
use super::{bytes, near};
use crate::portable::short_bytes::{MOST, ROOM};
use std::arch::x86_64::{
    __m128i, __m256i, _bzhi_u32, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_shuffle_epi8,
    _mm_unpackhi_epi64, _mm256_add_epi8, _mm256_alignr_epi8, _mm256_and_si256, _mm256_blendv_epi8,
    _mm256_castsi256_si128, _mm256_cmpeq_epi8, _mm256_extracti128_si256, _mm256_max_epu8,
    _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256, _mm256_permute2x128_si256,
    _mm256_set1_epi8, _mm256_setzero_si256, _mm256_slli_epi16, _mm256_sub_epi8,
};

/// See [`ShortBytes::decode_base64`](crate::ShortBytes::decode_base64); the text has [`NEAR`](super::NEAR) bytes at least.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn base64(
    text: &[u8],
    at: usize,
    room: &mut [u8; ROOM],
) -> Option<(usize, usize)> {
    /// By the digits of the last quantum: the padding behind them, the bytes in them, and which bits of the next byte must be zero.
    const ENDS: [(usize, usize, u8); 4] =
        [(0, 0, 0), (usize::MAX, 0, 0), (2, 1, 0xFF), (1, 2, 0xFF)];
    text.get(at..)?;
    let (mut at, mut written) = (at, 0);
    loop {
        let raw = near(text, at);
        let is_digit = _mm256_cmpeq_epi8(faults(raw, &BASE64_CLASS), _mm256_setzero_si256());
        let count = (_mm256_movemask_epi8(is_digit) as u32).trailing_ones() as usize;
        // What is no digit counts as zero.
        let digits = _mm256_blendv_epi8(_mm256_set1_epi8(b'A' as i8), raw, is_digit);
        *room.get_mut(written..)?.first_chunk_mut()? = bytes(octets(digits));
        if count == 32 {
            (at, written) = (at + 32, written + 24);
            continue;
        }
        let (padding, kept, rest) = ENDS[count % 4];
        let digits_end = at + count;
        written += count / 4 * 3 + kept;
        if padding > 2 || written > MOST || room[written] & rest != 0 {
            return None;
        }
        let end = digits_end + padding;
        let is_padded = if count + padding <= 32 {
            let signs =
                _mm256_movemask_epi8(_mm256_cmpeq_epi8(raw, _mm256_set1_epi8(b'=' as i8))) as u32;
            // No branch for each of them; behind the end of the text there are none.
            _bzhi_u32(!signs >> count, padding as u32) == 0
        } else {
            text.get(digits_end..end)?.iter().all(|byte| *byte == b'=')
        };
        return is_padded.then_some((end, written));
    }
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
        // What is not printable, and the question mark.
        let place = _mm256_sub_epi8(raw, _mm256_set1_epi8(0x21));
        let beyond = _mm256_cmpeq_epi8(_mm256_max_epu8(place, _mm256_set1_epi8(0x5E)), place);
        let stops = _mm256_movemask_epi8(_mm256_or_si256(beyond, is(b'?'))) as u32;
        let end = stops.trailing_zeros();
        // A sign whose digits may be in the next block is left to that.
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
        let high = behind::<15>(values);
        let escaped = _mm256_or_si256(_mm256_slli_epi16::<4>(high), values);
        let spaced = _mm256_blendv_epi8(raw, _mm256_set1_epi8(b' ' as i8), is(b'_'));
        let text_bytes = _mm256_blendv_epi8(spaced, escaped, behind::<14>(signs));
        let kept = before & !(escapes | escapes << 1);
        for (half, kept) in [
            (_mm256_castsi256_si128(text_bytes), kept),
            (_mm256_extracti128_si256::<1>(text_bytes), kept >> 16),
        ] {
            written = gather(half, kept as u8, written, room)?;
            written = gather(
                _mm_unpackhi_epi64(half, half),
                (kept >> 8) as u8,
                written,
                room,
            )?;
        }
        at += read as usize;
        if end == read && end < 32 {
            return (text.get(at) == Some(&b'?') && written <= MOST).then_some((at, written));
        }
    }
}

/// Writes those of the first eight bytes whose bits are set; gives the new end.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn gather(bytes: __m128i, kept: u8, at: usize, room: &mut [u8; ROOM]) -> Option<usize> {
    /// For each set of bits the places of those that are set.
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
    *room.get_mut(at..)?.first_chunk_mut()? = gathered.to_le_bytes();
    Some(at + kept.count_ones() as usize)
}

/// The values of hexadecimal digits, and which bytes are such.
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

/// Each byte one place further on for 15, two for 14, with zeros before them.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn behind<const BY: i32>(vector: __m256i) -> __m256i {
    _mm256_alignr_epi8::<BY>(vector, _mm256_permute2x128_si256::<0x08>(vector, vector))
}
