//! Decodes all charsets of the ISO 2022 family.
//!
//! # Limits
//! See [`super`].

use super::control::{CONTROL_SEQUENCE, ESC, NEXT_LINE, SI, SO};
use super::escape::{self, Effect, EscapeMatch};
use super::flavor::{Flavor, Use};
use super::set::CodedSet;
use crate::decode::{Chunk, Decode, progress};
use crate::loss::LossKind;
use crate::mode::Mode;
use crate::sink::{Sink, run_until};
use std::ops::Range;

/// A decoder of the family.
#[derive(Clone, Debug)]
pub(crate) struct Iso2022Decoder {
    pub(super) flavor: Flavor,
    strict: bool,
    pub(super) g0: CodedSet,
    g1: Shift,
    g2: Option<Shift>,
    g3: Option<Shift>,
    /// True after SO, which selects G1 instead of G0.
    shifted: bool,
    /// True within a control sequence of a terminal (ECMA-48) in a shifted state. Its bytes are ASCII in any state.
    in_control_sequence: bool,
}

/// A set that a shift brings in.
#[derive(Clone, Copy, Debug)]
struct Shift {
    set: CodedSet,
    /// Designated where the standard wants it: on this line, in ISO-2022-KR at all.
    designated: bool,
}

impl Decode for Iso2022Decoder {
    /// Leaves at most three bytes.
    #[inline(always)]
    fn step(&mut self, rest: Chunk<'_>, sink: &mut Sink<'_>) -> Option<usize> {
        let set = self.set();
        if rest.bytes.starts_with(NEXT_LINE) && self.flavor.is_japanese() {
            sink.put_ascii(b"\r\n");
            (self.g0, self.shifted, self.g2) = (CodedSet::Jisx0208, false, None);
            self.in_control_sequence = false;
            return Some(NEXT_LINE.len());
        }
        if self.in_control_sequence {
            self.in_control_sequence = matches!(rest.bytes[0], b' '..=b'?');
            if let byte @ b' '..=b'~' = rest.bytes[0] {
                sink.put_ascii_byte(byte);
                return Some(1);
            }
        }
        match rest.bytes[0] {
            byte if self.flavor.is_special(byte) => return self.special(rest, sink),
            byte @ 0x80.. => self.eight_bit(byte, rest, sink),
            byte @ (b'\r' | b'\n') => {
                self.line_end(rest, sink);
                sink.put_ascii_byte(byte);
            }
            _ if set == CodedSet::Ascii => return Some(self.ascii(rest.bytes, sink)),
            byte if byte < 0x21 => self.space(byte, rest, sink),
            _ if set.is_double() => return self.pairs(set, rest, sink),
            byte => single(set, byte, rest, sink),
        }
        Some(1)
    }

    fn end(&mut self, end: u64, sink: &mut Sink<'_>) {
        if self.set() != self.flavor.initial() {
            sink.note(end..end, LossKind::UnterminatedRun);
        }
    }
}

impl Iso2022Decoder {
    pub(crate) fn new(flavor: Flavor, mode: Mode) -> Self {
        // The katakana of SO need no designation.
        let g1 = Shift {
            set: flavor.default_g1(),
            designated: flavor.is_japanese(),
        };
        let strict = mode == Mode::Strict;
        Self {
            flavor,
            strict,
            g0: flavor.initial(),
            g1,
            g2: None,
            g3: None,
            shifted: false,
            in_control_sequence: false,
        }
    }

    /// Returns the current set of the bytes.
    fn set(&self) -> CodedSet {
        if self.shifted { self.g1.set } else { self.g0 }
    }

    /// Every line begins in ASCII.
    #[inline(always)]
    pub(super) fn line_end(&mut self, rest: Chunk<'_>, sink: &mut Sink<'_>) {
        if self.set() != self.flavor.initial() {
            sink.record(rest.range(0), LossKind::ResetAtLineEnd);
        }
        (self.g0, self.shifted) = (self.flavor.initial(), false);
        if self.flavor.is_chinese() {
            // Designations hold for one line. A missing one is reported where it is needed.
            self.g1.designated = false;
            for shift in [&mut self.g2, &mut self.g3].into_iter().flatten() {
                shift.designated = false;
            }
        } else {
            self.g2 = None;
        }
    }

