//! Decodes and encodes KOI7-switched (IANA registration of 2004): ISO 646 IRV, and Cyrillic between SO and SI.
//!
//! Every line begins in ISO 646, independent of the line before.
//!
//! # Limits
//! 24 is the currency sign and 7E the overline, as registered, so a dollar sign and a tilde cannot be encoded.

use crate::decode::{Chunk, Decode};
use crate::encoder_machine::{Encode, Out, each_char};
use crate::generated::sequences::{KOI7_N0, KOI7_N1};
use crate::loss::LossKind;
use crate::sink::Sink;
use std::ops::ControlFlow;

const SO: u8 = 0x0E;
const SI: u8 = 0x0F;

/// A KOI7-switched decoder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Koi7Decoder {
    /// Behind SO.
    cyrillic: bool,
}

impl Decode for Koi7Decoder {
    #[inline(always)]
    fn step(&mut self, rest: Chunk<'_>, sink: &mut Sink<'_>) -> Option<usize> {
        match rest.bytes[0] {
            byte @ (SO | SI) => self.cyrillic = byte == SO,
            0x80.. => sink.replace(rest.range(1), LossKind::EightBit),
            byte => {
                if matches!(byte, b'\r' | b'\n') && std::mem::take(&mut self.cyrillic) {
                    sink.record(rest.range(0), LossKind::ResetAtLineEnd);
                }
                let set = if self.cyrillic { &KOI7_N1 } else { &KOI7_N0 };
                let c = set.single(byte).unwrap_or(char::REPLACEMENT_CHARACTER);
                if self.cyrillic {
                    sink.shifted(c as u32);
                }
                sink.put_char(c);
            }
        }
        Some(1)
    }

    fn end(&mut self, end: u64, sink: &mut Sink<'_>) {
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
#[derive(Clone, Debug, Default)]
pub(crate) struct Koi7Encoder {
    /// Behind SO.
    cyrillic: bool,
}

impl Encode for Koi7Encoder {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        each_char(text, |c| self.put(c, out))
    }

    fn neutral(&mut self, out: &mut Out<'_>) {
        if std::mem::take(&mut self.cyrillic) {
            out.push(SI);
        }
    }
}

impl Koi7Encoder {
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
    use crate::charset::Charset;
    use crate::encoder::Unmappable;
    use crate::loss::LossLog;

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
