//! Splits a message into lines.

use super::part::Eol;
use crate::lexer::line_end_length;

/// A line.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    pub(super) start: usize,
    /// End of the content, before the line end and stray CRs.
    pub end: usize,
    /// Start of the next line.
    pub next: usize,
}

/// The rule for line ends in this message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRule {
    pub(super) bare_cr: bool,
}

impl LineRule {
    /// Chooses the rule: a lone CR ends lines if CR CR, or the end of the message, comes before the first LF.
    pub fn of(raw: &[u8]) -> (Self, Eol) {
        let Some(lf) = memchr::memchr(b'\n', raw) else {
            let bare_cr = memchr::memchr(b'\r', raw).is_some();
            return (Self { bare_cr }, if bare_cr { Eol::Cr } else { Eol::Lf });
        };
        let head = trim_cr(raw, 0, lf);
        // Most first lines have no CR, and the setup of a search for two costs more than this search.
        let first = memchr::memchr(b'\r', &raw[..head]);
        let bare_cr =
            first.is_some_and(|at| memchr::memmem::find(&raw[at..head], b"\r\r").is_some());
        let eol = match (bare_cr, head < lf) {
            (true, _) => Eol::Cr,
            (false, true) => Eol::CrLf,
            (false, false) => Eol::Lf,
        };
        (Self { bare_cr }, eol)
    }

    /// Returns the line that begins at `start`.
    #[inline]
    pub fn line(self, raw: &[u8], start: usize) -> Line {
        let rest = &raw[start..];
        if self.bare_cr {
            let length = memchr::memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
            let end = start + length;
            let next = end + line_end_length(&rest[length..]);
            return Line { start, end, next };
        }
        let (lf, next) = match memchr::memchr(b'\n', rest) {
            Some(at) => (start + at, start + at + 1),
            None => (raw.len(), raw.len()),
        };
        Line {
            start,
            end: trim_cr(raw, start, lf),
            next,
        }
    }

    /// Returns the end of the line before the one at `start`, without its line end.
    pub(super) fn end_before(self, raw: &[u8], start: usize) -> usize {
        match &raw[..start] {
            [.., b'\r', b'\n'] => start - 2,
            [.., b'\n'] => start - 1,
            [.., b'\r'] if self.bare_cr => start - 1,
            _ => start,
        }
    }
}

fn trim_cr(raw: &[u8], start: usize, mut end: usize) -> usize {
    while end > start && raw[end - 1] == b'\r' {
        end -= 1;
    }
    end
}
