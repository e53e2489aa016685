//! Defines byte orders, the rules for byte order marks, and the length of the beginning that decides the order.
//!
//! # Limits
//! Finds no mark; the decoders of UTF-16 and UTF-32 do.

use crate::loss::LossKind;
use crate::options::{DecodeOptions, Marks};
use crate::sink::Sink;

/// Bytes that the statistics look at.
pub(super) const WINDOW: usize = 1024;

/// Most significant byte first, or last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Big,
    Little,
}

impl Order {
    /// Returns the unit of two bytes.
    pub(super) fn unit(self, pair: &[u8]) -> u16 {
        let bytes = [pair[0], pair[1]];
        match self {
            Self::Big => u16::from_be_bytes(bytes),
            Self::Little => u16::from_le_bytes(bytes),
        }
    }
}

/// Applies a byte order mark of `len` bytes. Returns the byte order of the text, and the number of bytes to skip.
pub(crate) fn apply_mark(
    mark: Order,
    len: usize,
    label: Option<Order>,
    options: DecodeOptions,
    sink: &mut Sink<'_>,
) -> (Order, usize) {
    let range = 0..len as u64;
    match label {
        _ if options.mark_rules() == Marks::Keep => (label.unwrap_or(mark), 0),
        // RFC 2781, sections 4.1 and 4.2: with the order in the label, U+FEFF is text and its mirror an error.
        Some(label) if options.by_definition() && label == mark => (label, 0),
        Some(label) if options.by_definition() => {
            sink.replace(range, LossKind::OppositeByteOrderMark);
            (label, len)
        }
        Some(label) if label != mark => {
            sink.note(range, LossKind::OppositeByteOrderMark);
            (mark, len)
        }
        _ => {
            sink.note(range, LossKind::ByteOrderMark);
            (mark, len)
        }
    }
}
