//! Parses lines that can be delimiters of a multipart, and the relevant fields in the header of a part.
//!
//! # Limits
//! Does not recognize a delimiter of more than 100 bytes, including white space at its end.

use crate::line_ends::line_end_length;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::RangeInclusive;

/// Length of a boundary in bytes (RFC 2046, section 5.1.1).
const LENGTHS: RangeInclusive<usize> = 1..=70;
/// Longest line to examine, including the line end.
const LONGEST: usize = 100;
/// Number of bytes after a delimiter line that show whether a part begins there.
const BEHIND_LINE: usize = 80;
/// Number of bytes required from the start of a line.
pub(super) const REACH: usize = LONGEST + BEHIND_LINE;

/// A line that begins with `--`.
pub(super) struct DelimiterLine<'a> {
    /// The text after `--`, without white space at the end.
    name: &'a [u8],
    /// Number of bytes to the next line.
    pub(super) step: usize,
}

impl<'a> DelimiterLine<'a> {
    /// Parses the line at an index. Returns `None` if it is too long for a delimiter.
    pub(super) fn read(data: &'a [u8], start: usize, bare_cr: bool) -> Option<Self> {
        let window = &data[start..data.len().min(start + LONGEST)];
        let (length, step) = match next_end(window, 0, window.len(), bare_cr) {
            Some(end) => (end, end + line_end(&window[end..], bare_cr)?),
            None if window.len() == LONGEST => return None,
            None => (window.len(), window.len()),
        };
        Some(Self {
            name: window.get(2..length)?.trim_ascii_end(),
            step,
        })
    }

    /// Returns true if it has a letter or a digit, as all boundaries made by programs have.
    pub(super) fn has_word(&self) -> bool {
        self.name.iter().any(u8::is_ascii_alphanumeric)
    }

    /// Returns the boundary key if the line opens a part, and if it closes a multipart.
    pub(super) fn keys(&self) -> [Option<u64>; 2] {
        [
            boundary_key(self.name),
            self.name.strip_suffix(b"--").and_then(boundary_key),
        ]
    }
}

/// Returns the key of a boundary, or `None` if its length is invalid.
pub(super) fn boundary_key(name: &[u8]) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    LENGTHS.contains(&name.len()).then(|| hasher.finish())
}

/// Returns the key of the boundary declared in `value`, the text after the word `boundary`.
///
/// Also reads `boundary=3D"x"`, as quoted-printable writes a declaration in a text.
pub(super) fn declared_key(value: &[u8]) -> Option<u64> {
    let value = value
        .trim_ascii_start()
        .strip_prefix(b"=")?
        .trim_ascii_start();
    let value = value
        .strip_prefix(b"3D")
        .filter(|rest| rest.starts_with(b"\""))
        .unwrap_or(value);
    let name = match value.strip_prefix(b"\"") {
        Some(quoted) => quoted.split(|&byte| byte == b'"').next(),
        None => value
            .split(|byte| byte.is_ascii_whitespace() || *byte == b';')
            .next(),
    };
    boundary_key(name.unwrap_or_default().trim_ascii_end())
}

/// The text after a line that may open a part.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Behind {
    /// A field `Content-…:`.
    Field,
    /// An empty line, or the end of the file.
    Blank,
    /// Anything else: the line is text.
    Text,
}

impl Behind {
    /// Classifies `rest`, which begins after the line and ends 80 bytes later or at the end of the file.
    pub(super) fn of(rest: &[u8], bare_cr: bool) -> Self {
        let rest = &rest[..rest.len().min(BEHIND_LINE)];
        if begins_with(rest, b"content-") {
            let name = rest
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-')
                .count();
            let colon = rest[name..].trim_ascii_start().starts_with(b":");
            return if colon { Self::Field } else { Self::Text };
        }
        let blanks = rest
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count();
        let rest = &rest[blanks..];
        if rest.is_empty() || line_end(rest, bare_cr).is_some() {
            Self::Blank
        } else {
            Self::Text
        }
    }
}

/// Returns the length of the line end at the start of `bytes`.
///
/// A CR ends a line if LF follows (with other CRs between), or if lone CRs end lines.
#[inline]
pub(super) fn line_end(bytes: &[u8], bare_cr: bool) -> Option<usize> {
    let length = line_end_length(bytes);
    let is_bare = length == 1 && bytes[0] == b'\r';
    (length > 0 && (bare_cr || !is_bare)).then_some(length)
}

/// Returns the index of the first line end in `from..to`.
#[inline]
pub(super) fn next_end(data: &[u8], from: usize, to: usize, bare_cr: bool) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr::memchr2(b'\n', b'\r', &data[at..to])?;
        if data[at] == b'\n' || line_end(&data[at..], bare_cr).is_some() {
            return Some(at);
        }
        at += 1;
    }
}

/// Returns the value of a field, from the start of its line.
#[inline]
pub(super) fn field<'a>(line: &'a [u8], wanted: &[u8]) -> Option<&'a [u8]> {
    let (name, value) = line.split_at_checked(wanted.len())?;
    let value = value.trim_ascii_start().strip_prefix(b":")?;
    name.eq_ignore_ascii_case(wanted)
        .then(|| value.trim_ascii_start())
}

/// Returns true if `value` begins with `word`, ignoring case.
#[inline]
pub(super) fn begins_with(value: &[u8], word: &[u8]) -> bool {
    value
        .get(..word.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// Returns true for types whose body is a message with its own header.
pub(super) fn embeds(value: &[u8]) -> bool {
    [&b"message/rfc822"[..], b"message/global", b"message/news"]
        .iter()
        .any(|kind| begins_with(value, kind))
}

/// Returns true for types whose body is data, not lines of text.
pub(super) fn is_data(value: &[u8]) -> bool {
    [
        &b"application/"[..],
        b"image/",
        b"audio/",
        b"video/",
        b"font/",
        b"model/",
    ]
    .iter()
    .any(|top| begins_with(value, top))
}

/// Returns true if a line of Content-Type or Content-Disposition names a mailbox: `application/mbox`, `filename="list.mbox"`.
pub(super) fn names_mailbox(line: &[u8]) -> bool {
    memchr::memchr2_iter(b'm', b'M', line).any(|at| begins_with(&line[at..], b"mbox"))
}
