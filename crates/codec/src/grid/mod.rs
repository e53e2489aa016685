//! Stores tables of two-byte character sets: packed in the program, flat in use, with their reverse.
//!
//! A [`Grid`] has rows of up to 256 columns. A row is the lead byte, or for sets of several planes `plane << 8 | row`;
//! a column is the trail byte. A cell is one character or a sequence of two.
//!
//! ```text
//!  data/tables/NAME.tsv ── cargo xtask generate ──► generated/NAME.bin ── at first use ──► Grid ──► ReverseGrid
//! ```
//!
//! The packed form is a stream of little-endian 16-bit units, UTF-16 with lone low surrogates as instructions
//! (`DF00` row column: go there; `DC00 + n`: n empty cells; `DD00 + n`: the n next code points; `DE00`: a sequence
//! of two characters). A set may be stored as differences to another one: its stream is read on top of the other.
//!
//! # Limits
//! Sequences have two characters, and a grid at most 2^24 - 1 of them. A malformed stream ends at the defect.

mod reverse;
mod sets;

pub(crate) use reverse::ReverseGrid;
pub(crate) use sets::Set;

use crate::sink::Sink;
use mailglot_kernel::Packed;

/// Go to a row and a column; they follow.
const GO: u16 = 0xDF00;
/// A sequence; its two characters follow.
const SEQUENCE: u16 = 0xDE00;
/// Instruction: the next *n* code points.
const COUNT_ON: u16 = 0xDD00;
/// Marks a number of empty cells.
const EMPTY: u16 = 0xDC00;

/// A table in use: packed characters, and numbers of sequences from 1, by row and column.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    /// By row, its slot in `cells`; slot 0 is empty.
    slots: Vec<u16>,
    cells: Vec<Packed>,
    sequences: Vec<[char; 2]>,
}

impl Grid {
    /// Reads packed streams, each over the ones before it.
    pub(crate) fn read(layers: &[&[u8]]) -> Self {
        let mut grid = Self {
            slots: Vec::new(),
            cells: vec![Packed::NONE; 256],
            sequences: Vec::new(),
        };
        for layer in layers {
            grid.overlay(layer);
        }
        grid
    }

    /// The cell at a row and a column: a packed character, the number of a sequence, or none.
    #[inline]
    pub(crate) fn cell(&self, row: u16, column: u8) -> Packed {
        let slot = self.slots.get(usize::from(row)).copied().unwrap_or(0);
        self.cells
            .get(usize::from(slot) << 8 | usize::from(column))
            .copied()
            .unwrap_or_default()
    }

    /// Returns true if a row has any character.
    #[inline]
    pub(crate) fn has_row(&self, row: u16) -> bool {
        self.slots
            .get(usize::from(row))
            .is_some_and(|slot| *slot != 0)
    }

    /// Returns the characters of a cell; the second is NUL if there is only one. `None` for an empty cell.
    pub(crate) fn chars(&self, cell: Packed) -> Option<[char; 2]> {
        match cell.as_number() {
            None => Some([cell.char()?, '\0']),
            Some(number) => self.sequences.get(number.checked_sub(1)? as usize).copied(),
        }
    }

    /// Writes the content of a cell; returns false if it is empty.
    #[inline]
    pub(crate) fn put(&self, cell: Packed, sink: &mut Sink<'_>) -> bool {
        if cell.as_number().is_none() {
            sink.put(cell);
            return true;
        }
        let Some([a, b]) = self.chars(cell) else {
            return false;
        };
        sink.put_char(a);
        sink.put_char(b);
        true
    }

