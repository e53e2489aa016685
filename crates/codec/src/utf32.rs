//! Decodes UTF-32 and UCS-4 in either byte order (Unicode 3.10).
//!
//! # Limits
//! Not in the byte orders 2143 and 3412.

use crate::decode::{Chunk, Decode, progress};
use crate::loss::LossKind;
use crate::mode::Mode;
use crate::options::DecodeOptions;
use crate::sink::Sink;
use crate::utf16::{Order, apply_mark};

/// Bytes that decide the byte order where no mark does.
const WINDOW: usize = 1024;

/// A UTF-32 decoder.
#[derive(Clone, Debug)]
pub(crate) struct Utf32Decoder {
    /// The label's own byte order.
    label: Option<Order>,
    options: DecodeOptions,
    order: Option<Order>,
}

impl Decode for Utf32Decoder {
    /// Leaves at most three bytes once the byte order is known.
    #[inline(always)]
    fn step(&mut self, rest: Chunk<'_>, sink: &mut Sink<'_>) -> Option<usize> {
        let Some(order) = self.order else {
            let mark = match rest.bytes {
                [0, 0, 0xFE, 0xFF, ..] => Some(Order::Big),
                [0xFF, 0xFE, 0, 0, ..] => Some(Order::Little),
                _ => None,
            };
            let enough = mark.is_some() || rest.bytes.len() >= self.window() || rest.last;
            return enough.then(|| self.start(mark, rest.bytes, sink));
        };
        let (units, odd) = rest.bytes.as_chunks::<4>();
        for (at, unit) in units.iter().enumerate() {
            let value = unit_of(*unit, order);
            let kind = match char::from_u32(value) {
                Some(c) => {
                    sink.put_char(c);
                    continue;
                }
                None if value > 0x10_FFFF => LossKind::TooLarge,
                None => LossKind::Surrogate,
            };
            sink.replace(rest.behind(4 * at).range(4), kind);
        }
        if odd.is_empty() || !rest.last {
            return progress(4 * units.len());
        }
        sink.replace(
            rest.behind(4 * units.len()).range(odd.len()),
            LossKind::Truncated,
        );
        Some(rest.bytes.len())
    }

    fn window(&self) -> usize {
        match (self.order, self.label, self.options.mode()) {
            (Some(_), ..) => 0,
            (None, None, Mode::Lenient) => WINDOW,
            (None, ..) => 4,
        }
    }

    fn expected_len(&self, bytes: &[u8]) -> usize {
        bytes.len() + 16
    }
}

impl Utf32Decoder {
    pub(crate) fn new(label: Option<Order>, options: DecodeOptions) -> Self {
        Self {
            label,
            options,
            order: None,
        }
    }

    /// Determines the byte order. Returns the length of a byte order mark to skip.
    fn start(&mut self, mark: Option<Order>, input: &[u8], sink: &mut Sink<'_>) -> usize {
        let (order, skip) = match (mark, self.label) {
            (Some(mark), label) => apply_mark(mark, 4, label, self.options, sink),
            (None, Some(label)) => (label, 0),
            (None, None) => {
                let little = self.options.mode() == Mode::Lenient
                    && !valid(input, Order::Big)
                    && valid(input, Order::Little);
                (if little { Order::Little } else { Order::Big }, 0)
            }
        };
        self.order = Some(order);
        skip
    }
}

/// Every whole unit of the window is a character in this order.
pub(crate) fn valid(input: &[u8], order: Order) -> bool {
    let units = input[..input.len().min(WINDOW)].as_chunks::<4>().0;
    !units.is_empty()
        && units
            .iter()
            .all(|u| char::from_u32(unit_of(*u, order)).is_some())
}

fn unit_of(unit: [u8; 4], order: Order) -> u32 {
    match order {
        Order::Big => u32::from_be_bytes(unit),
        Order::Little => u32::from_le_bytes(unit),
    }
}

#[cfg(test)]
mod tests {
    use crate::charset::Charset;
    use crate::loss::LossLog;

    fn decode(charset: Charset, bytes: &[u8]) -> (String, Vec<(u64, u64, &'static str)>) {
        let mut log = LossLog::new();
        let text = charset.decode(bytes, &mut log).into_owned();
        (
            text,
            log.kept()
                .iter()
                .map(|l| (l.bytes.start, l.bytes.end, l.kind.name()))
                .collect(),
        )
    }

    #[test]
    fn order_marks_and_damage() {
        for (charset, bytes, text, losses) in [
            (
                Charset::UTF_32,
                &b"\0\0\xFE\xFF\0\0\0A"[..],
                "A",
                &[(0, 4, "bom")][..],
            ),
            (
                Charset::UTF_32,
                b"\xFF\xFE\0\0A\0\0\0",
                "A",
                &[(0, 4, "bom")],
            ),
            (Charset::UTF_32, b"\0\0\0A", "A", &[]),
            (Charset::UTF_32, b"A\0\0\0", "A", &[]),
            (
                Charset::UTF_32BE,
                b"\0\x11\0\0\0\0\0A",
                "\u{FFFD}A",
                &[(0, 4, "too-large")],
            ),
            (
                Charset::UTF_32BE,
                b"\0\0\xD8\0\0\0\0A",
                "\u{FFFD}A",
                &[(0, 4, "surrogate")],
            ),
            (
                Charset::UTF_32BE,
                b"\0\0\0A\0\0",
                "A\u{FFFD}",
                &[(4, 6, "truncated")],
            ),
            (
                Charset::UTF_32LE,
                b"\0\0\xFE\xFF\0\0\0A",
                "A",
                &[(0, 4, "opposite-bom")],
            ),
        ] {
            let (got, kept) = decode(charset, bytes);
            assert_eq!(
                (got.as_str(), kept.as_slice()),
                (text, losses),
                "{} {bytes:x?}",
                charset.name()
            );
        }
    }
}
