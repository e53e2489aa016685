//! Positions in a message.

use std::ops::Range;

/// A half-open byte range of a message, in the coordinates of the raw message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// The span `start..end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The bytes that this span covers in `raw`.
    pub fn of(self, raw: &[u8]) -> &[u8] {
        &raw[self.start..self.end]
    }

    /// Length in bytes.
    pub const fn len(self) -> usize {
        self.end - self.start
    }

    /// True when it covers no byte.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// A span given relative to this one's start, in the coordinates of the message.
    pub const fn at(self, relative: &Range<usize>) -> Self {
        Self {
            start: self.start + relative.start,
            end: self.start + relative.end,
        }
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self {
            start: range.start,
            end: range.end,
        }
    }
}
