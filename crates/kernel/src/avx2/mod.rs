//! The AVX2 loops. Each names the portable loop that it replaces.
//!
//! # Limits
//! None.

mod base64;
mod hex_escapes;
mod json;
mod pairs;
mod scan;
mod short_bytes;
mod text_finder;
mod utf16;
mod utf7;
mod utf8;

pub(super) use base64::lines;
pub(super) use hex_escapes::{escapes, hex_escapes};
pub(super) use json::json;
pub(super) use pairs::{pairs, short_pairs};
pub(super) use scan::{classes, high_mask, highs, look, suspect};
pub(super) use short_bytes::base64;
pub(super) use text_finder::find_text;
pub(super) use utf7::{shifted, short_runs, text};
pub(super) use utf8::{check_utf8, push_ascii, push_utf8};
pub(super) use utf16::{append_ascii_units, native_units, utf16};

use std::arch::x86_64::{__m128i, __m256i, _mm_shuffle_epi8, _mm256_loadu_si256, _mm256_set_m128i};
use std::sync::atomic::{AtomicU8, Ordering};

/// Returns true if the processor has the instructions of the UTF-16 loop.
#[inline]
pub(super) fn is_here_for_units() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt")
}

/// Returns true if the processor has the instructions of the other loops. The answer is cached, because the check is slow for short inputs.
#[inline]
pub(super) fn is_here() -> bool {
    /// 0: not yet checked.
    static ANSWER: AtomicU8 = AtomicU8::new(0);
    #[cold]
    fn ask() -> bool {
        let here = is_here_for_units()
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2");
        ANSWER.store(if here { 1 } else { 2 }, Ordering::Relaxed);
        here
    }
    match ANSWER.load(Ordering::Relaxed) {
        0 => ask(),
        answer => answer == 1,
    }
}

#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn twice(bytes: &[u8; 16]) -> __m256i {
    let half = load_half(bytes);
    _mm256_set_m128i(half, half)
}

#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn load(block: &[u8; 32]) -> __m256i {
    // SAFETY: the reference is to 32 bytes, and the load needs no alignment.
    unsafe { _mm256_loadu_si256(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn load_half(block: &[u8; 16]) -> __m128i {
    // SAFETY: both are sixteen bytes of which every value is allowed.
    unsafe { std::mem::transmute::<[u8; 16], __m128i>(*block) }
}

/// Bytes of a text that [`near`] reads.
pub(super) const NEAR: usize = 16;

/// Returns the 32 bytes at an offset of a text, with zeros behind its end. Returns zeros if the text is shorter than [`NEAR`].
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn near(text: &[u8], at: usize) -> __m256i {
    /// Loaded from its start, this shuffle moves nothing; loaded from a later offset, it moves bytes down.
    const SLIDE: [u8; 32] = {
        let mut places = [0x80; 32];
        let mut i = 0;
        while i < 16 {
            places[i] = i as u8;
            i += 1;
        }
        places
    };
    if let Some(block) = text.get(at..).and_then(|rest| rest.first_chunk()) {
        return load(block);
    }
    let last = text.len().saturating_sub(NEAR);
    let half = |at: usize| {
        let from = at.min(last);
        let bytes = text
            .get(from..)
            .and_then(|rest| rest.first_chunk())
            .unwrap_or(&[0; 16]);
        let slide = SLIDE
            .get((at - from).min(16)..)
            .and_then(|rest| rest.first_chunk());
        _mm_shuffle_epi8(load_half(bytes), load_half(slide.unwrap_or(&[0x80; 16])))
    };
    _mm256_set_m128i(half(at.saturating_add(16)), half(at))
}

/// Returns a mask with all bits set in the first `count` bytes, at most 32.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn first_bytes(count: usize) -> __m256i {
    const EDGE: [u8; 64] = {
        let mut edge = [0; 64];
        let mut i = 0;
        while i < 32 {
            edge[i] = 0xFF;
            i += 1;
        }
        edge
    };
    let from = 32 - count.min(32);
    load(
        EDGE.get(from..)
            .and_then(|rest| rest.first_chunk())
            .unwrap_or(&[0; 32]),
    )
}

#[inline]
fn bytes(vector: __m256i) -> [u8; 32] {
    // SAFETY: both are 32 bytes of which every value is allowed.
    unsafe { std::mem::transmute::<__m256i, [u8; 32]>(vector) }
}

#[inline]
fn half_bytes(vector: __m128i) -> [u8; 16] {
    // SAFETY: both are sixteen bytes of which every value is allowed.
    unsafe { std::mem::transmute::<__m128i, [u8; 16]>(vector) }
}

fn unit_array(vector: __m256i) -> [u16; 16] {
    // SAFETY: both are 32 bytes of which every value is allowed.
    unsafe { std::mem::transmute::<__m256i, [u16; 16]>(vector) }
}
