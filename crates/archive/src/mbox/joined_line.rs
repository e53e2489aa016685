//! Searches for separators inside a line, as `read::inside_line` accepts them, so that a writer can mark the message.
//!
//! # Limits
//! Does not know the form of the other separators in the mailbox: each form counts.

use super::from_line::{FROM, FromLine, Shape, starts_line};
use super::separator_header::has_usual_fields;
use super::split::{BEHIND, FULL_HEADER, LONGEST_LINE, NEAR, may_be_unusual_separator, quoted};
use crate::following_line::FollowingLine;
use crate::line_ends::{open_line, split_line};

/// Number of usual fields that must follow a separator inside a line, if it has a date.
const AFTER_DATE: u32 = 2;

/// Returns the number of usual fields that must follow `From ` at `at`, inside a line. None if it and the rest of its line are text.
///
/// `data` reaches [`BEHIND`] bytes back.
pub(super) fn fields_needed(data: &[u8], at: usize) -> Option<u32> {
    if is_after_blank(data, at) {
        return None;
    }
    let (line, _) = split_line(&data[at..]);
    // Only the last one of a line can end it. So a line full of them costs little.
    if FROM.find(&line[b"From ".len()..]).is_some() {
        return None;
    }
    let form = FromLine::classify(&line[..line.len().min(LONGEST_LINE)]);
    let needed = match form.shape {
        Shape::Git => return None,
        _ if form.dated => AFTER_DATE,
        shape if may_be_unusual_separator(shape, line) => FULL_HEADER,
        _ => return None,
    };
    let may_begin =
        line.len() <= LONGEST_LINE && quoted(data, at).is_none() && !is_field(line_start(data, at));
    may_begin.then_some(needed)
}

/// Returns true if a blank precedes `at`, as it does in prose: `what I have From Ann`. Excludes nearly all of it without a search.
pub(super) fn is_after_blank(data: &[u8], at: usize) -> bool {
    at.checked_sub(1)
        .is_some_and(|before| matches!(data[before], b' ' | b'\t'))
}

/// Returns true if a message or its last line may end before `at`. It may end in a letter, a digit, or the end of a sentence, of a tag or
/// of a multipart. It may also end in the bytes that copying leaves. Code, markup and quotations end otherwise.
pub(super) fn may_end_message(data: &[u8], at: usize) -> bool {
    const MARK: &[u8] = b"\xEF\xBB\xBF";
    let line = line_start(data, at);
    let is_escape = || {
        line.len() > 2
            && line[line.len() - 3] == b'='
            && line[line.len() - 2..].iter().all(u8::is_ascii_hexdigit)
    };
    match line.last() {
        Some(0 | 0x0C | 0x1A | b'.' | b'!' | b'?') => true,
        Some(last) if last.is_ascii_alphanumeric() => !is_escape(),
        Some(b'=') => !line.contains(&b' '),
        Some(b'-') => {
            line.starts_with(b"--")
                && line.ends_with(b"--")
                && line.iter().any(u8::is_ascii_alphanumeric)
        }
        Some(b'>') => line
            .windows(2)
            .rposition(|pair| pair[0] == b'<')
            .is_some_and(|tag| line[tag + 1] == b'/'),
        _ => line.ends_with(MARK),
    }
}

/// Returns the text of the line before `at`.
fn line_start(data: &[u8], at: usize) -> &[u8] {
    open_line(&data[at.saturating_sub(BEHIND)..at])
}

/// Returns true for a field without a value (`X-From-Line:`), and for a known field (`Subject: "`).
fn is_field(text: &[u8]) -> bool {
    match FollowingLine::of(text) {
        FollowingLine::Known => true,
        FollowingLine::Field => text.ends_with(b":"),
        FollowingLine::Other => false,
    }
}

/// Searches a text in pieces for separators inside lines.
#[derive(Default)]
pub(super) struct JoinedLineSearch {
    /// The end of the text so far: what was not searched, and some bytes before.
    window: Vec<u8>,
    /// Index in the window where the search continues.
    next: usize,
    found: bool,
}

impl JoinedLineSearch {
    /// Searches the text with its next piece.
    pub(super) fn push(&mut self, piece: &[u8]) {
        self.window.extend_from_slice(piece);
        let known = self.window.len().saturating_sub(NEAR);
        self.found |= has_joined_line(&self.window, self.next..known);
        self.next = self.next.max(known);
        let done = self.next.saturating_sub(BEHIND);
        self.window.drain(..done);
        self.next -= done;
    }

    /// Returns true if a separator inside a line is in the text.
    pub(super) fn end(self) -> bool {
        self.found || has_joined_line(&self.window, self.next..self.window.len())
    }
}

/// Returns true if a separator inside a line begins in the range of `text`.
pub(super) fn has_joined_line(text: &[u8], range: std::ops::Range<usize>) -> bool {
    let end = text.len().min(range.end + b"From ".len() - 1);
    let Some(part) = text.get(range.start..end) else {
        return false;
    };
    FROM.find_iter(part).any(|found| {
        let at = range.start + found;
        let near = &text[..text.len().min(at + NEAR)];
        at > 0
            && !starts_line(near, at, true)
            && fields_needed(near, at).is_some_and(|needed| has_usual_fields(&near[at..], needed))
    })
}
