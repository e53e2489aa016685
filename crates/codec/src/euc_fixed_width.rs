//! Decodes and encodes Extended_UNIX_Code_Fixed_Width_for_Japanese: EUC-JP with two octets for every character.
//!
//! The IANA registry defines it: an octet 00 comes before ASCII and half-width katakana, two high octets are JIS X 0208, a high
//! and a low one are JIS X 0212.
//!
//! # Limits
//! A missing octet is not detected; invalid octets are replaced in pairs.

use crate::double_byte::{Family, jis_row};
use crate::encoder::{Encode, Out};
use crate::grid::Set;
use crate::sink::Sink;
use crate::{LossKind, Mode};
use mailglot_kernel::Packed;
use std::ops::ControlFlow;

/// Decodes the complete characters of `input`. Leaves at most one byte.
pub(crate) fn run(input: &[u8], base: u64, last: bool, mode: Mode, sink: &mut Sink<'_>) -> usize {
    let (pairs, rest) = input.as_chunks::<2>();
    for (start, pair) in (base..).step_by(2).zip(pairs) {
        match packed(*pair, mode) {
            Packed::NONE => sink.replace(start..start + 2, LossKind::Invalid),
            packed => sink.put(packed),
        }
    }
    let whole = input.len() - rest.len();
    if rest.is_empty() || !last {
        return whole;
    }
    let start = base + whole as u64;
    sink.replace(start..start + 1, LossKind::Truncated);
    input.len()
}

fn packed([lead, trail]: [u8; 2], mode: Mode) -> Packed {
    match (lead, trail) {
        (0, 0..=0x7F) => Packed::new(char::from(trail)),
        (0, 0xA1..=0xDF) => {
            char::from_u32(0xFF61 + u32::from(trail) - 0xA1).map_or(Packed::NONE, Packed::new)
        }
        (0xA1..=0xFE, 0xA1..=0xFE) if is_own(lead, mode) => {
            Family::EucJp.tables().pair(lead, trail)
        }
        (0xA1..=0xFE, 0x21..=0x7E) => Set::JisX0212.grid().cell(u16::from(lead & 0x7F), trail),
        _ => Packed::NONE,
    }
}

/// Returns true if a row of JIS X 0208 counts: strictly, those of NEC and IBM do not.
fn is_own(lead: u8, mode: Mode) -> bool {
    mode == Mode::Lenient || jis_row(lead - 0xA0)
}

/// An encoder.
#[derive(Debug)]
pub(crate) struct Encoder {
    mode: Mode,
}

impl Encoder {
    pub(crate) fn new(mode: Mode) -> Self {
        Self { mode }
    }

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
        let [.., lead, trail] = Set::JisX0212.reverse().code(c).to_be_bytes();
        (lead != 0).then_some([lead | 0x80, trail])
    }
}

impl Encode for Encoder {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        out.bytes.reserve(2 * text.len());
        for (at, c) in text.char_indices() {
            let Some(code) = self.code(c) else {
                return ControlFlow::Break(at);
            };
            out.extend(&code);
        }
        ControlFlow::Continue(())
    }
}
