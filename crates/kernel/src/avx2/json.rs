//! Escapes text for JSON strings.
//!
//! # Limits
//! None.

use super::load;
use crate::portable::json::put_escape;
use std::arch::x86_64::{
    _mm256_cmpeq_epi8, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8,
};

/// See [`append_escaped`](crate::json::append_escaped).
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn json(text: &[u8], lines: bool, out: &mut Vec<u8>) {
    // Reserve one block more: whole blocks are copied, and bytes behind an escape are truncated.
    out.reserve(text.len() + text.len() / 32 + 32);
    let mut rest = text;
    while let Some(block) = rest.first_chunk::<32>() {
        let found = escaped(block);
        let start = out.len();
        out.extend_from_slice(block);
        if found == 0 {
            rest = &rest[32..];
            continue;
        }
        let plain = found.trailing_zeros() as usize;
        out.truncate(start + plain);
        // Most escapes are line ends. They are written here without a call.
        if rest[plain] == b'\n' {
            out.extend_from_slice(b"\\n");
        } else {
            put_escape(&rest[plain..], lines, out);
        }
        rest = &rest[plain + 1..];
    }
    while !rest.is_empty() {
        let mut block = [b' '; 32];
        block[..rest.len()].copy_from_slice(rest);
        let plain = (escaped(&block).trailing_zeros() as usize).min(rest.len());
        out.extend_from_slice(&rest[..plain]);
        rest = &rest[plain..];
        put_escape(rest, lines, out);
        rest = rest.get(1..).unwrap_or_default();
    }
}

/// Returns a bit for each byte that is escaped.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn escaped(block: &[u8; 32]) -> u32 {
    let all = |byte: u8| _mm256_set1_epi8(byte as i8);
    let raw = load(block);
    let control = _mm256_cmpeq_epi8(_mm256_min_epu8(raw, all(0x1F)), raw);
    let sign = _mm256_or_si256(
        _mm256_cmpeq_epi8(raw, all(b'"')),
        _mm256_cmpeq_epi8(raw, all(b'\\')),
    );
    _mm256_movemask_epi8(_mm256_or_si256(control, sign)) as u32
}
