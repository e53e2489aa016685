//! UTF-16 in either byte order, with byte order marks and, without one, statistics (RFC 2781).
//!
//! # Limits
//! Statistics look at the first 512 units only. The byte order never changes in mid-text.

use crate::sink::Sink;
use crate::{LossKind, Mode, utf8};

/// Bytes that the statistics look at.
const WINDOW: usize = 1024;

/// Most significant byte first, or last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Big,
    Little,
}

/// A UTF-16 decoder.
#[derive(Clone, Debug)]
pub(crate) struct Utf16 {
    /// The label's own byte order.
    labelled: Option<Order>,
    state: State,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// Nothing decided; input is held back.
    Start,
    Units(Order),
    /// The label lied.
    Utf8,
}

impl Utf16 {
    pub(crate) fn new(labelled: Option<Order>) -> Self {
        Self { labelled, state: State::Start }
    }

    /// Bytes that must be seen before the first is decoded.
    pub(crate) fn window(&self, mode: Mode) -> usize {
        match (self.state, self.labelled, mode) {
            (State::Start, None, Mode::Lenient) => WINDOW,
            (State::Start, ..) => 3,
            _ => 0,
        }
    }

    /// Decodes what is complete; see [`utf8::run`].
    pub(crate) fn run(
        &mut self,
        input: &[u8],
        base: u64,
        last: bool,
        mode: Mode,
        sink: &mut Sink<'_>,
    ) -> usize {
        let mut at = 0;
        if matches!(self.state, State::Start) {
            let enough = input.len() >= self.window(mode)
                || matches!(input, [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] | [0xEF, 0xBB, 0xBF, ..]);
            if !enough && !last {
                return 0;
            }
            at = self.start(&input[..input.len().min(WINDOW)], mode, sink);
        }
        at + match self.state {
            State::Utf8 => utf8::run(&input[at..], base + at as u64, last, false, sink),
            State::Units(order) => units(&input[at..], base + at as u64, last, order, sink),
            State::Start => 0,
        }
    }

    /// Decides what the text is; returns the length of a BOM to skip.
    fn start(&mut self, input: &[u8], mode: Mode, sink: &mut Sink<'_>) -> usize {
        let order = match input {
            [0xFE, 0xFF, ..] => Some(Order::Big),
            [0xFF, 0xFE, ..] => Some(Order::Little),
            _ => None,
        };
        let (state, skip) = match (order, self.labelled) {
            (Some(found), None) => {
                sink.note(0..2, LossKind::ByteOrderMark);
                (State::Units(found), 2)
            }
            // RFC 2781 4.1: with the order in the label, U+FEFF is text.
            (Some(found), Some(label)) if found == label && mode == Mode::Strict => (State::Units(label), 0),
            (Some(found), Some(label)) if found == label => {
                sink.note(0..2, LossKind::ByteOrderMark);
                (State::Units(found), 2)
            }
            (Some(_), Some(label)) if mode == Mode::Strict => {
                sink.replace(0..2, LossKind::OppositeByteOrderMark);
                (State::Units(label), 2)
            }
            (Some(found), Some(_)) => {
                sink.record(0..2, LossKind::OppositeByteOrderMark);
                (State::Units(found), 2)
            }
            (None, label) if mode == Mode::Strict => (State::Units(label.unwrap_or(Order::Big)), 0),
            (None, _) if input.starts_with(&utf8::BOM) => {
                sink.record(0..3, LossKind::LabelLied);
                (State::Utf8, 3)
            }
            (None, Some(label)) => (State::Units(label), 0),
            (None, None) if is_utf8(input) => {
                sink.record(0..0, LossKind::LabelLied);
                (State::Utf8, 0)
            }
            (None, None) => (State::Units(guess(input).unwrap_or(Order::Big)), 0),
        };
        self.state = state;
        skip
    }
}

/// No NUL byte at all, and valid UTF-8 as far as it goes.
fn is_utf8(input: &[u8]) -> bool {
    let valid = match std::str::from_utf8(input) {
        Ok(_) => true,
        Err(e) => e.error_len().is_none() && input.len() == WINDOW,
    };
    valid && !input.is_empty() && !input.contains(&0)
}

