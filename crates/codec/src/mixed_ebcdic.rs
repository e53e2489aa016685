//! Decodes and encodes mixed EBCDIC of East Asia: single bytes and, between SO and SI, characters of two bytes.
//!
//! Every line begins with single bytes, independent of the line before. Both bytes of a character are 41 to FE, except in the
//! ideographic space 40 40. So no control is part of a character.
//!
//! # Limits
//! Lines end at CR (0D), NEL (15) and LF (25) of the code pages.

use crate::decode::{Chunk, Decode};
use crate::grid::{Grid, Set};
use crate::loss::LossKind;
use crate::sink::Sink;
use std::ops::Range;

pub(crate) const SO: u8 = 0x0E;
pub(crate) const SI: u8 = 0x0F;
const SPACE: u8 = 0x40;

/// A decoder.
#[derive(Clone, Debug)]
pub(crate) struct MixedEbcdicDecoder {
    grid: &'static Grid,
    /// Between SO and SI.
    double: bool,
}

impl Decode for MixedEbcdicDecoder {
    /// Leaves at most one byte.
    #[inline(always)]
    fn step(&mut self, rest: Chunk<'_>, sink: &mut Sink<'_>) -> Option<usize> {
        let bytes = rest.bytes;
        match bytes[0] {
            byte @ (SO | SI) => {
                self.double = byte == SO;
                Some(1)
            }
            byte @ (0x0D | 0x15 | 0x25) => {
                if std::mem::take(&mut self.double) {
                    sink.record(rest.range(0), LossKind::ResetAtLineEnd);
                }
                Some(self.put([0, byte], rest.range(1), sink))
            }
            byte if !self.double => Some(self.put([0, byte], rest.range(1), sink)),
            SPACE if bytes.get(1) == Some(&SPACE) => {
                Some(self.put([SPACE; 2], rest.range(2), sink))
            }
            SPACE..=0xFE if bytes.len() == 1 && !rest.last => None,
            lead @ 0x41..=0xFE => {
                if let Some(trail @ 0x41..=0xFE) = bytes.get(1) {
                    return Some(self.put([lead, *trail], rest.range(2), sink));
                }
                // A byte that is not a trail byte is decoded as a new character.
                sink.replace(rest.range(1), LossKind::Invalid);
                Some(1)
            }
            byte => {
                sink.note(rest.range(1), LossKind::SpaceInRun);
                Some(self.put([0, byte], rest.range(1), sink))
            }
        }
    }

    fn end(&mut self, end: u64, sink: &mut Sink<'_>) {
        if self.double {
            sink.note(end..end, LossKind::UnterminatedRun);
        }
    }
}

impl MixedEbcdicDecoder {
    pub(crate) fn new(set: Set) -> Self {
        Self {
            grid: set.grid(),
            double: false,
        }
    }

    /// Writes the character of a cell, whose bytes are `range`; returns their number.
    fn put(&self, [row, column]: [u8; 2], range: Range<u64>, sink: &mut Sink<'_>) -> usize {
        let len = range.end - range.start;
        if !self.grid.put(self.grid.cell(u16::from(row), column), sink) {
            sink.replace(range, LossKind::Invalid);
        }
        len as usize
    }
}

#[cfg(test)]
mod tests {
    use crate::charset::Charset;
    use crate::encoder::Unmappable;
    use crate::loss::LossLog;

    fn charsets() -> impl Iterator<Item = Charset> {
        let names = "IBM930 IBM933 IBM935 IBM937 IBM939 IBM1364 IBM1371 IBM1388 IBM1390 IBM1399";
        names
            .split(' ')
            .map(|name| Charset::for_name(name).unwrap())
    }

    #[test]
    fn answers_to_damage() {
        for (bytes, text, losses, notes) in [
            (&b"\x0E\x43\x81\x0F\xC1"[..], "アA", 0, 0),
            (b"\x0E\x43\x81\x15\xC1", "ア\u{85}A", 0, 1),
            (b"\x0E\x43\x81\x25\xC1", "ア\nA", 0, 1),
            (b"\x0E\x43\x81\x0D\x25\xC1", "ア\r\nA", 0, 1),
            (b"\x0E\x43\x0D\x25\xC1", "\u{FFFD}\r\nA", 1, 1),
            (b"\x0E\x43\x0F\xC1", "\u{FFFD}A", 1, 0),
            (b"\x0E\x43\x0E\x43\x81\x0F", "\u{FFFD}ア", 1, 0),
            (b"\x0E\x43\x40\x43\x81\x0F", "\u{FFFD} ア", 1, 1),
            (b"\x0E\x40\x40\x40\x43\x81\x0F", "\u{3000} ア", 0, 1),
            (b"\x0E\x05\x43\x81\x0F", "\tア", 0, 1),
            (b"\x0E\x68\xFE\x0F", "\u{FFFD}", 1, 0),
            (b"\x0E\x43\x81", "ア", 0, 1),
            (b"\x0E\x43", "\u{FFFD}", 1, 1),
            (b"\x0E\x40", " ", 0, 2),
            (b"\x0F\x0E\x0F\xC1", "A", 0, 0),
        ] {
            let mut log = LossLog::new();
            let got = Charset::IBM939.decode(bytes, &mut log);
            assert_eq!(
                (got.as_ref(), log.losses(), log.notes()),
                (text, losses, notes),
                "{bytes:X?}"
            );
        }
    }

    #[test]
    fn encoded_lines_begin_and_end_with_single_bytes() {
        let mut log = LossLog::new();
        let bytes = Charset::IBM939.encode("アイ\r\nAア€", Unmappable::QuestionMark, &mut log);
        assert_eq!(
            bytes[..],
            *b"\x0E\x43\x81\x43\x82\x0F\x0D\x25\xC1\x0E\x43\x81\x0F\x6F"
        );
        assert_eq!((log.losses(), log.kept()[0].bytes.clone()), (1, 12..15));
    }

    #[test]
    fn no_control_is_part_of_a_character() {
        for charset in charsets() {
            for lead in 0x40..=0xFF {
                for control in (0..0x40).chain([0xFF]) {
                    let mut log = LossLog::new();
                    let alone = charset.decode(&[control], &mut log).into_owned();
                    let text = charset
                        .decode(&[0x0E, lead, control, 0x0F], &mut log)
                        .into_owned();
                    assert!(text.ends_with(&alone), "{charset} {lead:02X} {control:02X}");
                }
            }
        }
    }
}
