//! ISO-2022-JP and its relatives, as one machine that knows all their character sets (RFC 1468, 1554, 2237).
//!
//! The text is seven-bit; escape sequences switch what the bytes 21-7E mean. Leniently, every line begins in ASCII,
//! whatever state the last one ended in, so that no state hides the rest of a text; two escapes in a row and empty
//! runs are nothing to remark on. Strict decoding knows the four escapes of RFC 1468 only.
//!
//! # Limits
//! JIS X 0213 is not known. A lost ESC is not repaired.

use crate::double_byte::Family;
use crate::sink::{Sink, ascii_run};
use crate::{LossKind, Mode};

const ESC: u8 = 0x1B;
const SO: u8 = 0x0E;
const SI: u8 = 0x0F;

/// What the bytes 21-7E mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
enum Set {
    #[default]
    Ascii,
    /// JIS X 0201: the yen sign for `\`, the overline for `~`.
    Roman,
    /// JIS X 0201 katakana, half-width.
    Katakana,
    Jisx0208,
    Jisx0212,
    Gb2312,
    Ksx1001,
}

/// What ESC N takes the next byte from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Upper {
    Latin1,
    Greek,
}

/// An effect of an escape sequence.
#[derive(Clone, Copy)]
enum Effect {
    Designate(Set),
    /// As `Designate`, but an escape that no standard for mail has.
    DesignateForeign(Set),
    Upper(Upper),
    /// The next character comes from the upper set.
    SingleShift,
    Nothing,
}

/// The escape sequences behind ESC. The first four are those of RFC 1468.
const ESCAPES: [(&[u8], Effect); 16] = [
    (b"(B", Effect::Designate(Set::Ascii)),
    (b"(J", Effect::Designate(Set::Roman)),
    (b"$@", Effect::Designate(Set::Jisx0208)),
    (b"$B", Effect::Designate(Set::Jisx0208)),
    (b"(I", Effect::Designate(Set::Katakana)),
    (b"(H", Effect::DesignateForeign(Set::Roman)),
    (b"$(@", Effect::Designate(Set::Jisx0208)),
    (b"$(B", Effect::Designate(Set::Jisx0208)),
    (b"$(D", Effect::Designate(Set::Jisx0212)),
    (b"$A", Effect::Designate(Set::Gb2312)),
    (b"$(A", Effect::Designate(Set::Gb2312)),
    (b"$(C", Effect::Designate(Set::Ksx1001)),
    (b".A", Effect::Upper(Upper::Latin1)),
    (b".F", Effect::Upper(Upper::Greek)),
    (b"N", Effect::SingleShift),
    (b"&@", Effect::Nothing),
];
/// How many of them strict decoding knows.
const STRICT_ESCAPES: usize = 4;

/// An ISO-2022-JP decoder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Iso2022Jp {
    set: Set,
    /// SO has put katakana in place of the set.
    shifted: bool,
    upper: Option<Upper>,
}

impl Iso2022Jp {
    /// Decodes what is complete; at most three bytes stay behind.
    pub(crate) fn run(
        &mut self,
        input: &[u8],
        base: u64,
        last: bool,
        mode: Mode,
        sink: &mut Sink<'_>,
    ) -> usize {
        let mut at = 0;
        while at < input.len() {
            let rest = &input[at..];
            let here = base + at as u64;
            let step = match rest[0] {
                ESC => self.escape(rest, here, last, mode, sink),
                SO | SI if mode == Mode::Lenient => {
                    self.shifted = rest[0] == SO;
                    Some(1)
                }
                SO | SI => {
                    sink.replace(here..here + 1, LossKind::Invalid);
                    Some(1)
                }
                0x80.. => {
                    eight_bit(rest[0], here, mode, sink);
                    Some(1)
                }
                byte @ (b'\r' | b'\n') => {
                    self.line_end(here, sink);
                    sink.put_basic(u32::from(byte) | 1 << 24);
                    Some(1)
                }
                byte if byte < 0x21 && !self.is_ascii() => {
                    if self.is_double() {
                        sink.note(here..here + 1, LossKind::SpaceInRun);
                    }
                    sink.put_basic(u32::from(byte) | 1 << 24);
                    Some(1)
                }
                _ if self.is_double() => self.pairs(rest, here, last, mode, sink),
                _ if self.is_ascii() => {
                    let run = ascii_run(rest);
                    let run = rest[..run].iter().position(|b| [ESC, SO, SI].contains(b)).unwrap_or(run);
                    sink.put_ascii(&rest[..run]);
                    Some(run)
                }
                byte => {
                    self.single(byte, here, sink);
                    Some(1)
                }
            };
            match step {
                Some(len) => at += len,
                None => return at,
            }
        }
        at
    }

    /// Ends the text at offset `end`.
    pub(crate) fn end(&self, end: u64, sink: &mut Sink<'_>) {
        if !self.is_ascii() {
            sink.note(end..end, LossKind::UnterminatedRun);
        }
    }

    fn is_ascii(&self) -> bool {
        self.set == Set::Ascii && !self.shifted
    }

    fn is_double(&self) -> bool {
        !self.shifted && matches!(self.set, Set::Jisx0208 | Set::Jisx0212 | Set::Gb2312 | Set::Ksx1001)
    }

