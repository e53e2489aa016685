//! Maps the bytes of a character to a cell of a table, and back.
//!
//! # Limits
//! Only a stored layout knows whether a cell is empty, since its table gives the length of a character.

use crate::grid::Grid;

/// The form of the characters beyond ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Row and column are the bytes; trail bytes begin at 31.
    Pairs,
    /// Row and column with the high bits set.
    Euc,
    /// EUC with planes: 8E, the plane as A1 to B0, row and column; plane 1 also without the first two.
    EucPlanes,
    /// EUC of JIS X 0213: 8E and half-width katakana; 8F, row and column of plane 2.
    EucJisx0213,
    /// Shift_JIS of JIS X 0213: plane 2 from F0 on, half-width katakana as single bytes.
    ShiftJisx0213,
    /// As the table has them. Single bytes are in row 0, where ASCII need not be ASCII. A character has two bytes if the
    /// first is a row, three behind 8F, and four behind 8E.
    Stored,
}

/// The meaning of the first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CharacterPlace {
    Cell {
        row: u16,
        column: u8,
        len: usize,
    },
    Single {
        c: char,
        len: usize,
    },
    /// More bytes are needed.
    Cut,
    /// The first bytes are damage.
    Bad {
        len: usize,
    },
}

/// The rows of plane 2 of JIS X 0213 in the order of the lead bytes from F0 on, two to each. From row 78 on, they follow
/// each other.
const PLANE_2: [u8; 10] = [1, 8, 3, 4, 5, 12, 13, 14, 15, 78];

impl Layout {
    /// The first character of `bytes`, which begin with 80 or above unless the layout is stored.
    #[inline]
    pub(super) fn place(self, grid: &Grid, bytes: &[u8]) -> CharacterPlace {
        match (self, bytes[0]) {
            (Self::Stored, lead) => stored(grid, lead, bytes),
            (Self::Pairs, lead) => two(bytes, 0x31..=0xFE, |trail| (u16::from(lead), trail)),
            (Self::EucPlanes, 0x8E) => {
                match more(&bytes[1..], &[0xA1..=0xB0, 0xA1..=0xFE, 0xA1..=0xFE]) {
                    Ok(()) => cell(bytes[1] - 0xA0, bytes[2], bytes[3], 4),
                    Err(place) => place,
                }
            }
            (Self::EucJisx0213, 0x8F) => match more(&bytes[1..], &[0xA1..=0xFE, 0xA1..=0xFE]) {
                Ok(()) => cell(2, bytes[1], bytes[2], 3),
                Err(place) => place,
            },
            (Self::EucJisx0213, 0x8E) => match more(&bytes[1..], &[0xA1..=0xDF]) {
                Ok(()) => CharacterPlace::Single {
                    c: katakana(bytes[1]),
                    len: 2,
                },
                Err(place) => place,
            },
            (Self::ShiftJisx0213, byte @ 0xA1..=0xDF) => CharacterPlace::Single {
                c: katakana(byte),
                len: 1,
            },
            (Self::ShiftJisx0213, lead @ (0x81..=0x9F | 0xE0..=0xFC)) => {
                two(bytes, 0x40..=0xFC, |trail| shifted(lead, trail))
            }
            (Self::Euc | Self::EucPlanes | Self::EucJisx0213, lead @ 0xA1..=0xFE) => {
                let plane = if self == Self::Euc { 0 } else { 0x100 };
                two(bytes, 0xA1..=0xFE, |trail| {
                    (plane | u16::from(lead & 0x7F), trail & 0x7F)
                })
            }
            _ => CharacterPlace::Bad { len: 1 },
        }
    }

    /// The bytes of a code of the table (`row << 8 | column`), and how many they are.
    pub(super) fn bytes(self, code: u32) -> ([u8; 4], usize) {
        let [_, plane, row, column] = code.to_be_bytes();
        let (lead, trail) = (row | 0x80, column | 0x80);
        match self {
            Self::Pairs => ([row, column, 0, 0], 2),
            Self::ShiftJisx0213 => {
                let [lead, trail] = shift(plane, row, column);
                ([lead, trail, 0, 0], 2)
            }
            Self::EucPlanes if plane > 1 => ([0x8E, 0xA0 + plane, lead, trail], 4),
            Self::EucJisx0213 if plane > 1 => ([0x8F, lead, trail, 0], 3),
            Self::Euc | Self::EucPlanes | Self::EucJisx0213 => ([lead, trail, 0, 0], 2),
            Self::Stored => match code {
                0..=0xFF => ([column, 0, 0, 0], 1),
                0x100..=0xFFFF => ([row, column, 0, 0], 2),
                // Only 8F begins three bytes; four begin with 8E, which the code leaves out.
                0x8F_0000..=0x8F_FFFF => ([plane, row, column, 0], 3),
                _ => ([0x8E, plane, row, column], 4),
            },
        }
    }

    /// Returns the bytes of a character that no table contains.
    pub(super) fn single(self, c: char) -> Option<([u8; 4], usize)> {
        if self == Self::Stored {
            // The code 0 is that of NUL.
            return (c == '\0').then_some(([0; 4], 1));
        }
        let byte = ('\u{FF61}'..='\u{FF9F}')
            .contains(&c)
            .then(|| (c as u32 - 0xFF61) as u8 + 0xA1)?;
        match self {
            Self::EucJisx0213 => Some(([0x8E, byte, 0, 0], 2)),
            Self::ShiftJisx0213 => Some(([byte, 0, 0, 0], 1)),
            Self::Pairs | Self::Euc | Self::EucPlanes | Self::Stored => None,
        }
    }
}

