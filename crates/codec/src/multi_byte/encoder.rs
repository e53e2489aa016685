//! Encodes by the table, with ASCII unchanged if the charset has it.
//!
//! # Limits
//! If a character has several codes, the lowest one is written that the charset does not mark as second choice.

use super::layout::Layout;
use crate::double_byte::Family;
use crate::encoder_machine::{Encode, Out};
use crate::grid::{ReverseGrid, Set};
use crate::mixed_ebcdic::{SI, SO};
use crate::sink::ascii_start;
use mailglot_kernel::Packed;
use std::ops::ControlFlow;

/// An encoder of one layout and table.
#[derive(Clone, Debug)]
pub(crate) struct MultiByteEncoder {
    layout: Layout,
    reverse: &'static ReverseGrid,
    /// ASCII characters are encoded as themselves in every context.
    ascii: bool,
    /// A character that may become one with the next.
    held: Option<char>,
    /// Mixed EBCDIC: whether SO was written last, not SI.
    shift: Option<bool>,
    /// The family whose decoder reads the output, if not this table.
    reader: Option<Family>,
}

impl MultiByteEncoder {
    pub(crate) fn new(layout: Layout, set: Set) -> Self {
        let reverse = set.reverse();
        let ascii = layout != Layout::Stored || set.is_ascii() && !reverse.has_ascii_in_sequences();
        Self {
            layout,
            reverse,
            ascii,
            held: None,
            shift: None,
            reader: None,
        }
    }

    /// Returns the encoder without the characters that the decoder of a family reads differently.
    pub(crate) fn read_as(self, family: Family) -> Self {
        Self {
            reader: Some(family),
            ..self
        }
    }

    /// Builds the encoder of mixed EBCDIC, with pairs between SO and SI.
    pub(crate) fn mixed(set: Set) -> Self {
        Self {
            ascii: false,
            shift: Some(false),
            ..Self::new(Layout::Stored, set)
        }
    }

    /// Returns the bytes of a character and their number; `None` if the table lacks it.
    #[inline]
    fn bytes(&self, c: char) -> Option<([u8; 4], usize)> {
        let code = self.reverse.code(c);
        if code == 0 {
            return self.layout.single(c);
        }
        let [.., lead, trail] = code.to_be_bytes();
        let differs =
            |family: Family| lead >= 0x80 && family.tables().pair(lead, trail) != Packed::new(c);
        (!self.reader.is_some_and(differs)).then(|| self.layout.bytes(code))
    }

    #[inline]
    fn write(&mut self, (bytes, len): ([u8; 4], usize), out: &mut Out<'_>) {
        if let Some(shifted) = &mut self.shift
            && *shifted != (len > 1)
        {
            *shifted = len > 1;
            out.push(if len > 1 { SO } else { SI });
        }
        out.extend(&bytes[..len]);
    }

    /// Writes the character that was held back.
    fn let_go(&mut self, out: &mut Out<'_>) {
        if let Some(bytes) = self.held.take().and_then(|c| self.bytes(c)) {
            self.write(bytes, out);
        }
    }

    /// Writes the pending character, together with the next one if they have one code. Returns true in that case.
    fn join(&mut self, next: char, out: &mut Out<'_>) -> bool {
        let Some(first) = self.held else { return false };
        let code = self.reverse.sequence([first, next]);
        if code == 0 {
            self.let_go(out);
            return false;
        }
        self.held = None;
        self.write(self.layout.bytes(code), out);
        true
    }
}

impl Encode for MultiByteEncoder {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        let bytes = text.as_bytes();
        out.bytes.reserve(text.len());
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if self.ascii && *byte < 0x80 {
                self.let_go(out);
                let run = ascii_start(&bytes[at..]);
                out.extend(&bytes[at..at + run]);
                at += run;
                continue;
            }
            let Some(c) = text[at..].chars().next() else {
                break;
            };
            if !self.join(c, out) {
                let Some(bytes) = self.bytes(c) else {
                    return ControlFlow::Break(at);
                };
                if self.reverse.begins_sequence(c) {
                    self.held = Some(c);
                } else {
                    self.write(bytes, out);
                }
            }
            at += c.len_utf8();
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
    use crate::charset::Charset;
    use crate::encoder::Unmappable;
    use crate::grid::Set;
    use crate::loss::LossLog;

    #[test]
    fn what_begins_a_sequence_is_a_character_by_itself() {
        for set in Set::stored() {
            for (_, [a, b]) in set.grid().codes() {
                assert!(b == '\0' || set.reverse().code(a) != 0, "{set:?} {a:?}");
            }
        }
    }

    #[test]
    fn of_several_codes_the_one_is_written_that_other_converters_write() {
        for (charset, text, expected) in [
            (
                "IBM943C",
                "\u{2160}\u{7E8A}∵￢",
                &b"\xFA\x4A\xFA\x5C\x81\xE6\x81\xCA"[..],
            ),
            ("IBM964", "十一儿", b"\xC4\xB2\xC4\xA1\xC4\xAA"),
            ("IBM964", "匚", b"\x8E\xA2\xA1\xA4"),
            ("IBM937", "十凵", b"\x0E\x4C\x52\x69\x43\x0F"),
            ("IBM950", "十卅／", b"\xA4\x51\xA4\xCA\xA1\xFE"),
            (
                "Big5-HKSCS:2001",
                "十卅／＼",
                b"\xA4\x51\xA4\xCA\xA2\x41\xA2\x42",
            ),
            ("eucJP-ms", "∵", b"\xA2\xE8"),
        ] {
            let mut log = LossLog::new();
            let bytes =
                Charset::for_name(charset)
                    .unwrap()
                    .encode(text, Unmappable::Skip, &mut log);
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
