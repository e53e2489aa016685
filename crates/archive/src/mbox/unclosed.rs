//! A mark in the separator of a message whose multipart is not closed.
//!
//! The reader refuses a `From ` line inside an open multipart in some cases (see `read::open_multipart`). A mailbox that this crate writes
//! quotes every other `From ` line, so each unquoted one is a separator. The writer shows that where the reader could decide otherwise:
//!
//! ```text
//! From user@example.org Mon Jan  1 00:00:00 2001 -0000
//! ```
//!
//! The time of a separator line is UTC; `-0000` says so and names no local zone (RFC 5322, section 3.3). Mail readers accept a zone there.
//! The message behind a marked separator ends at the next line that [`separator_for`](super::separator_for) keeps and that stands behind
//! an empty line. All other messages that this crate writes leave no multipart open, and the multipart rule does not apply to them.
//! So a written mailbox reads as the messages that were written, whatever they hold.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::delimiters::Delimiters;
use super::from_line::is_plain;

/// What marks a separator, before its line end.
const MARK: &[u8] = b" -0000";

/// True if the reader would see an open multipart where `text` ends. `text` is a message as it stands in a mailbox, quoted, and the line
/// ends behind it.
pub fn leaves_multipart_open(text: &[u8]) -> bool {
    // Only the header of the message can declare the outermost multipart, or the message that holds it.
    static DECLARATIONS: LazyLock<[Finder<'static>; 2]> =
        LazyLock::new(|| ["oundary", "OUNDARY"].map(Finder::new));
    let header = &text[..header_end(text)];
    let declares = DECLARATIONS.iter().any(|name| name.find(header).is_some());
    if !declares && !has_message_type(header) {
        return false;
    }
    is_open_with_either_line_end(text)
}

/// True if a multipart is open where `text` ends. Reads all of it.
pub(super) fn is_open_with_either_line_end(text: &[u8]) -> bool {
    // Whether lone CRs end lines depends on the whole mailbox.
    let lone_cr = memchr::memchr_iter(b'\r', text).any(|at| text.get(at + 1) != Some(&b'\n'));
    is_open_at_end(text, false) || lone_cr && is_open_at_end(text, true)
}

/// Returns the offset of the first empty line that LF or CR LF ends: the header ends there or, where lone CRs end lines, before.
fn header_end(text: &[u8]) -> usize {
    let is_end = |lf: &usize| {
        matches!(
            text[lf + 1..],
            [b'\n', ..] | [b'\r', b'\n', ..] | [] | [b'\r']
        )
    };
    memchr::memchr_iter(b'\n', text)
        .find(is_end)
        .unwrap_or(text.len())
}

/// True if a media type `message/…` may stand in the header.
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
    delimiters.settle(text, 0, text.len() as u64);
    !delimiters.is_empty()
}

/// Marks the separator line, with line end, that stands at `start..end`. Returns the number of bytes that were inserted.
pub fn mark_separator(out: &mut Vec<u8>, start: usize, end: usize) -> usize {
    let line = line_of(&out[start..end]).len();
    out.splice(start + line..start + line, MARK.iter().copied());
    MARK.len()
}

/// True for a marked separator line.
pub(super) fn is_marked(line: &[u8]) -> bool {
    unmarked(line).is_some()
}

/// True for a separator line that this crate writes, marked or not.
pub(super) fn is_written(line: &[u8]) -> bool {
    let line = line_of(line);
    is_plain(line.strip_suffix(MARK).unwrap_or(line))
}

/// A marked separator line without its mark, and its line end.
pub(super) fn unmarked(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (text, end) = line.split_at(line_of(line).len());
    let text = text.strip_suffix(MARK)?;
    is_plain(text).then_some((text, end))
}

/// A line without its end.
fn line_of(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_come_and_go() {
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
        assert!(!is_marked(b"From - Mon Jan  1 00:00:00 2001 -0000\n"));
        assert!(!is_written(b"From a@b Mon Jan  1 00:00:00 2001 +0000\n"));
    }

    #[test]
    fn open_multiparts_are_seen() {
        let header = "Content-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n";
        for (text, open) in [
            ("Subject: x\n\ntext\n\n".to_owned(), false),
            (header.to_owned(), true),
            (header.replace('\n', "\r"), true),
            (header.replace('\n', "\r\n"), true),
            (format!("{header}--b--\n\n"), false),
            (format!("{header}--b--"), false),
            (format!("{header}{}", "x\n".repeat(600_000)), false),
        ] {
            assert_eq!(leaves_multipart_open(text.as_bytes()), open, "{text:.80}");
        }
    }
}