/// The byte order by statistics over at most 512 units; `None` if there are fewer than four units or no clear answer.
pub(crate) fn guess(input: &[u8]) -> Option<Order> {
    let units = input[..input.len().min(WINDOW)].chunks_exact(2);
    if units.len() < 4 {
        return None;
    }
    let score = |order: Order| {
        let mut score = 1_u32;
        let mut high = false;
        for pair in units.clone() {
            let unit = unit_at(pair, order);
            score += match unit {
                0x20 | 0x0A | 0x0D => 8,
                0x09 | 0x21..0x7F => 4,
                // Letters up to Hebrew; signs of East Asia and kana.
                0xA0..0x0600 | 0x3000..0x3100 => 2,
                _ => 0,
            };
            // A well-formed pair speaks for this order; halves are not counted against the other one.
            match unit {
                0xD800..=0xDBFF => high = true,
                0xDC00..=0xDFFF if high => {
                    score += 4;
                    high = false;
                }
                _ => high = false,
            }
        }
        let broken =
            char::decode_utf16(units.clone().map(|p| unit_at(p, order))).filter(Result::is_err).count();
        score.saturating_sub(2 * broken as u32).max(1)
    };
    let (big, little) = (score(Order::Big), score(Order::Little));
    if big >= 4 * little {
        Some(Order::Big)
    } else if little >= 4 * big {
        Some(Order::Little)
    } else {
        None
    }
}

fn unit_at(pair: &[u8], order: Order) -> u16 {
    let bytes = [pair[0], pair[1]];
    match order {
        Order::Big => u16::from_be_bytes(bytes),
        Order::Little => u16::from_le_bytes(bytes),
    }
}

/// Decodes units; at most three bytes stay behind.
fn units(input: &[u8], base: u64, last: bool, order: Order, sink: &mut Sink<'_>) -> usize {
    let mut at = 0;
    while let Some(pair) = input.get(at..at + 2) {
        if let Some(block) = input[at..].first_chunk::<16>() {
            if let Some(ascii) = eight_ascii(*block, order) {
                sink.put_ascii_8(ascii);
                at += 16;
                while let Some(block) = input[at..].first_chunk::<64>()
                    && let Some(ascii) = thirty_two_ascii(block, order)
                {
                    sink.put_ascii_32(ascii);
                    at += 64;
                }
                continue;
            }
            let mut eight = [0_u16; 8];
            for (unit, pair) in eight.iter_mut().zip(block.chunks_exact(2)) {
                *unit = unit_at(pair, order);
            }
            if eight.iter().all(|u| u & 0xF800 != 0xD800) {
                for unit in eight {
                    sink.put_unit(unit);
                }
                at += 16;
                continue;
            }
        }
        let unit = unit_at(pair, order);
        let start = base + at as u64;
        match unit {
            0xD800..=0xDBFF => {
                let low = input.get(at + 2..at + 4).map(|p| unit_at(p, order));
                match low {
                    Some(low @ 0xDC00..=0xDFFF) => {
                        let scalar = 0x10000 + ((u32::from(unit) & 0x3FF) << 10 | u32::from(low) & 0x3FF);
                        sink.put_char(char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER));
                        at += 4;
                    }
                    Some(_) => {
                        sink.replace(start..start + 2, LossKind::LoneSurrogate);
                        at += 2;
                    }
                    None if !last => return at,
                    // With the odd byte behind it the half is one damage, not two.
                    None => {
                        let len = input.len() - at;
                        sink.replace(start..start + len as u64, LossKind::LoneSurrogate);
                        at += len;
                    }
                }
            }
            0xDC00..=0xDFFF => {
                sink.replace(start..start + 2, LossKind::LoneSurrogate);
                at += 2;
            }
            _ => {
                sink.put_unit(unit);
                at += 2;
            }
        }
    }
    if last && at < input.len() {
        let start = base + at as u64;
        sink.replace(start..start + 1, LossKind::Truncated);
        at += 1;
    }
    at
}

/// The same for a long run, in a shape that compilers make vector instructions of.
fn thirty_two_ascii(block: &[u8; 64], order: Order) -> Option<[u8; 32]> {
    let (high, low) = match order {
        Order::Big => (0, 1),
        Order::Little => (1, 0),
    };
    let mut foreign = 0;
    let mut ascii = [0; 32];
    for (pair, out) in block.as_chunks::<2>().0.iter().zip(&mut ascii) {
        foreign |= pair[high] | pair[low] & 0x80;
        *out = pair[low];
    }
    (foreign == 0).then_some(ascii)
}

fn eight_ascii(block: [u8; 16], order: Order) -> Option<[u8; 8]> {
    let all = u128::from_le_bytes(block);
    let (mask, low) = match order {
        Order::Little => (0xFF80_FF80_FF80_FF80_FF80_FF80_FF80_FF80, 0),
        Order::Big => (0x80FF_80FF_80FF_80FF_80FF_80FF_80FF_80FF, 1),
    };
    (all & mask == 0).then(|| std::array::from_fn(|i| block[2 * i + low]))
}

#[cfg(test)]
mod tests {
    use crate::{Charset, LossLog, Mode};

