//! Encodes the multi-byte WHATWG encodings of East Asia, and characters that WHATWG decodes but does not encode: JIS X 0212 in
//! EUC-JP, the private area of Windows-31J.
//!
//! # Limits
//! In lenient mode GB2312, Shift_JIS and EUC-KR are encoded with the characters of their supersets.

use crate::double_byte::{Family, ReversePairs, Subset};
use crate::encoder_machine::{Encode, Gather, Out};
use crate::encoding_rs_wrapper;
use crate::grid::Set;
use crate::mode::Mode;
use encoding_rs::Encoding;
use std::ops::ControlFlow;

/// An encoder of one family.
#[derive(Clone, Debug)]
pub(super) struct DoubleByteEncoder {
    family: Family,
    /// The subset for strict encoding.
    subset: Subset,
    /// GBK never writes four bytes, and leniently has the euro at 80.
    gbk: bool,
    encoding: &'static Encoding,
    reverse: &'static ReversePairs,
}

impl DoubleByteEncoder {
    pub(super) fn new(family: Family, subset: Subset, mode: Mode) -> Self {
        let gbk = matches!(subset, Subset::Gbk | Subset::Gb2312);
        Self {
            family,
            subset: if mode == Mode::Strict {
                subset
            } else {
                Subset::All
            },
            gbk,
            encoding: if gbk {
                encoding_rs::GBK
            } else {
                family.encoding()
            },
            reverse: family.reverse(),
        }
    }
}

impl DoubleByteEncoder {
    /// The bytes of a character that is not ASCII, and their number.
    fn code(&self, c: char) -> Option<([u8; 16], usize)> {
        let euro = self.gbk && self.subset == Subset::All && c == '\u{20AC}';
        let of_table = match self.reverse.code(c) {
            _ if euro => Some(padded(&[0x80])),
            0 => None,
            code @ 1..=0xFF => Some(padded(&[code as u8])),
            code => Some(padded(&code.to_be_bytes())),
        };
        let held = |(code, len): &([u8; 16], usize)| self.subset.holds(&code[..*len]);
        of_table
            .filter(held)
            .or_else(|| self.beyond_web(c).filter(held))
            .or_else(|| encoding_rs_wrapper::encode_char(self.encoding, c).filter(held))
    }

    /// Returns true if `pair` is two bytes of the table that are written for `c` as they are. Pairs of the table are no look-alikes.
    #[inline]
    fn is_final(&self, c: u16, pair: u16) -> bool {
        pair >= 0x100
            && match self.subset {
                Subset::All => !(self.gbk && c == 0x20AC),
                subset => subset.holds(&pair.to_be_bytes()),
            }
    }

    /// JIS X 0212 in the three bytes of EUC-JP, which WHATWG reads and does not write.
    fn beyond_web(&self, c: char) -> Option<([u8; 16], usize)> {
        if self.family != Family::EucJp {
            return None;
        }
        let [.., row, column] = Set::Jisx0212.reverse().code(c).to_be_bytes();
        (row != 0).then(|| padded(&[0x8F, row | 0x80, column | 0x80]))
    }
}

impl Encode for DoubleByteEncoder {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        let bytes = text.as_bytes();
        out.bytes.reserve(text.len());
        let mut gathered = Gather::new();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if *byte < 0x80 {
                at += gathered.put_ascii(&bytes[at..], out);
                continue;
            }
            if let Some((unit, len)) = unit(&bytes[at..]) {
                let pair = self.reverse.code_of_unit(unit);
                if self.is_final(unit, pair) {
                    gathered.put(pair.to_be_bytes(), out);
                    at += len;
                    continue;
                }
            }
            gathered.flush(out);
            let Some(c) = text[at..].chars().next() else {
                break;
            };
            let Some((code, len)) = self.code(c) else {
                return ControlFlow::Break(at);
            };
            if is_substitute(self.family, c) && !out.substituted(at, c) {
                return ControlFlow::Break(at);
            }
            out.extend(&code[..len]);
            at += c.len_utf8();
        }
        gathered.flush(out);
        ControlFlow::Continue(())
    }
}

/// Returns the character of two or three bytes at the start of UTF-8, and their number. `None` for one of four bytes and for ASCII.
#[inline]
fn unit(text: &[u8]) -> Option<(u16, usize)> {
    let low = |byte: u8| u16::from(byte & 0x3F);
    match *text {
        [lead @ 0xE0..=0xEF, second, third, ..] => {
            Some((u16::from(lead) << 12 | low(second) << 6 | low(third), 3))
        }
        [lead @ 0xC0..=0xDF, second, ..] => Some((u16::from(lead & 0x1F) << 6 | low(second), 2)),
        _ => None,
    }
}

fn padded(code: &[u8]) -> ([u8; 16], usize) {
    let mut bytes = [0; 16];
    bytes[..code.len()].copy_from_slice(code);
    (bytes, code.len())
}

/// Returns true for characters that WHATWG encodes as others, so that decoding does not give them back.
fn is_substitute(family: Family, c: char) -> bool {
    match family {
        Family::ShiftJis | Family::EucJp => matches!(c, '\u{A5}' | '\u{203E}' | '\u{2212}'),
        // Private code points of GB 18030-2000 that have characters of their own since 2022.
        Family::Gb18030 => {
            matches!(
                c,
                '\u{E78D}'
                    ..='\u{E796}' | '\u{E81E}' | '\u{E826}' | '\u{E82B}' | '\u{E82C}' | '\u{E832}'
            ) || matches!(c, '\u{E843}' | '\u{E854}' | '\u{E864}')
        }
        Family::Big5 | Family::EucKr => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Subset::{All, Cp51932, Gb2312, Gbk, JisEuc, JisShifted, Ksx1001};

    #[test]
    fn pairs_that_are_final_are_what_the_whole_rules_give() {
        for (family, subset, mode) in [
            (Family::ShiftJis, All, Mode::Lenient),
            (Family::ShiftJis, JisShifted, Mode::Strict),
            (Family::EucJp, All, Mode::Lenient),
            (Family::EucJp, JisEuc, Mode::Strict),
            (Family::EucJp, Cp51932, Mode::Strict),
            (Family::Gb18030, All, Mode::Lenient),
            (Family::Gb18030, Gb2312, Mode::Strict),
            (Family::Gb18030, Gbk, Mode::Strict),
            (Family::Gb18030, Gbk, Mode::Lenient),
            (Family::Big5, All, Mode::Lenient),
            (Family::EucKr, All, Mode::Lenient),
            (Family::EucKr, Ksx1001, Mode::Strict),
        ] {
            let encoder = DoubleByteEncoder::new(family, subset, mode);
            let mut found = 0;
            for c in '\u{80}'..='\u{FFFF}' {
                let (unit, len) = unit(c.encode_utf8(&mut [0; 4]).as_bytes()).unwrap();
                assert_eq!((u32::from(unit), len), (u32::from(c), c.len_utf8()));
                let pair = encoder.reverse.code(c);
                if !encoder.is_final(unit, pair) {
                    continue;
                }
                found += 1;
                let code = encoder.code(c).map(|(code, len)| code[..len].to_vec());
                assert_eq!(
                    code,
                    Some(pair.to_be_bytes().to_vec()),
                    "{family:?} {subset:?} {c:?}"
                );
                assert!(!is_substitute(family, c), "{family:?} {subset:?} {c:?}");
            }
            assert!(found > 6_000, "{family:?} {subset:?}: {found} characters");
        }
    }
}
