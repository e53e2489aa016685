//! The AVX-512 loops, for processors with byte permutations (Ice Lake, Zen 4 and later). The loops for header values read short inputs, nearly
//! all of one block, without a branch on the length. The modules decode and search texts of any length. Each loop names the portable one that it
//! replaces.
//!
//! # Limits
//! AVX2 loops read base64 and escapes that are longer than a block, short runs of UTF-7, and ASCII in UTF-16.

mod byte_table;
mod text_finder;
mod units;
mod utf16;
mod utf7;

pub(super) use byte_table::singles;
pub(super) use text_finder::find_text;
pub(super) use utf7::text;
pub(super) use utf16::utf16;

use super::avx2;
use crate::portable::byte_pairs::BytePairs;
use crate::portable::plain_run::Scan;
use crate::portable::short_bytes::ROOM;
use std::arch::x86_64::{
    __m128i, __m512i, _blsmsk_u64, _bzhi_u64, _mm512_add_epi8, _mm512_alignr_epi8,
    _mm512_alignr_epi64, _mm512_and_si512, _mm512_broadcast_i32x4, _mm512_cmpeq_epi8_mask,
    _mm512_cmplt_epu8_mask, _mm512_loadu_si512, _mm512_madd_epi16, _mm512_maddubs_epi16,
    _mm512_mask_blend_epi8, _mm512_maskz_compress_epi8, _mm512_maskz_loadu_epi8,
    _mm512_maskz_mov_epi8, _mm512_movepi8_mask, _mm512_or_si512, _mm512_permutex2var_epi8,
    _mm512_permutexvar_epi8, _mm512_set1_epi8, _mm512_set1_epi16, _mm512_set1_epi32,
    _mm512_setzero_si512, _mm512_shuffle_epi8, _mm512_slli_epi16, _mm512_srli_epi16,
    _mm512_storeu_si512, _mm512_sub_epi8, _mm512_test_epi8_mask,
};
use std::sync::atomic::{AtomicU8, Ordering};

/// Bytes of a block.
const BLOCK: usize = 64;

/// Returns true if the processor has the instructions of these loops. The answer is cached, as in [`avx2::is_here`].
#[inline]
pub(super) fn is_here() -> bool {
    /// 0: not yet checked.
    static ANSWER: AtomicU8 = AtomicU8::new(0);
    #[cold]
    fn ask() -> bool {
        let here = avx2::is_here()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vbmi2");
        ANSWER.store(if here { 1 } else { 2 }, Ordering::Relaxed);
        here
    }
    match ANSWER.load(Ordering::Relaxed) {
        0 => ask(),
        answer => answer == 1,
    }
}

/// See [`PlainRun::scan`](crate::PlainRun::scan).
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
pub(super) fn look(value: &[u8], from: usize) -> Scan {
    let (mut eight, mut control, mut sign) = (0, 0, 0);
    let mut at = from;
    loop {
        let raw = near(value, at);
        let is = |byte: u8| _mm512_cmpeq_epi8_mask(raw, all(byte));
        let stops = is(b'=') & is(b'?') >> 1 | is(b'\r') | is(b'\n');
        // Up to the first stop. Zeros behind the end do not count as controls.
        let before = _blsmsk_u64(stops) & !stops & first(value.len().saturating_sub(at));
        eight |= _mm512_movepi8_mask(raw) & before;
        // `~` and 7F differ in one bit.
        let tilde_or_delete = _mm512_cmpeq_epi8_mask(_mm512_or_si512(raw, all(1)), all(0x7F));
        control |= (_mm512_cmplt_epu8_mask(raw, all(0x20)) | tilde_or_delete) & before;
        sign |= (is(b'$') | is(b'&')) & before;
        if stops != 0 || value.len().saturating_sub(at) <= BLOCK {
            let stop = (stops != 0).then(|| at + stops.trailing_zeros() as usize);
            return Scan {
                eight: eight != 0,
                control: control != 0,
                sign: sign != 0,
                stop,
            };
        }
        // Each block begins with the last byte of the one before it.
        at += BLOCK - 1;
    }
}

/// See [`BytePairs::find`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
pub(super) fn suspect(pairs: &BytePairs, text: &[u8], from: usize) -> Option<usize> {
    let half = all(0xF);
    let [high, low, behind] =
        [&pairs.first_high, &pairs.first_low, &pairs.second_low].map(|table| each_lane(table));
    let mut at = from;
    while at < text.len() {
        let (one, other) = (near(text, at), near(text, at + 1));
        let kinds = _mm512_and_si512(
            _mm512_and_si512(
                _mm512_shuffle_epi8(high, _mm512_and_si512(_mm512_srli_epi16::<4>(one), half)),
                _mm512_shuffle_epi8(low, _mm512_and_si512(one, half)),
            ),
            _mm512_shuffle_epi8(behind, _mm512_and_si512(other, half)),
        );
        let found = _mm512_test_epi8_mask(kinds, kinds) & first(text.len() - at);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize);
        }
        at += BLOCK;
    }
    None
}

