//! Flat tables of the double-byte encodings of WHATWG: `data/tables/web/NAME.tsv` to what `mailglot_kernel::PairTable` reads.
//!
//! A file has a packed character of four bytes for each pair, at `(lead & 7F) << 8 | trail`, and for each single byte at its
//! number: the UTF-8 bytes, and their number in the fourth byte. Zeros are no character.
//!
//! A reverse file has for each block of 256 code points the number of its row (0 is none), and rows of 256 codes (u16,
//! little-endian): two bytes, or one below 100, or 0 where the encoder must look elsewhere. Where several sequences mean one
//! character it has WHATWG's choice.
//!
//! # Limits
//! Pairs that are two characters are left to the decoder.

use super::grids::{self, Cells};
use crate::run::read;
use anyhow::Context;
use std::collections::BTreeMap;

/// A table: its file, its data, and the bytes that it has.
struct PairFile {
    name: &'static str,
    data: &'static str,
    layout: Layout,
    holds: fn(&[u8]) -> bool,
}

/// How bytes select a cell of the data.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// Row and column are lead and trail byte.
    Direct,
    /// As in WHATWG's "Shift_JIS decoder".
    ShiftJis,
    /// As in WHATWG's "EUC-JP decoder", where 8E begins the katakana.
    EucJp,
}

const FILES: [PairFile; 10] = [
    PairFile::new("shift-jis", "jis0208", Layout::ShiftJis, |_| true),
    PairFile::new("jis-shifted", "jis0208", Layout::ShiftJis, is_jis_shifted),
    PairFile::new("euc-jp", "jis0208", Layout::EucJp, |bytes| bytes.len() == 2),
    PairFile::new("jis-euc", "jis0208", Layout::EucJp, is_jis_euc),
    PairFile::new("gb18030", "gbk", Layout::Direct, |_| true),
    PairFile::new("gbk", "gbk", Layout::Direct, |bytes| bytes.len() == 2),
    PairFile::new("gb2312", "gbk", Layout::Direct, is_gb2312),
    PairFile::new("big5", "big5", Layout::Direct, |bytes| bytes.len() == 2),
    PairFile::new("euc-kr", "euc-kr", Layout::Direct, |bytes| bytes.len() == 2),
    PairFile::new("ksx1001", "euc-kr", Layout::Direct, is_ksx1001),
];

/// The tables, with the paths of their files in the repository.
pub(super) fn all() -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let made = |file: &PairFile| {
        let text = read(&format!("data/tables/web/{}.tsv", file.data))?;
        let cells = grids::parse(&text).with_context(|| file.data.to_owned())?;
        Ok((
            format!("crates/codec/src/generated/pairs-{}.bin", file.name),
            file.table(&cells),
        ))
    };
    let mut all: Vec<_> = FILES.iter().map(made).collect::<anyhow::Result<_>>()?;
    for (name, is_written, last) in REVERSES {
        let path = format!("crates/codec/src/generated/pairs-{name}.bin");
        let (_, table) = all
            .iter()
            .find(|(known, _)| *known == path)
            .with_context(|| path.clone())?;
        let made = reverse(table, is_written, last);
        all.push((
            format!("crates/codec/src/generated/reverse-{name}.bin"),
            made,
        ));
    }
    Ok(all)
}

/// A table, the codes that encoders write, and the characters that have another code than their first.
type ReverseFile = (&'static str, fn(u8, u8) -> bool, &'static [(char, u16)]);

/// The tables for encoding (WHATWG, "index Shift_JIS pointer", "index Big5 pointer"). A lead byte 0 stands for a single byte.
const REVERSES: [ReverseFile; 5] = [
    // NEC's selection of the IBM characters is not written. The private area is, where WHATWG only reads it.
    ("shift-jis", |lead, _| !matches!(lead, 0xED | 0xEE), &[]),
    ("euc-jp", |lead, _| lead != 0, &[]),
    // The private areas changed between editions. A euro at 80 is GBK's, not GB 18030's.
    (
        "gb18030",
        |lead, trail| {
            lead != 0
                && (!matches!(lead, 0xA6 | 0xA8 | 0xFE)
                    || trail >= 0xA1 && is_gb2312(&[lead, trail]))
        },
        &[],
    ),
    // Hong Kong's own characters are left to the slow path. Some characters are written as the last of their sequences.
    (
        "big5",
        |lead, _| lead >= 0xA1,
        &[
            ('\u{2550}', 0xF9F9),
            ('\u{255E}', 0xF9E9),
            ('\u{2561}', 0xF9EB),
            ('\u{256A}', 0xF9EA),
            ('\u{5341}', 0xA451),
            ('\u{5345}', 0xA4CA),
        ],
    ),
    ("euc-kr", |lead, _| lead != 0, &[]),
];

