//! Decodes charsets with one or two bytes a character by a table, without vector instructions.
//!
//! # Limits
//! None.

use crate::packed::{Packed, are_cells};
use crate::padding::filled;
use crate::writer::Writer;
use std::hint::select_unpredictable;

/// The bytes that begin a pair. 80 never does: it is a single-byte character or invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeadBytes {
    /// 81 to FF.
    From81,
    /// 81 to 9F and E0 to FF, as in Shift_JIS.
    From81ButA0ToDf,
}

/// The characters of a charset with one or two bytes a character.
///
/// 00 is NUL, and no pair ends in it, so that loops may read zeros behind the end of the input.
///
/// ```
/// use mailglot_kernel::{LeadBytes, Packed, PairTable};
///
/// static CELLS: [[u8; 4]; PairTable::CELLS] = {
///     let mut cells = [[0; 4]; PairTable::CELLS];
///     cells[0] = Packed::ascii(0).bytes();
///     cells[b'a' as usize] = Packed::ascii(b'a').bytes();
///     cells[PairTable::place(0xB0, 0xA1)] = Packed::new('啊').bytes();
///     cells
/// };
/// static TABLE: PairTable = PairTable::new(LeadBytes::From81, &CELLS);
/// let mut text = String::new();
/// assert_eq!(TABLE.append_decoded(b"a\xB0\xA1\xB0\xA2", &mut text), 3);
/// assert_eq!(text, "a啊");
/// ```
#[derive(Debug)]
pub struct PairTable {
    /// The packed characters of pairs by their bytes, without the highest bit; where 80 would be the lead byte, those of single
    /// bytes. Zeros if the caller must decide.
    cells: &'static [[u8; 4]; Self::CELLS],
    pub(crate) leads: LeadBytes,
}

impl PairTable {
    /// The number of cells of a table.
    pub const CELLS: usize = 0x8000;

    /// Returns the place of a pair in the cells. A single byte has the place of its number.
    #[inline]
    pub const fn place(lead: u8, trail: u8) -> usize {
        ((lead & 0x7F) as usize) << 8 | trail as usize
    }

    /// Makes a table of cells, which are [`Packed::bytes`], or zeros for no character.
    ///
    /// # Panics
    ///
    /// Panics if a cell is something else, the first one is not NUL, or a pair ends in 00. In a static this stops the compiler.
    pub const fn new(leads: LeadBytes, cells: &'static [[u8; 4]; Self::CELLS]) -> Self {
        assert!(are_cells(cells), "a cell is no packed character");
        let (nul, mut lead) = (Packed::ascii(0).bytes(), 1);
        assert!(u32::from_le_bytes(cells[0]) == u32::from_le_bytes(nul));
        while lead < 0x80 {
            assert!(
                u32::from_le_bytes(cells[lead << 8]) == 0,
                "a pair ends in 00"
            );
            lead += 1;
        }
        Self { cells, leads }
    }

    /// Returns the character of a single byte.
    #[inline]
    pub fn single(&self, byte: u8) -> Packed {
        Packed::of_cell(self.cells[usize::from(byte)])
    }

    /// Returns the character of a pair; none for a lead byte below 81.
    #[inline]
    pub fn pair(&self, lead: u8, trail: u8) -> Packed {
        if lead > 0x80 {
            Packed::of_cell(self.cells[Self::place(lead, trail)])
        } else {
            Packed::NONE
        }
    }

    /// Returns the character of a code: a pair, or 0 and a single byte.
    #[inline]
    pub(crate) fn cell(&self, code: u16) -> Packed {
        Packed::of_cell(self.cells[usize::from(code & 0x7FFF)])
    }
}

/// Tells where the first four characters of eight bytes begin, by the bytes that can be lead bytes (bit 0 is the
/// first byte). Has the first bits of the second, third and fourth, and in the top byte the length of all four in
/// bytes. Eight bytes always hold four: only the last byte can be half a pair.
const STARTS: [u32; 256] = {
    let mut starts = [0; 256];
    let mut leads = 0;
    while leads < 256 {
        let (mut at, mut n) = (0, 0);
        while n < 4 {
            at += 1 + (leads >> at & 1);
            starts[leads] |= (if n < 3 { 8 * at } else { at } as u32) << (8 * n);
            n += 1;
        }
        leads += 1;
    }
    starts
};

