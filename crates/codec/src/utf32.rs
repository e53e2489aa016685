//! Decodes UTF-32 and UCS-4 in either byte order (Unicode 3.10).
//!
//! # Limits
//! Not in the byte orders 2143 and 3412.

use crate::sink::Sink;
use crate::utf16::Order;
use crate::{LossKind, Marks, Mode};

/// Bytes that decide the byte order where no mark does.
const WINDOW: usize = 1024;

/// A UTF-32 decoder.
#[derive(Clone, Debug)]
pub(crate) struct Utf32 {
    labelled: Option<Order>,
    marks: Marks,
    order: Option<Order>,
}

impl Utf32 {
    pub(crate) fn new(labelled: Option<Order>, marks: Marks) -> Self {
        Self {
            labelled,
            marks,
            order: None,
        }
    }

    /// Bytes that must be seen before the first is decoded.
    pub(crate) fn window(&self, mode: Mode) -> usize {
        match (self.order, self.labelled, mode) {
            (Some(_), ..) => 0,
            (None, None, Mode::Lenient) => WINDOW,
            (None, ..) => 4,
        }
    }

    /// Decodes the complete characters of `input`. Leaves at most three bytes once the byte order is known.
    pub(crate) fn run(
        &mut self,
        input: &[u8],
        base: u64,
        last: bool,
        mode: Mode,
        sink: &mut Sink<'_>,
    ) -> usize {
        let mut at = 0;
        let order = if let Some(order) = self.order {
            order
        } else {
            let mark = match input {
                [0, 0, 0xFE, 0xFF, ..] => Some(Order::Big),
                [0xFF, 0xFE, 0, 0, ..] => Some(Order::Little),
                _ => None,
            };
            if mark.is_none() && input.len() < self.window(mode) && !last {
                return 0;
            }
            let (order, skip) = self.start(mark, input, mode, sink);
            at = skip;
            self.order = Some(order);
            order
        };
        while let Some(unit) = input[at..].first_chunk::<4>() {
            let value = unit_of(*unit, order);
            let start = base + at as u64;
            match char::from_u32(value) {
                Some(c) => sink.put_char(c),
                None if value > 0x10_FFFF => sink.replace(start..start + 4, LossKind::TooLarge),
                None => sink.replace(start..start + 4, LossKind::Surrogate),
            }
            at += 4;
        }
        if last && at < input.len() {
            let end = base + input.len() as u64;
            sink.replace(base + at as u64..end, LossKind::Truncated);
            at = input.len();
        }
        at
    }

    /// The byte order, and the length of a BOM to skip.
    fn start(
        &self,
        mark: Option<Order>,
        input: &[u8],
        mode: Mode,
        sink: &mut Sink<'_>,
    ) -> (Order, usize) {
        let by_definition = mode == Mode::Strict && self.marks != Marks::Web;
        match (mark, self.labelled) {
            (Some(found), label) if self.marks == Marks::Keep => (label.unwrap_or(found), 0),
            (Some(found), Some(label)) if by_definition && found == label => (label, 0),
            (Some(found), Some(label)) if by_definition && found != label => {
                sink.replace(0..4, LossKind::OppositeByteOrderMark);
                (label, 4)
            }
            (Some(found), label) => {
                let opposite = label.is_some_and(|label| label != found);
                let kind = if opposite {
                    LossKind::OppositeByteOrderMark
                } else {
                    LossKind::ByteOrderMark
                };
                sink.note(0..4, kind);
                (found, 4)
            }
            (None, Some(label)) => (label, 0),
            (None, None) => {
                let little = mode == Mode::Lenient
                    && !valid(input, Order::Big)
                    && valid(input, Order::Little);
                (if little { Order::Little } else { Order::Big }, 0)
            }
        }
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
    use crate::{Charset, LossLog};

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
