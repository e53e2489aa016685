//! Decodes UTF-7.
//!
//! # Limits
//! None.

use super::utf16::{Four, eight_units, surrogates};
use super::{half_bytes, load, load_half, twice, unit_array};
use crate::padding::filled;
use crate::portable::base64::{NOT_A_DIGIT, VALUES};
use crate::portable::utf7::{DIRECT, ReadRun, ReadText, ends_without_defect};
use crate::writer::Writer;
use std::arch::x86_64::{
    __m128i, __m256i, _mm_add_epi8, _mm_and_si128, _mm_castsi128_ps, _mm_cmpeq_epi8,
    _mm_cmpeq_epi32, _mm_madd_epi16, _mm_maddubs_epi16, _mm_movemask_epi8, _mm_movemask_ps,
    _mm_set1_epi8, _mm_set1_epi16, _mm_set1_epi32, _mm_setzero_si128, _mm_shuffle_epi8,
    _mm_srli_epi16, _mm256_add_epi8, _mm256_and_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi8,
    _mm256_extracti128_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_movemask_epi8,
    _mm256_permutevar8x32_epi32, _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi32,
    _mm256_setr_epi32, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16,
};

/// Number of bytes that are not direct to search for at once.
const PLACES: usize = 40;

/// See [`append_text`](crate::utf7::append_text); stops before a run with a defect.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn text(input: &[u8], text: &mut String) -> ReadText {
    let mut out = Writer::new(text);
    let mut read = ReadText::default();
    loop {
        out = short_runs(input, out, &mut read);
        let run = long_run(&input[read.bytes..], &mut out);
        if run.bytes == 0 {
            return read;
        }
        read.add(run);
    }
}

/// Appends direct bytes and runs of four units at most. Starts at `read.bytes` and advances it. Stops before a longer run and before a run with
/// a defect. Returns the writer.
///
/// Runs begin unpredictably, so no branch depends on that: the loop finds the offsets of many runs before it reads the first.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn short_runs<'t>(
    input: &[u8],
    mut out: Writer<'t>,
    read: &mut ReadText,
) -> Writer<'t> {
    let mut places = [0; PLACES];
    // Search a short distance first, to avoid work in vain.
    let mut near = 64;
    let mut at = read.bytes;
    'all: while at < input.len() {
        let start = at;
        let (count, end) = stops(&input[start..input.len().min(start + near)], &mut places);
        near = (2 * near).min(4096);
        for place in &places[..count] {
            let place = start + usize::from(*place);
            if place < at {
                // A digit of a run.
                continue;
            }
            // SAFETY: direct bytes are ASCII.
            unsafe { out.append_from(&input[at..], place - at) };
            at = place;
            let Some(block) = input[at..].first_chunk::<17>() else {
                break 'all;
            };
            let Some(run) = short_run(block) else {
                break 'all;
            };
            out.reserve(16);
            // SAFETY: there is room, and `len` ends behind a character.
            unsafe { out.store(half_bytes(run.utf8), run.len) };
            if run.has_ascii {
                read.count(half_bytes(run.utf8), run.len);
            }
            at += run.bytes;
        }
        if let Some(direct) = (start + end).checked_sub(at) {
            // SAFETY: as above.
            unsafe { out.append_from(&input[at..], direct) };
            at += direct;
        }
    }
    read.bytes = at;
    out
}

/// A run of at most four units without a defect.
struct ShortRun {
    /// Length in the input.
    bytes: usize,
    utf8: __m128i,
    len: usize,
    has_ascii: bool,
}

/// Returns the run at the start, if it has at most four units.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn short_run(block: &[u8; 17]) -> Option<ShortRun> {
    let [b'+', digits @ ..] = block else {
        return None;
    };
    let digits = load_half(digits);
    let chars = half_members(digits, &BASE64_CLASS).trailing_ones() as usize;
    let (count, bytes) = frame(block, chars)?;
    let units = four_units(digits);
    let counted = (1_u32 << count) - 1;
    let half = _mm_cmpeq_epi32(
        _mm_and_si128(units, _mm_set1_epi32(0xF800)),
        _mm_set1_epi32(0xD800),
    );
    if count == 0 || count > 4 || _mm_movemask_ps(_mm_castsi128_ps(half)) as u32 & counted != 0 {
        return None;
    }
    let four = Four::new(units);
    Some(ShortRun {
        bytes,
        utf8: four.utf8,
        len: four.len(count),
        has_ascii: four.ones & counted != 0,
    })
}