/// Portable loop.
pub(crate) fn portable_pairs(table: &PairTable, input: &[u8], out: &mut Writer<'_>) -> usize {
    match table.leads {
        LeadBytes::From81 => pairs_of::<false>(table, input, out),
        LeadBytes::From81ButA0ToDf => pairs_of::<true>(table, input, out),
    }
}

#[inline]
fn pairs_of<const SKIP_A0_DF: bool>(
    table: &PairTable,
    input: &[u8],
    out: &mut Writer<'_>,
) -> usize {
    /// Number of consecutive blocks of pairs only, after which such blocks are expected again.
    const STAY: u32 = 2;
    let mut mixed = 0_u32;
    let mut at = 0;
    while let Some(block) = input[at..].first_chunk::<16>() {
        out.reserve(8 * 4);
        let [one, other] = [word(block, 0), word(block, 8)];
        if (one | other) & HIGH == 0 {
            // SAFETY: there is room, and the bytes are ASCII.
            unsafe { out.store(*block, 16) };
            at += 16;
            continue;
        }
        let leads = [leads::<SKIP_A0_DF>(one), leads::<SKIP_A0_DF>(other)];
        // In mixed text a branch could not be predicted, so there is none.
        let is_mixed = leads[0] & leads[1] & FIRSTS != FIRSTS;
        mixed = select_unpredictable(is_mixed, STAY, mixed.saturating_sub(1));
        let (cells, len): ([Packed; 8], usize) = if mixed == 0 {
            (
                std::array::from_fn(|i| {
                    table.cell(u16::from_be_bytes([block[2 * i], block[2 * i + 1]]))
                }),
                16,
            )
        } else {
            let bits = gather(leads[0]) | gather(leads[1]) << 8;
            let starts = STARTS[(bits & 0xFF) as usize];
            let first = (starts >> 24) as usize;
            let more = STARTS[(bits >> first & 0xFF) as usize];
            let other = word(block, first);
            let [a, b, c, d] = four(table, one, leads[0], starts);
            let [e, f, g, h] = four(table, other, self::leads::<SKIP_A0_DF>(other), more);
            ([a, b, c, d, e, f, g, h], first + (more >> 24) as usize)
        };
        if cells.iter().any(|cell| !cell.is_basic()) {
            // Characters of four bytes, or a character that the table lacks.
            match pair_by_pair::<SKIP_A0_DF>(table, block, out) {
                0 => return at,
                len => at += len,
            }
            continue;
        }
        for cell in cells {
            // SAFETY: there is room for four bytes for each of the eight, and they are of the basic plane.
            unsafe { out.put_basic(cell) };
        }
        at += len;
    }
    at + pair_by_pair::<SKIP_A0_DF>(table, &input[at..], out)
}

/// The high bits of eight bytes.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The high bits of those that begin four pairs.
const FIRSTS: u64 = 0x0080_0080_0080_0080;

/// Returns eight bytes of a block; the last eight if fewer remain.
#[inline]
fn word(block: &[u8; 16], at: usize) -> u64 {
    let block = u128::from_le_bytes(*block);
    (block >> (8 * at)) as u64
}

/// The high bits of the bytes that can be lead bytes.
#[inline]
fn leads<const SKIP_A0_DF: bool>(word: u64) -> u64 {
    // All bytes from 81 have another bit besides the highest.
    let above_80 = word & ((word & !HIGH) + !HIGH) & HIGH;
    if SKIP_A0_DF {
        above_80 & !(word << 1 ^ word << 2)
    } else {
        above_80
    }
}