/// Reverses a table. The first code of a character counts, and a single byte before all pairs.
fn reverse(table: &[u8], is_written: fn(u8, u8) -> bool, last: &[(char, u16)]) -> Vec<u8> {
    let singles = (0x80..=0xFF_u8).map(|byte| (0, byte));
    let leads = 0x81..=0xFF_u8;
    let pairs = leads.flat_map(|lead| (0x30..=0xFF_u8).map(move |trail| (lead, trail)));
    let mut codes: BTreeMap<u16, u16> = BTreeMap::new();
    for (lead, trail) in singles
        .chain(pairs)
        .filter(|code| is_written(code.0, code.1))
    {
        let at = if lead == 0 {
            usize::from(trail)
        } else {
            usize::from(lead & 0x7F) << 8 | usize::from(trail)
        };
        let cell = &table[4 * at..][..4];
        let text = std::str::from_utf8(&cell[..usize::from(cell[3]).min(3)]).unwrap_or_default();
        // Characters of four bytes are left to the slow path.
        let c = text.chars().next().filter(|_| cell[3] < 4);
        if let Some(code_point) = c.and_then(|c| u16::try_from(u32::from(c)).ok()) {
            let code = u16::from_be_bytes([lead, trail]);
            codes.entry(code_point).or_insert(code);
        }
    }
    for (c, code) in last {
        codes.insert(*c as u16, *code);
    }
    let mut blocks: BTreeMap<u16, [u16; 256]> = BTreeMap::new();
    for (code_point, code) in codes {
        let row = blocks.entry(code_point >> 8).or_insert([0; 256]);
        row[usize::from(code_point & 0xFF)] = code;
    }
    let number = |block: u16| blocks.keys().position(|known| *known == block);
    let numbers = (0..256).map(|block| number(block).map_or(0, |at| at as u8 + 1));
    let rows = blocks
        .values()
        .flatten()
        .flat_map(|code| code.to_le_bytes());
    numbers.chain(rows).collect()
}

impl PairFile {
    const fn new(
        name: &'static str,
        data: &'static str,
        layout: Layout,
        holds: fn(&[u8]) -> bool,
    ) -> Self {
        Self {
            name,
            data,
            layout,
            holds,
        }
    }

    fn table(&self, cells: &Cells) -> Vec<u8> {
        let cell = |place: Option<(u16, u8)>| match cells.get(&place?)? {
            Some([c, '\0']) => Some(packed(*c)),
            _ => None,
        };
        let mut table = vec![0; 0x2_0000];
        let mut put = |at: usize, cell: [u8; 4]| table[4 * at..][..4].copy_from_slice(&cell);
        for byte in 0..0x80_u8 {
            put(byte.into(), packed(byte.into()));
        }
        for lead in 0x80..=0xFF_u8 {
            if (self.holds)(&[lead])
                && let Some(cell) = cell(Some((0, lead)))
            {
                put(lead.into(), cell);
            }
            // Where 80 would begin a pair, the table has the single bytes.
            for trail in (0x40..=0xFE_u8).filter(|_| lead > 0x80) {
                if (self.holds)(&[lead, trail])
                    && let Some(cell) = cell(self.layout.place(lead, trail))
                {
                    put(usize::from(lead & 0x7F) << 8 | usize::from(trail), cell);
                }
            }
        }
        table
    }
}

impl Layout {
    /// Row and column of a pair; `None` for no pair.
    fn place(self, lead: u8, trail: u8) -> Option<(u16, u8)> {
        match self {
            Self::Direct => Some((lead.into(), trail)),
            Self::ShiftJis => {
                let half = match lead {
                    0x81..=0x9F => lead - 0x81,
                    0xE0..=0xFC => lead - 0xC1,
                    _ => return None,
                };
                let (odd, column) = match trail {
                    0x40..=0x7E => (0, trail - 0x40 + 0x21),
                    0x80..=0x9E => (0, trail - 0x41 + 0x21),
                    0x9F..=0xFC => (1, trail - 0x9F + 0x21),
                    _ => return None,
                };
                Some((u16::from(half) * 2 + 0x21 + odd, column))
            }
            // The katakana are the single bytes of Shift_JIS.
            Self::EucJp if lead == 0x8E => matches!(trail, 0xA1..=0xDF).then_some((0, trail)),
            Self::EucJp => matches!((lead, trail), (0xA1..=0xFE, 0xA1..=0xFE))
                .then_some((u16::from(lead & 0x7F), trail & 0x7F)),
        }
    }
}

