//! Lists the tables of two-byte sets in the program.
//!
//! # Limits
//! Without WHATWG's tables of pairs, which `double_byte` has.

use super::{Grid, ReverseGrid};
use std::sync::OnceLock;

/// A table of `data/tables/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    /// CNS 11643, planes 1 to 7 and 15; rows are `plane << 8 | row`.
    Cns11643,
    /// GB/T 12345-90, the traditional forms of GB 2312.
    Gb12345,
    /// ISO-IR-165, the set of ISO-2022-CN-EXT.
    IsoIr165,
    /// JIS X 0212-1990.
    JisX0212,
    /// JIS X 0213:2004, planes 1 and 2; rows are `plane << 8 | row`.
    JisX0213,
    /// Johab; rows are lead bytes.
    Johab,
    /// IBM930, mixed EBCDIC; row 0 is single bytes, as in all sets that follow.
    Ibm930,
    /// IBM939, mixed EBCDIC.
    Ibm939,
    /// IBM1390, mixed EBCDIC.
    Ibm1390,
    /// IBM1399, mixed EBCDIC.
    Ibm1399,
    /// IBM933, mixed EBCDIC.
    Ibm933,
    /// IBM1364, mixed EBCDIC.
    Ibm1364,
    /// IBM935, mixed EBCDIC.
    Ibm935,
    /// IBM1388, mixed EBCDIC.
    Ibm1388,
    /// IBM937, mixed EBCDIC.
    Ibm937,
    /// IBM1371, mixed EBCDIC.
    Ibm1371,
    /// IBM943, Shift_JIS of IBM with JIS X 0201.
    Ibm943,
    /// IBM943C, the same with ASCII.
    Ibm943c,
    /// IBM942, an older Shift_JIS of IBM with JIS X 0201.
    Ibm942,
    /// IBM942C, the same with ASCII.
    Ibm942c,
    /// eucJP-ms; rows of three bytes begin with 8F.
    EucJpMs,
    /// IBM33722, EUC-JP of IBM.
    Ibm33722,
    /// IBM949, Korean.
    Ibm949,
    /// IBM949C, the same with the backslash.
    Ibm949c,
    /// IBM970, EUC-KR of IBM.
    Ibm970,
    /// IBM1383, EUC-CN of IBM.
    Ibm1383,
    /// IBM964, EUC-TW of IBM; four bytes are 8E and the code.
    Ibm964,
    /// windows-950, Big5 of Microsoft.
    Windows950,
    /// IBM950, Big5 of IBM.
    Ibm950,
    /// Big5-2003.
    Big5Of2003,
    /// Big5-HKSCS:2008.
    Big5Hkscs,
    /// Big5-HKSCS:2004.
    Big5HkscsOf2004,
    /// Big5-HKSCS:2001.
    Big5HkscsOf2001,
    /// Big5-HKSCS:1999.
    Big5HkscsOf1999,
    /// x-mac-chinesesimp.
    MacChineseSimp,
    /// x-mac-chinesetrad.
    MacChineseTrad,
}

/// Names and packed streams, in the order of [`Set`].
const SETS: [(&str, &[&[u8]]); 36] = [
    ("cns11643", &[include_bytes!("../generated/cns11643.bin")]),
    ("gb12345", &[include_bytes!("../generated/gb12345.bin")]),
    ("isoir165", &[include_bytes!("../generated/isoir165.bin")]),
    ("jisx0212", &[include_bytes!("../generated/jisx0212.bin")]),
    ("jisx0213", &[include_bytes!("../generated/jisx0213.bin")]),
    ("johab", &[include_bytes!("../generated/johab.bin")]),
    ("ibm930", &[IBM930]),
    ("ibm939", &[IBM930, IBM939]),
    ("ibm1390", &[IBM930, IBM1390]),
    ("ibm1399", &[IBM930, IBM1390, IBM1399]),
    ("ibm933", &[IBM933]),
    ("ibm1364", &[IBM933, IBM1364]),
    ("ibm935", &[IBM935]),
    ("ibm1388", &[IBM935, IBM1388]),
    ("ibm937", &[IBM937]),
    ("ibm1371", &[IBM937, IBM1371]),
    ("ibm943", &[IBM943]),
    ("ibm943c", &[IBM943, IBM943C]),
    ("ibm942", &[IBM943, IBM942]),
    ("ibm942c", &[IBM943, IBM942, IBM942C]),
    ("eucjp-ms", &[EUCJP_MS]),
    ("ibm33722", &[EUCJP_MS, IBM33722]),
    ("ibm949", &[IBM949]),
    ("ibm949c", &[IBM949, IBM949C]),
    ("ibm970", &[IBM949, IBM970]),
    ("ibm1383", &[IBM1383]),
    ("ibm964", &[IBM964]),
    ("windows-950", &[WINDOWS_950]),
    ("ibm950", &[WINDOWS_950, IBM950]),
    ("big5-2003", &[WINDOWS_950, BIG5_2003]),
    ("big5-hkscs", &[WINDOWS_950, BIG5_HKSCS]),
    (
        "big5-hkscs-2004",
        &[WINDOWS_950, BIG5_HKSCS, BIG5_HKSCS_2004],
    ),
    (
        "big5-hkscs-2001",
        &[WINDOWS_950, BIG5_HKSCS, BIG5_HKSCS_2001],
    ),
    (
        "big5-hkscs-1999",
        &[WINDOWS_950, BIG5_HKSCS, BIG5_HKSCS_1999],
    ),
    ("mac-chinesesimp", &[IBM1383, MAC_CHINESESIMP]),
    ("mac-chinesetrad", &[WINDOWS_950, MAC_CHINESETRAD]),
];

