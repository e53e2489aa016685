//! Decodes and encodes Extended_UNIX_Code_Fixed_Width_for_Japanese: EUC-JP with two octets for every character.
//!
//! The IANA registry defines it. An octet 00 comes before ASCII and half-width katakana. Two high octets are JIS X 0208. A high
//! and a low one are JIS X 0212.
//!
//! # Limits
//! A missing octet is not detected; invalid octets are replaced in pairs.

use crate::decode::{Chunk, Decode, progress};
use crate::double_byte::{Family, jis_row};
use crate::encoder_machine::{Encode, Out, each_char};
use crate::grid::Set;
use crate::loss::LossKind;
use crate::mode::Mode;
use crate::sink::Sink;
use mailglot_kernel::Packed;
use std::ops::ControlFlow;

/// A decoder.
#[derive(Clone, Debug)]
pub(crate) struct EucFixedWidthDecoder {
    mode: Mode,
}

impl EucFixedWidthDecoder {
    pub(crate) fn new(mode: Mode) -> Self {
        Self { mode }
    }
}

impl Decode for EucFixedWidthDecoder {
    /// Leaves at most one byte.
    #[inline(always)]
    fn step(&mut self, rest: Chunk<'_>, sink: &mut Sink<'_>) -> Option<usize> {
        let (pairs, odd) = rest.bytes.as_chunks::<2>();
        for (at, pair) in pairs.iter().enumerate() {
            match packed(*pair, self.mode) {
                Packed::NONE => sink.replace(rest.behind(2 * at).range(2), LossKind::Invalid),
                packed => sink.put(packed),
            }
        }
        if odd.is_empty() || !rest.last {
            return progress(2 * pairs.len());
        }
        sink.replace(rest.behind(2 * pairs.len()).range(1), LossKind::Truncated);
        Some(rest.bytes.len())
    }
}

#[inline(always)]
fn packed([lead, trail]: [u8; 2], mode: Mode) -> Packed {
    match (lead, trail) {
        (0, 0..=0x7F) => Packed::new(char::from(trail)),
        (0, 0xA1..=0xDF) => {
            char::from_u32(0xFF61 + u32::from(trail) - 0xA1).map_or(Packed::NONE, Packed::new)
        }
        (0xA1..=0xFE, 0xA1..=0xFE) if is_own(lead, mode) => {
            Family::EucJp.tables().pair(lead, trail)
        }
        (0xA1..=0xFE, 0x21..=0x7E) => Set::Jisx0212.grid().cell(u16::from(lead & 0x7F), trail),
        _ => Packed::NONE,
    }
}

/// Returns true if a row of JIS X 0208 counts: strictly, those of NEC and IBM do not.
fn is_own(lead: u8, mode: Mode) -> bool {
    mode == Mode::Lenient || jis_row(lead - 0xA0)
}

/// An encoder.
#[derive(Clone, Debug)]
pub(crate) struct EucFixedWidthEncoder {
    mode: Mode,
}

impl EucFixedWidthEncoder {
    pub(crate) fn new(mode: Mode) -> Self {
        Self { mode }
    }

    #[inline(always)]
    fn code(&self, c: char) -> Option<[u8; 2]> {
        match c {
            '\0'..='\x7F' => return Some([0, c as u8]),
            '\u{FF61}'..='\u{FF9F}' => return Some([0, (c as u32 - 0xFF61) as u8 + 0xA1]),
            _ => {}
        }
        let [lead, trail] = Family::EucJp.reverse().code(c).to_be_bytes();
        if lead >= 0xA1 && trail >= 0xA1 && is_own(lead, self.mode) {
            return Some([lead, trail]);
        }
        let [.., lead, trail] = Set::Jisx0212.reverse().code(c).to_be_bytes();
        (lead != 0).then_some([lead | 0x80, trail])
    }
}

impl Encode for EucFixedWidthEncoder {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        out.bytes.reserve(2 * text.len());
        each_char(text, |c| {
            let code = self.code(c);
            if let Some(code) = code {
                out.extend(&code);
            }
            code.is_some()
        })
    }
}
