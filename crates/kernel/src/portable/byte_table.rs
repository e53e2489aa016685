//! Decodes single-byte charsets by a table of 256 characters.
//!
//! # Limits
//! None.

use super::ascii::all_ascii;
use crate::packed::{Packed, are_cells};
use crate::writer::Writer;
use std::hint::select_unpredictable;

/// The characters of all bytes of a charset with one byte a character.
///
/// ```
/// use mailglot_kernel::{ByteTable, Packed};
///
/// static TABLE: ByteTable = {
///     let mut cells = [[0; 4]; 256];
///     let mut byte = 0;
///     while byte < 0xFF {
///         cells[byte] = Packed::unit(byte as u16).bytes();
///         byte += 1;
///     }
///     ByteTable::new(cells)
/// };
/// let mut text = String::new();
/// assert_eq!(TABLE.append_decoded(b"caf\xE9\xFF!", &mut text), 4);
/// assert_eq!(text, "café");
/// ```
#[derive(Clone, Debug)]
pub struct ByteTable {
    /// In the table itself: a pointer in each of many tables is one more page that the loader relocates at each start.
    cells: [[u8; 4]; 256],
    /// Every byte is a character.
    whole: bool,
    /// No character has four bytes in UTF-8.
    basic: bool,
    /// The bytes below 80 are ASCII.
    ascii: bool,
    growth: usize,
    /// First and second bytes of the characters above 7F that have two; zeros for others.
    doubles: [[[u8; 64]; 2]; 2],
}

impl ByteTable {
    /// Makes a page of the characters of the bytes 00 to FF, which are [`Packed::bytes`], or zeros for no character.
    ///
    /// # Panics
    ///
    /// Panics if a cell is something else. In a static this stops the compiler.
    pub const fn new(cells: [[u8; 4]; 256]) -> Self {
        assert!(are_cells(&cells), "a cell is no packed character");
        let (mut whole, mut basic, mut ascii) = (true, true, true);
        let mut doubles = [[[0; 64]; 2]; 2];
        // Bytes of the UTF-8 of the bytes from C0 on: most pages have letters there.
        let mut letters = 0;
        let mut byte = 0;
        while byte < 256 {
            let cell = Packed::of_cell(cells[byte]);
            let bytes = cell.bytes();
            let len = cell.utf8_len();
            whole &= len > 0;
            basic &= len < 4;
            if byte < 0x80 {
                ascii &= len == 1 && bytes[0] as usize == byte;
            } else if len == 2 {
                doubles[0][byte >> 6 & 1][byte & 0x3F] = bytes[0];
                doubles[1][byte >> 6 & 1][byte & 0x3F] = bytes[1];
            }
            if byte >= 0xC0 {
                letters += if len == 0 { 1 } else { len };
            }
            byte += 1;
        }
        Self {
            cells,
            whole,
            basic,
            ascii,
            growth: (letters + 32) / 64 - 1,
            doubles,
        }
    }

    /// Returns the mean number of bytes by which the UTF-8 of the bytes C0 to FF is longer than they are, rounded.
    #[inline]
    pub fn growth(&self) -> usize {
        self.growth
    }

    /// Returns true if the bytes below 80 are ASCII.
    #[inline]
    pub const fn is_ascii(&self) -> bool {
        self.ascii
    }

    /// See the field.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn doubles(&self) -> &[[[u8; 64]; 2]; 2] {
        &self.doubles
    }

    /// Returns the character of a byte.
    #[inline]
    pub const fn cell(&self, byte: u8) -> Packed {
        Packed::of_cell(self.cells[byte as usize])
    }
}

#[inline]
pub(crate) fn portable_single_bytes(page: &ByteTable, input: &[u8], text: &mut String) -> usize {
    if !page.basic {
        known(page, input, &mut Writer::new(text))
    } else if page.whole {
        singles::<true>(page, input, text)
    } else {
        singles::<false>(page, input, text)
    }
}

/// Decodes eight bytes at a time. The page must be `basic`.
#[inline]
fn singles<const WHOLE: bool>(page: &ByteTable, input: &[u8], text: &mut String) -> usize {
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
                    // SAFETY: there is room for four bytes for each of the eight, and the page is basic.
                    unsafe { out.put_basic(cell) };
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
            // SAFETY: there is room for four bytes for each of the eight, and the page is basic.
            unsafe { out.put_basic(cell) };
        }
        at += 8;
    }
    let rest = input.len() - at;
    if rest > 0
        && let Some(last) = input.last_chunk::<8>()
    {
        // Fewer than eight bytes are left: shift out the bytes before them, and zeros in behind them.
        let part = (u64::from_le_bytes(*last) >> (8 * (8 - rest))).to_le_bytes();
        let cells: [Packed; 8] = std::array::from_fn(|i| {
            select_unpredictable(i < rest, page.cell(part[i]), Packed::NONE)
        });
        if WHOLE || !cells[..rest].contains(&Packed::NONE) {
            out.reserve(8 * 4);
            for cell in cells {
                // SAFETY: there is room for four bytes for each of the eight, and the page is basic.
                unsafe { out.put_basic(cell) };
            }
            return input.len();
        }
    }
    at + known(page, &input[at..], &mut out)
}

/// Appends eight bytes if at most one is above 7F and that one is a character, as usual in Latin text. Otherwise returns false and does nothing.
#[inline]
fn put_sparse(page: &ByteTable, part: [u8; 8], out: &mut Writer<'_>) -> bool {
    debug_assert!(page.ascii && page.basic && out.room() >= 8 * 4);
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
    // Two shifts, because a shift by 64 is undefined.
    let after = (word >> (8 * before) >> 8).to_le_bytes();
    // SAFETY: there is room for seven bytes before, four, and eight behind; the others than the one are ASCII, and the page is basic.
    unsafe {
        out.store(part, before);
        out.put_basic(cell);
        out.store(after, 7 - before);
    }
    true
}

/// Decodes byte by byte.
fn known(page: &ByteTable, input: &[u8], out: &mut Writer<'_>) -> usize {
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
