//! The multi-byte WHATWG encodings of East Asia: Shift_JIS, EUC-JP, gb18030, Big5, EUC-KR.
//!
//! One flat table holds the character of every pair of bytes; what it does not hold (four-byte gb18030, three-byte
//! EUC-JP, pairs that are two characters, all damage) is asked of `encoding_rs` one sequence at a time.
//!
//! A byte below 0x21 is never part of a character, and an ASCII byte is never swallowed with a damaged one.
//!
//! # Limits
//! Strict decoding of Big5 and GB18030 is WHATWG's.

use crate::sink::{Sink, ascii_8, ascii_run, pack, unpack};
use crate::web::{self, Step};
use crate::{LossKind, Mode};
use encoding_rs::Encoding;
use std::sync::OnceLock;

/// A family of charsets with one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    ShiftJis,
    EucJp,
    Gb18030,
    Big5,
    EucKr,
}

/// What strict decoding leaves of a family's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subset {
    All,
    /// JIS X 0208 and half-width katakana, without the rows of NEC and IBM.
    JisShifted,
    /// The same in EUC, and JIS X 0212.
    JisEuc,
    /// GB 2312-80.
    Gb2312,
    /// Two bytes only, and no euro at 80.
    Gbk,
    /// KS X 1001.
    Ksx1001,
}

/// Packed characters by byte and by pair.
pub(crate) struct Tables {
    /// Bytes 80-FF that are characters by themselves; 0 for lead bytes and damage.
    singles: [u32; 128],
    /// `(lead & 0x7F) << 8 | trail`; 0 where the slow path must look.
    pairs: Vec<u32>,
}

impl Tables {
    /// The next four pairs, if all are characters of the basic plane.
    #[inline]
    fn four(&self, input: &[u8]) -> Option<[u32; 4]> {
        let block: &[u8; 8] = input.first_chunk()?;
        if block[0] & block[2] & block[4] & block[6] < 0x80 {
            return None;
        }
        let packed: [u32; 4] = std::array::from_fn(|i| self.pair(block[2 * i], block[2 * i + 1]));
        let basic = packed.iter().all(|p| (1..1 << 31).contains(p));
        basic.then_some(packed)
    }

    /// The packed character of a pair whose lead byte is 80 or above; 0 if there is none in the table.
    #[inline]
    pub(crate) fn pair(&self, lead: u8, trail: u8) -> u32 {
        self.pairs.get(usize::from(lead & 0x7F) << 8 | usize::from(trail)).copied().unwrap_or(0)
    }
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

    /// The tables, built at first use.
    pub(crate) fn tables(self) -> &'static Tables {
        static TABLES: [OnceLock<Tables>; 5] = [const { OnceLock::new() }; 5];
        TABLES[self as usize].get_or_init(|| self.build())
    }

    fn build(self) -> Tables {
        let encoding = self.encoding();
        let mut tables = Tables { singles: [0; 128], pairs: vec![0; 128 << 8] };
        let mut decoder = encoding.new_decoder_without_bom_handling();
        for lead in 0x80..=0xFF_u8 {
            match web::step(encoding, &[lead], false) {
                Step::Text { chars: [c, _], .. } => tables.singles[usize::from(lead & 0x7F)] = pack(c),
                Step::Malformed { .. } => {}
                Step::More => {
                    for trail in 0x30..=0xFF_u8 {
                        // One decoder for all, brought back to its initial state by a line feed after each pair.
                        let mut out = [0_u8; 32];
                        let (_, _, written, damaged) =
                            decoder.decode_to_utf8(&[lead, trail, b'\n', b'\n', b'\n'], &mut out, false);
                        let text = std::str::from_utf8(&out[..written]).unwrap_or_default();
                        let mut chars = text.trim_end_matches('\n').chars();
                        if let (false, Some(c), None) = (damaged, chars.next(), chars.next()) {
                            tables.pairs[usize::from(lead & 0x7F) << 8 | usize::from(trail)] = pack(c);
                        }
                    }
                }
            }
        }
        tables
    }
}

/// The way back: the bytes of the characters of the basic plane.
pub(crate) struct Reverse {
    /// By code point, two bytes or one; 0 where the slow path must look.
    codes: Vec<u16>,
}