/// Appends the run at the start, of any length. Appends nothing if the run has a defect.
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn long_run(input: &[u8], out: &mut Writer<'_>) -> ReadText {
    let start = out.len();
    let mut read = ReadText::default();
    let mut is_run = input.first() == Some(&b'+');
    while is_run {
        let mut room = None;
        let rest = &input[read.bytes..];
        let block: &[u8; 33] = filled(rest, 0, &mut room);
        let [_, digits @ ..] = block;
        let digits = load(digits);
        let chars = members(digits, &BASE64_CLASS).trailing_ones() as usize;
        let units = twelve_units(digits);
        // Twelve units are exactly 32 digits, so the rest can be read like a new run.
        let frame = if chars == 32 {
            Some((12, 32))
        } else {
            frame(block, chars)
        };
        let Some((count, bytes)) = frame.filter(|(count, _)| {
            chars + 1 < rest.len()
                && (read.bytes > 0 || *count > 0)
                && surrogates(units) & ((1 << (2 * count)) - 1) == 0
        }) else {
            // SAFETY: the text was so long before.
            unsafe { out.rewind(start) };
            return ReadText::default();
        };
        read.bytes += bytes;
        // SAFETY: none of the units counted is half of a pair.
        let ones = unsafe { put_twelve(units, count, out) };
        if ones != 0 {
            let mut counts = ReadRun::default();
            let units = unit_array(units);
            (0..12)
                .filter(|i| ones >> i & 1 == 1)
                .for_each(|i| counts.count(units[i]));
            read.ascii += u64::from(counts.ascii);
            read.controls += u64::from(counts.controls);
        }
        is_run = chars == 32;
    }
    read
}

/// Returns the number of units that a run of so many digits holds, and its length with the `-`. Returns `None` unless
/// the run ends within the block and its bits are in order. The byte before the digits is the first of the block.
#[inline]
fn frame<const N: usize>(block: &[u8; N], chars: usize) -> Option<(u32, usize)> {
    let terminator = *block.get(chars + 1)?;
    let bytes = 1 + chars + usize::from(terminator == b'-');
    ends_without_defect(chars, block[chars], terminator).then_some((chars as u32 * 6 / 16, bytes))
}

/// Finds the first bytes that are not direct. Returns their number and the length searched.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn stops(input: &[u8], places: &mut [u16; PLACES]) -> (usize, usize) {
    let (mut count, mut end) = (0, 0);
    while end < input.len() {
        let Some(next) = places[count..].first_chunk_mut::<4>() else {
            break;
        };
        let mut room = None;
        let [one, other] = filled::<64>(&input[end..], b' ', &mut room)
            .as_chunks::<32>()
            .0
        else {
            break;
        };
        let direct = u64::from(members(load(one), &DIRECT_CLASS))
            | u64::from(members(load(other), &DIRECT_CLASS)) << 32;
        let mut others = !direct;
        for place in next {
            *place = (end + others.trailing_zeros() as usize) as u16;
            others &= others.wrapping_sub(1);
        }
        count += (others ^ !direct).count_ones() as usize;
        if others != 0 {
            end += others.trailing_zeros() as usize;
            break;
        }
        end += 64;
    }
    (count, end.min(input.len()))
}

