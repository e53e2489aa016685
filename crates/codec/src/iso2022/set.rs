//! Defines the coded character sets that escape sequences select, for decoding and encoding.
//!
//! # Limits
//! `ESC $ @` selects JIS X 0208, as in all other programs, not JIS C 6226-1978. The tables of JIS X 0208, GB 2312 and KS X 1001
//! are WHATWG's.

use crate::double_byte::{self, Family, Subset};
use crate::encoding_rs_wrapper;
use crate::grid::{Grid, Set};
use crate::single_byte::{Page, Web};
use crate::sink::Sink;
use mailglot_kernel::{Packed, PairTable};

/// The set that the bytes 21-7E select from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum CodedSet {
    #[default]
    Ascii,
    /// JIS X 0201: the yen sign for `\`, the overline for `~`.
    Roman,
    /// JIS X 0201 katakana, half-width.
    Katakana,
    Jisx0208,
    /// JIS C 6226-1978.
    Jis1978,
    Jisx0212,
    /// JIS X 0213 without the ten characters of 2004.
    Jisx0213Plane1Of2000,
    Jisx0213Plane1,
    Jisx0213Plane2,
    Gb2312,
    Ksx1001,
    IsoIr165,
    /// A plane of CNS 11643.
    Cns(u8),
    /// The upper half of ISO-8859-1, one byte.
    Latin1,
    /// The upper half of ISO-8859-7, one byte.
    Greek,
}

/// Characters that JIS X 0213 added in 2004.
const OF_2004: [u16; 10] = [
    0x2E21, 0x2F7E, 0x4F54, 0x4F7E, 0x7427, 0x7E7A, 0x7E7B, 0x7E7C, 0x7E7D, 0x7E7E,
];

/// Kanji that JIS X 0208 of 1983 exchanged with a variant of theirs: the codes in JIS C 6226-1978 and in JIS X 0208.
/// The last four went to row 84, and variants came in their place.
const MOVED_IN_1983: [(u16, u16); 26] = [
    (0x3033, 0x724D),
    (0x3229, 0x7274),
    (0x3342, 0x695A),
    (0x3349, 0x5978),
    (0x3376, 0x635E),
    (0x3443, 0x5E75),
    (0x3452, 0x6B5D),
    (0x375B, 0x7074),
    (0x395C, 0x6268),
    (0x3C49, 0x6922),
    (0x3F59, 0x7057),
    (0x4128, 0x6C4D),
    (0x445B, 0x5464),
    (0x4557, 0x626A),
    (0x456E, 0x5B6D),
    (0x4573, 0x5E39),
    (0x4676, 0x6D6E),
    (0x4768, 0x6A24),
    (0x4930, 0x5B58),
    (0x4B79, 0x5056),
    (0x4C79, 0x692E),
    (0x4F36, 0x6446),
    (0x3646, 0x7421),
    (0x4B6A, 0x7422),
    (0x4D5A, 0x7423),
    (0x6076, 0x7424),
];

/// The code in JIS X 0208 of a code of JIS C 6226-1978 that was assigned there.
fn moved(code: u16) -> Option<u16> {
    match code {
        // Signs of 1983: 39 in row 2, the lines of row 8; in row 84 the kanji of 1983 and 1990.
        0x223A..=0x2241 | 0x224A..=0x2250 | 0x225C..=0x226A | 0x2272..=0x2279 | 0x227E => None,
        0x2821..=0x287E | 0x7421..=0x7426 => None,
        _ => {
            let one = MOVED_IN_1983.iter().find(|(old, _)| *old == code);
            let other = MOVED_IN_1983[..22].iter().find(|(_, new)| *new == code);
            Some(
                one.map(|(_, new)| *new)
                    .or(other.map(|(old, _)| *old))
                    .unwrap_or(code),
            )
        }
    }
}

impl CodedSet {
    /// Two bytes a character.
    #[inline]
    pub(super) fn is_double(self) -> bool {
        !matches!(
            self,
            Self::Ascii | Self::Roman | Self::Katakana | Self::Latin1 | Self::Greek
        )
    }

