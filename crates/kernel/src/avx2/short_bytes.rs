//! Decodes base64 of up to some tens of bytes.
//!
//! # Limits
//! None.

use super::base64::octets;
use super::utf7::{BASE64_CLASS, faults};
use super::{bytes, near};
use crate::portable::short_bytes::{MOST, ROOM};
use std::arch::x86_64::{
    _bzhi_u32, _mm256_blendv_epi8, _mm256_cmpeq_epi8, _mm256_movemask_epi8, _mm256_set1_epi8,
    _mm256_setzero_si256,
};

/// See [`ShortBytes::decode_base64`](crate::ShortBytes::decode_base64); the text has at least [`NEAR`](super::NEAR) bytes.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn base64(
    text: &[u8],
    at: usize,
    room: &mut [u8; ROOM],
) -> Option<(usize, usize)> {
    /// By the number of digits in the last quantum: the padding, the number of bytes, and the bits that must be zero.
    const ENDS: [(usize, usize, u8); 4] =
        [(0, 0, 0), (usize::MAX, 0, 0), (2, 1, 0xFF), (1, 2, 0xFF)];
    text.get(at..)?;
    let (mut at, mut written) = (at, 0);
    loop {
        let raw = near(text, at);
        let is_digit = _mm256_cmpeq_epi8(faults(raw, &BASE64_CLASS), _mm256_setzero_si256());
        let count = (_mm256_movemask_epi8(is_digit) as u32).trailing_ones() as usize;
        // A byte that is no digit counts as zero.
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
            // One branch for all padding. Behind the end of the text are zeros, which are no padding.
            _bzhi_u32(!signs >> count, padding as u32) == 0
        } else {
            text.get(digits_end..end)?.iter().all(|byte| *byte == b'=')
        };
        return is_padded.then_some((end, written));
    }
}
