//! Iterates over the fields of a header.

use crate::line_ends::split_line;
use memchr::memchr;

/// Iterator over the header fields of a message. A value includes its folded lines.
pub(super) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(super) fn new(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    /// Returns what was not read yet. After the last field, that is the blank line and the body.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let mut end = 0;
            let mut length = 0;
            while length == 0 || matches!(self.rest.get(end), Some(b' ' | b'\t')) {
                let (line, next) = split_line(&self.rest[end..]);
                if line.is_empty() && length == 0 {
                    return None;
                }
                length = end + line.len();
                end += next;
                if next == line.len() {
                    break;
                }
            }
            let field = &self.rest[..length];
            self.rest = &self.rest[end..];
            if let Some(colon) = memchr(b':', field) {
                return Some((field[..colon].trim_ascii_end(), &field[colon + 1..]));
            }
        }
    }
}
