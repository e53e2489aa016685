//! Positions in a message.

use std::ops::Range;

/// A half-open byte range in the coordinates of the raw message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// Creates the span `start..end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Returns the bytes of `raw` in this span.
    pub fn of(self, raw: &[u8]) -> &[u8] {
        &raw[self.start..self.end]
    }

    /// Returns the length in bytes.
    pub const fn len(self) -> usize {
        self.end - self.start
    }

    /// Returns true if the span is empty.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Converts a range relative to this span's start into a span of the message.
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