    /// The flat table of a set whose every pair is in it; `wide` as in [`CodedSet::put`].
    pub(super) fn flat(self, wide: bool) -> Option<&'static PairTable> {
        match self {
            Self::Ksx1001 => Some(Family::EucKr.tables()),
            Self::Gb2312 if wide => Some(Family::Gb18030.tables()),
            Self::Gb2312 => Some(Family::Gb18030.tables_of(Subset::Gb2312)),
            Self::Jisx0208 if wide => Some(Family::EucJp.tables()),
            Self::Jisx0208 => Some(Family::EucJp.tables_of(Subset::JisEuc)),
            _ => None,
        }
    }

    /// Writes the character of two bytes from 21 to 7E; returns false if there is none. `wide` includes the characters beyond
    /// the standard (vendor rows of JIS X 0208, GBK's part of GB 2312, 2004 in JIS X 0213:2000).
    pub(super) fn put(self, [lead, trail]: [u8; 2], wide: bool, sink: &mut Sink<'_>) -> bool {
        let flat = |family: Family, sink: &mut Sink<'_>| {
            let packed = family.tables().pair(lead | 0x80, trail | 0x80);
            sink.put(packed);
            !packed.is_none()
        };
        match self {
            Self::Jisx0208 if !wide && !double_byte::jis_row(lead - 0x20) => false,
            Self::Jisx0208 => flat(Family::EucJp, sink),
            Self::Jis1978 => match moved(u16::from_be_bytes([lead, trail])) {
                Some(code) => Self::Jisx0208.put(code.to_be_bytes(), wide, sink),
                None => wide && flat(Family::EucJp, sink),
            },
            Self::Gb2312 if !wide && !double_byte::gb2312(lead | 0x80, trail | 0x80) => false,
            Self::Gb2312 => flat(Family::Gb18030, sink),
            Self::Ksx1001 => flat(Family::EucKr, sink),
            _ => match self.grid() {
                Some((grid, plane)) => {
                    let row = u16::from(plane) << 8 | u16::from(lead);
                    let old = self == Self::Jisx0213Plane1Of2000 && !wide;
                    if old && OF_2004.contains(&u16::from_be_bytes([lead, trail])) {
                        return false;
                    }
                    put_cell(grid, grid.cell(row, trail), sink)
                }
                None => false,
            },
        }
    }

    /// Returns the character of one byte from 20 to 7F in a single-byte set.
    pub(super) fn single(self, byte: u8) -> Option<char> {
        match self {
            Self::Roman if byte == b'\\' => Some('\u{A5}'),
            Self::Roman if byte == b'~' => Some('\u{203E}'),
            Self::Ascii | Self::Roman => Some(char::from(byte)),
            Self::Katakana if (0x21..=0x5F).contains(&byte) => {
                char::from_u32(0xFF61 + u32::from(byte - 0x21))
            }
            Self::Katakana if byte == 0x7F => Some('\x7F'),
            Self::Latin1 => Some(char::from(byte | 0x80)),
            Self::Greek => Page::Web(Web::Iso8859_7)
                .table(false)
                .cell(byte | 0x80)
                .char(),
            _ => None,
        }
    }

    /// The two bytes of a character, or one and 0; `wide` as in [`CodedSet::put`].
    pub(super) fn code(self, c: char, wide: bool) -> Option<[u8; 2]> {
        let euc = |family: Family| {
            let [lead, trail] = family.reverse().code(c).to_be_bytes();
            (lead >= 0xA1 && trail >= 0xA1).then_some([lead & 0x7F, trail & 0x7F])
        };
        match self {
            Self::Ascii => None,
            Self::Roman => match c {
                '\u{A5}' => Some([b'\\', 0]),
                '\u{203E}' => Some([b'~', 0]),
                _ => None,
            },
            Self::Katakana => ('\u{FF61}'..='\u{FF9F}')
                .contains(&c)
                .then(|| [(c as u32 - 0xFF61) as u8 + 0x21, 0]),
            Self::Latin1 => ('\u{A0}'..='\u{FF}')
                .contains(&c)
                .then_some([c as u8 & 0x7F, 0]),
            Self::Greek => {
                let (code, len) = encoding_rs_wrapper::encode_char(encoding_rs::ISO_8859_7, c)?;
                (len == 1 && code[0] >= 0xA0).then(|| [code[0] & 0x7F, 0])
            }
            Self::Jisx0208 => {
                euc(Family::EucJp).filter(|code| wide || double_byte::jis_row(code[0] - 0x20))
            }
            Self::Jis1978 => {
                let code = u16::from_be_bytes(Self::Jisx0208.code(c, wide)?);
                // Both directions are the same, except for the last four, whose new codes are not from 1978.
                let back = MOVED_IN_1983[22..]
                    .iter()
                    .find(|(_, new)| *new == code)
                    .map(|(old, _)| *old);
                let last = MOVED_IN_1983[22..].iter().any(|(old, _)| *old == code);
                back.or_else(|| if last { None } else { moved(code) })
                    .map(u16::to_be_bytes)
            }
            // The whole of GBK is for reading only.
            Self::Gb2312 => euc(Family::Gb18030)
                .filter(|code| double_byte::gb2312(code[0] | 0x80, code[1] | 0x80)),
            Self::Ksx1001 => euc(Family::EucKr),
            _ => self.grid_code(self.table()?.0.reverse().code(c)),
        }
    }

    /// Returns true if a sequence of two characters begins with this one.
    pub(super) fn begins_sequence(self, c: char) -> bool {
        self.table()
            .is_some_and(|(table, _)| table.reverse().begins_sequence(c))
    }

    /// The two bytes of a sequence of two characters.
    pub(super) fn sequence(self, chars: [char; 2]) -> Option<[u8; 2]> {
        self.grid_code(self.table()?.0.reverse().sequence(chars))
    }

    /// A code of the set's table as two bytes, if it belongs to this set.
    fn grid_code(self, code: u32) -> Option<[u8; 2]> {
        let [_, plane, lead, trail] = code.to_be_bytes();
        let old = self == Self::Jisx0213Plane1Of2000;
        let here = code != 0 && plane == self.table()?.1;
        (here && !(old && OF_2004.contains(&u16::from_be_bytes([lead, trail]))))
            .then_some([lead, trail])
    }

    fn grid(self) -> Option<(&'static Grid, u8)> {
        self.table().map(|(table, plane)| (table.grid(), plane))
    }

    /// Returns the table that contains a set, and the plane in it.
    fn table(self) -> Option<(Set, u8)> {
        match self {
            Self::Jisx0212 => Some((Set::Jisx0212, 0)),
            Self::Jisx0213Plane1Of2000 | Self::Jisx0213Plane1 => Some((Set::Jisx0213, 1)),
            Self::Jisx0213Plane2 => Some((Set::Jisx0213, 2)),
            Self::IsoIr165 => Some((Set::Isoir165, 0)),
            Self::Cns(plane) => Some((Set::Cns11643, plane)),
            _ => None,
        }
    }
}

