//! Decodes the multi-byte WHATWG encodings of East Asia: Shift_JIS, EUC-JP, gb18030, Big5, EUC-KR.
//!
//! One flat table has the character of every pair of bytes of a family, or of a subset for strict decoding.
//! `cargo xtask generate` makes it from the answers of `encoding_rs`. The decoder asks `encoding_rs` for everything
//! else, one sequence at a time: four-byte gb18030, pairs that are two characters, all damage.
//!
//! A byte below 0x21 is never part of a character. A damaged sequence never swallows an ASCII byte.
//!
//! # Limits
//! Strict decoding of Big5 and GB18030 follows WHATWG.

use crate::decode::{Chunk, Decode, progress};
use crate::encoding_rs_wrapper::{self, Step};
use crate::grid::Set;
use crate::loss::LossKind;
use crate::mode::Mode;
use crate::sink::Sink;
use encoding_rs::Encoding;
use mailglot_kernel::{LeadBytes, Packed, PairTable};

/// A family of charsets with one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    ShiftJis,
    EucJp,
    Gb18030,
    Big5,
    EucKr,
}

/// The part of a family's table that strict decoding uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subset {
    All,
    /// JIS X 0208 and half-width katakana, without the rows of NEC and IBM.
    JisShifted,
    /// JIS X 0208 in EUC, and JIS X 0212.
    JisEuc,
    /// All pairs, but no JIS X 0212.
    Cp51932,
    /// GB 2312-80.
    Gb2312,
    /// Two bytes only, and no euro at 80.
    Gbk,
    /// KS X 1001.
    Ksx1001,
}

impl Family {
    pub(crate) fn encoding(self) -> &'static Encoding {
        match self {
            Self::ShiftJis => encoding_rs::SHIFT_JIS,
            Self::EucJp => encoding_rs::EUC_JP,
            Self::Gb18030 => encoding_rs::GB18030,
            Self::Big5 => encoding_rs::BIG5,
            Self::EucKr => encoding_rs::EUC_KR,
        }
    }

    /// Returns the characters that lenient decoding finds.
    pub(crate) fn tables(self) -> &'static PairTable {
        self.tables_of(Subset::All)
    }

    /// Calls `take` with the non-ASCII characters of a text, in order. Returns `None` if the table lacks one. Half a pair at the end counts as U+FFFD.
    #[inline]
    pub(crate) fn each_wide(self, bytes: &[u8], mut take: impl FnMut(char)) -> Option<()> {
        let table = self.tables();
        let mut rest = bytes;
        while let [lead, behind @ ..] = rest {
            rest = behind;
            if lead.is_ascii() {
                continue;
            }
            let single = || table.single(*lead).char();
            match behind {
                [trail, after @ ..] if let Some(c) = table.pair(*lead, *trail).char() => {
                    take(c);
                    rest = after;
                }
                [] => take(single().unwrap_or(char::REPLACEMENT_CHARACTER)),
                _ => take(single()?),
            }
        }
        Some(())
    }

    /// Returns the characters of a subset, which strict decoding finds.
    pub(crate) fn tables_of(self, subset: Subset) -> &'static PairTable {
        match (self, subset) {
            (Self::ShiftJis, Subset::JisShifted) => &JIS_SHIFTED,
            (Self::ShiftJis, _) => &SHIFT_JIS,
            (Self::EucJp, Subset::JisEuc) => &JIS_EUC,
            (Self::EucJp, _) => &EUC_JP,
            (Self::Gb18030, Subset::Gb2312) => &GB2312,
            (Self::Gb18030, Subset::Gbk) => &GBK,
            (Self::Gb18030, _) => &GB18030,
            (Self::Big5, _) => &BIG5,
            (Self::EucKr, Subset::Ksx1001) => &KSX1001,
            (Self::EucKr, _) => &EUC_KR,
        }
    }
}

/// The bytes of a file of packed characters.
type Bytes = [u8; 4 * PairTable::CELLS];

static SHIFT_JIS: PairTable = PairTable::new(
    LeadBytes::From81ButA0ToDf,
    cells(include_bytes!("generated/pairs-shift-jis.bin")),
);
static JIS_SHIFTED: PairTable = PairTable::new(
    LeadBytes::From81ButA0ToDf,
    cells(include_bytes!("generated/pairs-jis-shifted.bin")),
);
static EUC_JP: PairTable = from_81(include_bytes!("generated/pairs-euc-jp.bin"));
static JIS_EUC: PairTable = from_81(include_bytes!("generated/pairs-jis-euc.bin"));
static GB18030: PairTable = from_81(include_bytes!("generated/pairs-gb18030.bin"));
static GBK: PairTable = from_81(include_bytes!("generated/pairs-gbk.bin"));
static GB2312: PairTable = from_81(include_bytes!("generated/pairs-gb2312.bin"));
static BIG5: PairTable = from_81(include_bytes!("generated/pairs-big5.bin"));
static EUC_KR: PairTable = from_81(include_bytes!("generated/pairs-euc-kr.bin"));
static KSX1001: PairTable = from_81(include_bytes!("generated/pairs-ksx1001.bin"));

