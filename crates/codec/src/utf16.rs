//! Decodes UTF-16 in either byte order, by its byte order mark or, without one, by statistics (RFC 2781).
//!
//! # Limits
//! Statistics use the first 512 units only. The byte order never changes within a text.

use crate::sink::Sink;
use crate::utf8::{self, Forms};
use crate::{LossKind, Marks, Mode};

mod byte_order_guess;
mod east_asian;
mod order;

pub(crate) use byte_order_guess::guess;
use east_asian::is_east_asian;
pub(crate) use order::Order;
use order::WINDOW;

/// A UTF-16 decoder.
#[derive(Clone, Debug)]
pub(crate) struct Utf16 {
    /// The label's own byte order.
    labelled: Option<Order>,
    marks: Marks,
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
    pub(crate) fn new(labelled: Option<Order>, marks: Marks) -> Self {
        Self {
            labelled,
            marks,
            state: State::Start,
        }
    }

    /// Bytes that must be seen before the first is decoded.
    pub(crate) fn window(&self, mode: Mode) -> usize {
        match (self.state, self.labelled, mode) {
            (State::Start, None, Mode::Lenient) if self.marks != Marks::Web => WINDOW,
            (State::Start, ..) => 3,
            _ => 0,
        }
    }

    /// Decodes the complete characters; see [`utf8::run`].
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
                || matches!(
                    input,
                    [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] | [0xEF, 0xBB, 0xBF, ..]
                );
            if !enough && !last {
                return 0;
            }
            at = self.start(&input[..input.len().min(WINDOW)], mode, sink);
        }
        at + match self.state {
            State::Utf8 => utf8::run(&input[at..], base + at as u64, last, Forms::default(), sink),
            State::Units(order) => units(&input[at..], base + at as u64, last, order, sink),
            State::Start => 0,
        }
    }

    /// Determines the byte order of the text. Returns the length of a byte order mark to skip.
    fn start(&mut self, input: &[u8], mode: Mode, sink: &mut Sink<'_>) -> usize {
        let found = match input {
            [0xFE, 0xFF, ..] => Some(Order::Big),
            [0xFF, 0xFE, ..] => Some(Order::Little),
            _ => None,
        };
        // RFC 2781 4.1 and 4.2: with the order in the label, U+FEFF is text and its mirror an error.
        let by_rfc = mode == Mode::Strict && self.marks != Marks::Web;
        let keep = self.marks == Marks::Keep;
        let (state, skip) = match (found, self.labelled) {
            (Some(_), Some(label)) if keep => (State::Units(label), 0),
            (Some(found), None) if keep => (State::Units(found), 0),
            (Some(found), Some(label)) if by_rfc && found == label => (State::Units(label), 0),
            (Some(found), Some(label)) if by_rfc && found != label => {
                sink.replace(0..2, LossKind::OppositeByteOrderMark);
                (State::Units(label), 2)
            }
            (Some(found), label) => {
                let opposite = label.is_some_and(|label| label != found);
                let kind = if opposite {
                    LossKind::OppositeByteOrderMark
                } else {
                    LossKind::ByteOrderMark
                };
                sink.note(0..2, kind);
                (State::Units(found), 2)
            }
            (None, label) if by_rfc => (State::Units(label.unwrap_or(Order::Big)), 0),
            (None, label) => self.unmarked(label, input, sink),
        };
        self.state = state;
        skip
    }

    /// Determines the form of a text without a UTF-16 mark, and the length of a UTF-8 mark to skip.
    fn unmarked(&self, label: Option<Order>, input: &[u8], sink: &mut Sink<'_>) -> (State, usize) {
        match label {
            _ if self.marks != Marks::Keep && input.starts_with(&utf8::BOM) => {
                sink.note(0..3, LossKind::LabelLied);
                (State::Utf8, 3)
            }
            Some(label) => (State::Units(label), 0),
            None if self.marks == Marks::Web => (State::Units(Order::Little), 0),
            None if is_utf8(input) && !is_east_asian(input) => {
                sink.note(0..0, LossKind::LabelLied);
                (State::Utf8, 0)
            }
            None => (State::Units(guess(input).unwrap_or(Order::Big)), 0),
        }
    }
}