/// JIS X 0208 and half-width katakana, without the rows of NEC and IBM.
fn is_jis_shifted(bytes: &[u8]) -> bool {
    match bytes {
        [byte] => matches!(byte, 0xA1..=0xDF),
        [lead, trail] => {
            let half = lead.wrapping_sub(if *lead < 0xA0 { 0x81 } else { 0xC1 });
            half < 0x2F && is_jis_row(half * 2 + 1 + u8::from(*trail >= 0x9F))
        }
        _ => false,
    }
}

/// JIS X 0208 and half-width katakana in EUC-JP.
fn is_jis_euc(bytes: &[u8]) -> bool {
    matches!(bytes, [lead, _] if *lead == 0x8E || is_jis_row(lead.wrapping_sub(0xA0)))
}

/// Rows that JIS X 0208 itself defines.
fn is_jis_row(row: u8) -> bool {
    matches!(row, 1..=8 | 16..=84)
}

fn is_ksx1001(bytes: &[u8]) -> bool {
    bytes.len() == 2 && bytes.iter().all(|byte| *byte >= 0xA1)
}

/// Cells that GB 2312-80 itself defines.
fn is_gb2312(bytes: &[u8]) -> bool {
    let [lead, trail] = bytes else { return false };
    match lead {
        0xA1 | 0xA3 | 0xB0..=0xD6 | 0xD8..=0xF7 => matches!(trail, 0xA1..=0xFE),
        0xA2 => matches!(trail, 0xB1..=0xE2 | 0xE5..=0xEE | 0xF1..=0xFC),
        0xA4 => matches!(trail, 0xA1..=0xF3),
        0xA5 => matches!(trail, 0xA1..=0xF6),
        0xA6 => matches!(trail, 0xA1..=0xB8 | 0xC1..=0xD8),
        0xA7 => matches!(trail, 0xA1..=0xC1 | 0xD1..=0xF1),
        0xA8 => matches!(trail, 0xA1..=0xBA | 0xC5..=0xE9),
        0xA9 => matches!(trail, 0xA4..=0xEF),
        0xD7 => matches!(trail, 0xA1..=0xF9),
        _ => false,
    }
}

/// A packed character: its UTF-8 bytes, and below four of them their number in the fourth byte.
pub(super) fn packed(c: char) -> [u8; 4] {
    let mut bytes = [0; 4];
    let len = c.encode_utf8(&mut bytes).len();
    if len < 4 {
        bytes[3] = len as u8;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stand_where_their_bytes_say() {
        let cells: Cells = [
            ((0x21, 0x22), Some(['、', '\0'])),
            ((0x22, 0x21), Some(['◆', '\0'])),
            ((0, 0xB1), Some(['ｱ', '\0'])),
            ((0x23, 0x21), Some(['か', '\u{309A}'])),
        ]
        .into();
        let table = |name: &str| FILES.iter().find(|f| f.name == name).unwrap().table(&cells);
        let at =
            |table: &[u8], place: usize| -> [u8; 4] { table[4 * place..][..4].try_into().unwrap() };
        let (shifted, euc) = (table("jis-shifted"), table("euc-jp"));
        assert_eq!(
            (shifted.len(), at(&shifted, 0x41)),
            (0x2_0000, *b"A\0\0\x01")
        );
        assert_eq!(at(&shifted, 0x0141), packed('、'));
        assert_eq!(at(&shifted, 0x019F), packed('◆'));
        assert_eq!((at(&shifted, 0xB1), at(&euc, 0xB1)), (packed('ｱ'), [0; 4]));
        assert_eq!(at(&euc, 0x21A2), packed('、'));
        assert_eq!(at(&euc, 0x0EB1), packed('ｱ'));
        assert_eq!((at(&shifted, 0x0240), at(&euc, 0x23A1)), ([0; 4], [0; 4]));
        assert_eq!(packed('\u{2000B}'), [0xF0, 0xA0, 0x80, 0x8B]);
    }
}
