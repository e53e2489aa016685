//! Defines positions in a message.

use std::fmt;
use std::ops::Range;

/// A half-open byte range in the coordinates of the raw message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Span {
    /// The offset of the first byte.
    pub start: usize,
    /// The offset after the last byte.
    pub end: usize,
}

impl Span {
    /// Builds the span `start..end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Returns the bytes of `raw` at this span, or `None` if it lies outside.
    pub fn get(self, raw: &[u8]) -> Option<&[u8]> {
        raw.get(self.start..self.end)
    }

    /// Returns the bytes of `raw` at this span. Returns no bytes if it lies outside: see [`Self::get`].
    ///
    /// ```
    /// use mailglot_mime::Span;
    ///
    /// assert_eq!(Span::new(1, 3).of(b"mail"), b"ai");
    /// assert_eq!(Span::new(3, 9).of(b"mail"), b"");
    /// assert_eq!(Span::new(3, 9).get(b"mail"), None);
    /// ```
    pub fn of(self, raw: &[u8]) -> &[u8] {
        self.get(raw).unwrap_or_default()
    }

    /// Returns the length in bytes; 0 if the end lies before the start.
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Returns true if the span has no bytes, also if the end lies before the start.
    pub const fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// Returns the span without the ASCII white space at its start and end. It is empty if there is nothing else.
    pub(crate) fn trimmed(self, raw: &[u8]) -> Self {
        let text = self.of(raw);
        let start = self.start + (text.len() - text.trim_ascii_start().len());
        Self::new(start, start + text.trim_ascii().len())
    }

    /// Converts a range relative to the start of this span to a span of the message. Offsets that overflow become `usize::MAX`.
    pub const fn at(self, relative: &Range<usize>) -> Self {
        Self {
            start: self.start.saturating_add(relative.start),
            end: self.start.saturating_add(relative.end),
        }
    }
}

/// Writes `start..end`.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_range_does_not_overflow() {
        assert_eq!(Span::new(3, 9).at(&(1..2)), Span::new(4, 5));
        let far = Span::new(3, 9).at(&(1..usize::MAX));
        assert_eq!((far.start, far.end), (4, usize::MAX));
    }

    #[test]
    fn a_span_is_empty_if_its_length_is_zero() {
        for (start, end, length) in [(0, 0, 0), (3, 3, 0), (3, 2, 0), (2, 3, 1)] {
            let span = Span::new(start, end);
            assert_eq!(
                (span.len(), span.is_empty()),
                (length, length == 0),
                "{span}"
            );
        }
    }
}