const fn from_81(bytes: &'static Bytes) -> PairTable {
    PairTable::new(LeadBytes::From81, cells(bytes))
}

const fn cells(bytes: &'static Bytes) -> &'static [[u8; 4]; PairTable::CELLS] {
    match bytes.as_chunks().0.as_array() {
        Some(cells) => cells,
        None => unreachable!(),
    }
}

/// The way back: the bytes of the characters of the basic plane.
#[derive(Debug)]
pub(crate) struct ReversePairs {
    /// For each block of 256 code points the number of its row in `codes`, from 1; 0 for none.
    blocks: &'static [u8; 256],
    /// Two bytes or one, little-endian; 0 where the slow path must look.
    codes: &'static [[u8; 2]],
}

static REVERSE: [ReversePairs; 5] = [
    ReversePairs::new(include_bytes!("generated/reverse-shift-jis.bin")),
    ReversePairs::new(include_bytes!("generated/reverse-euc-jp.bin")),
    ReversePairs::new(include_bytes!("generated/reverse-gb18030.bin")),
    ReversePairs::new(include_bytes!("generated/reverse-big5.bin")),
    ReversePairs::new(include_bytes!("generated/reverse-euc-kr.bin")),
];

impl Family {
    /// The table for encoding. Where several sequences mean one character it has WHATWG's choice.
    pub(crate) fn reverse(self) -> &'static ReversePairs {
        &REVERSE[self as usize]
    }
}

impl ReversePairs {
    const fn new(file: &'static [u8]) -> Self {
        match file.split_first_chunk() {
            Some((blocks, codes)) => Self {
                blocks,
                codes: codes.as_chunks().0,
            },
            None => unreachable!(),
        }
    }

    /// The bytes of a character that is not ASCII: two, or one below 0x100; 0 where the slow path must look.
    #[inline]
    pub(crate) fn code(&self, c: char) -> u16 {
        u16::try_from(u32::from(c)).map_or(0, |c| self.code_of_unit(c))
    }

    /// Returns the bytes of a character from U+0080 to U+FFFF, like [`ReversePairs::code`]: 0x82A0 for U+3042 in Shift_JIS.
    #[inline]
    pub(crate) fn code_of_unit(&self, c: u16) -> u16 {
        let [block, cell] = c.to_be_bytes();
        let row = usize::from(self.blocks[usize::from(block)]);
        let code = self
            .codes
            .get((row << 8 | usize::from(cell)).wrapping_sub(0x100));
        code.map_or(0, |code| u16::from_le_bytes(*code))
    }
}

impl Subset {
    /// Returns true if a character of these bytes belongs to the subset.
    #[inline]
    pub(crate) fn holds(self, bytes: &[u8]) -> bool {
        match (self, bytes) {
            (Self::All, _) => true,
            (Self::Gbk, _) => bytes.len() == 2,
            (Self::JisShifted, [byte]) => (0xA1..=0xDF).contains(byte),
            // Rows 1 to 8 and 16 to 84 of JIS X 0208.
            (Self::JisShifted, [lead, trail]) => matches!(
                u16::from_be_bytes([*lead, *trail]),
                0x8140..=0x84FC | 0x889F..=0xEAFC
            ),
            (Self::Cp51932, [_, _]) => true,
            (Self::JisEuc, [0x8E, _] | [0x8F, _, _]) => true,
            (Self::JisEuc, [lead, _]) => jis_row(lead.wrapping_sub(0xA0)),
            (Self::Ksx1001, [lead, trail]) => *lead >= 0xA1 && *trail >= 0xA1,
            (Self::Gb2312, [lead, trail]) => gb2312(*lead, *trail),
            _ => false,
        }
    }
}

/// Rows that JIS X 0208 itself defines.
pub(crate) fn jis_row(row: u8) -> bool {
    matches!(row, 1..=8 | 16..=84)
}

