//! Decodes damaged base64: any line length, foreign bytes, padding anywhere, the URL-safe alphabet.

use super::super::decoded::{RangeCount, Sink};
use super::line_classes::{EncodedRegion, PieceClass, pieces};
use std::ops::Range;

/// The damage of a body.
#[derive(Debug, Default)]
pub(super) struct Base64Damage {
    /// Bytes that were skipped.
    pub(super) foreign: RangeCount,
    /// Lines of text that were skipped, and lines that lack characters.
    pub(super) text: RangeCount,
    /// The first characters after padding.
    pub(super) several: RangeCount,
    /// The incomplete quantum.
    pub(super) cut: Option<Range<usize>>,
}

/// Decodes the base64 of a body.
pub(super) fn read(body: &[u8], region: &EncodedRegion, sink: &mut impl Sink) -> Base64Damage {
    let mut damage = Base64Damage::default();
    let mut quantum = Quantum::default();
    // True if the last byte of the alphabet was padding that ended a quantum.
    let mut padded = false;
    for piece in pieces(body).take_while(|piece| piece.start < region.end) {
        if region.lines.class(&piece, body) == PieceClass::Text {
            let at = piece.start..piece.end;
            // A line of hyphens says nothing.
            let has_words = body[at.clone()].iter().any(u8::is_ascii_alphanumeric);
            let found = if has_words {
                &mut damage.text
            } else {
                &mut damage.foreign
            };
            found.add(at.clone(), at.len() as u64);
            continue;
        }
        let text = &body[piece.start..piece.end];
        let (starts_quantum, intact) = (quantum.length == 0, damage.foreign.count);
        for (at, &byte) in text.iter().enumerate() {
            let at = piece.start + at;
            if byte == b'=' {
                if quantum.length >= 2 {
                    quantum.end(sink);
                    padded = true;
                } else if quantum.length == 1 || !padded {
                    damage.foreign.add(at..at + 1, 1);
                }
            } else if region.lines.alphabet.has(byte) {
                if padded {
                    damage.several.add(at..at + 1, 1);
                    padded = false;
                }
                quantum.push(sextet(byte), at, sink);
            } else if !byte.is_ascii_whitespace() {
                damage.foreign.add(at..at + 1, 1);
            }
        }
        let lacks = starts_quantum && quantum.length > 0 && damage.foreign.count > intact;
        if lacks && piece.end < region.end && region.lines.hold_whole_quanta(text) {
            // The lines behind it are decoded as if this one were complete.
            let missing = 4 - quantum.length as u64;
            damage.text.add(piece.start..piece.end, missing);
            quantum.end(sink);
        }
    }
    if quantum.length > 0 {
        damage.cut = Some(quantum.at[0]..quantum.at[quantum.length - 1] + 1);
        quantum.end(sink);
    }
    damage
}

/// Up to four sextets and their places.
#[derive(Default)]
struct Quantum {
    bits: u32,
    length: usize,
    at: [usize; 4],
}

impl Quantum {
    #[inline]
    fn push(&mut self, sextet: u8, at: usize, sink: &mut impl Sink) {
        self.bits = self.bits << 6 | u32::from(sextet);
        self.at[self.length] = at;
        self.length += 1;
        if self.length == 4 {
            self.end(sink);
        }
    }

    /// Emits the complete bytes and drops the bits of an incomplete one.
    fn end(&mut self, sink: &mut impl Sink) {
        let bits = self.bits << (6 * (4 - self.length));
        for index in 1..self.length {
            let byte = (bits >> (24 - 8 * index)) as u8;
            sink.byte(byte, self.at[index - 1]..self.at[index] + 1);
        }
        self.bits = 0;
        self.length = 0;
    }
}

/// Returns the value of a byte of the alphabet, including `-` and `_` of RFC 4648, section 5.
pub(super) fn sextet(byte: u8) -> u8 {
    match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        _ => 63,
    }
}