    /// All codes (`row << 8 | column`) with their characters, in the order of the codes.
    pub(crate) fn codes(&self) -> impl Iterator<Item = (u32, [char; 2])> + '_ {
        self.slots
            .iter()
            .zip(0_u32..)
            .filter(|(slot, _)| **slot != 0)
            .flat_map(move |(slot, row)| {
                let cells = &self.cells[usize::from(*slot) << 8..][..256];
                (row << 8..)
                    .zip(cells)
                    .filter_map(|(code, cell)| Some((code, self.chars(*cell)?)))
            })
    }

    fn overlay(&mut self, layer: &[u8]) {
        let mut units = Units { bytes: layer };
        let (mut row, mut column, mut last) = (0, 0, '\0');
        while let Some(unit) = units.unit() {
            match unit & 0xFF00 {
                GO => {
                    let (Some(to_row), Some(to_column)) = (units.unit(), units.unit()) else {
                        return;
                    };
                    (row, column) = (self.row(to_row), usize::from(to_column));
                }
                EMPTY => {
                    for _ in 0..unit & 0xFF {
                        self.set(row, &mut column, Packed::NONE);
                    }
                }
                COUNT_ON => {
                    for _ in 0..unit & 0xFF {
                        last = char::from_u32(last as u32 + 1).unwrap_or(last);
                        self.set(row, &mut column, Packed::new(last));
                    }
                }
                SEQUENCE => {
                    let (Some(a), Some(b)) = (units.char(), units.char()) else {
                        return;
                    };
                    self.sequences.push([a, b]);
                    self.set(
                        row,
                        &mut column,
                        Packed::number(self.sequences.len() as u32),
                    );
                }
                _ => {
                    let Some(c) = units.char_from(unit) else {
                        return;
                    };
                    last = c;
                    self.set(row, &mut column, Packed::new(c));
                }
            }
        }
    }

    /// Returns the index of a row's first cell, and creates the row.
    fn row(&mut self, row: u16) -> usize {
        let row = usize::from(row);
        if self.slots.len() <= row {
            self.slots.resize(row + 1, 0);
        }
        if self.slots[row] == 0 {
            self.slots[row] = (self.cells.len() >> 8) as u16;
            self.cells.resize(self.cells.len() + 256, Packed::NONE);
        }
        usize::from(self.slots[row]) << 8
    }

    fn set(&mut self, row: usize, column: &mut usize, cell: Packed) {
        if let Some(place) = self.cells.get_mut(row + (*column & 0xFF)) {
            *place = cell;
        }
        *column += 1;
    }
}

/// The units of a packed stream.
struct Units<'a> {
    bytes: &'a [u8],
}

impl Units<'_> {
    fn unit(&mut self) -> Option<u16> {
        let (unit, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(u16::from_le_bytes(*unit))
    }

    fn char(&mut self) -> Option<char> {
        let unit = self.unit()?;
        self.char_from(unit)
    }

    fn char_from(&mut self, unit: u16) -> Option<char> {
        match char::from_u32(u32::from(unit)) {
            Some(c) => Some(c),
            None => char::decode_utf16([unit, self.unit()?]).next()?.ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(units: &[u16]) -> Vec<u8> {
        units.iter().flat_map(|u| u.to_le_bytes()).collect()
    }

    #[test]
    fn a_stream_gives_its_cells_and_a_layer_changes_some() {
        let base = stream(&[
            GO,
            0x221,
            0x21,
            0x3042,
            COUNT_ON | 2,
            EMPTY | 1,
            0xD840,
            0xDC0B,
            SEQUENCE,
            0x304B,
            0x309A,
        ]);
        let layer = stream(&[GO, 0x221, 0x22, EMPTY | 1, GO, 0x7E, 0x30, 0x41, GO]);
        let grid = Grid::read(&[&base, &layer]);
        let codes: Vec<(u32, [char; 2])> = grid.codes().collect();
        assert_eq!(
            codes,
            [
                (0x7E30, ['A', '\0']),
                (0x22121, ['あ', '\0']),
                (0x22123, ['い', '\0']),
                (0x22125, ['\u{2000B}', '\0']),
                (0x22126, ['か', '\u{309A}']),
            ]
        );
        for (row, column) in [(0x221, 0x22), (0x222, 0x21), (0xFFFF, 0xFF)] {
            assert_eq!(grid.cell(row, column), Packed::NONE);
        }
    }

    #[test]
    fn broken_streams_end() {
        for units in [
            &[GO][..],
            &[GO, 1],
            &[GO, 1, 0x21, SEQUENCE, 0x41],
            &[GO, 1, 0x21, 0xD840, 0x41],
        ] {
            assert_eq!(Grid::read(&[&stream(units)]).codes().count(), 0);
        }
    }
}