    /// A run of text in ASCII.
    #[inline(always)]
    fn ascii(&self, rest: &[u8], sink: &mut Sink<'_>) -> usize {
        let flavor = self.flavor;
        // A line end resets the state, so the run must stop there.
        let lines =
            self.g1.designated && flavor.is_chinese() || self.g2.is_some() || self.g3.is_some();
        let run = if lines {
            run_until(rest, |b| {
                b >= 0x80 || flavor.is_special(b) || b == b'\r' || b == b'\n'
            })
        } else {
            run_until(rest, |b| b >= 0x80 || flavor.is_special(b))
        };
        sink.put_ascii(&rest[..run]);
        run
    }

    /// A space or control outside of ASCII.
    #[inline(always)]
    fn space(&self, byte: u8, rest: Chunk<'_>, sink: &mut Sink<'_>) {
        if self.set() == self.flavor.initial() {
            sink.put_ascii_byte(byte);
            return;
        }
        if self.set().is_double() {
            sink.note(rest.range(1), LossKind::SpaceInRun);
        }
        put_ascii_from_shift(byte, sink);
    }

    /// Reads an escape or a shift; `None` if it is truncated.
    #[inline(always)]
    fn special(&mut self, rest: Chunk<'_>, sink: &mut Sink<'_>) -> Option<usize> {
        match rest.bytes[0] {
            ESC => self.escape(rest, sink),
            SO | SI => {
                self.shift(rest.bytes[0] == SO, rest, sink);
                Some(1)
            }
            _ => self.tilde(rest, sink),
        }
    }

    #[inline(always)]
    fn escape(&mut self, rest: Chunk<'_>, sink: &mut Sink<'_>) -> Option<usize> {
        if !self.strict && rest.bytes.starts_with(CONTROL_SEQUENCE) {
            sink.record(rest.range(CONTROL_SEQUENCE.len()), LossKind::ForeignEscape);
            sink.put_ascii(CONTROL_SEQUENCE);
            self.in_control_sequence = self.set() != CodedSet::Ascii;
            return Some(CONTROL_SEQUENCE.len());
        }
        let escape = match escape::find(self.flavor, self.strict, rest.bytes) {
            EscapeMatch::Sequence(escape) => escape,
            EscapeMatch::Cut if !rest.last => return None,
            EscapeMatch::Cut | EscapeMatch::Unknown => {
                sink.replace(rest.range(1), LossKind::UnknownEscape);
                return Some(1);
            }
        };
        let len = 1 + escape.bytes.len();
        match escape.effect {
            Effect::Designate(set) => self.designate(set, rest.range(len), sink),
            Effect::DesignateForeign(set) => {
                sink.record(rest.range(len), LossKind::ForeignEscape);
                (self.g0, self.shifted) = (set, false);
            }
            Effect::Shift2 => return self.single_shift(self.g2, rest, sink),
            Effect::Shift3 => return self.single_shift(self.g3, rest, sink),
            Effect::Nothing => {}
        }
        Some(len)
    }

    fn designate(&mut self, set: Use, range: Range<u64>, sink: &mut Sink<'_>) {
        let shift = |set| Shift {
            set,
            designated: true,
        };
        match set {
            Use::G0(set) => {
                if set == CodedSet::Katakana {
                    sink.note(range, LossKind::KatakanaShift);
                }
                (self.g0, self.shifted) = (set, false);
            }
            Use::G1(set) => self.g1 = shift(set),
            Use::G2(set) => self.g2 = Some(shift(set)),
            Use::G3(set) => self.g3 = Some(shift(set)),
        }
    }

    /// SO and SI.
    #[inline(always)]
    fn shift(&mut self, out: bool, rest: Chunk<'_>, sink: &mut Sink<'_>) {
        if self.strict && self.flavor.is_japanese() && self.flavor != Flavor::Cp50222 {
            sink.replace(rest.range(1), LossKind::Invalid);
            return;
        }
        self.shifted = out;
        if out && self.flavor.is_japanese() {
            sink.note(rest.range(1), LossKind::KatakanaShift);
        }
        if out && !std::mem::replace(&mut self.g1.designated, true) {
            sink.record(rest.range(1), LossKind::NoDesignator);
        }
    }

