//! Decodes double-byte charsets.
//!
//! # Limits
//! None.

use super::load;
use crate::packed::Packed;
use crate::portable::pair_table::{PairTable, pair_by_pair};
use crate::portable::short_bytes::ROOM;
use crate::writer::Writer;
use std::arch::x86_64::{
    __m256i, _bzhi_u64, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_shuffle_epi8, _mm256_and_si256,
    _mm256_andnot_si256, _mm256_movemask_epi8, _mm256_set1_epi8, _mm256_slli_epi16,
    _mm256_sub_epi8, _mm256_xor_si256, _mm256_zextsi128_si256,
};
use std::hint::select_unpredictable;

/// Describes the first four characters of eight bytes, by the bytes that can be lead bytes (bit 0 is the first byte).
/// Has the places of the low and the high byte of each, and the length of all four. Eight bytes always hold four: only
/// the last byte can be half a pair.
const FOURS: ([[u8; 8]; 256], [u8; 256]) = {
    let (mut places, mut lens) = ([[0x80; 8]; 256], [0; 256]);
    let mut leads = 0;
    while leads < 256 {
        let (mut at, mut n) = (0, 0);
        while n < 4 {
            let lead = leads >> at & 1;
            places[leads][2 * n] = (at + lead) as u8;
            if lead == 1 {
                places[leads][2 * n + 1] = at as u8;
            }
            at += 1 + lead;
            n += 1;
        }
        lens[leads] = at as u8;
        leads += 1;
    }
    (places, lens)
};

/// See [`PairTable::append_decoded`].
///
/// Pairs and single bytes follow each other unpredictably, so no branch depends on them.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn pairs<const SKIP_A0_DF: bool>(
    table: &PairTable,
    input: &[u8],
    text: &mut String,
) -> usize {
    let mut out = Writer::new(text);
    let mut at = 0;
    loop {
        let mut is_basic = true;
        while is_basic && let Some(block) = input[at..].first_chunk::<32>() {
            let raw = load(block);
            out.reserve(64);
            if _mm256_movemask_epi8(raw) == 0 {
                // SAFETY: there is room, and the bytes are ASCII.
                unsafe { out.store(*block, 32) };
                at += 32;
                continue;
            }
            let leads = leads::<SKIP_A0_DF>(raw);
            let mut place = 0;
            for _ in 0..4 {
                let Some(eight) = block.get(place..).and_then(|near| near.first_chunk()) else {
                    break;
                };
                let (cells, len) = four(table, *eight, leads >> place);
                is_basic = cells.iter().fold(true, |all, cell| all & cell.is_basic());
                if !is_basic {
                    break;
                }
                for cell in cells {
                    // SAFETY: there is room for four bytes for each of sixteen, and they are of the basic plane.
                    unsafe { out.put_basic(cell) };
                }
                place += len;
            }
            at += place;
        }
        while is_basic && let Some(eight) = input[at..].first_chunk::<8>() {
            let raw = _mm_cvtsi64_si128(i64::from_le_bytes(*eight));
            let (cells, len) = four(
                table,
                *eight,
                leads::<SKIP_A0_DF>(_mm256_zextsi128_si256(raw)),
            );
            is_basic = cells.iter().fold(true, |all, cell| all & cell.is_basic());
            if is_basic {
                out.reserve(16);
                for cell in cells {
                    // SAFETY: there is room for four bytes for each of the four, and they are of the basic plane.
                    unsafe { out.put_basic(cell) };
                }
                at += len;
            }
        }
        while is_basic
            && at < input.len()
            && let Some(last) = input.last_chunk()
        {
            // Fewer than eight bytes are left: shift out the bytes before them, and zeros in behind them.
            let rest = input.len() - at;
            let eight = (u64::from_le_bytes(*last) >> (8 * (8 - rest))).to_le_bytes();
            let raw = _mm_cvtsi64_si128(i64::from_le_bytes(eight));
            let leads = leads::<SKIP_A0_DF>(_mm256_zextsi128_si256(raw));
            let (cells, len) = four(table, eight, leads);
            is_basic = cells.iter().fold(true, |all, cell| all & cell.is_basic());
            if is_basic {
                out.reserve(16);
                let places = FOURS.0[(leads & 0xFF) as usize];
                for (n, cell) in cells.into_iter().enumerate() {
                    let is_left = usize::from(places[2 * n]) < rest;
                    let cell = select_unpredictable(is_left, cell, Packed::NONE);
                    // SAFETY: there is room for four bytes for each of the four, and they are of the basic plane or none.
                    unsafe { out.put_basic(cell) };
                }
                at += len.min(rest);
            }
        }
        if is_basic && at == input.len() {
            return at;
        }
        // The end, characters of four bytes, or a character that the table lacks.
        let near = &input[at..input.len().min(at + 16)];
        let len;
        (out, len) = single_steps::<SKIP_A0_DF>(table, near, out);
        at += len;
        if len == 0 || is_basic {
            return at;
        }
    }
}

