//! Decodes UTF-16 in either byte order, by its byte order mark or, without one, by statistics (RFC 2781).
//!
//! # Limits
//! Statistics use the first 512 units only. The byte order never changes within a text.

use crate::decode::{Chunk, Decode, progress};
use crate::loss::LossKind;
use crate::mode::Mode;
use crate::options::{DecodeOptions, Marks};
use crate::sink::Sink;
use crate::utf8::{self, Forms};

mod byte_order_guess;
mod east_asian;
mod order;

pub(crate) use byte_order_guess::guess;
use east_asian::is_east_asian;
use order::WINDOW;
pub(crate) use order::{Order, apply_mark};

/// A UTF-16 decoder.
#[derive(Clone, Debug)]
pub(crate) struct Utf16Decoder {
    /// The label's own byte order.
    label: Option<Order>,
    options: DecodeOptions,
    form: TextForm,
}

/// The form of the text.
#[derive(Clone, Copy, Debug)]
enum TextForm {
    /// Nothing decided; input is held back.
    Undecided,
    Units(Order),
    /// The label lied.
    Utf8,
}

impl Decode for Utf16Decoder {
    #[inline(always)]
    fn step(&mut self, rest: Chunk<'_>, sink: &mut Sink<'_>) -> Option<usize> {
        match self.form {
            TextForm::Undecided => {
                let is_marked = matches!(rest.bytes, [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..])
                    || self.options.mark_rules() != Marks::Keep
                        && rest.bytes.starts_with(&utf8::BOM);
                let enough = is_marked || rest.bytes.len() >= self.window();
                (enough || rest.last).then(|| self.start(rest.bytes, sink))
            }
            TextForm::Utf8 => utf8::step(rest, Forms::default(), sink),
            TextForm::Units(order) => units(rest, order, sink),
        }
    }

    fn window(&self) -> usize {
        match (self.form, self.label, self.options.mode()) {
            (TextForm::Undecided, None, Mode::Lenient)
                if self.options.mark_rules() != Marks::Web =>
            {
                WINDOW
            }
            (TextForm::Undecided, ..) => 3,
            _ => 0,
        }
    }
}

impl Utf16Decoder {
    pub(crate) fn new(label: Option<Order>, options: DecodeOptions) -> Self {
        Self {
            label,
            options,
            form: TextForm::Undecided,
        }
    }

    /// Determines the form of the text. Returns the length of a byte order mark to skip.
    #[inline(always)]
    fn start(&mut self, bytes: &[u8], sink: &mut Sink<'_>) -> usize {
        let mark = match bytes {
            [0xFE, 0xFF, ..] => Some(Order::Big),
            [0xFF, 0xFE, ..] => Some(Order::Little),
            _ => None,
        };
        let (form, skip) = match mark {
            Some(mark) => {
                let (order, skip) = apply_mark(mark, 2, self.label, self.options, sink);
                (TextForm::Units(order), skip)
            }
            None if self.options.by_definition() => {
                (TextForm::Units(self.label.unwrap_or(Order::Big)), 0)
            }
            None => self.unmarked(&bytes[..bytes.len().min(WINDOW)], sink),
        };
        self.form = form;
        skip
    }

    /// Determines the form of a text without a UTF-16 mark, and the length of a UTF-8 mark to skip.
    fn unmarked(&self, input: &[u8], sink: &mut Sink<'_>) -> (TextForm, usize) {
        let marks = self.options.mark_rules();
        match self.label {
            _ if marks != Marks::Keep && input.starts_with(&utf8::BOM) => {
                sink.note(0..3, LossKind::LabelLied);
                (TextForm::Utf8, 3)
            }
            Some(label) => (TextForm::Units(label), 0),
            None if marks == Marks::Web => (TextForm::Units(Order::Little), 0),
            None if is_utf8(input) && !is_east_asian(input) => {
                sink.note(0..0, LossKind::LabelLied);
                (TextForm::Utf8, 0)
            }
            None => (TextForm::Units(guess(input).unwrap_or(Order::Big)), 0),
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

/// Decodes a run of units, and the lone surrogate or odd byte behind it. At most three bytes stay behind.
#[inline(always)]
fn units(rest: Chunk<'_>, order: Order, sink: &mut Sink<'_>) -> Option<usize> {
    let run = mailglot_kernel::utf16::append(rest.bytes, order == Order::Big, sink.text);
    let behind = rest.behind(run);
    let len = behind.bytes.len();
    let half = len >= 2 && order.unit(behind.bytes) < 0xDC00;
    let (len, kind) = match len {
        0 => return Some(run),
        // The other half may follow.
        1..4 if !rest.last && (len == 1 || half) => return progress(run),
        1 => (1, LossKind::Truncated),
        // With the odd byte behind it the half is one damage, not two.
        3 if half => (3, LossKind::LoneSurrogate),
        // Half of a pair, since nothing else is left over.
        _ => (2, LossKind::LoneSurrogate),
    };
    sink.replace(behind.range(len), kind);
    Some(run + len)
}

#[cfg(test)]
mod tests {
    use crate::charset::Charset;
    use crate::loss::LossLog;
    use crate::mode::Mode;

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
