//! Decodes single-byte charsets, 64 bytes at a time.
//!
//! # Limits
//! Reads only blocks in which every byte above 7F is a character of two UTF-8 bytes.

use super::{BLOCK, bytes, load};
use crate::portable::byte_table::ByteTable;
use crate::writer::Writer;
use std::arch::x86_64::{
    _mm512_mask_blend_epi8, _mm512_mask_cmpeq_epi8_mask, _mm512_maskz_compress_epi8,
    _mm512_movepi8_mask, _mm512_permutex2var_epi8, _mm512_setzero_si512, _pdep_u64,
};

/// Positions of first and second bytes in turn, for the first and the second half of a block.
const IN_TURN: [[u8; BLOCK]; 2] = {
    let mut places = [[0; BLOCK]; 2];
    let mut at = 0;
    while at < BLOCK {
        places[at / 32][at % 32 * 2] = at as u8;
        places[at / 32][at % 32 * 2 + 1] = (BLOCK + at) as u8;
        at += 1;
    }
    places
};

/// Decodes the first whole blocks for [`ByteTable::append_decoded`], up to a block that it cannot read. Bytes below 80 must be
/// ASCII.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn singles(page: &ByteTable, input: &[u8], text: &mut String) -> usize {
    const FIRSTS: u64 = 0x5555_5555_5555_5555;
    // No closures: they would not be compiled with the instructions of this function.
    let [firsts, seconds] = page.doubles();
    let (firsts, seconds) = (
        [load(&firsts[0]), load(&firsts[1])],
        [load(&seconds[0]), load(&seconds[1])],
    );
    let in_turn = [load(&IN_TURN[0]), load(&IN_TURN[1])];
    let mut out = Writer::new(text);
    let mut at = 0;
    while let Some(block) = input[at..].first_chunk::<BLOCK>() {
        let raw = load(block);
        let high = _mm512_movepi8_mask(raw);
        out.reserve(2 * BLOCK);
        if high == 0 {
            // SAFETY: there is room, and ASCII is UTF-8.
            unsafe { out.store(*block, BLOCK) };
            at += BLOCK;
            continue;
        }
        let second = _mm512_permutex2var_epi8(seconds[0], raw, seconds[1]);
        if _mm512_mask_cmpeq_epi8_mask(high, second, _mm512_setzero_si512()) != 0 {
            break;
        }
        let first = _mm512_permutex2var_epi8(firsts[0], raw, firsts[1]);
        let first = _mm512_mask_blend_epi8(high, raw, first);
        for (places, letters) in in_turn.into_iter().zip([high & 0xFFFF_FFFF, high >> 32]) {
            let pairs = _mm512_permutex2var_epi8(first, places, second);
            let kept = FIRSTS | _pdep_u64(letters, !FIRSTS);
            let chars = bytes(_mm512_maskz_compress_epi8(kept, pairs));
            // SAFETY: there is room for two bytes for each of the block, and those kept are ASCII, and both bytes of characters of two.
            unsafe { out.store(chars, kept.count_ones() as usize) };
        }
        at += BLOCK;
    }
    at
}
