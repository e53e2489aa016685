//! Marks the separator of a message that leaves a multipart open, or has a possible separator inside a line.
//!
//! The reader rejects some `From ` lines inside an open multipart (see `read::open_multipart`), and accepts some that do not start a
//! line (see `read::inside_line`). In a mailbox that this crate
//! writes, every unquoted `From ` line is a separator. The writer marks separators where the reader could decide otherwise:
//!
//! ```text
//! From user@example.org Mon Jan  1 00:00:00 2001 -0000
//! ```
//!
//! The time of a separator line is UTC; `-0000` says so and names no local zone (RFC 5322, section 3.3). Mail readers accept a zone
//! there. The message after a marked separator ends at the next line that [`separator_for`](super::separator_for) keeps and that
//! follows an empty line. All other messages that this crate writes close their multiparts, and the multipart rule does not apply
//! to them. So a written mailbox reads as the messages that were written, whatever their content.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::delimiters::Delimiters;
use super::from_line::{MARK, is_plain, is_plain_or_marked};
use super::joined_line::{JoinedLineSearch, has_joined_line};

/// Returns true if the reader would see an open multipart at the end of `text`, or a separator inside a line of it.
///
/// `text` is a message as it stands in a mailbox, quoted, and the line ends after it. Pass `has_from: false` only if
/// `text` has no `From ` at all, not even inside a line. The search for separators inside lines is then left out.
pub fn needs_mark(text: &[u8], has_from: bool) -> bool {
    debug_assert!(has_from || memchr::memmem::find(text, b"From ").is_none());
    may_open_multipart(&text[..header_end(text)]) && is_open_with_either_line_end(text)
        || has_from && has_joined_line(text, 0..text.len())
}

/// Like [`needs_mark`], for a text in pieces. Copies at most 2 MiB of it.
///
/// `head` is the text up to its first empty line that ends in LF or CR LF, or longer.
pub fn pieces_need_mark<'a>(head: &[u8], pieces: impl IntoIterator<Item = &'a [u8]>) -> bool {
    let may_open = may_open_multipart(&head[..header_end(head)]);
    let mut multiparts = may_open.then(PiecedText::default);
    let mut joined_lines = JoinedLineSearch::default();
    for piece in pieces {
        for part in piece.chunks(PIECE) {
            joined_lines.push(part);
            if let Some(text) = &mut multiparts {
                text.push(part);
            }
        }
    }
    joined_lines.end() || multiparts.is_some_and(PiecedText::end)
}

/// Bytes of a text that are read at once.
const PIECE: usize = 1 << 20;

/// Follows the multiparts of a text that comes in pieces.
struct PiecedText {
    /// Follows lines that end in LF, and lines that also end in a lone CR.
    delimiters: [Delimiters; 2],
    window: Vec<u8>,
    /// Offset of the window in the text.
    base: usize,
    /// Number of bytes of the window that were read.
    read: usize,
    has_lone_cr: bool,
}

impl Default for PiecedText {
    fn default() -> Self {
        let mut delimiters = [false, true].map(Delimiters::new);
        for reader in &mut delimiters {
            reader.begin(0);
        }
        Self {
            delimiters,
            window: Vec::new(),
            base: 0,
            read: 0,
            has_lone_cr: false,
        }
    }
}

impl PiecedText {
    /// Number of bytes before the next line that a reader looks at.
    const BEHIND: usize = 16;

    fn push(&mut self, part: &[u8]) {
        self.window.extend_from_slice(part);
        let ahead = Delimiters::reach() as usize;
        if self.window.len() > PIECE + ahead {
            self.advance(self.window.len() - ahead);
            let done = self.read.saturating_sub(Self::BEHIND);
            self.window.drain(..done);
            self.base += done;
            self.read -= done;
        }
    }

