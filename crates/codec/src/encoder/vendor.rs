//! Charsets that are tables of our own: of one to four bytes a character, and mixed EBCDIC.
//!
//! # Limits
//! Of several codes of one character the lowest is written that is no second choice of its charset.

use super::out::{Encode, Out};
use crate::double_byte::Family;
use crate::grid::{Reverse, Set};
use crate::kernel::Packed;
use crate::mixed_ebcdic::{SI, SO};
use std::ops::ControlFlow;

/// An encoder.
#[derive(Debug)]
pub(super) struct Vendor {
    reverse: &'static Reverse,
    /// A character that is written as one with the next, if that follows.
    held: Option<char>,
    /// Mixed EBCDIC: whether SO was written last, not SI.
    shift: Option<bool>,
    /// Who reads what is written, if not this table.
    reader: Option<Family>,
}

impl Vendor {
    /// Of a charset in which each byte stands for itself or begins a character.
    pub(super) fn plain(set: Set) -> Self {
        Self { reverse: set.reverse(), held: None, shift: None, reader: None }
    }

    /// The same, without the characters that the decoder of a family reads otherwise.
    pub(super) fn read_as(set: Set, family: Family) -> Self {
        Self { reader: Some(family), ..Self::plain(set) }
    }

    /// Of one in which pairs stand between SO and SI.
    pub(super) fn mixed(set: Set) -> Self {
        Self { shift: Some(false), ..Self::plain(set) }
    }

    /// The code of a character; `None` if there is none.
    fn code(&self, c: char) -> Option<u32> {
        let code = self.reverse.code(c);
        let [.., lead, trail] = code.to_be_bytes();
        let differs = |family: Family| lead >= 0x80 && family.tables().pair(lead, trail) != Packed::new(c);
        (code != 0 || c == '\0').then_some(code).filter(|_| !self.reader.is_some_and(differs))
    }

    fn write(&mut self, code: u32, out: &mut Out<'_>) {
        let [_, a, b, c] = code.to_be_bytes();
        let double = code > 0xFF;
        if let Some(shifted) = &mut self.shift
            && *shifted != double
        {
            *shifted = double;
            out.push(if double { SO } else { SI });
        }
        match code {
            0..=0xFF => out.push(c),
            0x100..=0xFFFF => out.extend(&[b, c]),
            // Only 8F begins three bytes; four begin with 8E, which the code leaves out.
            0x8F_0000..=0x8F_FFFF => out.extend(&[a, b, c]),
            _ => out.extend(&[0x8E, a, b, c]),
        }
    }

    /// Writes the character that was held back.
    fn let_go(&mut self, out: &mut Out<'_>) {
        if let Some(code) = self.held.take().and_then(|c| self.code(c)) {
            self.write(code, out);
        }
    }
}

impl Encode for Vendor {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        out.bytes.reserve(text.len());
        for (at, c) in text.char_indices() {
            if let Some(held) = self.held {
                let code = self.reverse.sequence([held, c]);
                if code != 0 {
                    self.held = None;
                    self.write(code, out);
                    continue;
                }
                self.let_go(out);
            }
            let Some(code) = self.code(c) else { return ControlFlow::Break(at) };
            if self.reverse.begins_sequence(c) {
                self.held = Some(c);
            } else {
                self.write(code, out);
            }
        }
        ControlFlow::Continue(())
    }

    fn neutral(&mut self, out: &mut Out<'_>) {
        self.let_go(out);
        if self.shift == Some(true) {
            self.shift = Some(false);
            out.push(SI);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::grid::Set;
    use crate::{Charset, LossLog, Unmappable};

    #[test]
    fn what_begins_a_sequence_is_a_character_by_itself() {
        for set in Set::VENDOR.iter().copied() {
            for (_, [a, b]) in set.grid().codes() {
                assert!(b == '\0' || set.reverse().code(a) != 0, "{set:?} {a:?}");
            }
        }
    }

    #[test]
    fn of_several_codes_the_one_is_written_that_other_converters_write() {
        for (charset, text, expected) in [
            ("IBM943C", "\u{2160}\u{7E8A}∵￢", &b"\xFA\x4A\xFA\x5C\x81\xE6\x81\xCA"[..]),
            ("IBM964", "十一儿", b"\xC4\xB2\xC4\xA1\xC4\xAA"),
            ("IBM964", "匚", b"\x8E\xA2\xA1\xA4"),
            ("IBM937", "十凵", b"\x0E\x4C\x52\x69\x43\x0F"),
            ("IBM950", "十卅／", b"\xA4\x51\xA4\xCA\xA1\xFE"),
            ("Big5-HKSCS:2001", "十卅／＼", b"\xA4\x51\xA4\xCA\xA2\x41\xA2\x42"),
            ("eucJP-ms", "∵", b"\xA2\xE8"),
        ] {
            let mut log = LossLog::new();
            let bytes = Charset::for_name(charset).unwrap().encode(text, Unmappable::Fatal, &mut log);
            assert_eq!(bytes[..], *expected, "{charset} {text}");
        }
    }

    #[test]
    fn sequences_are_found_over_the_border_of_two_pieces() {
        for (text, expected) in [
            ("Ê\u{304}", &b"\x88\x62"[..]),
            ("ÊÊ\u{30C}", b"\x88\x66\x88\x64"),
            ("Ê", b"\x88\x66"),
            ("Ê💩\u{304}", b"\x88\x66??"),
        ] {
            for cut in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                let (mut bytes, mut log) = (Vec::new(), LossLog::new());
                let charset = Charset::for_name("Big5-HKSCS:2004").unwrap();
                let mut encoder = charset.new_encoder(Unmappable::QuestionMark);
                encoder.push(&text[..cut], &mut bytes, &mut log);
                encoder.push(&text[cut..], &mut bytes, &mut log);
                encoder.finish(&mut bytes, &mut log);
                assert_eq!(bytes, expected, "{text:?} {cut}");
            }
        }
    }
}
