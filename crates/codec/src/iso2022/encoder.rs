//! Encodes all charsets of the ISO 2022 family. Every line ends in ASCII.
//!
//! A character is encoded in the first set of the charset that has it. ISO-2022-JP is written as by WHATWG, except for line ends.
//! ISO-2022-KR has its designator at the start, ISO-2022-CN on each line.
//!
//! # Limits
//! Does not find the shortest form: it does not stay in a set for a later character that both sets have.

use super::control::{ESC, SI, SO};
use super::escape::designator;
use super::flavor::{Flavor, Use};
use super::set::CodedSet;
use crate::encoder_machine::{Encode, Gather, Out};
use crate::encoding_rs_wrapper;
use crate::mode::Mode;
use std::ops::ControlFlow;

/// An encoder of the family.
#[derive(Clone, Debug)]
pub(crate) struct Iso2022Encoder {
    flavor: Flavor,
    /// Vendor rows of JIS X 0208 are written, too.
    wide: bool,
    g0: CodedSet,
    g1: Option<CodedSet>,
    g2: Option<CodedSet>,
    g3: Option<CodedSet>,
    shifted: bool,
    started: bool,
    /// A character that may become one with the next.
    held: Option<char>,
}

/// Signs of JIS X 0208 that others decode as these, and what WHATWG's table has for them.
const SIGNS: [(char, char); 6] = [
    ('\u{2212}', '\u{FF0D}'),
    ('\u{301C}', '\u{FF5E}'),
    ('\u{2016}', '\u{2225}'),
    ('\u{A2}', '\u{FFE0}'),
    ('\u{A3}', '\u{FFE1}'),
    ('\u{AC}', '\u{FFE2}'),
];

impl Iso2022Encoder {
    pub(crate) fn new(flavor: Flavor, mode: Mode) -> Self {
        Self {
            flavor,
            wide: flavor.has_vendor_rows() || flavor == Flavor::Jp && mode == Mode::Lenient,
            g0: flavor.initial(),
            g1: flavor.is_japanese().then(|| flavor.default_g1()),
            g2: None,
            g3: None,
            shifted: false,
            started: false,
            held: None,
        }
    }

    /// Writes an ASCII character; false if it would shift, or has no place.
    fn ascii(&mut self, c: char, out: &mut Out<'_>) -> bool {
        let byte = c as u8;
        if self.flavor != Flavor::Hz && self.flavor.is_special(byte) {
            return false;
        }
        if let Flavor::Raw(_) = self.flavor {
            // Controls and the space stand in no set; a set may have the rest.
            if byte < 0x21 {
                out.push(byte);
            }
            return byte < 0x21 || self.in_a_set(c, out);
        }
        // JIS X 0201 has the rest of ASCII, too.
        let roman =
            self.g0 == CodedSet::Roman && !self.shifted && !matches!(c, '\\' | '~' | '\r' | '\n');
        if !roman {
            self.invoke(Use::G0(CodedSet::Ascii), out);
        }
        if self.flavor.is_special(byte) {
            out.push(byte);
        }
        out.push(byte);
        if matches!(c, '\r' | '\n') {
            (self.g2, self.g3) = (None, None);
            if self.flavor.is_chinese() {
                self.g1 = None;
            }
        }
        true
    }

    /// Writes a character in the first set that has it; false if none has.
    fn in_a_set(&mut self, c: char, out: &mut Out<'_>) -> bool {
        for place in self.flavor.sets() {
            if let Some(code) = place.set().code(c, self.wide) {
                self.invoke(*place, out);
                out.extend(if place.set().is_double() {
                    &code
                } else {
                    &code[..1]
                });
                return true;
            }
        }
        false
    }

    /// Writes a look-alike; returns false if there is none, or if the options forbid it.
    fn look_alike(&mut self, at: usize, c: char, out: &mut Out<'_>) -> bool {
        if !self.flavor.is_japanese() {
            return false;
        }
        let sign = SIGNS
            .iter()
            .find(|(sign, _)| *sign == c && (c == '\u{2212}' || self.flavor != Flavor::Jp));
        let code = match sign {
            Some((_, other)) => CodedSet::Jisx0208.code(*other, self.wide),
            None if ('\u{FF61}'..='\u{FF9F}').contains(&c) => {
                encoding_rs_wrapper::encode_char(encoding_rs::ISO_2022_JP, c)
                    .map(|(bytes, _)| [bytes[3], bytes[4]])
            }
            None => None,
        };
        let Some(code) = code.filter(|_| out.substituted(at, c)) else {
            return false;
        };
        self.invoke(Use::G0(CodedSet::Jisx0208), out);
        out.extend(&code);
        true
    }