/// Cells that GB 2312-80 itself defines.
pub(crate) fn gb2312(lead: u8, trail: u8) -> bool {
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

/// The character of a pair behind 8F in EUC-JP; the table is read when the first one is met.
fn jisx0212(lead: u8, trail: u8) -> Option<Packed> {
    let is_pair = matches!((lead, trail), (0xA1..=0xFE, 0xA1..=0xFE));
    let packed = is_pair.then(|| {
        Set::Jisx0212
            .grid()
            .cell(u16::from(lead & 0x7F), trail & 0x7F)
    })?;
    Some(packed).filter(|packed| packed.as_number().is_none())
}

/// A decoder of a family, or of a subset of it.
#[derive(Clone, Debug)]
pub(crate) struct DoubleByteDecoder {
    family: Family,
    subset: Subset,
    table: &'static PairTable,
}

impl DoubleByteDecoder {
    /// Returns the decoder of a subset in strict mode, and of the whole family otherwise.
    #[inline]
    pub(crate) fn new(family: Family, subset: Subset, mode: Mode) -> Self {
        let subset = if mode == Mode::Strict {
            subset
        } else {
            Subset::All
        };
        Self {
            family,
            subset,
            table: family.tables_of(subset),
        }
    }
}

impl Decode for DoubleByteDecoder {
    /// Decodes a run of pairs of the table, and the sequence behind it. Leaves at most three bytes.
    #[inline(always)]
    fn step(&mut self, rest: Chunk<'_>, sink: &mut Sink<'_>) -> Option<usize> {
        let run = self.table.append_decoded(rest.bytes, sink.text);
        let behind = rest.behind(run);
        let Some(lead) = behind.bytes.first() else {
            return Some(run);
        };
        if self.family == Family::EucJp
            && let Some(bytes @ [0x8F, lead, trail]) = behind.bytes.first_chunk::<3>()
            && self.subset.holds(bytes)
            && let Some(packed) = jisx0212(*lead, *trail)
        {
            sink.put(packed);
            return Some(run + 3);
        }
        // A lead byte that begins no pair may be a character by itself.
        let packed = self.table.single(*lead);
        if !packed.is_none() {
            sink.put(packed);
            return Some(run + 1);
        }
        let sequence = &behind.bytes[..behind.bytes.len().min(4)];
        let last = rest.last && sequence.len() == behind.bytes.len();
        match encoding_rs_wrapper::step(self.family.encoding(), sequence, last) {
            Step::More => progress(run),
            Step::Text { len, chars } if self.subset.holds(&sequence[..len]) => {
                sink.put_char(chars[0]);
                if chars[1] != '\0' {
                    sink.put_char(chars[1]);
                }
                Some(run + len)
            }
            Step::Text { len, .. } | Step::Malformed { len } => {
                sink.replace(behind.range(len), LossKind::Invalid);
                Some(run + len)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The subsets that charsets have.
    const SUBSETS: [(Family, Subset); 11] = [
        (Family::ShiftJis, Subset::All),
        (Family::ShiftJis, Subset::JisShifted),
        (Family::EucJp, Subset::All),
        (Family::EucJp, Subset::JisEuc),
        (Family::EucJp, Subset::Cp51932),
        (Family::Gb18030, Subset::All),
        (Family::Gb18030, Subset::Gb2312),
        (Family::Gb18030, Subset::Gbk),
        (Family::Big5, Subset::All),
        (Family::EucKr, Subset::All),
        (Family::EucKr, Subset::Ksx1001),
    ];

    const FAMILIES: [Family; 5] = [
        Family::ShiftJis,
        Family::EucJp,
        Family::Gb18030,
        Family::Big5,
        Family::EucKr,
    ];

    /// The one character that `encoding_rs` makes of a sequence.
    fn character(encoding: &'static Encoding, bytes: &[u8]) -> Option<char> {
        let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
        let mut chars = text.chars();
        chars.next().filter(|_| chars.next().is_none())
    }

    #[test]
    fn tables_hold_what_encoding_rs_says_of_every_byte_and_every_pair() {
        let mut pairs = Vec::new();
        for family in FAMILIES {
            let (tables, encoding, mut count) = (family.tables(), family.encoding(), 0);
            for lead in 0x80..=0xFF {
                let single = character(encoding, &[lead]);
                assert_eq!(tables.single(lead).char(), single, "{family:?} {lead:X}");
                for trail in 0..=0xFF {
                    let expected = character(encoding, &[lead, trail]);
                    let packed = tables.pair(lead, trail);
                    assert_eq!(packed.char(), expected, "{family:?} {lead:X} {trail:X}");
                    assert_eq!(
                        packed.is_none(),
                        expected.is_none(),
                        "{family:?} {lead:X} {trail:X}"
                    );
                    count += u32::from(expected.is_some());
                }
            }
            pairs.push(count);
        }
        // JIS X 0208 with the rows 13 and 89 to 92 has 7336; Shift_JIS has IBM's 388 and 1880 private ones, too, and
        // EUC-JP 63 katakana.
        assert_eq!(
            pairs,
            [7336 + 388 + 1880, 7336 + 63, 23_940, 18_590, 17_048]
        );
    }

    #[test]
    fn jis_x_0212_is_what_encoding_rs_says() {
        let mut count = 0;
        for lead in 0..=0xFF {
            for trail in 0..=0xFF {
                let expected = character(encoding_rs::EUC_JP, &[0x8F, lead, trail]);
                assert_eq!(
                    jisx0212(lead, trail).and_then(Packed::char),
                    expected,
                    "{lead:X} {trail:X}"
                );
                count += u32::from(expected.is_some());
            }
        }
        assert_eq!(count, 6067);
    }

    #[test]
    fn reverse_tables_have_the_choice_of_encoding_rs() {
        for family in FAMILIES {
            let mut count = 0;
            for c in ('\u{80}'..='\u{FFFF}').filter(|c| !matches!(c, '\u{E000}'..='\u{F8FF}')) {
                let code = family.reverse().code(c);
                let Some((bytes, len)) = encoding_rs_wrapper::encode_char(family.encoding(), c)
                else {
                    assert_eq!(code, 0, "{family:?} {c:?}");
                    continue;
                };
                // Look-alikes, four bytes and Hong Kong's characters are left to the slow path.
                if code != 0 {
                    let own = code.to_be_bytes();
                    let own = if own[0] == 0 { &own[1..] } else { &own[..] };
                    assert_eq!(own, &bytes[..len], "{family:?} {c:?}");
                    count += 1;
                }
            }
            assert!(count > 6_800, "{family:?} {count}");
        }
    }

    /// Decodes strictly, one sequence at a time, without a table.
    fn decode_by_sequence(family: Family, subset: Subset, bytes: &[u8]) -> (String, Vec<Range>) {
        let (mut text, mut losses, mut at) = (String::new(), Vec::new(), 0);
        while at < bytes.len() {
            let rest = &bytes[at..bytes.len().min(at + 4)];
            let is_last = at + rest.len() == bytes.len();
            let len = match encoding_rs_wrapper::step(family.encoding(), rest, is_last) {
                Step::Text { len, chars } if rest[0] < 0x80 || subset.holds(&rest[..len]) => {
                    text.push(chars[0]);
                    text.extend(chars[1..].iter().filter(|c| **c != '\0'));
                    at += len;
                    continue;
                }
                Step::Text { len, .. } | Step::Malformed { len } => len,
                Step::More => unreachable!("four bytes are more than any sequence needs"),
            };
            text.push('\u{FFFD}');
            losses.push(at..at + len);
            at += len;
        }
        (text, losses)
    }

    type Range = std::ops::Range<usize>;

    /// Decodes strictly by the table, and gives the ranges of losses byte by byte of their sequences.
    fn decode_by_table(family: Family, subset: Subset, bytes: &[u8]) -> (String, Vec<Range>) {
        let (mut text, mut log) = (String::new(), crate::loss::LossLog::new());
        let mut sink = Sink::new(&mut text, &mut log, Mode::Strict);
        DoubleByteDecoder::new(family, subset, Mode::Strict).run(Chunk::whole(bytes), &mut sink);
        let range = |loss: &crate::loss::Loss| loss.bytes.start as usize..loss.bytes.end as usize;
        let losses = log.kept().iter().map(range).collect();
        (text, losses)
    }

    #[test]
    fn strict_tables_decode_every_pair_as_sequences_do() {
        for (family, subset) in SUBSETS {
            for first in 0..=0xFF_u8 {
                for second in 0..=0xFF_u8 {
                    for around in [&b""[..], b"a", b"\xA4", b"\x8F\xB0"] {
                        let bytes = [around, &[first, second], b"b\xB0\xA1"].concat();
                        let (text, losses) = decode_by_table(family, subset, &bytes);
                        let (expected, replaced) = decode_by_sequence(family, subset, &bytes);
                        assert_eq!(text, expected, "{family:?} {subset:?} {bytes:x?}");
                        let covered = |ranges: &[Range]| -> Vec<usize> {
                            ranges.iter().cloned().flatten().collect()
                        };
                        assert_eq!(covered(&losses), covered(&replaced), "{bytes:x?}");
                    }
                }
            }
        }
    }
}
