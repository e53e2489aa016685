//! Builds the tables of two-byte sets at first use.
//!
//! # Limits
//! Without WHATWG's tables of pairs, which `double_byte` has.

pub(crate) use crate::generated::grids::Set;

use super::{Grid, ReverseGrid};
use crate::generated::grids::{COUNT, IS_ASCII, LAYERS};
use std::sync::OnceLock;

impl Set {
    /// The table, built at first use.
    pub(crate) fn grid(self) -> &'static Grid {
        static GRIDS: [OnceLock<Grid>; COUNT] = [const { OnceLock::new() }; COUNT];
        GRIDS[self as usize].get_or_init(|| Grid::read(LAYERS[self as usize].1))
    }

    /// Returns the reverse, built at first use. If a character has several codes, the lowest that is no second choice counts.
    pub(crate) fn reverse(self) -> &'static ReverseGrid {
        static REVERSE: [OnceLock<ReverseGrid>; COUNT] = [const { OnceLock::new() }; COUNT];
        REVERSE[self as usize].get_or_init(|| {
            let second = |(code, _): &(u32, [char; 2])| self.is_second_choice(*code);
            let codes = self.grid().codes();
            ReverseGrid::new(
                codes
                    .filter(|c| !second(c))
                    .chain(self.grid().codes().filter(second)),
            )
        })
    }

    /// Returns true for codes that converters read and write only where a character has no other. These are
    /// rows of NEC, radicals that are ideographs by themselves, and signs of Big5 that came in twice.
    fn is_second_choice(self, code: u32) -> bool {
        match self {
            Self::Ibm943 | Self::Ibm943c => matches!(code >> 8, 0x87 | 0xED | 0xEE),
            Self::Ibm964 => matches!(code >> 8, 0xA4 | 0xA7),
            Self::Ibm937 | Self::Ibm1371 => matches!(code >> 8, 0x45 | 0x48),
            Self::Windows950
            | Self::Ibm950
            | Self::Big5Hkscs
            | Self::Big5HkscsOf1999
            | Self::Big5HkscsOf2001
            | Self::Big5HkscsOf2004 => matches!(code, 0xA1FE | 0xA240 | 0xA2CC | 0xA2CE),
            _ => false,
        }
    }

    /// For a set with single bytes: returns true if those below 80 are ASCII.
    pub(crate) fn is_ascii(self) -> bool {
        IS_ASCII[self as usize]
    }
}

#[cfg(test)]
impl Set {
    /// The sets that have single bytes, too.
    pub(crate) fn stored() -> impl Iterator<Item = Self> {
        let of_pairs = [
            Self::Cns11643,
            Self::Gb12345,
            Self::Isoir165,
            Self::Jisx0212,
            Self::Jisx0213,
            Self::Johab,
        ];
        let has_singles = move |set: &Self| !of_pairs.contains(set);
        Self::ALL.iter().copied().filter(has_singles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// What a table of `data/tables/` says, parsed without any of the code that packs it.
    ///
    /// Returns `None` where there is no repository.
    fn table(name: &str) -> Option<BTreeMap<u32, String>> {
        let text = crate::repository_file::read(&format!("data/tables/{name}.tsv"))?;
        let mut cells = text
            .lines()
            .find_map(|l| l.strip_prefix("# over: "))
            .and_then(table)
            .unwrap_or_default();
        for line in text.lines().filter(|l| !l.starts_with('#')) {
            let fields: Vec<&str> = line.split('\t').collect();
            let first = u32::from_str_radix(&format!("{}{}", fields[0], fields[1]), 16).unwrap();
            for (code, cell) in (first..).zip(fields[2].split(' ')) {
                if cell == "-" {
                    cells.remove(&code);
                    continue;
                }
                let text = cell
                    .split('+')
                    .map(|c| char::from_u32(u32::from_str_radix(c, 16).unwrap()).unwrap());
                cells.insert(code, text.collect());
            }
        }
        Some(cells)
    }

    #[test]
    fn packed_tables_hold_what_the_data_says_and_lead_back() {
        for (at, (name, layers)) in LAYERS.iter().enumerate() {
            let grid = Grid::read(layers);
            let packed: BTreeMap<u32, String> = grid
                .codes()
                .map(|(code, [a, b])| {
                    (
                        code,
                        [Some(a), Some(b).filter(|b| *b != '\0')]
                            .iter()
                            .flatten()
                            .collect(),
                    )
                })
                .collect();
            let Some(table) = table(name) else { return };
            assert!(packed == table, "{name}: run `cargo xtask generate`");
            let reverse = ReverseGrid::new(grid.codes());
            for (code, chars) in grid.codes() {
                let back = if chars[1] == '\0' {
                    reverse.code(chars[0])
                } else {
                    reverse.sequence(chars)
                };
                assert!(
                    (back != 0 || chars[0] == '\0') && back <= code,
                    "{name} {code:X}"
                );
                assert_eq!(packed.get(&back), packed.get(&code), "{name} {code:X}");
            }
            assert!(at < LAYERS.len() && !packed.is_empty(), "{name}");
        }
    }
}