    fn advance(&mut self, to: usize) {
        let lone = |at: usize| self.window.get(self.read + at + 1) != Some(&b'\n');
        self.has_lone_cr |= memchr::memchr_iter(b'\r', &self.window[self.read..to]).any(lone);
        for reader in &mut self.delimiters {
            reader.advance_to(&self.window, self.base as u64, (self.base + to) as u64);
        }
        self.read = to;
    }

    /// Returns true if a multipart is open after the last piece.
    fn end(mut self) -> bool {
        self.advance(self.window.len());
        let [lines, with_lone_cr] = &self.delimiters;
        !lines.is_empty() || self.has_lone_cr && !with_lone_cr.is_empty()
    }
}

/// Returns true if the header of a message may declare the outermost multipart, or the message that contains it.
fn may_open_multipart(header: &[u8]) -> bool {
    static DECLARATIONS: LazyLock<[Finder<'static>; 2]> =
        LazyLock::new(|| ["oundary", "OUNDARY"].map(Finder::new));
    DECLARATIONS.iter().any(|name| name.find(header).is_some()) || has_message_type(header)
}

/// Returns true if a multipart is open at the end of `text`. Reads all of it.
pub(super) fn is_open_with_either_line_end(text: &[u8]) -> bool {
    // Whether lone CRs end lines depends on the whole mailbox.
    let lone_cr = memchr::memchr_iter(b'\r', text).any(|at| text.get(at + 1) != Some(&b'\n'));
    is_open_at_end(text, false) || lone_cr && is_open_at_end(text, true)
}

/// Returns the offset of the first empty line that ends in LF or CR LF. The header ends there, or earlier if lone CRs end lines.
fn header_end(text: &[u8]) -> usize {
    static EMPTY: LazyLock<[Finder<'static>; 2]> =
        LazyLock::new(|| ["\n\n", "\n\r\n"].map(Finder::new));
    // At the end of a text, its last line end ends the header, too.
    let last = text.strip_suffix(b"\r").unwrap_or(text);
    let last = last.strip_suffix(b"\n").map_or(text.len(), <[u8]>::len);
    // Lines end alike as a rule, so the second search stays within the header.
    let is_crlf = memchr::memchr(b'\n', text).is_some_and(|at| text[..at].ends_with(b"\r"));
    let [lf, crlf] = &*EMPTY;
    let searches = if is_crlf { [crlf, lf] } else { [lf, crlf] };
    searches.iter().fold(last, |end, line| {
        let within = &text[..text.len().min(end + line.needle().len())];
        line.find(within).map_or(end, |at| at.min(end))
    })
}

/// Returns true if the header may contain a media type `message/…`.
fn has_message_type(header: &[u8]) -> bool {
    const TOP: usize = b"message".len();
    let is_message = |slash: usize| {
        slash
            .checked_sub(TOP)
            .is_some_and(|start| header[start..slash].eq_ignore_ascii_case(b"message"))
    };
    memchr::memchr_iter(b'/', header).any(is_message)
}

fn is_open_at_end(text: &[u8], bare_cr: bool) -> bool {
    let mut delimiters = Delimiters::new(bare_cr);
    delimiters.begin(0);
    delimiters.advance_to(text, 0, text.len() as u64);
    !delimiters.is_empty()
}

/// Marks the separator line at `start..end`, which includes the line end. Returns the number of inserted bytes.
pub fn mark_separator(out: &mut Vec<u8>, start: usize, end: usize) -> usize {
    let line = line_of(&out[start..end]).len();
    out.splice(start + line..start + line, MARK.iter().copied());
    MARK.len()
}

/// Returns true for a marked separator line.
pub(super) fn is_marked(line: &[u8]) -> bool {
    unmarked(line).is_some()
}

/// Returns true for a separator line as this crate writes it, marked or not.
pub(super) fn is_written(line: &[u8]) -> bool {
    is_plain_or_marked(line_of(line))
}

/// Returns a marked separator line without its mark, and its line end.
pub(super) fn unmarked(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (text, end) = line.split_at(line_of(line).len());
    let text = text.strip_suffix(MARK)?;
    is_plain(text).then_some((text, end))
}

/// Returns a line without its end.
fn line_of(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with the definition, line by line, for every text of `a`, LF and CR with at most nine bytes.
    #[test]
    fn headers_end_at_the_first_empty_line() {
        let expected = |text: &[u8]| {
            let is_end = |lf: &usize| {
                matches!(
                    text[lf + 1..],
                    [b'\n', ..] | [b'\r', b'\n', ..] | [] | [b'\r']
                )
            };
            let mut line_ends = memchr::memchr_iter(b'\n', text);
            line_ends.find(is_end).unwrap_or(text.len())
        };
        for length in 0..=9 {
            for number in 0..3_usize.pow(length) {
                let byte = |at: u32| b"a\n\r"[number / 3_usize.pow(at) % 3];
                let text: Vec<u8> = (0..length).map(byte).collect();
                assert_eq!(
                    header_end(&text),
                    expected(&text),
                    "{}",
                    text.escape_ascii()
                );
            }
        }
    }

    #[test]
    fn marks_are_added_and_removed() {
        for (line, marked) in [
            (
                &b"From a@b Mon Jan  1 00:00:00 2001\n"[..],
                &b"From a@b Mon Jan  1 00:00:00 2001 -0000\n"[..],
            ),
            (
                b"From a@b Mon Jan  1 00:00:00 2001\r\n",
                b"From a@b Mon Jan  1 00:00:00 2001 -0000\r\n",
            ),
            (
                b"From a@b Mon Jan  1 00:00:00 2001\r",
                b"From a@b Mon Jan  1 00:00:00 2001 -0000\r",
            ),
        ] {
            let mut out = [b"x", line, b"y"].concat();
            assert_eq!(mark_separator(&mut out, 1, 1 + line.len()), MARK.len());
            assert_eq!(out, [b"x", marked, b"y"].concat());
            assert!(
                is_marked(marked) && !is_marked(line) && is_written(line) && is_written(marked)
            );
            let (text, end) = unmarked(marked).unwrap();
            assert_eq!([text, end].concat(), line);
        }
        assert!(is_marked(b"From - Mon Jan  1 00:00:00 2001 -0000\n"));
        assert!(!is_marked(b"From a at b Mon Jan  1 00:00:00 2001 -0000\n"));
        assert!(!is_written(b"From a@b Mon Jan  1 00:00:00 2001 +0000\n"));
    }

    #[test]
    fn open_multiparts_are_detected() {
        let header = "Content-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n";
        for (text, open) in [
            ("Subject: x\n\ntext\n\n".to_owned(), false),
            (header.to_owned(), true),
            (
                "\nxFrom a@b Mon Jan  1 00:00:00 2001\nTo: x\n\n".to_owned(),
                false,
            ),
            (
                "\nxFrom a@b Mon Jan  1 00:00:00 2001\nTo: x\nFrom: y\n\n".to_owned(),
                true,
            ),
            (
                format!(
                    "{}xFrom a@b Mon Jan  1 00:00:00 2001\nTo: x\nFrom: y\n{0}",
                    "x\n".repeat(9000)
                ),
                true,
            ),
            (header.replace('\n', "\r"), true),
            (header.replace('\n', "\r\n"), true),
            (format!("{header}--b--\n\n"), false),
            (format!("{header}--b--"), false),
            (format!("{header}{}", "x\n".repeat(600_000)), false),
            (format!("{header}{}--b\n", "x\n".repeat(1_600_000)), true),
            (
                format!("{header}{}\n--b\r\r", "x\n".repeat(1_600_000)),
                true,
            ),
        ] {
            let text = text.as_bytes();
            assert_eq!(needs_mark(text, true), open, "{}", text.len());
            for length in [7, 5000, 3 << 20] {
                let pieces = text.chunks(length);
                assert_eq!(pieces_need_mark(text, pieces), open);
            }
        }
    }
}
