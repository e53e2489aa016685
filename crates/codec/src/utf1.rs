//! Decodes and encodes UTF-1 (ISO/IEC 10646-1:1993 Annex G, registered as ISO-IR 178).
//!
//! ```text
//! 00-9F  A0 A0-FF            U+0000-U+009F, U+00A0-U+00FF
//! A1-F5  t                   U+0100-U+4015
//! F6-FB  t t                 U+4016-U+38E2D
//! FC-FF  t t t t             U+38E2E and above
//! ```
//! Trail bytes `t` are the digits 0 to 189: 21-7E, then A0-FF. Control characters and SPACE are never trail bytes.
//!
//! # Limits
//! Printable ASCII may be a trail byte. ASCII bytes of an ill-formed sequence are read as text.

use crate::loss::LossKind;
use crate::sink::{Sink, ascii_run};
use crate::stateless_unicode::{CharacterForm, Sequence};
use std::ops::Range;

/// Values of a trail byte.
const TRAILS: u32 = 190;
/// The first characters of two, three and five bytes.
const FIRST: [u32; 3] = [0x100, 0x4016, 0x3_8E2E];

/// The form.
#[derive(Clone, Debug)]
pub(crate) struct Utf1;

impl CharacterForm for Utf1 {
    /// At most four bytes are cut.
    #[inline(always)]
    fn read(bytes: &[u8]) -> Sequence {
        let lead = bytes[0];
        let (first, offset, trails): (u32, u32, Range<usize>) = match lead {
            0..0xA0 => return Sequence::Char(char::from(lead), 1),
            0xA0 => {
                return match bytes.get(1) {
                    Some(byte @ 0xA0..) => Sequence::Char(char::from(*byte), 2),
                    Some(_) => damage(bytes, LossKind::Truncated),
                    None => Sequence::Cut(1),
                };
            }
            0xA1..0xF6 => (FIRST[0], u32::from(lead - 0xA1), 1..2),
            0xF6..0xFC => (FIRST[1], u32::from(lead - 0xF6), 1..3),
            0xFC.. => (FIRST[2], u32::from(lead - 0xFC), 1..5),
        };
        let mut number = offset;
        for at in trails.clone() {
            match bytes.get(at).map(|byte| trail_of(*byte)) {
                // Five bytes reach beyond 32 bits.
                Some(Some(value)) => number = number.saturating_mul(TRAILS).saturating_add(value),
                Some(None) => return damage(bytes, LossKind::Truncated),
                None => return Sequence::Cut(damaged(bytes)),
            }
        }
        let number = number.saturating_add(first);
        match char::from_u32(number) {
            Some(c) => Sequence::Char(c, trails.end),
            None if number > 0x10_FFFF => damage(bytes, LossKind::TooLarge),
            None => damage(bytes, LossKind::Surrogate),
        }
    }

    fn push(c: char, out: &mut Vec<u8>) {
        let code = c as u32;
        let (lead, number, trails) = match code {
            0..0xA0 => return out.push(code as u8),
            0xA0..0x100 => return out.extend_from_slice(&[0xA0, code as u8]),
            0x100..0x4016 => (0xA1, code - FIRST[0], 1),
            0x4016..0x3_8E2E => (0xF6, code - FIRST[1], 2),
            _ => (0xFC, code - FIRST[2], 4),
        };
        let mut bytes = [0; 5];
        let mut rest = number;
        for byte in bytes[1..=trails].iter_mut().rev() {
            *byte = trail_byte(rest % TRAILS);
            rest /= TRAILS;
        }
        bytes[0] = lead + rest as u8;
        out.extend_from_slice(&bytes[..=trails]);
    }

    #[inline(always)]
    fn put_ascii(bytes: &[u8], sink: &mut Sink<'_>) -> usize {
        let run = ascii_run(bytes);
        if run > 0 {
            sink.put_ascii(&bytes[..run]);
        }
        run
    }
}

fn damage(bytes: &[u8], kind: LossKind) -> Sequence {
    Sequence::Damage(kind, damaged(bytes))
}

/// Returns the number of damaged bytes: the lead byte and the non-ASCII trail bytes behind it.
fn damaged(bytes: &[u8]) -> usize {
    let most = match bytes[0] {
        0xA0 => 1,
        0xA1..0xF6 => 2,
        0xF6..0xFC => 3,
        _ => 5,
    };
    let trails = bytes[1..].iter().take(most - 1);
    1 + trails.take_while(|byte| **byte >= 0xA0).count()
}

#[inline(always)]
fn trail_of(byte: u8) -> Option<u32> {
    match byte {
        0x21..0x7F => Some(u32::from(byte) - 0x21),
        0xA0.. => Some(u32::from(byte) - 0x42),
        _ => None,
    }
}

fn trail_byte(value: u32) -> u8 {
    (value + if value < 0x5E { 0x21 } else { 0x42 }) as u8
}
