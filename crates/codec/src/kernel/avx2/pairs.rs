//! Double-byte charsets.
//!
//! # Limits
//! None.

use super::super::table::{Pairs, pair_by_pair};
use super::super::writer::Writer;
use super::load_half;
use std::arch::x86_64::{
    __m128i, _mm_and_si128, _mm_andnot_si128, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_movemask_epi8,
    _mm_set1_epi16, _mm_shuffle_epi8, _mm_slli_epi16, _mm_srai_epi16, _mm_sub_epi16, _mm_xor_si128,
};

/// For the first four characters of eight bytes, by the bytes that can be lead bytes (bit 0 is the first byte): the
/// places of the low and the high byte of each, and the length of all four. Eight bytes always hold four.
const FOURS: [([u8; 8], u8); 256] = {
    let mut fours = [([0x80; 8], 0); 256];
    let mut leads = 0;
    while leads < 256 {
        let (mut at, mut n) = (0, 0);
        while n < 4 {
            let lead = leads >> at & 1;
            fours[leads].0[2 * n] = (at + lead) as u8;
            if lead == 1 {
                fours[leads].0[2 * n + 1] = at as u8;
            }
            at += 1 + lead;
            n += 1;
        }
        fours[leads].1 = at as u8;
        leads += 1;
    }
    fours
};

/// See [`pairs`](super::super::table::pairs).
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn pairs<const SHIFT_JIS: bool>(
    table: &Pairs,
    input: &[u8],
    out: &mut Writer<'_>,
) -> usize {
    let mut at = 0;
    while let Some(block) = input[at..].first_chunk::<16>() {
        out.reserve(16);
        let raw = load_half(block);
        if _mm_movemask_epi8(raw) == 0 {
            // SAFETY: there is room, and the bytes are ASCII.
            unsafe { out.store(*block, 16) };
            at += 16;
            continue;
        }
        // Which bytes are pairs and which are single cannot be foretold: no branch may depend on it.
        let (places, len) = FOURS[(leads::<SHIFT_JIS>(raw) & 0xFF) as usize];
        let codes = _mm_shuffle_epi8(raw, _mm_cvtsi64_si128(i64::from_le_bytes(places)));
        let is_pair = _mm_srai_epi16::<15>(codes);
        let index = _mm_sub_epi16(codes, _mm_and_si128(is_pair, _mm_set1_epi16(Pairs::GAP)));
        let index = _mm_cvtsi128_si64(index).cast_unsigned();
        let cells = [0, 16, 32, 48].map(|shift| table.cell((index >> shift) as u16));
        if !cells.iter().fold(true, |all, cell| all & cell.is_basic()) {
            // Characters of four bytes, or one that the table does not know.
            match pair_by_pair::<SHIFT_JIS>(table, block, out) {
                0 => return at,
                len => at += len,
            }
            continue;
        }
        for cell in cells {
            // SAFETY: there is room for four bytes for each of the four, and they are of the basic plane.
            unsafe { out.put_basic(cell) };
        }
        at += usize::from(len);
    }
    at + pair_by_pair::<SHIFT_JIS>(table, &input[at..], out)
}

/// A bit for each byte that can be a lead byte.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn leads<const SHIFT_JIS: bool>(raw: __m128i) -> u32 {
    let leads = if SHIFT_JIS {
        _mm_andnot_si128(_mm_xor_si128(_mm_slli_epi16::<1>(raw), _mm_slli_epi16::<2>(raw)), raw)
    } else {
        raw
    };
    _mm_movemask_epi8(leads).cast_unsigned()
}