/// Returns true if the input is valid UTF-8 so far, without the control characters that Greek, Cyrillic or Thai UTF-16 has as high bytes.
fn is_utf8(input: &[u8]) -> bool {
    let valid = match std::str::from_utf8(input) {
        Ok(_) => true,
        Err(e) => e.error_len().is_none() && input.len() == WINDOW,
    };
    let control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | 0x1B);
    valid && !input.is_empty() && !input.iter().any(control)
}

/// Decodes units; at most three bytes stay behind.
fn units(input: &[u8], base: u64, last: bool, order: Order, sink: &mut Sink<'_>) -> usize {
    let mut at = 0;
    loop {
        at += mailglot_kernel::utf16::append(&input[at..], order == Order::Big, sink.text);
        let Some(pair) = input.get(at..at + 2) else {
            break;
        };
        let unit = order.unit(pair);
        let start = base + at as u64;
        // Half of a pair, since nothing else is left over.
        match input.get(at + 2..at + 4) {
            None if !last && unit < 0xDC00 => return at,
            // With the odd byte behind it the half is one damage, not two.
            None if unit < 0xDC00 => {
                let len = input.len() - at;
                sink.replace(start..start + len as u64, LossKind::LoneSurrogate);
                at += len;
            }
            _ => {
                sink.replace(start..start + 2, LossKind::LoneSurrogate);
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

#[cfg(test)]
mod tests {
    use crate::{Charset, LossLog, Mode};

    fn decode(
        charset: Charset,
        mode: Mode,
        bytes: &[u8],
    ) -> (String, Vec<(u64, u64, &'static str)>) {
        let mut log = LossLog::new();
        let mut text = String::new();
        let mut decoder = charset.new_decoder(mode);
        decoder.push(bytes, &mut text, &mut log);
        decoder.finish(&mut text, &mut log);
        (
            text,
            log.kept()
                .iter()
                .map(|l| (l.bytes.start, l.bytes.end, l.kind.name()))
                .collect(),
        )
    }

    #[test]
    fn byte_order_marks() {
        let (l, s) = (Mode::Lenient, Mode::Strict);
        for (charset, mode, bytes, text, losses) in [
            (
                Charset::UTF_16,
                l,
                &b"\xFE\xFF\0A"[..],
                "A",
                &[(0, 2, "bom")][..],
            ),
            (Charset::UTF_16, l, b"\xFF\xFEA\0", "A", &[(0, 2, "bom")]),
            (Charset::UTF_16, s, b"\xFF\xFEA\0", "A", &[(0, 2, "bom")]),
            (Charset::UTF_16BE, l, b"\xFE\xFF\0A", "A", &[(0, 2, "bom")]),
            (Charset::UTF_16BE, s, b"\xFE\xFF\0A", "\u{FEFF}A", &[]),
            (
                Charset::UTF_16BE,
                l,
                b"\xFF\xFEA\0",
                "A",
                &[(0, 2, "opposite-bom")],
            ),
            (
                Charset::UTF_16BE,
                s,
                b"\xFF\xFE\0A",
                "\u{FFFD}A",
                &[(0, 2, "opposite-bom")],
            ),
            (
                Charset::UTF_16LE,
                l,
                b"\xFE\xFF\0A",
                "A",
                &[(0, 2, "opposite-bom")],
            ),
            (
                Charset::UTF_16,
                l,
                b"\xEF\xBB\xBFabc",
                "abc",
                &[(0, 3, "label-lied")],
            ),
            (
                Charset::UTF_16,
                s,
                b"\xEF\xBB\xBFab!",
                "\u{EFBB}\u{BF61}\u{6221}",
                &[],
            ),
            (
                Charset::UTF_16,
                l,
                b"\xFF\xFE\xFF\xFEA\0",
                "\u{FEFF}A",
                &[(0, 2, "bom")],
            ),
            (
                Charset::UTF_16,
                l,
                b"\xFE\xFF\0A\xFF\xFE\0B",
                "A\u{FFFE}B",
                &[(0, 2, "bom")],
            ),
            (Charset::UTF_16, l, b"", "", &[]),
            (
                Charset::UTF_16,
                l,
                b"\xFE",
                "\u{FFFD}",
                &[(0, 1, "truncated")],
            ),
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
        let japanese =
            "吾輩は猫である。\r\n名前はまだ無い。\r\nどこで生れたか頓と見当がつかぬ。\r\n";
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
            assert_eq!(
                (got.as_str(), kept.as_slice()),
                (text, losses),
                "{bytes:x?}"
            );
        }
    }
}
