//! The loops in AVX2. Each says which portable one it stands for.
//!
//! # Limits
//! None.

use super::table::{Pairs, pair_by_pair};
use super::units::one;
use super::utf7::{Shifted, Text};
use super::writer::Writer;
use crate::utf7::{DIRECT, NOT_BASE64, VALUES};
use std::arch::x86_64::{
    __m128i, __m256i, _mm_and_si128, _mm_andnot_si128, _mm_cvtsi64_si128, _mm_cvtsi128_si64,
    _mm_movemask_epi8, _mm_set1_epi16, _mm_shuffle_epi8, _mm_slli_epi16, _mm_srai_epi16, _mm_sub_epi16,
    _mm_xor_si128, _mm256_add_epi8, _mm256_and_si256, _mm256_blendv_epi8, _mm256_castsi256_ps,
    _mm256_castsi256_si128, _mm256_cmpeq_epi8, _mm256_cmpeq_epi16, _mm256_cmpgt_epi32, _mm256_cvtepu16_epi32,
    _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16,
    _mm256_movemask_epi8, _mm256_movemask_ps, _mm256_or_si256, _mm256_packus_epi16, _mm256_permute4x64_epi64,
    _mm256_permutevar8x32_epi32, _mm256_set_m128i, _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi32,
    _mm256_setr_epi32, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_slli_epi32, _mm256_srli_epi16,
    _mm256_srli_epi32, _mm256_testz_si256,
};

/// For four units: which of their packed bytes to keep. The index has a bit for each unit of one byte, and above these
/// a bit for each of three bytes.
const KEEP: [[u8; 16]; 256] = {
    let mut keep = [[0x80; 16]; 256];
    let mut index = 0;
    while index < 256 {
        let (mut unit, mut to) = (0, 0);
        while unit < 4 {
            let len = if index >> unit & 1 == 1 { 1 } else { 2 + (index >> (4 + unit) & 1) };
            let mut byte = 0;
            while byte < len {
                keep[index][to] = (4 * unit + byte) as u8;
                to += 1;
                byte += 1;
            }
            unit += 1;
        }
        index += 1;
    }
    keep
};

/// A table for a class of bytes: a byte is in it if `low[byte & 15] & high[byte >> 4]` is 0. Rows of sixteen bytes that
/// have the same members share a bit; there may be eight different ones.
struct Class {
    low: [u8; 16],
    high: [u8; 16],
}

impl Class {
    const fn new(members: &[bool; 256]) -> Self {
        let mut class = Self { low: [0; 16], high: [0; 16] };
        // Rows that were seen, by number; a row all of whose bytes are members needs no bit.
        let mut row = 0;
        let mut bit = 1_u8;
        while row < 16 {
            let mut same = 0;
            while same < row && !Self::alike(members, same, row) {
                same += 1;
            }
            if same < row {
                class.high[row] = class.high[same];
            } else {
                class.high[row] = bit;
                let mut column = 0;
                while column < 16 {
                    if !members[row * 16 + column] {
                        class.low[column] |= bit;
                    }
                    column += 1;
                }
                bit = bit.wrapping_shl(1);
            }
            row += 1;
        }
        let mut byte = 0;
        while byte < 256 {
            let is_member = class.low[byte & 15] & class.high[byte >> 4] == 0;
            assert!(is_member == members[byte], "too many rows that differ");
            byte += 1;
        }
        class
    }

    const fn alike(members: &[bool; 256], one: usize, other: usize) -> bool {
        let mut column = 0;
        while column < 16 {
            if members[one * 16 + column] != members[other * 16 + column] {
                return false;
            }
            column += 1;
        }
        true
    }
}

const DIRECT_CLASS: Class = Class::new(&DIRECT);
const BASE64_CLASS: Class = {
    let mut members = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        members[byte] = VALUES[byte] != NOT_BASE64;
        byte += 1;
    }
    Class::new(&members)
};

/// What to add to a base64 character to get its value, by its high four bits; `/` has the place before its own.
const VALUE_OFFSETS: [u8; 16] = {
    let mut offsets = [0; 16];
    offsets[1] = 63_u8.wrapping_sub(b'/');
    offsets[2] = 62_u8.wrapping_sub(b'+');
    offsets[3] = 52_u8.wrapping_sub(b'0');
    offsets[4] = 0_u8.wrapping_sub(b'A');
    offsets[5] = offsets[4];
    offsets[6] = 26_u8.wrapping_sub(b'a');
    offsets[7] = offsets[6];
    offsets
};

