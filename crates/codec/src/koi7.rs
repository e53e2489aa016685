//! Decodes and encodes KOI7-switched (IANA registration of 2004): ISO 646 IRV, and Cyrillic between SO and SI.
//!
//! Every line begins in ISO 646, independent of the line before.
//!
//! # Limits
//! 24 is the currency sign and 7E the overline, as registered, so a dollar sign and a tilde cannot be encoded.

use crate::LossKind;
use crate::encoder::{Encode, Out};
use crate::generated::sequences::{KOI7_N0, KOI7_N1};
use crate::sink::Sink;
use std::ops::ControlFlow;

const SO: u8 = 0x0E;
const SI: u8 = 0x0F;

/// A KOI7-switched decoder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Koi7 {
    /// Behind SO.
    cyrillic: bool,
}

impl Koi7 {
    /// Decodes all of `input`.
    pub(crate) fn run(&mut self, input: &[u8], base: u64, sink: &mut Sink<'_>) -> usize {
        for (here, byte) in (base..).zip(input) {
            match *byte {
                SO => self.cyrillic = true,
                SI => self.cyrillic = false,
                0x80.. => sink.replace(here..here + 1, LossKind::EightBit),
                byte => {
                    if matches!(byte, b'\r' | b'\n') && std::mem::take(&mut self.cyrillic) {
                        sink.record(here..here, LossKind::ResetAtLineEnd);
                    }
                    let set = if self.cyrillic { &KOI7_N1 } else { &KOI7_N0 };
                    let c = set.single(byte).unwrap_or(char::REPLACEMENT_CHARACTER);
                    if self.cyrillic {
                        sink.shifted(c as u32);
                    }
                    sink.put_char(c);
                }
            }
        }
        input.len()
    }

    /// Ends the text at offset `end`.
    pub(crate) fn end(&self, end: u64, sink: &mut Sink<'_>) {
        if self.cyrillic {
            sink.note(end..end, LossKind::UnterminatedRun);
        }
    }
}

/// Returns true if these bytes are equal to their text.
pub(crate) fn is_plain(bytes: &[u8]) -> bool {
    bytes.is_ascii() && !bytes.iter().any(|b| matches!(*b, SO | SI | b'$' | b'~'))
}

/// A KOI7-switched encoder; every line ends in ISO 646.
#[derive(Debug, Default)]
pub(crate) struct Encoder {
    /// Behind SO.
    cyrillic: bool,
}

impl Encode for Encoder {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        for (at, c) in text.char_indices() {
            if !self.put(c, out) {
                return ControlFlow::Break(at);
            }
        }
        ControlFlow::Continue(())
    }

    fn neutral(&mut self, out: &mut Out<'_>) {
        if std::mem::take(&mut self.cyrillic) {
            out.push(SI);
        }
    }
}

impl Encoder {
    /// Writes a character in the set that is in use, if it is there, else in the other one; false if it is in none.
    fn put(&mut self, c: char, out: &mut Out<'_>) -> bool {
        let byte = |cyrillic: bool| {
            if cyrillic {
                KOI7_N1.byte(c)
            } else {
                KOI7_N0.byte(c)
            }
        };
        let now = self.cyrillic && !matches!(c, '\r' | '\n');
        let Some((set, byte)) = [now, !now]
            .into_iter()
            .find_map(|set| Some((set, byte(set)?)))
        else {
            return false;
        };
        if std::mem::replace(&mut self.cyrillic, set) != set {
            out.push(if set { SO } else { SI });
        }
        out.push(byte);
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::{Charset, LossLog, Unmappable};

    #[test]
    fn letters_stand_between_so_and_si() {
        for (bytes, text, losses, notes) in [
            (&b"abc \x0eQWE\x0f xyz"[..], "abc яве xyz", 0, 0),
            (b"\x0eK\nK", "к\nK", 0, 1),
            (b"$~", "\u{a4}\u{203e}", 0, 0),
            (b"\x0e~\x7f", "Ч\u{7f}", 0, 1),
            (b"a\xe1", "a\u{fffd}", 1, 0),
        ] {
            let mut log = LossLog::new();
            let got = Charset::KOI7_SWITCHED.decode(bytes, &mut log);
            assert_eq!(
                (got.as_ref(), log.losses(), log.notes()),
                (text, losses, notes),
                "{bytes:x?}"
            );
        }
    }

    #[test]
    fn lines_end_in_iso_646() {
        let mut log = LossLog::new();
        let bytes = Charset::KOI7_SWITCHED.encode("Дa, да.\nДа", Unmappable::Skip, &mut log);
        assert_eq!(&bytes[..], b"\x0ed\x0fa, \x0eDA.\x0f\n\x0edA\x0f");
        assert!(log.is_empty());
        let bytes = Charset::KOI7_SWITCHED.encode("да$é", Unmappable::HtmlDecimal, &mut log);
        assert_eq!(&bytes[..], b"\x0eDA\x0f&#36;&#233;");
        assert_eq!(log.losses(), 2);
    }
}