/// See [`ShortBytes::decode_base64`](crate::ShortBytes::decode_base64); the text has at least [`NEAR`](avx2::NEAR) bytes.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
pub(super) fn base64(text: &[u8], at: usize, room: &mut [u8; ROOM]) -> Option<(usize, usize)> {
    /// By the number of digits in the last quantum: the padding, the number of bytes, and the bits that must be zero.
    const ENDS: [(usize, usize, u8); 4] =
        [(0, 0, 0), (usize::MAX, 0, 0), (2, 1, 0xFF), (1, 2, 0xFF)];
    text.get(at..)?;
    let raw = near(text, at);
    let values = _mm512_permutex2var_epi8(load(&SEXTETS.0), raw, load(&SEXTETS.1));
    let count = _mm512_movepi8_mask(_mm512_or_si512(values, raw)).trailing_zeros() as usize;
    // The padding must be here, too.
    if count > BLOCK - 2 {
        return avx2::base64(text, at, room);
    }
    let values = _mm512_maskz_mov_epi8(first(count), values);
    store(
        _mm512_permutexvar_epi8(load(&OCTETS), joined(values)),
        room.first_chunk_mut()?,
    );
    let (padding, kept, rest) = ENDS[count % 4];
    let written = count / 4 * 3 + kept;
    if padding > 2 || room[written] & rest != 0 {
        return None;
    }
    let signs = _mm512_cmpeq_epi8_mask(raw, all(b'='));
    (_bzhi_u64(!signs >> count, padding as u32) == 0).then_some((at + count + padding, written))
}

/// See [`ShortBytes::decode_escapes`](crate::ShortBytes::decode_escapes); the text has at least [`NEAR`](avx2::NEAR) bytes.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
pub(super) fn escapes(text: &[u8], at: usize, room: &mut [u8; ROOM]) -> Option<(usize, usize)> {
    let raw = near(text, at);
    let marks = _mm512_cmpeq_epi8_mask(raw, all(b'?'));
    // Bytes that are not printable or behind the end of the text, and the question mark.
    let stops = !_mm512_cmplt_epu8_mask(_mm512_sub_epi8(raw, all(0x21)), all(0x5E)) | marks;
    let end = stops.trailing_zeros() as usize;
    if end == BLOCK {
        return avx2::escapes(text, at, room);
    }
    let before = first(end);
    let escapes = _mm512_cmpeq_epi8_mask(raw, all(b'=')) & before;
    let digit = _mm512_sub_epi8(raw, all(b'0'));
    let letter = _mm512_sub_epi8(_mm512_or_si512(raw, all(0x20)), all(b'a'));
    let [is_digit, is_letter] =
        [(digit, 10), (letter, 6)].map(|(place, end)| _mm512_cmplt_epu8_mask(place, all(end)));
    // The stop is no digit.
    if (escapes << 1 | escapes << 2) & !(is_digit | is_letter) != 0 || marks >> end & 1 == 0 {
        return None;
    }
    let values = _mm512_mask_blend_epi8(is_digit, _mm512_add_epi8(letter, all(10)), digit);
    let values = _mm512_and_si512(values, all(0xF));
    // Moves each value one place on.
    let lanes = _mm512_alignr_epi64::<6>(values, _mm512_setzero_si512());
    let high = _mm512_alignr_epi8::<15>(values, lanes);
    let escaped = _mm512_or_si512(_mm512_slli_epi16::<4>(high), values);
    let spaced = _mm512_mask_blend_epi8(_mm512_cmpeq_epi8_mask(raw, all(b'_')), raw, all(b' '));
    let bytes = _mm512_mask_blend_epi8(escapes << 2, spaced, escaped);
    let kept = before & !(escapes | escapes << 1);
    store(
        _mm512_maskz_compress_epi8(kept, bytes),
        room.first_chunk_mut()?,
    );
    Some((at + end, kept.count_ones() as usize))
}

/// Joins the six-bit values of four digits at a time to 24 bits in a 32-bit lane.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
fn joined(values: __m512i) -> __m512i {
    let pairs = _mm512_maddubs_epi16(values, _mm512_set1_epi16(0x0140));
    _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x0001_1000))
}

/// Returns the values of digits. Other bytes have the highest bit set.
const SEXTETS: ([u8; BLOCK], [u8; BLOCK]) = {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut tables = ([0x80; BLOCK], [0x80; BLOCK]);
    let mut value = 0;
    while value < alphabet.len() {
        let byte = alphabet[value] as usize;
        let table = if byte < BLOCK {
            &mut tables.0
        } else {
            &mut tables.1
        };
        table[byte % BLOCK] = value as u8;
        value += 1;
    }
    tables
};

/// Converts numbers of 32 bits to three bytes, the highest first. Meaningless bytes follow.
const OCTETS: [u8; BLOCK] = {
    let mut places = [0; BLOCK];
    let mut i = 0;
    while i < 48 {
        places[i] = (i / 3 * 4 + 2 - i % 3) as u8;
        i += 1;
    }
    places
};

/// Returns the bytes at an offset of a text, with zeros behind its end.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
fn near(text: &[u8], at: usize) -> __m512i {
    let rest = text.get(at..).unwrap_or_default();
    // SAFETY: only bytes that are there are read.
    unsafe { _mm512_maskz_loadu_epi8(first(rest.len()), rest.as_ptr().cast()) }
}

/// Returns a mask of the first `count` bytes, at most 64.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
fn first(count: usize) -> u64 {
    _bzhi_u64(u64::MAX, count.min(BLOCK) as u32)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
fn all(byte: u8) -> __m512i {
    _mm512_set1_epi8(byte as i8)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
fn load(block: &[u8; BLOCK]) -> __m512i {
    // SAFETY: the reference is to 64 bytes, and the load needs no alignment.
    unsafe { _mm512_loadu_si512(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
fn store(vector: __m512i, block: &mut [u8; BLOCK]) {
    // SAFETY: the reference is to 64 bytes, and the store needs no alignment.
    unsafe { _mm512_storeu_si512(block.as_mut_ptr().cast(), vector) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
fn bytes(vector: __m512i) -> [u8; BLOCK] {
    let mut bytes = [0; BLOCK];
    store(vector, &mut bytes);
    bytes
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
fn each_lane(table: &[u8; 16]) -> __m512i {
    // SAFETY: both are sixteen bytes of which every value is allowed.
    _mm512_broadcast_i32x4(unsafe { std::mem::transmute::<[u8; 16], __m128i>(*table) })
}