/// See [`super::units::portable`].
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn utf16<const BIG: bool>(input: &[u8], out: &mut Writer<'_>) -> usize {
    let beyond_ascii = _mm256_set1_epi16(if BIG { 0x80FF_u16 as i16 } else { 0xFF80_u16 as i16 });
    let mut at = 0;
    while let Some(block) = input[at..].first_chunk::<32>() {
        let raw = load(block);
        out.reserve(64);
        if _mm256_testz_si256(raw, beyond_ascii) != 0 {
            let ascii = low_bytes::<BIG>(raw, raw);
            // SAFETY: there is room, and the units are ASCII.
            unsafe { out.store(bytes(ascii), 16) };
            at += 32;
            at += ascii_units::<BIG>(&input[at..], beyond_ascii, out);
            continue;
        }
        let units = if BIG { swapped(raw) } else { raw };
        let halves = surrogates(units);
        if halves == 0 {
            // SAFETY: there is room for 64 bytes, of which the first eight units take 24 at most; none is half of a pair.
            unsafe {
                eight_units(_mm256_castsi256_si128(units), 8, out);
                eight_units(_mm256_extracti128_si256::<1>(units), 8, out);
            }
            at += 32;
            continue;
        }
        // What stands before the first half and the pair that it begins.
        for _ in 0..=halves.trailing_zeros() / 2 {
            match one::<BIG>(&input[at..], out) {
                0 => return at,
                len => at += len,
            }
        }
    }
    at + super::units::portable::<BIG>(&input[at..], out)
}

/// Appends 32 units at a time while they are ASCII.
#[target_feature(enable = "avx2")]
fn ascii_units<const BIG: bool>(input: &[u8], beyond_ascii: __m256i, out: &mut Writer<'_>) -> usize {
    let mut at = 0;
    while let Some([one, other]) = input[at..].first_chunk::<64>().map(|block| block.as_chunks::<32>().0) {
        let (one, other) = (load(one), load(other));
        if _mm256_testz_si256(_mm256_or_si256(one, other), beyond_ascii) == 0 {
            break;
        }
        out.reserve(32);
        // SAFETY: there is room, and the units are ASCII.
        unsafe { out.store(bytes(low_bytes::<BIG>(one, other)), 32) };
        at += 64;
    }
    at
}

/// The bytes of two times sixteen units below 100.
#[target_feature(enable = "avx2")]
fn low_bytes<const BIG: bool>(one: __m256i, other: __m256i) -> __m256i {
    let packed = if BIG {
        _mm256_packus_epi16(_mm256_srli_epi16::<8>(one), _mm256_srli_epi16::<8>(other))
    } else {
        _mm256_packus_epi16(one, other)
    };
    _mm256_permute4x64_epi64::<0b11_01_10_00>(packed)
}

#[target_feature(enable = "avx2")]
fn swapped(units: __m256i) -> __m256i {
    const SWAP: [u8; 16] = [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14];
    _mm256_shuffle_epi8(units, twice(&SWAP))
}

/// Two bits for each unit that is half of a pair.
#[target_feature(enable = "avx2")]
fn surrogates(units: __m256i) -> u32 {
    let top = _mm256_and_si256(units, _mm256_set1_epi16(0xF800_u16 as i16));
    _mm256_movemask_epi8(_mm256_cmpeq_epi16(top, _mm256_set1_epi16(0xD800_u16 as i16))) as u32
}