    /// Writes two characters as one code; returns false if they have none.
    fn sequence(&mut self, chars: [char; 2], out: &mut Out<'_>) -> bool {
        for place in self.flavor.sets() {
            if let Some(code) = place.set().sequence(chars) {
                self.invoke(*place, out);
                out.extend(&code);
                return true;
            }
        }
        false
    }

    /// Writes the pending character alone.
    fn release(&mut self, out: &mut Out<'_>) {
        if let Some(c) = self.held.take() {
            self.in_a_set(c, out);
        }
    }

    /// Brings a set in, with the escapes and shifts that it takes.
    fn invoke(&mut self, place: Use, out: &mut Out<'_>) {
        let shifts_in = self.shifted && matches!(place, Use::G0(_));
        let shifts_out = !self.shifted && matches!(place, Use::G1(_));
        if shifts_in {
            out.push(SI);
            self.shifted = false;
        }
        let (register, shift) = match place {
            Use::G0(set) => {
                if std::mem::replace(&mut self.g0, set) != set {
                    self.designate(place, out);
                }
                return;
            }
            Use::G1(_) => (&mut self.g1, if shifts_out { &[SO][..] } else { &[] }),
            Use::G2(_) => (&mut self.g2, &[ESC, b'N'][..]),
            Use::G3(_) => (&mut self.g3, &[ESC, b'O'][..]),
        };
        if register.replace(place.set()) != Some(place.set()) {
            self.designate(place, out);
        }
        out.extend(shift);
        self.shifted |= shifts_out;
    }

    fn designate(&self, place: Use, out: &mut Out<'_>) {
        if self.flavor == Flavor::Hz {
            out.extend(if place == Use::G0(CodedSet::Ascii) {
                b"~}"
            } else {
                b"~{"
            });
        } else {
            out.push(ESC);
            out.extend(designator(self.flavor, place));
        }
    }
}

impl Iso2022Encoder {
    /// Writes the run at the start that needs no escape, no shift and no second look; returns its length in the text.
    fn run_in_state(&self, text: &str, out: &mut Out<'_>) -> usize {
        if self.held.is_some() {
            return 0;
        }
        if self.g0 == CodedSet::Ascii && !self.shifted {
            let plain = |b: &u8| matches!(b, b' '..=b'~') && !self.flavor.is_special(*b);
            let len = text.bytes().position(|b| !plain(&b)).unwrap_or(text.len());
            out.extend(&text.as_bytes()[..len]);
            return len;
        }
        let place = match self.g1 {
            Some(set) if self.shifted => Use::G1(set),
            _ => Use::G0(self.g0),
        };
        let first = self
            .flavor
            .sets()
            .iter()
            .find(|place| place.set().is_double());
        if first != Some(&place) || self.flavor.has_sequences() {
            return 0;
        }
        let mut gathered = Gather::new();
        let mut end = text.len();
        for (at, c) in text.char_indices() {
            let code = if c.is_ascii() {
                None
            } else {
                place.set().code(c, self.wide)
            };
            let Some(code) = code else {
                end = at;
                break;
            };
            gathered.put(code, out);
        }
        gathered.flush(out);
        end
    }
}

impl Encode for Iso2022Encoder {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        out.bytes.reserve(text.len());
        if self.flavor == Flavor::Kr && !std::mem::replace(&mut self.started, true) {
            self.g1 = Some(self.flavor.default_g1());
            self.designate(Use::G1(self.flavor.default_g1()), out);
        }
        let mut next = 0;
        while let Some(c) = text[next..].chars().next() {
            let run = self.run_in_state(&text[next..], out);
            if run > 0 {
                next += run;
                continue;
            }
            let at = next;
            next += c.len_utf8();
            if let Some(first) = self.held {
                if self.sequence([first, c], out) {
                    self.held = None;
                    continue;
                }
                self.release(out);
            }
            if !c.is_ascii()
                && self.flavor.has_sequences()
                && CodedSet::Jisx0213Plane1.begins_sequence(c)
            {
                self.held = Some(c);
                continue;
            }
            let written = if c.is_ascii() {
                self.ascii(c, out)
            } else {
                self.in_a_set(c, out) || self.look_alike(at, c, out)
            };
            if !written {
                return ControlFlow::Break(at);
            }
        }
        ControlFlow::Continue(())
    }

    fn neutral(&mut self, out: &mut Out<'_>) {
        self.release(out);
        self.invoke(Use::G0(self.flavor.initial()), out);
    }
}