/// See [`append_run`](crate::utf7::append_run).
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(in super::super) fn shifted(input: &[u8], out: &mut Writer<'_>) -> ReadRun {
    let mut read = ReadRun::default();
    loop {
        let mut room = None;
        let characters = load(filled(&input[read.chars..], 0, &mut room));
        let chars = members(characters, &BASE64_CLASS).trailing_ones();
        let count = chars * 6 / 16;
        let units = twelve_units(characters);
        if surrogates(units) & ((1 << (2 * count)) - 1) != 0 {
            break;
        }
        // SAFETY: none of the units counted is half of a pair.
        let ones = unsafe { put_twelve(units, count, out) };
        if ones != 0 {
            let units = unit_array(units);
            (0..12)
                .filter(|i| ones >> i & 1 == 1)
                .for_each(|i| read.count(units[i]));
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

/// Appends the first `count` of twelve units. Returns a bit for each of them that is below 80.
///
/// # Safety
/// None of the first `count` units is a surrogate.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
unsafe fn put_twelve(units: __m256i, count: u32, out: &mut Writer<'_>) -> u32 {
    out.reserve(64);
    // SAFETY: there is room for 64 bytes, of which the first eight units take 24 at most; and the caller's.
    let mut ones = unsafe { eight_units(_mm256_castsi256_si128(units), count.min(8), out) };
    if count > 8 {
        // SAFETY: as above.
        ones |= unsafe { eight_units(_mm256_extracti128_si256::<1>(units), count - 8, out) } << 8;
    }
    ones & ((1 << count) - 1)
}

/// The first four units of sixteen base64 characters, in numbers of 32 bits; see [`twelve_units`].
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn four_units(characters: __m128i) -> __m128i {
    const UNITS: [u8; 16] = [
        1, 2, 0x80, 0x80, 6, 0, 0x80, 0x80, 4, 5, 0x80, 0x80, 9, 10, 0x80, 0x80,
    ];
    let row = _mm_and_si128(_mm_srli_epi16::<4>(characters), _mm_set1_epi8(0xF));
    let is_slash = _mm_cmpeq_epi8(characters, _mm_set1_epi8(b'/' as i8));
    let offset = _mm_shuffle_epi8(load_half(&VALUE_OFFSETS), _mm_add_epi8(row, is_slash));
    // The mask clears the bits above the six of a base64 digit. Example: in `Q-`, a larger value of `-` would change the bits of `Q`.
    let values = _mm_and_si128(_mm_add_epi8(characters, offset), _mm_set1_epi8(0x3F));
    let pairs = _mm_maddubs_epi16(values, _mm_set1_epi16(0x0140));
    let bits = _mm_madd_epi16(pairs, _mm_set1_epi32(0x0001_1000));
    _mm_shuffle_epi8(bits, load_half(&UNITS))
}

/// The units of 32 base64 characters, in the first twelve places; meaningless for other characters.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn twelve_units(characters: __m256i) -> __m256i {
    const UNITS: [u8; 16] = [
        1, 2, 6, 0, 4, 5, 9, 10, 14, 8, 12, 13, 0x80, 0x80, 0x80, 0x80,
    ];
    let row = _mm256_and_si256(_mm256_srli_epi16::<4>(characters), _mm256_set1_epi8(0xF));
    let is_slash = _mm256_cmpeq_epi8(characters, _mm256_set1_epi8(b'/' as i8));
    let offset = _mm256_shuffle_epi8(twice(&VALUE_OFFSETS), _mm256_add_epi8(row, is_slash));
    // The mask clears the bits above the six of a base64 digit. Example: in `Q-`, a larger value of `-` would change the bits of `Q`.
    let values = _mm256_and_si256(_mm256_add_epi8(characters, offset), _mm256_set1_epi8(0x3F));
    // Two times six bits, then four times: 24 bits in each number of 32.
    let pairs = _mm256_maddubs_epi16(values, _mm256_set1_epi16(0x0140));
    let bits = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x0001_1000));
    let units = _mm256_shuffle_epi8(bits, twice(&UNITS));
    _mm256_permutevar8x32_epi32(units, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7))
}

/// A table for a class of bytes: a byte is in it if `low[byte & 15] & high[byte >> 4]` is 0. Rows of sixteen bytes that
/// have the same members share a bit; there may be eight different ones.
pub(super) struct Class {
    low: [u8; 16],
    high: [u8; 16],
}

impl Class {
    const fn new(members: &[bool; 256]) -> Self {
        let mut class = Self {
            low: [0; 16],
            high: [0; 16],
        };
        // The distinct rows so far. A row whose bytes are all members needs no bit.
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
pub(super) const BASE64_CLASS: Class = {
    let mut members = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        members[byte] = VALUES[byte] != NOT_A_DIGIT;
        byte += 1;
    }
    Class::new(&members)
};

/// What to add to a base64 character to get its value, by its high four bits; `/` has the place before its own.
pub(super) const VALUE_OFFSETS: [u8; 16] = {
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

/// Returns a bit for each byte in the class.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn members(block: __m256i, class: &Class) -> u32 {
    _mm256_movemask_epi8(_mm256_cmpeq_epi8(
        faults(block, class),
        _mm256_setzero_si256(),
    )) as u32
}

/// Returns 0 in each byte that is in the class, and another value elsewhere.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(super) fn faults(block: __m256i, class: &Class) -> __m256i {
    let low = _mm256_and_si256(block, _mm256_set1_epi8(0xF));
    let high = _mm256_and_si256(_mm256_srli_epi16::<4>(block), _mm256_set1_epi8(0xF));
    _mm256_and_si256(
        _mm256_shuffle_epi8(twice(&class.low), low),
        _mm256_shuffle_epi8(twice(&class.high), high),
    )
}

/// Like the function above, for sixteen bytes.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn half_members(block: __m128i, class: &Class) -> u32 {
    let low = _mm_and_si128(block, _mm_set1_epi8(0xF));
    let high = _mm_and_si128(_mm_srli_epi16::<4>(block), _mm_set1_epi8(0xF));
    let faults = _mm_and_si128(
        _mm_shuffle_epi8(load_half(&class.low), low),
        _mm_shuffle_epi8(load_half(&class.high), high),
    );
    _mm_movemask_epi8(_mm_cmpeq_epi8(faults, _mm_setzero_si128())) as u32
}