    /// ESC N or ESC O and the character behind it.
    fn single_shift(
        &mut self,
        shift: Option<Shift>,
        rest: Chunk<'_>,
        sink: &mut Sink<'_>,
    ) -> Option<usize> {
        let unknown = |sink: &mut Sink<'_>| {
            sink.replace(rest.range(1), LossKind::UnknownEscape);
            Some(1)
        };
        // RFC 1922 knows one set behind ESC N; elsewhere nothing is meant without a designation.
        let shift = match shift {
            None if self.flavor.is_chinese() && rest.bytes[1] == b'N' => Shift {
                set: CodedSet::Cns(2),
                designated: false,
            },
            None => return unknown(sink),
            Some(shift) => shift,
        };
        let (first, len) = if shift.set.is_double() {
            (0x21..=0x7E, 4)
        } else {
            (0x20..=0x7F, 3)
        };
        if rest.bytes[2..]
            .iter()
            .take(len - 2)
            .any(|b| !first.contains(b))
        {
            return unknown(sink);
        }
        let Some(character) = rest.bytes.get(2..len) else {
            return if rest.last { unknown(sink) } else { None };
        };
        if !shift.designated {
            sink.record(rest.range(2), LossKind::NoDesignator);
            let designated = Some(Shift {
                designated: true,
                ..shift
            });
            if rest.bytes[1] == b'N' {
                self.g2 = designated;
            } else {
                self.g3 = designated;
            }
        }
        let written = match *character {
            [lead, trail] => shift.set.put([lead, trail], !self.strict, sink),
            [byte] => shift
                .set
                .single(byte)
                .inspect(|c| sink.put_char(*c))
                .is_some(),
            _ => false,
        };
        if !written {
            sink.replace(rest.range(len), LossKind::Invalid);
        }
        Some(len)
    }

    /// Decodes pairs up to the end of the run; `None` if the only one is truncated.
    #[inline(always)]
    fn pairs(&self, set: CodedSet, rest: Chunk<'_>, sink: &mut Sink<'_>) -> Option<usize> {
        let wide = !self.strict || set == CodedSet::Jisx0208 && self.flavor.has_vendor_rows();
        let flat = set.flat(wide);
        let last_lead = self.flavor.last_lead();
        // Nothing but the set that is in place already comes back at the next line.
        let returns = self.flavor.is_japanese()
            && set == CodedSet::Jisx0208
            && !self.shifted
            && self.g2.is_none();
        let line_end = returns.then_some(NEXT_LINE);
        let mut at = 0;
        loop {
            if let Some(tables) = flat {
                at += tables.append_seven_bit(last_lead, line_end, &rest.bytes[at..], sink.text);
            }
            let Some(lead @ 0x21..=0x7F) = rest.bytes.get(at).copied() else {
                break;
            };
            if self.flavor.is_special(lead) {
                break;
            }
            let here = rest.behind(at);
            let trail = match here.bytes.get(1) {
                Some(trail) => *trail,
                None if !rest.last => return progress(at),
                None => 0,
            };
            // A byte that is not a trail byte is decoded as a new character.
            if lead > last_lead || !(0x21..=0x7E).contains(&trail) {
                sink.replace(here.range(1), LossKind::Invalid);
                at += 1;
                continue;
            }
            if !set.put([lead, trail], wide, sink) {
                sink.replace(here.range(2), LossKind::Invalid);
            }
            at += 2;
        }
        Some(at)
    }

    /// A byte above 7F: half-width katakana as in Shift_JIS, or damage.
    #[inline(always)]
    fn eight_bit(&self, byte: u8, rest: Chunk<'_>, sink: &mut Sink<'_>) {
        if self.flavor.is_japanese() && !self.strict && (0xA1..=0xDF).contains(&byte) {
            sink.record(rest.range(1), LossKind::HalfwidthKatakana);
            sink.put_unit(0xFF61 + u16::from(byte - 0xA1));
        } else {
            sink.replace(rest.range(1), LossKind::EightBit);
        }
    }
}

/// One byte of a set of single bytes, in a shifted state.
#[inline(always)]
fn single(set: CodedSet, byte: u8, rest: Chunk<'_>, sink: &mut Sink<'_>) {
    match set.single(byte) {
        Some(c) if c.is_ascii() => put_ascii_from_shift(byte, sink),
        Some(c) => sink.put_char(c),
        None => sink.replace(rest.range(1), LossKind::Invalid),
    }
}

pub(super) fn put_ascii_from_shift(byte: u8, sink: &mut Sink<'_>) {
    sink.shifted(u32::from(byte));
    sink.put_ascii_byte(byte);
}
