//! Decodes charsets with one byte a character.
//!
//! # Limits
//! Decoding stops before the first byte without a character; the caller decides what that is.

use super::Packed;
use super::ascii::all_ascii;
use super::writer::Writer;
use std::hint::select_unpredictable;

/// The characters of all bytes of a charset with one byte a character.
///
/// ```
/// use mailglot_kernel::Page;
///
/// let page = Page::new(|byte| (byte != 0xFF).then_some(char::from(byte)));
/// let mut text = String::new();
/// assert_eq!(page.append_decoded(b"caf\xE9\xFF!", &mut text), 4);
/// assert_eq!(text, "café");
/// ```
#[derive(Clone, Debug)]
pub struct Page {
    cells: [Packed; 256],
    /// Every byte is a character.
    whole: bool,
    /// The bytes below 80 are ASCII.
    ascii: bool,
    growth: usize,
    /// First and second bytes of the characters above 7F that have two; zeros for others.
    doubles: [[[u8; 64]; 2]; 2],
}

impl Page {
    /// Makes a page of the characters of the bytes 00 to FF.
    pub fn new(character: impl Fn(u8) -> Option<char>) -> Self {
        let cells =
            std::array::from_fn(|byte| character(byte as u8).map_or(Packed::NONE, Packed::new));
        let ascii = (0..0x80).all(|byte| cells[usize::from(byte)] == Packed::ascii(byte));
        // Most pages have letters here.
        let letters: usize = cells[0xC0..]
            .iter()
            .map(|cell| cell.utf8_len().max(1))
            .sum();
        let double = |byte: usize, nth: usize| {
            if cells[byte].utf8_len() == 2 {
                cells[byte].bytes()[nth]
            } else {
                0
            }
        };
        let half = |nth, start| std::array::from_fn(|at| double(start + at, nth));
        let doubles = [0, 1].map(|nth| [half(nth, 0x80), half(nth, 0xC0)]);
        Self {
            whole: !cells.contains(&Packed::NONE),
            ascii,
            growth: (letters + 32) / 64 - 1,
            doubles,
            cells,
        }
    }

    /// Returns the mean number of bytes by which the UTF-8 of the bytes C0 to FF is longer than they are, rounded.
    #[inline]
    pub fn growth(&self) -> usize {
        self.growth
    }

    /// Returns true if the bytes below 80 are ASCII.
    #[inline]
    pub fn is_ascii(&self) -> bool {
        self.ascii
    }

    /// See the field.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn doubles(&self) -> &[[[u8; 64]; 2]; 2] {
        &self.doubles
    }

    /// Returns the character of a byte.
    #[inline]
    pub fn cell(&self, byte: u8) -> Packed {
        self.cells[usize::from(byte)]
    }

    /// Decodes `input` up to the first byte that has no character, appends it to `text`, and returns the number of bytes read.
    pub fn append_decoded(&self, input: &[u8], text: &mut String) -> usize {
        single_bytes(self, input, text)
    }
}

/// See [`Page::append_decoded`].
#[inline]
fn single_bytes(page: &Page, input: &[u8], text: &mut String) -> usize {
    // Short pieces must not pay for what is not for them.
    #[cfg(target_arch = "x86_64")]
    if input.len() >= 64 && page.ascii && page.growth == 1 && super::avx512::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { in_blocks(page, input, text) };
    }
    portable_single_bytes(page, input, text)
}

/// # Safety
/// The machine has what [`super::avx512::singles`] is made for.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
unsafe fn in_blocks(page: &Page, input: &[u8], text: &mut String) -> usize {
    let mut at = 0;
    loop {
        // SAFETY: the caller's.
        at += unsafe { super::avx512::singles(page, &input[at..], text) };
        // What it left: characters of three bytes, or none.
        let Some(block) = input[at..].first_chunk::<64>() else {
            break;
        };
        let read = portable_single_bytes(page, block, text);
        at += read;
        if read < block.len() {
            return at;
        }
    }
    at + portable_single_bytes(page, &input[at..], text)
}

#[inline]
fn portable_single_bytes(page: &Page, input: &[u8], text: &mut String) -> usize {
    if page.whole {
        singles::<true>(page, input, text)
    } else {
        singles::<false>(page, input, text)
    }
}

