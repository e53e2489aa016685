//! Tells lines of header fields from lines of text in content, as far as that is known without its boundaries.
//!
//! # Limits
//! A line that begins with `--` counts as a delimiter, and the lines up to the next empty one as fields of a part. If these name a type
//! `message/`, all lines up to the next delimiter count as fields. They are those of a message in a message, or of a delivery status.

/// Reads corrected content, line by line.
#[derive(Debug)]
pub(super) struct FieldLines {
    /// True in the header of the message or of a part.
    in_header: bool,
    /// True behind a header that has [`MESSAGE`], up to the next delimiter.
    in_message: bool,
    /// How much of [`MESSAGE`] was just read in a header; all of it from its first occurrence on.
    matched: usize,
    start: LineStart,
}

/// The start of a media type whose body has fields, in lower case. Its first letter occurs once.
const MESSAGE: &[u8] = b"message/";

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
            in_message: false,
            matched: 0,
            start: LineStart::Empty,
        }
    }
}

impl FieldLines {
    /// Reads bytes of a line, without its end.
    pub(super) fn read(&mut self, bytes: &[u8]) {
        if self.in_header {
            self.find_message(bytes);
        }
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
            LineStart::Empty if self.in_header => {
                self.in_header = false;
                self.in_message = self.matched == MESSAGE.len();
            }
            LineStart::Delimiter => {
                self.in_header = true;
                self.in_message = false;
                self.matched = 0;
            }
            LineStart::Empty => (),
            LineStart::Hyphen | LineStart::Other => (),
        }
        self.start = LineStart::Empty;
    }

    /// Returns true if a line end here would make a field of what follows.
    pub(super) fn is_within(&self) -> bool {
        self.in_header || self.in_message || self.start == LineStart::Delimiter
    }

    fn find_message(&mut self, bytes: &[u8]) {
        for byte in bytes.iter().map(u8::to_ascii_lowercase) {
            match MESSAGE.get(self.matched) {
                None => return,
                Some(next) if *next == byte => self.matched += 1,
                Some(_) => self.matched = usize::from(byte == MESSAGE[0]),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns for each line whether its end would be within fields. Lines are read in pieces of `step` bytes.
    fn within(content: &str, step: usize) -> Vec<bool> {
        let mut fields = FieldLines::default();
        content
            .lines()
            .map(|line| {
                line.as_bytes()
                    .chunks(step)
                    .for_each(|piece| fields.read(piece));
                let is_within = fields.is_within();
                fields.end_line();
                is_within
            })
            .collect()
    }

    #[test]
    fn lines_of_headers_and_of_messages_within_are_fields() {
        for step in [1, 3, 100] {
            for (content, expected) in [
                ("A: b\n\ntext\n\ntext", [true, true, false, false, false]),
                ("A: b\n\n--b\nA: b\n\ntext", [true, true, true, true, true]),
                ("A: mMessage/RFC822\n\nB: c\n\ntext", [true; 5]),
                (
                    "A: b\n\nmessage/\n\ntext",
                    [true, true, false, false, false],
                ),
            ] {
                assert_eq!(within(content, step)[..5], expected, "{content:?}");
            }
            let part = "A: message/rfc822\n\nB: c\n--b\nA: text/plain\n\ntext";
            assert_eq!(
                within(part, step),
                [true, true, true, true, true, true, false]
            );
        }
    }
}