/// See [`PairTable::append_short`]; for at most 64 bytes. Stops before four characters if one is outside the
/// basic plane.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn short_pairs<const SKIP_A0_DF: bool>(
    table: &PairTable,
    room: &[u8; ROOM],
    len: usize,
    text: &mut String,
) -> usize {
    let (blocks, _) = room.as_chunks();
    let [one, other, ..] = blocks else { return 0 };
    let leads = [one, other].map(|block| u64::from(leads::<SKIP_A0_DF>(load(block))));
    let leads = _bzhi_u64(leads[0] | leads[1] << 32, len as u32);
    let mut out = Writer::new(text);
    let mut at = 0;
    while at < len
        && let Some(eight) = room.get(at..).and_then(|near| near.first_chunk())
    {
        // Zeros follow the end, so a truncated pair is no pair.
        let left = 8 * (len - at).min(8) as u32;
        let eight = _bzhi_u64(u64::from_le_bytes(*eight), left).to_le_bytes();
        let (cells, step) = four(table, eight, (leads >> at) as u32);
        if !cells.iter().fold(true, |all, cell| all & cell.is_basic()) {
            return at;
        }
        out.reserve(16);
        for cell in cells {
            // SAFETY: there is room for four bytes for each of the four, and they are of the basic plane.
            unsafe { out.put_basic(cell) };
        }
        at += step;
    }
    // SAFETY: each zero behind the end was written as NUL: the text was so long before the first of them.
    unsafe { out.rewind(out.len() - (at - len)) };
    len
}

/// Returns the first four characters of eight bytes and their length, by the mask of possible lead bytes.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn four(table: &PairTable, eight: [u8; 8], leads: u32) -> ([Packed; 4], usize) {
    let near = (leads & 0xFF) as usize;
    let codes = _mm_shuffle_epi8(
        _mm_cvtsi64_si128(i64::from_le_bytes(eight)),
        _mm_cvtsi64_si128(i64::from_le_bytes(FOURS.0[near])),
    );
    let codes = _mm_cvtsi128_si64(codes).cast_unsigned();
    let cells = [0, 16, 32, 48].map(|shift| table.cell((codes >> shift) as u16));
    (cells, usize::from(FOURS.1[near]))
}

// Takes and returns the writer, so that the loop above can keep it in registers.
#[cold]
fn single_steps<'t, const SKIP_A0_DF: bool>(
    table: &PairTable,
    input: &[u8],
    mut out: Writer<'t>,
) -> (Writer<'t>, usize) {
    let len = pair_by_pair::<SKIP_A0_DF>(table, input, &mut out);
    (out, len)
}

/// Returns a bit for each byte that can be a lead byte.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn leads<const SKIP_A0_DF: bool>(raw: __m256i) -> u32 {
    // 80 is the only high byte whose predecessor has no high bit.
    let above_80 = _mm256_and_si256(raw, _mm256_sub_epi8(raw, _mm256_set1_epi8(1)));
    let leads = if SKIP_A0_DF {
        let middle = _mm256_xor_si256(_mm256_slli_epi16::<1>(raw), _mm256_slli_epi16::<2>(raw));
        _mm256_andnot_si256(middle, above_80)
    } else {
        above_80
    };
    _mm256_movemask_epi8(leads).cast_unsigned()
}