/// Writes a cell, and counts ASCII that comes from a shifted state.
fn put_cell(grid: &Grid, cell: Packed, sink: &mut Sink<'_>) -> bool {
    if let Some([c, _]) = grid.chars(cell).filter(|[c, _]| c.is_ascii()) {
        sink.shifted(c as u32);
    }
    grid.put(cell, sink)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::LossLog;
    use crate::mode::Mode;

    #[test]
    fn flat_tables_have_exactly_the_pairs_of_their_sets() {
        for set in [CodedSet::Jisx0208, CodedSet::Gb2312, CodedSet::Ksx1001] {
            for wide in [false, true] {
                let table = set.flat(wide).unwrap();
                let mut found = 0;
                for lead in 0x21..=0x7E {
                    for trail in 0x21..=0x7E {
                        let (mut of_table, mut of_set) = (String::new(), String::new());
                        let mut log = LossLog::new();
                        let packed = table.pair(lead | 0x80, trail | 0x80);
                        if !packed.is_none() {
                            packed.append_to(&mut of_table);
                            found += 1;
                        }
                        let mut sink = Sink::new(&mut of_set, &mut log, Mode::Strict);
                        let written = set.put([lead, trail], wide, &mut sink);
                        let place = format!("{set:?}, wide {wide}: {lead:02X} {trail:02X}");
                        assert_eq!(of_table, of_set, "{place}");
                        assert_eq!(written, !packed.is_none(), "{place}");
                    }
                }
                assert!(found > 6_000, "{set:?}, wide {wide}: {found}");
            }
        }
    }
}