/// Finds the first character by the content of the table.
#[inline]
fn stored(grid: &Grid, lead: u8, bytes: &[u8]) -> CharacterPlace {
    if !grid.cell(0, lead).is_none() {
        return CharacterPlace::Cell {
            row: 0,
            column: lead,
            len: 1,
        };
    }
    let len = match lead {
        _ if grid.has_row(u16::from(lead)) => 2,
        0x8F if grid.has_row(0x8FB0) => 3,
        0x8E if grid.has_row(0xA2A1) => 4,
        _ => return CharacterPlace::Bad { len: 1 },
    };
    match (len, bytes) {
        (2, [lead, column, ..]) => CharacterPlace::Cell {
            row: u16::from(*lead),
            column: *column,
            len,
        },
        (3, [lead, row @ (0x80..), column, ..]) | (4, [_, lead @ (0x80..), row, column, ..]) => {
            CharacterPlace::Cell {
                row: u16::from_be_bytes([*lead, *row]),
                column: *column,
                len,
            }
        }
        // An ASCII byte ends what more bytes could complete.
        _ if foreign(bytes) < bytes.len() => CharacterPlace::Bad {
            len: foreign(bytes),
        },
        _ => CharacterPlace::Cut,
    }
}

/// The length of a damaged character: up to the first ASCII byte behind its lead byte.
pub(super) fn foreign(sequence: &[u8]) -> usize {
    1 + sequence[1..].iter().take_while(|b| **b >= 0x80).count()
}

fn katakana(byte: u8) -> char {
    char::from_u32(0xFF61 + u32::from(byte) - 0xA1).unwrap_or('\u{FFFD}')
}

fn cell(plane: u8, lead: u8, trail: u8, len: usize) -> CharacterPlace {
    CharacterPlace::Cell {
        row: u16::from(plane) << 8 | u16::from(lead & 0x7F),
        column: trail & 0x7F,
        len,
    }
}

/// A character of two bytes.
fn two(
    bytes: &[u8],
    trails: std::ops::RangeInclusive<u8>,
    at: impl Fn(u8) -> (u16, u8),
) -> CharacterPlace {
    match more(&bytes[1..], &[trails]) {
        Ok(()) => {
            let (row, column) = at(bytes[1]);
            CharacterPlace::Cell {
                row,
                column,
                len: 2,
            }
        }
        Err(place) => place,
    }
}

/// Checks that the bytes behind the first are in these ranges.
fn more(bytes: &[u8], ranges: &[std::ops::RangeInclusive<u8>]) -> Result<(), CharacterPlace> {
    for (i, range) in ranges.iter().enumerate() {
        match bytes.get(i) {
            None => return Err(CharacterPlace::Cut),
            Some(byte) if !range.contains(byte) => return Err(CharacterPlace::Bad { len: 1 + i }),
            Some(_) => {}
        }
    }
    Ok(())
}

/// Row (with its plane) and column of a pair of Shift_JIS.
fn shifted(lead: u8, trail: u8) -> (u16, u8) {
    // Two rows of 94 to each lead byte; trail bytes leave out 7F.
    let half = match lead {
        0x81..=0x9F => lead - 0x81,
        0xE0..=0xEF => lead - 0xC1,
        _ => lead - 0xF0,
    };
    let second = trail >= 0x9F;
    let column = match trail {
        0x7F => 0,
        0x40..=0x7E => trail - 0x1F,
        0x80..=0x9E => trail - 0x20,
        _ => trail - 0x7E,
    };
    if lead < 0xF0 {
        return (
            0x100 | u16::from(half * 2 + u8::from(second) + 0x21),
            column,
        );
    }
    let at = usize::from(half * 2 + u8::from(second));
    let row = PLANE_2.get(at).copied().unwrap_or_else(|| (at + 69) as u8);
    (0x200 | u16::from(row + 0x20), column)
}

/// The pair of Shift_JIS for a row and a column of a plane.
fn shift(plane: u8, row: u8, column: u8) -> [u8; 2] {
    let row = row - 0x20;
    let half = if plane < 2 {
        row - 1
    } else {
        PLANE_2
            .iter()
            .position(|r| *r == row)
            .map_or(row.wrapping_sub(69), |at| at as u8)
    };
    let lead = match half / 2 {
        half if plane > 1 => half + 0xF0,
        half @ 0..0x1F => half + 0x81,
        half => half + 0xC1,
    };
    let trail = match (half % 2, column) {
        (0, 0x21..=0x5F) => column + 0x1F,
        (0, _) => column + 0x20,
        _ => column + 0x7E,
    };
    [lead, trail]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Set;

    #[test]
    fn every_code_has_bytes_that_name_it() {
        for (layout, set) in [
            (Layout::Pairs, Set::Johab),
            (Layout::Euc, Set::Gb12345),
            (Layout::EucPlanes, Set::Cns11643),
            (Layout::EucJisx0213, Set::Jisx0213),
            (Layout::ShiftJisx0213, Set::Jisx0213),
        ] {
            for (code, _) in set.grid().codes() {
                let (bytes, len) = layout.bytes(code);
                let place = CharacterPlace::Cell {
                    row: (code >> 8) as u16,
                    column: code as u8,
                    len,
                };
                assert_eq!(
                    layout.place(set.grid(), &bytes[..len]),
                    place,
                    "{layout:?} {code:X} {bytes:x?}"
                );
                for cut in 1..len {
                    assert_eq!(
                        layout.place(set.grid(), &bytes[..cut]),
                        CharacterPlace::Cut,
                        "{layout:?} {code:X}"
                    );
                }
            }
        }
    }
}