    fn decode(charset: Charset, mode: Mode, bytes: &[u8]) -> (String, Vec<(u64, u64, &'static str)>) {
        let mut log = LossLog::new();
        let mut text = String::new();
        let mut decoder = charset.new_decoder(mode);
        decoder.push(bytes, &mut text, &mut log);
        decoder.finish(&mut text, &mut log);
        (text, log.kept().iter().map(|l| (l.bytes.start, l.bytes.end, l.kind.name())).collect())
    }

    #[test]
    fn byte_order_marks() {
        let (l, s) = (Mode::Lenient, Mode::Strict);
        for (charset, mode, bytes, text, losses) in [
            (Charset::UTF_16, l, &b"\xFE\xFF\0A"[..], "A", &[(0, 2, "bom")][..]),
            (Charset::UTF_16, l, b"\xFF\xFEA\0", "A", &[(0, 2, "bom")]),
            (Charset::UTF_16, s, b"\xFF\xFEA\0", "A", &[(0, 2, "bom")]),
            (Charset::UTF_16BE, l, b"\xFE\xFF\0A", "A", &[(0, 2, "bom")]),
            (Charset::UTF_16BE, s, b"\xFE\xFF\0A", "\u{FEFF}A", &[]),
            (Charset::UTF_16BE, l, b"\xFF\xFEA\0", "A", &[(0, 2, "opposite-bom")]),
            (Charset::UTF_16BE, s, b"\xFF\xFE\0A", "\u{FFFD}A", &[(0, 2, "opposite-bom")]),
            (Charset::UTF_16LE, l, b"\xFE\xFF\0A", "A", &[(0, 2, "opposite-bom")]),
            (Charset::UTF_16, l, b"\xEF\xBB\xBFabc", "abc", &[(0, 3, "label-lied")]),
            (Charset::UTF_16, s, b"\xEF\xBB\xBFab!", "\u{EFBB}\u{BF61}\u{6221}", &[]),
            (Charset::UTF_16, l, b"\xFF\xFE\xFF\xFEA\0", "\u{FEFF}A", &[(0, 2, "bom")]),
            (Charset::UTF_16, l, b"\xFE\xFF\0A\xFF\xFE\0B", "A\u{FFFE}B", &[(0, 2, "bom")]),
            (Charset::UTF_16, l, b"", "", &[]),
            (Charset::UTF_16, l, b"\xFE", "\u{FFFD}", &[(0, 1, "truncated")]),
            (Charset::UTF_16, l, b"\xFE\xFF", "", &[(0, 2, "bom")]),
        ] {
            let (got, kept) = decode(charset, mode, bytes);
            assert_eq!(
                (got.as_str(), kept.as_slice()),
                (text, losses),
                "{} {mode:?} {bytes:x?}",
                charset.name()
            );
        }
    }

    #[test]
    fn without_a_mark_statistics_decide() {
        let text = "Über die Zeit, in der wir leben.";
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode(Charset::UTF_16, Mode::Lenient, &big).0, text);
        assert_eq!(decode(Charset::UTF_16, Mode::Lenient, &little).0, text);
        assert_eq!(decode(Charset::UTF_16, Mode::Strict, &big).0, text);
        let japanese = "吾輩は猫である。\r\n名前はまだ無い。\r\nどこで生れたか頓と見当がつかぬ。\r\n";
        let little: Vec<u8> = japanese.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode(Charset::UTF_16, Mode::Lenient, &little).0, japanese);
        // A tie, and too little to tell, are big-endian.
        assert_eq!(decode(Charset::UTF_16, Mode::Lenient, b"\0A\0B").0, "AB");
        assert_eq!(
            decode(Charset::UTF_16, Mode::Lenient, b"plain ascii"),
            ("plain ascii".into(), vec![(0, 0, "label-lied")])
        );
    }

    #[test]
    fn broken_units() {
        for (bytes, text, losses) in [
            (&b"\0A\0"[..], "A\u{FFFD}", &[(2, 3, "truncated")][..]),
            (b"\xD8\x3D\xDE\0", "\u{1F600}", &[]),
            (b"\xD8\x3D\0A", "\u{FFFD}A", &[(0, 2, "lone-surrogate")]),
            (b"\xDE\0\0A", "\u{FFFD}A", &[(0, 2, "lone-surrogate")]),
            (b"\0A\xD8\x3D", "A\u{FFFD}", &[(2, 4, "lone-surrogate")]),
            (b"\0A\xD8\x3D\xDE", "A\u{FFFD}", &[(2, 5, "lone-surrogate")]),
        ] {
            let (got, kept) = decode(Charset::UTF_16BE, Mode::Lenient, bytes);
            assert_eq!((got.as_str(), kept.as_slice()), (text, losses), "{bytes:x?}");
        }
    }
}