/// Appends the first `count` of eight units. Returns a bit for each unit below 80, also behind the count.
///
/// # Safety
/// There is room for 28 bytes, and none of the units counted is half of a pair.
#[target_feature(enable = "avx2,popcnt")]
unsafe fn eight_units(units: __m128i, count: u32, out: &mut Writer<'_>) -> u32 {
    let units = _mm256_cvtepu16_epi32(units);
    let six = |shifted, mask| _mm256_and_si256(shifted, _mm256_set1_epi32(mask));
    let last = six(_mm256_slli_epi32::<16>(units), 0x3F_0000);
    let middle = six(_mm256_slli_epi32::<2>(units), 0x3F00);
    let first = _mm256_or_si256(_mm256_srli_epi32::<12>(units), _mm256_set1_epi32(0x80_80E0));
    let three = _mm256_or_si256(_mm256_or_si256(last, middle), first);
    let trail = six(_mm256_slli_epi32::<8>(units), 0x3F00);
    let lead = _mm256_or_si256(_mm256_srli_epi32::<6>(units), _mm256_set1_epi32(0x80C0));
    let two = _mm256_or_si256(trail, lead);
    let is_one = _mm256_cmpgt_epi32(_mm256_set1_epi32(0x80), units);
    let is_three = _mm256_cmpgt_epi32(units, _mm256_set1_epi32(0x7FF));
    let packed = _mm256_blendv_epi8(_mm256_blendv_epi8(two, three, is_three), units, is_one);
    let ones = _mm256_movemask_ps(_mm256_castsi256_ps(is_one)) as u32;
    let threes = _mm256_movemask_ps(_mm256_castsi256_ps(is_three)) as u32;
    let index = [ones & 0xF | (threes & 0xF) << 4, ones >> 4 | threes & 0xF0];
    let keep = index.map(|i| load_half(&KEEP[(i & 0xFF) as usize]));
    let packed = _mm256_shuffle_epi8(packed, _mm256_set_m128i(keep[1], keep[0]));
    let halves = [_mm256_castsi256_si128(packed), _mm256_extracti128_si256::<1>(packed)];
    for (i, half) in (0..).zip(halves) {
        let count = count.saturating_sub(4 * i).min(4);
        let counted = (1 << count) - 1;
        let len =
            2 * count + (threes >> (4 * i) & counted).count_ones() - (ones >> (4 * i) & counted).count_ones();
        // SAFETY: there is room for 28 bytes, of which the first half takes 12 at most and the store 16. Units that are
        // no halves of pairs are characters, and `len` ends behind one of them.
        unsafe { out.store(half_bytes(half), len as usize) };
    }
    ones
}

/// See [`super::utf7::text`]; stops where fewer than 32 bytes are left, and before a run that is long or not plain.
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn text(input: &[u8], out: &mut Writer<'_>) -> Text {
    let mut read = Text::default();
    while let Some(block) = input[read.bytes..].first_chunk::<32>() {
        let len = members(load(block), &DIRECT_CLASS).trailing_ones() as usize;
        out.reserve(32);
        // SAFETY: there is room, and direct bytes are ASCII.
        unsafe { out.store(*block, len) };
        read.bytes += len;
        if len < 32 {
            match plain_run(&input[read.bytes..], &mut read, out) {
                0 => break,
                len => read.bytes += len,
            }
        }
    }
    read
}

/// Appends the characters of a whole run at the start of `input`, `+` and `-` with it, if it has eight at most and
/// there is nothing to be told of it; returns the number of bytes read.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn plain_run(input: &[u8], read: &mut Text, out: &mut Writer<'_>) -> usize {
    let Some((b'+', rest)) = input.split_first() else { return 0 };
    let Some(block) = rest.first_chunk::<32>() else { return 0 };
    let characters = load(block);
    let chars = members(characters, &BASE64_CLASS).trailing_ones();
    let count = chars * 6 / 16;
    if count == 0 || count > 8 {
        return 0;
    }
    let spare = chars * 6 % 16;
    let surplus = VALUES[usize::from(block[chars as usize - 1])] & ((1_u32 << spare) - 1) as u8;
    let units = twelve_units(characters);
    let counted = (1 << count) - 1;
    let halves = surrogates(units) & ((1 << (2 * count)) - 1);
    let terminator = block[chars as usize];
    if spare >= 6 || surplus != 0 || halves != 0 || terminator == b'=' {
        return 0;
    }
    out.reserve(48);
    // SAFETY: there is room, and none of the units counted is half of a pair.
    let ones = unsafe { eight_units(_mm256_castsi256_si128(units), count, out) } & counted;
    if ones != 0 {
        let units = unit_array(units);
        let mut counts = Shifted::default();
        (0..8).filter(|i| ones >> i & 1 == 1).for_each(|i| counts.count(units[i]));
        read.ascii += u64::from(counts.ascii);
        read.controls += u64::from(counts.controls);
    }
    1 + chars as usize + usize::from(terminator == b'-')
}

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

