//! Copies and recognizes ASCII.
//!
//! # Limits
//! None.

use crate::writer::Writer;
use std::ops::Range;

/// Bytes looked at in one step.
const STEP: usize = 32;

/// Returns a bit for each byte of a block, which is set if the byte is above 7F. Bit 0 stands for the first byte.
pub(crate) fn portable_high_mask(block: &[u8; 64]) -> u64 {
    let (words, _) = block.as_chunks::<8>();
    words.iter().enumerate().fold(0, |mask, (nth, word)| {
        let high = u64::from_le_bytes(*word) & 0x8080_8080_8080_8080;
        // The product has the highest bits of the eight bytes in its highest byte.
        mask | high.wrapping_mul(0x0002_0408_1020_4081) >> 56 << (8 * nth)
    })
}

/// Appends the ASCII bytes at the start of `input` to `text` and returns their number.
pub fn append_prefix(input: &[u8], text: &mut String) -> usize {
    let mut out = Writer::new(text);
    let mut at = 0;
    while let Some(block) = input[at..].first_chunk::<STEP>() {
        if !all_ascii(block) {
            break;
        }
        out.reserve(STEP);
        // SAFETY: there is room, and ASCII is UTF-8.
        unsafe { out.store(*block, STEP) };
        at += STEP;
    }
    while let Some(block) = input[at..].first_chunk::<8>() {
        let high = u64::from_le_bytes(*block) & 0x8080_8080_8080_8080;
        let len = high.trailing_zeros() as usize / 8;
        out.reserve(8);
        // SAFETY: there is room, and the bytes before the first high one are ASCII.
        unsafe { out.store(*block, len) };
        at += len;
        if len < 8 {
            return at;
        }
    }
    for byte in input[at..].iter().take_while(|byte| byte.is_ascii()) {
        out.reserve(1);
        // SAFETY: there is room, and the byte is ASCII.
        unsafe { out.store([*byte], 1) };
        at += 1;
    }
    at
}

pub(crate) fn portable_push_ascii(source: &[u8], range: Range<usize>, text: &mut String) -> bool {
    let piece = as_str(&source[range]);
    text.push_str(piece.unwrap_or_default());
    piece.is_some()
}

/// Returns `bytes` as text if they are all ASCII.
#[inline]
pub fn as_str(bytes: &[u8]) -> Option<&str> {
    // SAFETY: ASCII is UTF-8.
    bytes
        .is_ascii()
        .then(|| unsafe { std::str::from_utf8_unchecked(bytes) })
}

#[inline]
pub(crate) fn all_ascii<const N: usize>(block: &[u8; N]) -> bool {
    block.iter().fold(0, |all, byte| all | byte) < 0x80
}
