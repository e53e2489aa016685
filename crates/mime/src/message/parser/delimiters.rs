//! Finds the delimiters of open multiparts, and ends and begins parts at them.
//!
//! # Limits
//!
//! A line that only begins like a delimiter is compared with the boundaries of the four innermost open multiparts.

use super::Parser;
use crate::event::{Detail, EventKind, Reason};
use crate::message::lines::Line;
use crate::span::Span;
use mailglot_kernel::TextFinder;

static DASHES_AFTER_LF: TextFinder = TextFinder::new(b"\n--", [0, 2]);

/// Number of parts that gives `mime.many-parts`.
const MANY_PARTS: usize = 1_000;

/// A line that is a delimiter.
pub(super) struct Delimiter {
    /// Index of the multipart's frame on the stack.
    frame: usize,
    closing: bool,
    line: Line,
}

/// Number of innermost open multiparts whose boundaries are compared with the beginnings of lines.
const NEAREST: usize = 4;

impl Parser<'_> {
    /// Returns the next delimiter of an open multipart, at or after the line that begins at `from`.
    pub(super) fn next_delimiter(&mut self, from: usize) -> Option<Delimiter> {
        if self.open.is_empty() {
            return None;
        }
        let mut at = from;
        loop {
            if self.raw[at..].starts_with(b"--") {
                let line = self.lines.line(self.raw, at);
                let delimiter = self.delimiter(line);
                if delimiter.is_some() {
                    return delimiter;
                }
                self.note_stray(line);
            }
            at = self.next_dashes(at)?;
        }
    }

    /// Counts a line that begins like a delimiter of an open boundary, but has other text behind it: `--b1 text`.
    fn note_stray(&mut self, line: Line) {
        let text = &self.raw[line.start..line.end];
        let text = text.get(2..).unwrap_or_default();
        let mut open = self
            .stack
            .iter()
            .rev()
            .take(NEAREST)
            .filter_map(|frame| frame.boundary);
        let Some(index) = open.find(|&index| text.starts_with(&self.boundaries[index].1)) else {
            return;
        };
        // Lines are compared with the last boundaries only.
        match self
            .strays
            .iter_mut()
            .rev()
            .take(NEAREST)
            .find(|(known, ..)| *known == index)
        {
            Some((.., count)) => *count += 1,
            None => self
                .strays
                .push((index, Span::new(line.start, line.end), 1)),
        }
    }

    pub(super) fn report_strays(&mut self) {
        for (boundary, at, count) in std::mem::take(&mut self.strays) {
            let part = self.boundaries[boundary].0;
            let kind = EventKind::MimeAmbiguousBoundary;
            self.push_defect(part, kind, at, Reason::NotDelimiter, count);
        }
    }

    /// Returns the start of the next line after `from` that begins with two hyphens.
    fn next_dashes(&self, from: usize) -> Option<usize> {
        if !self.lines.bare_cr {
            return DASHES_AFTER_LF
                .find(&self.raw[from..])
                .map(|at| from + at + 1);
        }
        let mut at = from;
        loop {
            at += 1 + memchr::memchr2(b'\r', b'\n', self.raw.get(at..)?)?;
            if self.raw[at..].starts_with(b"--") {
                return Some(at);
            }
        }
    }

    /// Returns the lines that begin with two hyphens, from the line at `from` on.
    pub(super) fn dashed_lines(&self, from: usize) -> impl Iterator<Item = Line> {
        let first = if self.raw[from..].starts_with(b"--") {
            Some(from)
        } else {
            self.next_dashes(from)
        };
        std::iter::successors(first, |at| self.next_dashes(*at))
            .map(|at| self.lines.line(self.raw, at))
    }

    /// Returns the text between the two hyphens at the start of a line and the white space at its end.
    pub(super) fn delimiter_name(&self, line: Line) -> &[u8] {
        self.raw[line.start + 2..line.end].trim_ascii_end()
    }

    /// Returns the delimiter in a line, if the line is one.
    pub(super) fn delimiter(&self, line: Line) -> Option<Delimiter> {
        let text = self.raw[line.start..line.end]
            .strip_prefix(b"--")
            .filter(|_| !self.open.is_empty())?;
        let length = text
            .iter()
            .rposition(|b| !matches!(b, b' ' | b'\t' | b'\r'))
            .map_or(0, |last| last + 1);
        if length > self.longest + 2 {
            return None;
        }
        let innermost = |boundary: &[u8]| {
            self.open
                .get(boundary)
                .and_then(|frames| frames.last().copied())
        };
        let text = &text[..length];
        let opening = innermost(text);
        let closing = text.strip_suffix(b"--").and_then(innermost);
        // Both match if one boundary is another one with two hyphens after it.
        let frame = opening.max(closing)?;
        Some(Delimiter {
            frame,
            closing: opening != Some(frame),
            line,
        })
    }

    /// Closes the parts that a delimiter ends, and opens the part that it begins. Returns where the scan continues.
    pub(super) fn apply_delimiter(&mut self, delimiter: &Delimiter) -> usize {
        let Line { start, next, .. } = delimiter.line;
        self.close_above(
            delimiter.frame + 1,
            self.lines.end_before(self.raw, start),
            start,
        );
        let part = self.stack[delimiter.frame].part;
        if delimiter.closing {
            if let Some(boundary) = self.stack[delimiter.frame].boundary {
                self.close_boundary(boundary);
            }
            if self.stack[delimiter.frame].children == 0 {
                self.make_opaque(part, Reason::NoPart);
            }
            let frame = &mut self.stack[delimiter.frame];
            frame.boundary = None;
            frame.epilogue = (frame.children > 0).then_some(next);
            return next;
        }
        if self.parts.len() >= self.limits.parts {
            if !self.full {
                self.full = true;
                let rest = Span::new(start, self.raw.len());
                self.push_defect(part, EventKind::MimeDepth, rest, Reason::PartLimit, 1);
            }
            return next;
        }
        if self.parts.len() == MANY_PARTS {
            let at = Span::new(delimiter.line.start, delimiter.line.end);
            self.push_defect(part, EventKind::MimeManyParts, at, Detail::None, 1);
        }
        if self.stack[delimiter.frame].children == 0 {
            let preamble = self.parts[part.0 as usize].body.start;
            let end = self.lines.end_before(self.raw, start);
            self.note_outer_text(part, preamble, end);
        }
        self.open_part(next)
    }
}