#[inline]
fn singles<const WHOLE: bool>(page: &Page, input: &[u8], text: &mut String) -> usize {
    const STEP: usize = 32;
    let mut out = Writer::new(text);
    let mut at = 0;
    loop {
        while let Some(block) = input[at..].first_chunk::<STEP>() {
            if page.ascii && all_ascii(block) {
                out.reserve(STEP);
                // SAFETY: there is room for 32 bytes, and they are ASCII.
                unsafe { out.store(*block, STEP) };
                at += STEP;
                continue;
            }
            for part in block.as_chunks::<8>().0 {
                out.reserve(8 * 4);
                if page.ascii && put_sparse(page, *part, &mut out) {
                    at += 8;
                    continue;
                }
                let cells = part.map(|byte| page.cell(byte));
                if !WHOLE && cells.contains(&Packed::NONE) {
                    return at + known(page, part, &mut out);
                }
                for cell in cells {
                    // SAFETY: there is room for four bytes for each of the eight.
                    unsafe { out.put(cell) };
                }
                at += 8;
            }
        }
        let Some(part) = input[at..].first_chunk::<8>() else {
            break;
        };
        out.reserve(8 * 4);
        let cells = part.map(|byte| page.cell(byte));
        if !WHOLE && cells.contains(&Packed::NONE) {
            return at + known(page, part, &mut out);
        }
        for cell in cells {
            // SAFETY: there is room for four bytes for each of the eight.
            unsafe { out.put(cell) };
        }
        at += 8;
    }
    let rest = input.len() - at;
    if rest > 0
        && let Some(last) = input.last_chunk::<8>()
    {
        // Less than eight bytes are left; those before them go, and zeros come in behind them.
        let part = (u64::from_le_bytes(*last) >> (8 * (8 - rest))).to_le_bytes();
        let cells: [Packed; 8] = std::array::from_fn(|i| {
            select_unpredictable(i < rest, page.cell(part[i]), Packed::NONE)
        });
        if WHOLE || !cells[..rest].contains(&Packed::NONE) {
            out.reserve(8 * 4);
            for cell in cells {
                // SAFETY: there is room for four bytes for each of the eight.
                unsafe { out.put(cell) };
            }
            return input.len();
        }
    }
    at + known(page, &input[at..], &mut out)
}

/// Eight bytes of which one at most is above 7F, and a character: as Latin text has them. False, and nothing is done, for others.
#[inline]
fn put_sparse(page: &Page, part: [u8; 8], out: &mut Writer<'_>) -> bool {
    debug_assert!(page.ascii && out.room() >= 8 * 4);
    let word = u64::from_le_bytes(part);
    let high = word & 0x8080_8080_8080_8080;
    if high == 0 {
        // SAFETY: there is room, and ASCII is UTF-8.
        unsafe { out.store(part, 8) };
        return true;
    }
    if high & (high - 1) != 0 {
        return false;
    }
    let before = high.trailing_zeros() as usize / 8;
    let cell = page.cell(part[before]);
    if cell.is_none() {
        return false;
    }
    // In two steps: a shift by 64 is none.
    let after = (word >> (8 * before) >> 8).to_le_bytes();
    // SAFETY: there is room for seven bytes before, four, and eight behind; the others than the one are ASCII.
    unsafe {
        out.store(part, before);
        out.put(cell);
        out.store(after, 7 - before);
    }
    true
}

/// Decodes byte by byte.
fn known(page: &Page, input: &[u8], out: &mut Writer<'_>) -> usize {
    out.reserve(input.len() + 3);
    for (at, byte) in input.iter().enumerate() {
        let cell = page.cell(*byte);
        if cell.is_none() {
            return at;
        }
        out.reserve(4);
        // SAFETY: there is room for four bytes.
        unsafe { out.put(cell) };
    }
    input.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_data::{character, same};

    /// The safe twin of `single_bytes`.
    fn singles_twin(page: &Page, input: &[u8], text: &mut String) -> usize {
        let chars: Vec<char> = input
            .iter()
            .map_while(|byte| page.cell(*byte).char())
            .collect();
        text.extend(&chars);
        chars.len()
    }

    #[test]
    fn pages_with_and_without_holes_and_ascii() {
        let pages = [
            Page::new(|byte| Some(char::from(byte))),
            Page::new(|byte| {
                if byte < 0x80 {
                    Some(char::from(byte))
                } else {
                    Some(character(byte.into()))
                }
            }),
            Page::new(|byte| {
                if byte < 0x80 {
                    Some(char::from(byte))
                } else {
                    None
                }
            }),
            Page::new(|byte| (byte % 16 != 7).then(|| character(byte.into()))),
            // As windows-1252: among letters of two bytes signs of three, and holes.
            Page::new(|byte| match byte {
                0x81 | 0x8D => None,
                0x80..=0x9F => char::from_u32(0x2000 | u32::from(byte)),
                _ => Some(char::from(byte)),
            }),
            // As KOI8-R, but for a byte that is ASCII.
            Page::new(|byte| match byte {
                0xFE => Some('~'),
                0x80.. => char::from_u32(0x400 | u32::from(byte)),
                _ => Some(char::from(byte)),
            }),
        ];
        let bytes: Vec<u8> = (0..400_usize).map(|i| (i * i / 3 % 251) as u8).collect();
        for page in &pages {
            for start in 0..32 {
                for len in 0..=300 {
                    let input = &bytes[start..start + len];
                    let ascii: Vec<u8> = input.iter().map(|b| b & 0x7F).collect();
                    for read in [single_bytes, portable_single_bytes] {
                        same(page, input, read, singles_twin);
                        same(page, &ascii, read, singles_twin);
                    }
                }
            }
            for byte in 0..=255 {
                for place in 0..140 {
                    let mut input = [b'a'; 145];
                    input[place] = byte;
                    same(page, &input, single_bytes, singles_twin);
                    same(page, &input, portable_single_bytes, singles_twin);
                }
            }
        }
    }
}