/// See [`super::table::pairs`].
#[target_feature(enable = "avx2")]
pub(super) fn pairs<const SHIFT_JIS: bool>(table: &Pairs, input: &[u8], out: &mut Writer<'_>) -> usize {
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
#[target_feature(enable = "avx2")]
fn leads<const SHIFT_JIS: bool>(raw: __m128i) -> u32 {
    let leads = if SHIFT_JIS {
        _mm_andnot_si128(_mm_xor_si128(_mm_slli_epi16::<1>(raw), _mm_slli_epi16::<2>(raw)), raw)
    } else {
        raw
    };
    _mm_movemask_epi8(leads).cast_unsigned()
}

/// See [`super::utf7::shifted`].
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn shifted(input: &[u8], out: &mut Writer<'_>) -> Shifted {
    let mut read = Shifted::default();
    loop {
        let rest = &input[read.chars..];
        let characters = if let Some(block) = rest.first_chunk::<32>() {
            load(block)
        } else {
            let mut block = [0; 32];
            block[..rest.len()].copy_from_slice(rest);
            load(&block)
        };
        let chars = members(characters, &BASE64_CLASS).trailing_ones();
        let count = chars * 6 / 16;
        let units = twelve_units(characters);
        if surrogates(units) & ((1 << (2 * count)) - 1) != 0 {
            break;
        }
        out.reserve(64);
        // SAFETY: there is room for 64 bytes, of which the first eight units take 24 at most; none of those counted is
        // half of a pair.
        let mut ones = unsafe { eight_units(_mm256_castsi256_si128(units), count.min(8), out) };
        if count > 8 {
            // SAFETY: as above.
            ones |= unsafe { eight_units(_mm256_extracti128_si256::<1>(units), count - 8, out) } << 8;
        }
        ones &= (1 << count) - 1;
        if ones != 0 {
            let units = unit_array(units);
            (0..12).filter(|i| ones >> i & 1 == 1).for_each(|i| read.count(units[i]));
        }
        read.chars += chars as usize;
        read.units += count as usize;
        if chars < 32 {
            break;
        }
    }
    read.last_of(input);
    read
}

/// The units of 32 base64 characters, in the first twelve places; nonsense where the characters are others.
#[target_feature(enable = "avx2")]
fn twelve_units(characters: __m256i) -> __m256i {
    const UNITS: [u8; 16] = [1, 2, 6, 0, 4, 5, 9, 10, 14, 8, 12, 13, 0x80, 0x80, 0x80, 0x80];
    let row = _mm256_and_si256(_mm256_srli_epi16::<4>(characters), _mm256_set1_epi8(0xF));
    let is_slash = _mm256_cmpeq_epi8(characters, _mm256_set1_epi8(b'/' as i8));
    let offset = _mm256_shuffle_epi8(twice(&VALUE_OFFSETS), _mm256_add_epi8(row, is_slash));
    // What is no digit must not spill into the digit before it.
    let values = _mm256_and_si256(_mm256_add_epi8(characters, offset), _mm256_set1_epi8(0x3F));
    // Two times six bits, then four times: 24 bits in each number of 32.
    let pairs = _mm256_maddubs_epi16(values, _mm256_set1_epi16(0x0140));
    let bits = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x0001_1000));
    let units = _mm256_shuffle_epi8(bits, twice(&UNITS));
    _mm256_permutevar8x32_epi32(units, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7))
}

/// A bit for each byte that is in the class.
#[target_feature(enable = "avx2")]
fn members(block: __m256i, class: &Class) -> u32 {
    let low = _mm256_and_si256(block, _mm256_set1_epi8(0xF));
    let high = _mm256_and_si256(_mm256_srli_epi16::<4>(block), _mm256_set1_epi8(0xF));
    let faults = _mm256_and_si256(
        _mm256_shuffle_epi8(twice(&class.low), low),
        _mm256_shuffle_epi8(twice(&class.high), high),
    );
    _mm256_movemask_epi8(_mm256_cmpeq_epi8(faults, _mm256_setzero_si256())) as u32
}

#[target_feature(enable = "avx2")]
fn twice(bytes: &[u8; 16]) -> __m256i {
    let half = load_half(bytes);
    _mm256_set_m128i(half, half)
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(block: &[u8; 32]) -> __m256i {
    // SAFETY: the reference is to 32 bytes, and the load needs no alignment.
    unsafe { _mm256_loadu_si256(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
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
