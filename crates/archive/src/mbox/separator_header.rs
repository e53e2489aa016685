//! Reads the lines after a possible separator, to test whether they are the header of a message.
//!
//! # Limits
//! Reads only as many bytes as the caller has, and only the fields that mail programs put into nearly every message.

use crate::following_line::{FollowingLine, is_from_line};
use crate::line_ends::split_line;

/// Fields of the header of nearly every message.
const FIELDS: [&[u8]; 7] = [
    b"from",
    b"date",
    b"message-id",
    b"received",
    b"to",
    b"subject",
    b"return-path",
];
/// The author, among [`FIELDS`].
const FROM: u8 = 1;
/// Date, Message-ID and Received, among [`FIELDS`].
const ORIGIN: u8 = 0b1110;

/// Largest number of `From ` and `>From ` lines between a separator and a header.
pub(super) const MOST_FROM_LINES: usize = 16;

/// A set of the fields that occur in nearly every message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UsualFields(u8);

impl UsualFields {
    /// Reads the fields in `header`, which begins with a separator or after it, until `is_enough` returns true for them.
    ///
    /// Skips `From ` and `>From ` lines at the start. Reads up to the first line that is not a field, or to the end of `header`.
    pub(super) fn read(header: &[u8], is_enough: impl Fn(Self) -> bool) -> Self {
        let (mut rest, mut from_lines, mut fields) = (header, 0, Self::default());
        while !rest.is_empty() && !is_enough(fields) {
            let (line, step) = split_line(rest);
            rest = &rest[step..];
            if is_from_line(line) && from_lines < MOST_FROM_LINES {
                from_lines += 1;
                continue;
            }
            from_lines = MOST_FROM_LINES;
            if matches!(line.first(), Some(b' ' | b'\t')) {
                continue;
            }
            if FollowingLine::of(line) == FollowingLine::Other {
                break;
            }
            let is = |name: &&[u8]| {
                line.get(..name.len())
                    .is_some_and(|start| start.eq_ignore_ascii_case(name))
                    && matches!(line.get(name.len()), Some(b':' | b' ' | b'\t'))
            };
            if let Some(index) = FIELDS.iter().position(is) {
                fields.0 |= 1 << index;
            }
        }
        fields
    }

    /// Returns the number of different fields.
    pub(super) fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns true for From and one of Date, Message-ID and Received.
    fn has_author_and_origin(self) -> bool {
        self.0 & FROM != 0 && self.0 & ORIGIN != 0
    }
}

/// Returns true if `header`, after a separator line, belongs to a message: it has From and one of Date, Message-ID and Received.
pub(super) fn is_mail_header(header: &[u8]) -> bool {
    UsualFields::read(header, UsualFields::has_author_and_origin).has_author_and_origin()
}

/// Returns true if at least `least` of the usual fields are in `header`.
pub(super) fn has_usual_fields(header: &[u8], least: u32) -> bool {
    UsualFields::read(header, |fields| fields.count() >= least).count() >= least
}

/// Returns true if a line of text ends the fields at the start of `header`, before any known field, and no empty line does.
pub(super) fn ends_in_text(header: &[u8]) -> bool {
    let mut rest = header;
    while !rest.is_empty() {
        let (line, step) = split_line(rest);
        rest = &rest[step..];
        let is_continuation = matches!(line.first(), Some(b' ' | b'\t'));
        match FollowingLine::of(line) {
            FollowingLine::Known => return false,
            FollowingLine::Other if !is_continuation && !is_from_line(line) => {
                return !line.is_empty();
            }
            _ => {}
        }
    }
    false
}

/// Returns true if `line`, the last line of text before a candidate, introduces a pasted message.
///
/// ```text
/// This is what I got:
/// ----- Forwarded message -----
/// ```
pub(super) fn introduces_pasted_mail(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.ends_with(b":") || is_rule_with_words(line) || names_original(line)
}

/// Returns true for words between two rows of the same sign. They do not say that something ends, and are no delimiter of a multipart,
/// which has no blank or a `=`.
///
/// ```text
/// -----END PGP SIGNATURE-----
/// --=_NextPart 01--
/// ```
fn is_rule_with_words(line: &[u8]) -> bool {
    let sign = line.first().filter(|sign| b"-=*_#~".contains(*sign));
    let Some(sign) = sign.filter(|_| line.contains(&b' ')) else {
        return false;
    };
    if !line.starts_with(&[*sign; 2]) || !line.ends_with(&[*sign; 2]) {
        return false;
    }
    let other = |byte: &u8| byte != sign;
    let start = line.iter().position(other).unwrap_or(line.len());
    let text = line[start..].trim_ascii_start();
    let is_end = text
        .split(|byte| !byte.is_ascii_alphabetic())
        .next()
        .is_some_and(|word| word.eq_ignore_ascii_case(b"end"));
    let is_delimiter = *sign == b'-' && text.contains(&b'=');
    !is_end && !is_delimiter
}

/// Returns true for a line with `forwarded message` or `original message`, in any case.
fn names_original(line: &[u8]) -> bool {
    const MESSAGE: &[u8] = b"message";
    // Every message ends in a line that is searched here, so nothing is allocated.
    memchr::memchr2_iter(b'm', b'M', line).any(|at| {
        let ends = |words: &&[u8]| {
            at.checked_sub(words.len())
                .is_some_and(|start| line[start..at].eq_ignore_ascii_case(words))
        };
        line.get(at..at + MESSAGE.len())
            .is_some_and(|word| word.eq_ignore_ascii_case(MESSAGE))
            && [&b"forwarded "[..], b"original "].iter().any(ends)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_fields_are_counted_once() {
        for (header, count, is_mail) in [
            (&b""[..], 0, false),
            (b"From: a\nFrom: b\nDate: x\n\nTo: c\n", 2, true),
            (
                b"From a@b.example\n>From x\nTO : a\nsubject:\n folded\nx-a: b\nfrom: c\n",
                3,
                false,
            ),
            (
                b"Return-Path: <a>\r\r\nReceived: b\r\r\nFrom: c\r\r\n\r\r\n",
                3,
                true,
            ),
            (b"To: you\ntext\nFrom: a\nDate: b\n", 1, false),
        ] {
            assert_eq!(UsualFields::read(header, |_| false).count(), count);
            assert_eq!(is_mail_header(header), is_mail);
            assert!(has_usual_fields(header, count) && !has_usual_fields(header, count + 1));
        }
    }

    #[test]
    fn text_behind_lines_that_look_like_fields() {
        for (header, expected) in [
            (&b""[..], false),
            (b"note: this\nnothing else\n", true),
            (b"From x\nnote: this\n folded\nnothing else\n", true),
            (b"note: this\n\nnothing else\n", false),
            (b"note: this\nDate: x\nnothing else\n", false),
            (b"note: this\n", false),
        ] {
            assert_eq!(ends_in_text(header), expected, "{}", header.escape_ascii());
        }
    }

    #[test]
    fn introductions_of_pasted_mail() {
        for line in [
            "Look:",
            "---- Forwarded message ----\t",
            "-- copy --",
            "The Original MESSAGE, m",
            "ms original message",
        ] {
            assert!(introduces_pasted_mail(line.as_bytes()), "{line}");
        }
        for line in [
            "",
            "See you",
            "my message m",
            "original messag",
            "--=_b1--",
            "--",
            "-- ",
            "----------",
            "-----END PGP SIGNATURE-----",
            "-- End --",
            "--= Multipart Boundary 01--",
            "------- =_aa0--",
            "** =_aa0--",
        ] {
            assert!(!introduces_pasted_mail(line.as_bytes()), "{line}");
        }
    }
}