/// The high bits of eight bytes as eight bits.
#[inline]
fn gather(high: u64) -> u64 {
    // The products meet in the top byte.
    (high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The first four characters of eight bytes.
#[inline]
fn four(table: &PairTable, word: u64, leads: u64, starts: u32) -> [Packed; 4] {
    [0, starts & 0xFF, starts >> 8 & 0xFF, starts >> 16 & 0xFF].map(|start| {
        let near = (word >> start) as u16;
        let is_lead = leads >> start & 0x80 != 0;
        table.cell(select_unpredictable(
            is_lead,
            near.swap_bytes(),
            near & 0xFF,
        ))
    })
}

/// Decodes one character at a time.
#[inline]
pub(crate) fn pair_by_pair<const SKIP_A0_DF: bool>(
    table: &PairTable,
    input: &[u8],
    out: &mut Writer<'_>,
) -> usize {
    let mut at = 0;
    while let Some(lead) = input.get(at).copied() {
        let is_lead = lead > 0x80 && (!SKIP_A0_DF || !(0xA0..0xE0).contains(&lead));
        let (cell, len) = match input.get(at + 1) {
            Some(trail) if is_lead => (table.pair(lead, *trail), 2),
            None if is_lead => break,
            _ => (table.single(lead), 1),
        };
        if cell.is_none() {
            break;
        }
        out.reserve(4);
        // SAFETY: there is room for four bytes.
        unsafe { out.put(cell) };
        at += len;
    }
    at
}

/// See [`PairTable::append_seven_bit`].
#[inline(never)]
pub(crate) fn seven_bit_pairs(
    table: &PairTable,
    last_lead: u8,
    line_end: Option<&[u8; 8]>,
    input: &[u8],
    text: &mut String,
) -> usize {
    // Added to a byte, these set its high bit if it is out of range; lead bytes come first.
    let beyond =
        0x0100_0100_0100_0100 | (u64::from(0x7F - last_lead.min(0x7E)) * 0x0001_0001_0001_0001);
    // Carries go upwards only, so the bits are correct up to the first byte out of range.
    let outside = |word: u64| {
        (word | word.wrapping_sub(0x2121_2121_2121_2121) | word.wrapping_add(beyond)) & HIGH
    };
    let four = |word: u64| {
        let codes = (word | HIGH).swap_bytes();
        [48, 32, 16, 0].map(|shift| table.cell((codes >> shift) as u16))
    };
    let mut out = Writer::new(text);
    let mut at = 0;
    'lines: loop {
        while let Some(block) = input[at..].first_chunk::<16>() {
            let words = [word(block, 0), word(block, 8)];
            if outside(words[0]) | outside(words[1]) != 0 {
                break;
            }
            out.reserve(8 * 4);
            for word in words {
                let cells = four(word);
                if !cells.iter().fold(true, |all, cell| all & cell.is_basic()) {
                    break 'lines;
                }
                for cell in cells {
                    // SAFETY: there is room for four bytes for each of the eight, and they are of the basic plane.
                    unsafe { out.put_basic(cell) };
                }
                at += 8;
            }
        }
        let mut room = None;
        let word = u64::from_le_bytes(*filled(&input[at..], 0, &mut room));
        let known = outside(word).trailing_zeros() as usize / 16;
        let cells = four(word);
        let is_basic = |i: usize| (i >= known) | cells[i].is_basic();
        if !(0..4).fold(true, |all, i| all & is_basic(i)) {
            break;
        }
        out.reserve(4 * 4);
        for (i, cell) in cells.into_iter().enumerate() {
            let cell = select_unpredictable(i < known, cell, Packed::NONE);
            // SAFETY: there is room for four bytes for each of the four, and they are of the basic plane or none.
            unsafe { out.put_basic(cell) };
        }
        at += 2 * known;
        if known < 4 {
            let Some(line_end) = line_end.filter(|end| input[at..].first_chunk() == Some(*end))
            else {
                return at;
            };
            out.reserve(2);
            // SAFETY: there is room, and line ends are ASCII.
            unsafe { out.store(*b"\r\n", 2) };
            at += line_end.len();
        }
    }
    // Characters of four bytes, or a character that the table lacks.
    while let Some([lead @ 0x21..=0x7E, trail @ 0x21..=0x7E]) = input[at..].first_chunk::<2>()
        && *lead <= last_lead
    {
        let cell = table.pair(*lead | 0x80, *trail | 0x80);
        if cell.is_none() {
            break;
        }
        out.reserve(4);
        // SAFETY: there is room for four bytes.
        unsafe { out.put(cell) };
        at += 2;
    }
    at
}