    /// Every line begins in ASCII.
    fn line_end(&mut self, here: u64, sink: &mut Sink<'_>) {
        if !self.is_ascii() {
            sink.record(here..here, LossKind::ResetAtLineEnd);
        }
        *self = Self::default();
    }

    /// Reads an escape sequence; `None` if it is cut off.
    fn escape(
        &mut self,
        rest: &[u8],
        here: u64,
        last: bool,
        mode: Mode,
        sink: &mut Sink<'_>,
    ) -> Option<usize> {
        let known = if mode == Mode::Strict { &ESCAPES[..STRICT_ESCAPES] } else { &ESCAPES[..] };
        let behind = &rest[1..];
        if let Some((sequence, effect)) = known.iter().find(|(sequence, _)| behind.starts_with(sequence)) {
            let len = 1 + sequence.len();
            match effect {
                Effect::Designate(set) => (self.set, self.shifted) = (*set, false),
                Effect::DesignateForeign(set) => {
                    sink.record(here..here + len as u64, LossKind::ForeignEscape);
                    (self.set, self.shifted) = (*set, false);
                }
                Effect::Upper(upper) => self.upper = Some(*upper),
                Effect::SingleShift => return self.single_shift(behind, here, last, sink),
                Effect::Nothing => {}
            }
            return Some(len);
        }
        if !last && known.iter().any(|(sequence, _)| sequence.starts_with(behind)) {
            return None;
        }
        sink.replace(here..here + 1, LossKind::UnknownEscape);
        Some(1)
    }

    /// ESC N and the byte behind it.
    fn single_shift(&self, behind: &[u8], here: u64, last: bool, sink: &mut Sink<'_>) -> Option<usize> {
        let byte = behind.get(1).copied();
        if byte.is_none() && !last {
            return None;
        }
        let high = byte.filter(|b| (0x20..0x80).contains(b)).map(|b| b | 0x80);
        let c = match (self.upper, high) {
            (Some(Upper::Latin1), Some(high)) => Some(char::from(high)),
            (Some(Upper::Greek), Some(high)) => crate::web::single(encoding_rs::ISO_8859_7, high),
            _ => {
                sink.replace(here..here + 1, LossKind::UnknownEscape);
                return Some(1);
            }
        };
        match c {
            Some(c) => sink.put_char(c),
            None => sink.replace(here..here + 3, LossKind::Invalid),
        }
        Some(3)
    }

    /// One byte of a set of single bytes.
    fn single(&self, byte: u8, here: u64, sink: &mut Sink<'_>) {
        let katakana = self.shifted || self.set == Set::Katakana;
        match byte {
            0x21..=0x5F if katakana => {
                if self.shifted {
                    sink.record(here..here + 1, LossKind::HalfwidthKatakana);
                }
                sink.put_unit(0xFF61 + u16::from(byte - 0x21));
            }
            0x60..=0x7E if katakana => sink.replace(here..here + 1, LossKind::Invalid),
            b'\\' => sink.put_char('\u{A5}'),
            b'~' => sink.put_char('\u{203E}'),
            _ => sink.put_basic(u32::from(byte) | 1 << 24),
        }
    }

    /// Pairs up to the end of the run; `None` if the only one is cut off.
    fn pairs(&self, rest: &[u8], here: u64, last: bool, mode: Mode, sink: &mut Sink<'_>) -> Option<usize> {
        let family = match self.set {
            Set::Gb2312 => Family::Gb18030,
            Set::Ksx1001 => Family::EucKr,
            _ => Family::EucJp,
        };
        let tables = family.tables();
        let mut at = 0;
        while let Some(lead @ 0x21..=0x7F) = rest.get(at).copied() {
            let start = here + at as u64;
            let trail = match rest.get(at + 1) {
                Some(trail) => *trail,
                None if !last => return if at == 0 { None } else { Some(at) },
                None => 0,
            };
            // A byte that is no trail byte is read again by itself.
            if lead == 0x7F || !(0x21..=0x7E).contains(&trail) {
                sink.replace(start..start + 1, LossKind::Invalid);
                at += 1;
                continue;
            }
            let packed = match self.set {
                Set::Jisx0212 => jisx0212(lead, trail),
                _ if mode == Mode::Strict && !matches!(lead - 0x20, 1..=8 | 16..=84) => 0,
                _ => tables.pair(lead | 0x80, trail | 0x80),
            };
            if packed == 0 {
                sink.replace(start..start + 2, LossKind::Invalid);
            } else {
                sink.put(packed);
            }
            at += 2;
        }
        Some(at)
    }
}

/// A byte above 7F: half-width katakana as in Shift_JIS, or damage.
fn eight_bit(byte: u8, here: u64, mode: Mode, sink: &mut Sink<'_>) {
    if mode == Mode::Lenient && (0xA1..=0xDF).contains(&byte) {
        sink.record(here..here + 1, LossKind::HalfwidthKatakana);
        sink.put_unit(0xFF61 + u16::from(byte - 0xA1));
    } else {
        sink.replace(here..here + 1, LossKind::EightBit);
    }
}

/// A pair of JIS X 0212, which EUC-JP writes in three bytes.
fn jisx0212(lead: u8, trail: u8) -> u32 {
    match crate::web::step(encoding_rs::EUC_JP, &[0x8F, lead | 0x80, trail | 0x80], false) {
        crate::web::Step::Text { len: 3, chars } => crate::sink::pack(chars[0]),
        _ => 0,
    }
}
