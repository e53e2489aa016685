//! The loops in AVX2. Each says which portable one it stands for.
//!
//! # Limits
//! None.

mod base64;
mod pairs;
mod units;
mod utf7;

pub(super) use base64::lines;
pub(super) use pairs::pairs;
pub(super) use units::utf16;
pub(super) use utf7::{shifted, text};

use std::arch::x86_64::{__m128i, __m256i, _mm256_loadu_si256, _mm256_set_m128i};

/// Whether the machine has what the loop for UTF-16 is made for.
#[inline]
pub(super) fn is_here_for_units() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt")
}

/// Whether the machine has what the other loops are made for. Short pieces pay for each question.
#[inline]
pub(super) fn is_here() -> bool {
    is_here_for_units() && is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2")
}

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