impl Family {
    /// The table for encoding, built at first use. Where several sequences mean one character it has WHATWG's choice.
    pub(crate) fn reverse(self) -> &'static Reverse {
        static REVERSE: [OnceLock<Reverse>; 5] = [const { OnceLock::new() }; 5];
        REVERSE[self as usize].get_or_init(|| {
            let tables = self.tables();
            let mut codes = vec![0; 0x10000];
            // The first sequence wins, so the last is entered first.
            for lead in (0x80..=0xFF_u8).rev() {
                for trail in (0x30..=0xFF_u8).rev() {
                    if self.is_written(lead, trail)
                        && let Some(c) = unpack(tables.pair(lead, trail))
                        && let Some(code) = codes.get_mut(c as usize)
                    {
                        *code = u16::from_be_bytes([lead, trail]);
                    }
                }
                // A euro at 80 is GBK's, not GB 18030's.
                if let Some(c) = unpack(tables.singles[usize::from(lead & 0x7F)])
                    && self == Self::ShiftJis
                {
                    codes[c as usize] = u16::from(lead);
                }
            }
            if self == Self::Big5 {
                for (c, code) in BIG5_LAST {
                    codes[c as usize] = code;
                }
            }
            Reverse { codes }
        })
    }

    /// Whether encoders use a pair at all (WHATWG, "index Shift_JIS pointer", "index Big5 pointer").
    fn is_written(self, lead: u8, trail: u8) -> bool {
        match self {
            // NEC's selection of the IBM characters, and the private area.
            Self::ShiftJis => !matches!(lead, 0xED | 0xEE | 0xF0..=0xF9),
            // Left to Hong Kong's own characters, which are written by the slow path.
            Self::Big5 => lead >= 0xA1,
            // The private areas changed between editions.
            Self::Gb18030 => !matches!(lead, 0xA6 | 0xA8 | 0xFE) || trail >= 0xA1 && gb2312(lead, trail),
            _ => true,
        }
    }
}

/// Characters of Big5 that are written as the last of their sequences.
const BIG5_LAST: [(char, u16); 6] = [
    ('\u{2550}', 0xF9F9),
    ('\u{255E}', 0xF9E9),
    ('\u{2561}', 0xF9EB),
    ('\u{256A}', 0xF9EA),
    ('\u{5341}', 0xA451),
    ('\u{5345}', 0xA4CA),
];

impl Reverse {
    /// The bytes of a character that is not ASCII: two, or one below 0x100; 0 where the slow path must look.
    #[inline]
    pub(crate) fn code(&self, c: char) -> u16 {
        self.codes.get(c as usize).copied().unwrap_or(0)
    }
}

impl Subset {
    /// Whether a character of these bytes belongs to the subset.
    fn holds(self, bytes: &[u8]) -> bool {
        match (self, bytes) {
            (Self::All, _) => true,
            (Self::Gbk, _) => bytes.len() == 2,
            (Self::JisShifted, [byte]) => (0xA1..=0xDF).contains(byte),
            (Self::JisShifted, [lead, trail]) => {
                let half = if *lead < 0xA0 { lead.wrapping_sub(0x81) } else { lead.wrapping_sub(0xC1) };
                half < 0x2F && jis_row(half * 2 + 1 + u8::from(*trail >= 0x9F))
            }
            (Self::JisEuc, [0x8E, _] | [0x8F, _, _]) => true,
            (Self::JisEuc, [lead, _]) => jis_row(lead.wrapping_sub(0xA0)),
            (Self::Ksx1001, [lead, trail]) => *lead >= 0xA1 && *trail >= 0xA1,
            (Self::Gb2312, [lead, trail]) => gb2312(*lead, *trail),
            _ => false,
        }
    }
}

/// Rows that JIS X 0208 itself defines.
fn jis_row(row: u8) -> bool {
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

/// Decodes what is complete; at most three bytes stay behind.
pub(crate) fn run(
    family: Family,
    subset: Subset,
    input: &[u8],
    base: u64,
    last: bool,
    mode: Mode,
    sink: &mut Sink<'_>,
) -> usize {
    let tables = family.tables();
    let subset = if mode == Mode::Strict { subset } else { Subset::All };
    let mut at = 0;
    while at < input.len() {
        let lead = input[at];
        if lead < 0x80 {
            if let Some(ascii) = ascii_8(&input[at..]) {
                sink.put_ascii_8(ascii);
                at += 8;
                if ascii_8(&input[at..]).is_some() {
                    let run = ascii_run(&input[at..]);
                    sink.put_ascii(&input[at..at + run]);
                    at += run;
                }
            } else {
                sink.put_basic(u32::from(lead) | 1 << 24);
                at += 1;
            }
            continue;
        }
        if subset == Subset::All {
            if let Some(four) = tables.four(&input[at..]) {
                sink.put_many(four);
                at += 8;
                continue;
            }
            if let Some(trail) = input.get(at + 1) {
                let packed = tables.pair(lead, *trail);
                if packed != 0 {
                    sink.put(packed);
                    at += 2;
                    continue;
                }
            }
            let packed = tables.singles[usize::from(lead & 0x7F)];
            if packed != 0 {
                sink.put_basic(packed);
                at += 1;
                continue;
            }
        }
        let sequence = &input[at..input.len().min(at + 4)];
        let start = base + at as u64;
        match web::step(family.encoding(), sequence, last && sequence.len() == input.len() - at) {
            Step::More => return at,
            Step::Text { len, chars } if subset.holds(&sequence[..len]) => {
                sink.put_char(chars[0]);
                if chars[1] != '\0' {
                    sink.put_char(chars[1]);
                }
                at += len;
            }
            Step::Text { len, .. } | Step::Malformed { len } => {
                sink.replace(start..start + len as u64, LossKind::Invalid);
                at += len;
            }
        }
    }
    at
}
