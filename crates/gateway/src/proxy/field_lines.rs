//! Tells lines of header fields from lines of text in content, as far as that is known without its boundaries.
//!
//! # Limits
//! A line that begins with `--` counts as a delimiter, and the lines up to the next empty one as fields of a part. The header of a message in
//! a message counts as text.

/// Reads corrected content, line by line.
#[derive(Debug)]
pub(super) struct FieldLines {
    /// True in the header of the message or of a part.
    in_header: bool,
    start: LineStart,
}

/// How a line begins, as far as it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineStart {
    Empty,
    Hyphen,
    /// `--`
    Delimiter,
    Other,
}

impl Default for FieldLines {
    fn default() -> Self {
        Self {
            in_header: true,
            start: LineStart::Empty,
        }
    }
}

impl FieldLines {
    /// Reads bytes of a line, without its end.
    pub(super) fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.start = match (self.start, byte) {
                (LineStart::Empty, b'-') => LineStart::Hyphen,
                (LineStart::Hyphen, b'-') => LineStart::Delimiter,
                (LineStart::Empty | LineStart::Hyphen, _) => LineStart::Other,
                (LineStart::Delimiter | LineStart::Other, _) => return,
            };
        }
    }

    pub(super) fn end_line(&mut self) {
        match self.start {
            LineStart::Empty => self.in_header = false,
            LineStart::Delimiter => self.in_header = true,
            LineStart::Hyphen | LineStart::Other => (),
        }
        self.start = LineStart::Empty;
    }

    /// Returns true if a line end here would make a field of what follows.
    pub(super) fn is_within(&self) -> bool {
        self.in_header || self.start == LineStart::Delimiter
    }
}
