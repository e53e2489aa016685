//! Decodes lines of base64.
//!
//! # Limits
//! None.

use super::utf7::{BASE64_CLASS, VALUE_OFFSETS, faults};
use super::{bytes, load, twice};
use crate::padding::filled;
use crate::portable::base64::first_line;
use std::arch::x86_64::{
    __m256i, _mm256_add_epi8, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_madd_epi16,
    _mm256_maddubs_epi16, _mm256_movemask_epi8, _mm256_or_si256, _mm256_permutevar8x32_epi32,
    _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_setr_epi32,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16,
};

/// Number of characters in a block. They decode to three quarters as many bytes.
const BLOCK: usize = 32;

/// See [`append_lines`](crate::base64::append_lines).
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn lines(text: &[u8], out: &mut Vec<u8>) -> usize {
    let mut out = OutputRoom::new(text.len(), out);
    let read = match first_line(text) {
        Some((76, 2)) => lines_of::<76, 78>(text, &mut out),
        Some((76, 1)) => lines_of::<76, 77>(text, &mut out),
        Some((72, 2)) => lines_of::<72, 74>(text, &mut out),
        Some((72, 1)) => lines_of::<72, 73>(text, &mut out),
        Some((64, 2)) => lines_of::<64, 66>(text, &mut out),
        Some((64, 1)) => lines_of::<64, 65>(text, &mut out),
        Some((60, 2)) => lines_of::<60, 62>(text, &mut out),
        Some((60, 1)) => lines_of::<60, 61>(text, &mut out),
        _ => 0,
    };
    read + quanta(&text[read..], &mut out)
}

/// Decodes lines of `WIDTH` characters, `STEP` bytes with their line ends. Returns the number of bytes read.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn lines_of<const WIDTH: usize, const STEP: usize>(text: &[u8], out: &mut OutputRoom<'_>) -> usize {
    let mut read = 0;
    for line in text.as_chunks::<STEP>().0 {
        let mut wrong = _mm256_setzero_si256();
        let mut at = 0;
        while at < WIDTH {
            // The last block begins within the one before it.
            let start = at.min(WIDTH - BLOCK);
            let Some(block) = line[start..].first_chunk() else {
                break;
            };
            let characters = load(block);
            wrong = _mm256_or_si256(wrong, faults(characters, &BASE64_CLASS));
            // SAFETY: there is room for the bytes of all characters, and for eight more.
            unsafe { out.store(start / 4 * 3, characters) };
            at += BLOCK;
        }
        let is_ended = line[STEP - 1] == b'\n' && (STEP == WIDTH + 1 || line[WIDTH] == b'\r');
        if !is_ended || right(wrong) != u32::MAX {
            break;
        }
        // SAFETY: the blocks lie side by side or overlap, from the first character of the line to the last.
        unsafe { out.keep(WIDTH / 4 * 3) };
        read += STEP;
    }
    read
}

/// Decodes the complete quanta at the start of `text` and returns their length.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn quanta(text: &[u8], out: &mut OutputRoom<'_>) -> usize {
    let mut read = 0;
    loop {
        let rest = &text[read..];
        let mut room = None;
        let characters = load(filled(rest, 0, &mut room));
        let length = right(faults(characters, &BASE64_CLASS)).trailing_ones() as usize / 4 * 4;
        // SAFETY: there is room for the bytes of all characters, and for 32 more.
        unsafe {
            out.store(0, characters);
            out.keep(length / 4 * 3);
        }
        read += length;
        if length < BLOCK {
            return read;
        }
    }
}

/// Returns a bit for each valid digit.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn right(faults: __m256i) -> u32 {
    _mm256_movemask_epi8(_mm256_cmpeq_epi8(faults, _mm256_setzero_si256())) as u32
}

/// The room behind the end of a vector, enough for all bytes that a text can decode to.
struct OutputRoom<'v> {
    out: &'v mut Vec<u8>,
    /// Kept beside the vector, so that no store forces its header to be read again.
    start: *mut u8,
    len: usize,
}

impl<'v> OutputRoom<'v> {
    /// Reserves room for the bytes of so many characters and one whole store.
    fn new(characters: usize, out: &'v mut Vec<u8>) -> Self {
        out.reserve(characters / 4 * 3 + BLOCK);
        Self {
            start: out.as_mut_ptr(),
            len: out.len(),
            out,
        }
    }

    /// Writes the bytes of a block, and eight meaningless ones, `at` bytes behind the end.
    ///
    /// # Safety
    /// There is room for all 32.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    unsafe fn store(&mut self, at: usize, characters: __m256i) {
        debug_assert!(self.len + at + BLOCK <= self.out.capacity());
        // SAFETY: the caller's, so that the target is inside the allocation; an array has no alignment.
        unsafe {
            self.start
                .add(self.len + at)
                .cast::<[u8; BLOCK]>()
                .write(bytes(octets(characters)));
        };
    }

    /// Moves the end.
    ///
    /// # Safety
    /// So many bytes behind it were written.
    #[inline]
    unsafe fn keep(&mut self, count: usize) {
        self.len += count;
    }
}

impl Drop for OutputRoom<'_> {
    fn drop(&mut self) {
        // SAFETY: all bytes before `len` were written, or were there before, which is within the capacity.
        unsafe { self.out.set_len(self.len) }
    }
}

/// Returns the 24 bytes of 32 characters, and eight meaningless ones. Other characters give meaningless bytes.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(super) fn octets(characters: __m256i) -> __m256i {
    /// From numbers of 32 bits to three bytes, the highest first. Zeros at the end would be put there twice.
    const OCTETS: [u8; 16] = [2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, 0, 0, 0, 0];
    let row = _mm256_and_si256(_mm256_srli_epi16::<4>(characters), _mm256_set1_epi8(0xF));
    let is_slash = _mm256_cmpeq_epi8(characters, _mm256_set1_epi8(b'/' as i8));
    let offset = _mm256_shuffle_epi8(twice(&VALUE_OFFSETS), _mm256_add_epi8(row, is_slash));
    let values = _mm256_add_epi8(characters, offset);
    // Two times six bits, then four times: 24 bits in each number of 32.
    let pairs = _mm256_maddubs_epi16(values, _mm256_set1_epi16(0x0140));
    let bits = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x0001_1000));
    let octets = _mm256_shuffle_epi8(bits, twice(&OCTETS));
    _mm256_permutevar8x32_epi32(octets, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7))
}
