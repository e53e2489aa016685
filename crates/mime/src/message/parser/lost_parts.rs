//! Finds parts in the text before the first and after the last part of a multipart.
//!
//! ```text
//! --b--
//!
//! --b
//! Content-Type: text/plain
//!
//! this text is in no part
//! ```
//!
//! # Limits
//! A header without a field `Content-…` is text. At the start of the text, without a delimiter, it needs two of them.

use super::Parser;
use super::field_names::field_name;
use crate::event::{Detail, EventKind};
use crate::lexer;
use crate::message::part::PartKind;
use crate::part_id::PartId;
use crate::span::Span;
use std::ops::Range;

impl Parser<'_> {
    /// Reports the first header of a part in a preamble or epilogue of a multipart.
    pub(super) fn report_lost_part(&mut self, part: PartId, at: Span) {
        if self.parts[part.0 as usize].kind == PartKind::Opaque {
            return;
        }
        let text = at.of(self.raw);
        let Ok(index) = self.boundaries.binary_search_by_key(&part, |(id, _)| *id) else {
            return;
        };
        if let Some(header) = lost_header(text, &self.boundaries[index].1) {
            let at = at.at(&header);
            self.push_defect(part, EventKind::MimeLostPart, at, Detail::None, 1);
        }
    }
}

/// Returns the first header with a field `Content-…` at the start of a text or after a delimiter.
fn lost_header(text: &[u8], boundary: &[u8]) -> Option<Range<usize>> {
    let mut at = 0;
    // Number of fields `Content-…` that prove a header: at the start of the text, after a delimiter, and elsewhere.
    let mut needed = Some(2);
    while at < text.len() {
        let (line, next) = lexer::line_at(text, at);
        let line = &text[line];
        if is_delimiter(line, boundary) {
            needed = Some(1);
        } else if let Some(least) = needed.filter(|_| !line.trim_ascii().is_empty()) {
            needed = None;
            let (end, fields) = header(text, at);
            if fields >= least {
                return Some(at..end);
            }
            if end > at {
                at = end;
                continue;
            }
        }
        at = next;
    }
    None
}

/// Returns the end of the fields at `start`, and the number of fields `Content-…` among them; 0 unless an empty line follows.
fn header(text: &[u8], start: usize) -> (usize, usize) {
    let (mut at, mut count) = (start, 0);
    while at < text.len() {
        let (line, next) = lexer::line_at(text, at);
        let line = &text[line];
        let is_folded = at > start && matches!(line.first(), Some(b' ' | b'\t'));
        if !is_folded && field_name(line).is_none() {
            let is_header = line.trim_ascii().is_empty();
            return (at, if is_header { count } else { 0 });
        }
        count += usize::from(lexer::starts_without_case(line, b"content-"));
        at = next;
    }
    (at, 0)
}

fn is_delimiter(line: &[u8], boundary: &[u8]) -> bool {
    let name = line.strip_prefix(b"--").map(<[u8]>::trim_ascii_end);
    name == Some(boundary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::assert_linear;

    #[test]
    fn headers_of_lost_parts_are_found() {
        for (text, want) in [
            (
                "\n--b\nContent-Type: text/plain\n\nlost\n",
                Some("Content-Type: text/plain\n"),
            ),
            (
                "--b \r\ncontent-type: text/plain;\r\n charset=x\r\n\r\nlost",
                Some("content-type: text/plain;\r\n charset=x\r\n"),
            ),
            (
                "\nContent-Type: text/plain\nContent-ID: <a>\n\nlost\n",
                Some("Content-Type: text/plain\nContent-ID: <a>\n"),
            ),
            ("Subject: x\nContent-Type: text/plain\n\nlost\n", None),
            ("Content-Type: text/plain\n\nYour reader is old.\n", None),
            (
                "text\n\nSubject: x\n--b\nContent-ID: <a>\n\n",
                Some("Content-ID: <a>\n"),
            ),
            ("This is a message in MIME format.\n", None),
            ("See this:\nContent-Type: text/plain\n\n", None),
            ("Note: x\nContent-Type: text/plain\nlost\n", None),
            ("--c\nContent-Type: text/plain\n\n", None),
            ("text\n--c\nContent-Type: text/plain\n\n", None),
            ("--b\nSubject: x\n\n", None),
            ("--b\nContent-Type: text/plain", None),
            ("", None),
        ] {
            let found = lost_header(text.as_bytes(), b"b").map(|at| &text[at]);
            assert_eq!(found, want, "{text:?}");
        }
    }

    #[test]
    fn time_is_linear() {
        for unit in ["--b\n", "--b\na: b\n", "a: b\n", "\n"] {
            assert_linear(&unit, 300_000, |n| {
                let _ = lost_header(unit.repeat(n).as_bytes(), b"b");
            });
        }
    }
}