const IBM930: &[u8] = include_bytes!("../generated/ibm930.bin");
const IBM939: &[u8] = include_bytes!("../generated/ibm939.bin");
const IBM1390: &[u8] = include_bytes!("../generated/ibm1390.bin");
const IBM1399: &[u8] = include_bytes!("../generated/ibm1399.bin");
const IBM933: &[u8] = include_bytes!("../generated/ibm933.bin");
const IBM1364: &[u8] = include_bytes!("../generated/ibm1364.bin");
const IBM935: &[u8] = include_bytes!("../generated/ibm935.bin");
const IBM1388: &[u8] = include_bytes!("../generated/ibm1388.bin");
const IBM937: &[u8] = include_bytes!("../generated/ibm937.bin");
const IBM1371: &[u8] = include_bytes!("../generated/ibm1371.bin");
const IBM943: &[u8] = include_bytes!("../generated/ibm943.bin");
const IBM943C: &[u8] = include_bytes!("../generated/ibm943c.bin");
const IBM942: &[u8] = include_bytes!("../generated/ibm942.bin");
const IBM942C: &[u8] = include_bytes!("../generated/ibm942c.bin");
const EUCJP_MS: &[u8] = include_bytes!("../generated/eucjp-ms.bin");
const IBM33722: &[u8] = include_bytes!("../generated/ibm33722.bin");
const IBM949: &[u8] = include_bytes!("../generated/ibm949.bin");
const IBM949C: &[u8] = include_bytes!("../generated/ibm949c.bin");
const IBM970: &[u8] = include_bytes!("../generated/ibm970.bin");
const IBM1383: &[u8] = include_bytes!("../generated/ibm1383.bin");
const IBM964: &[u8] = include_bytes!("../generated/ibm964.bin");
const WINDOWS_950: &[u8] = include_bytes!("../generated/windows-950.bin");
const IBM950: &[u8] = include_bytes!("../generated/ibm950.bin");
const BIG5_2003: &[u8] = include_bytes!("../generated/big5-2003.bin");
const BIG5_HKSCS: &[u8] = include_bytes!("../generated/big5-hkscs.bin");
const BIG5_HKSCS_2004: &[u8] = include_bytes!("../generated/big5-hkscs-2004.bin");
const BIG5_HKSCS_2001: &[u8] = include_bytes!("../generated/big5-hkscs-2001.bin");
const BIG5_HKSCS_1999: &[u8] = include_bytes!("../generated/big5-hkscs-1999.bin");
const MAC_CHINESESIMP: &[u8] = include_bytes!("../generated/mac-chinesesimp.bin");
const MAC_CHINESETRAD: &[u8] = include_bytes!("../generated/mac-chinesetrad.bin");

impl Set {
    /// The table, built at first use.
    pub(crate) fn grid(self) -> &'static Grid {
        static GRIDS: [OnceLock<Grid>; SETS.len()] = [const { OnceLock::new() }; SETS.len()];
        GRIDS[self as usize].get_or_init(|| Grid::read(SETS[self as usize].1))
    }

    /// Returns the reverse, built at first use. If a character has several codes, the lowest that is no second choice counts.
    pub(crate) fn reverse(self) -> &'static ReverseGrid {
        static REVERSE: [OnceLock<ReverseGrid>; SETS.len()] =
            [const { OnceLock::new() }; SETS.len()];
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

    /// Codes that converters read and write only where a character has no other: rows of NEC, radicals that are
    /// ideographs by themselves, signs of Big5 that came in twice.
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
        !matches!(
            self,
            Self::Ibm942 | Self::Ibm943 | Self::Ibm949 | Self::Ibm33722
        ) && self as usize > Self::Ibm1371 as usize
    }
}

#[cfg(test)]
impl Set {
    /// The sets that have single bytes, too.
    pub(crate) const STORED: &[Self] = &[
        Self::Ibm930,
        Self::Ibm939,
        Self::Ibm1390,
        Self::Ibm1399,
        Self::Ibm933,
        Self::Ibm1364,
        Self::Ibm935,
        Self::Ibm1388,
        Self::Ibm937,
        Self::Ibm1371,
        Self::Ibm943,
        Self::Ibm943c,
        Self::Ibm942,
        Self::Ibm942c,
        Self::EucJpMs,
        Self::Ibm33722,
        Self::Ibm949,
        Self::Ibm949c,
        Self::Ibm970,
        Self::Ibm1383,
        Self::Ibm964,
        Self::Windows950,
        Self::Ibm950,
        Self::Big5Of2003,
        Self::Big5Hkscs,
        Self::Big5HkscsOf2004,
        Self::Big5HkscsOf2001,
        Self::Big5HkscsOf1999,
        Self::MacChineseSimp,
        Self::MacChineseTrad,
    ];
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
        for (at, (name, layers)) in SETS.iter().enumerate() {
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
            assert!(at < SETS.len() && !packed.is_empty(), "{name}");
        }
    }
}
