//! Tests whether a file is mail: it needs a header field where a message has its header.
//!
//! A byte order mark, blank lines, mailbox separators, and up to 4 KiB of damaged lines may precede the field.
//!
//! # Limits
//! Examines the first 64 KiB. Accepts any text whose first line is `word: value`, and text of blanks only.

use crate::following_line::{FollowingLine, is_from_line};
use crate::line_ends::split_line;

/// Number of bytes to examine.
pub(crate) const BEGINNING: usize = 64 << 10;
/// Largest number of bytes of damaged lines before the first field.
const DAMAGED: usize = 4 << 10;

/// Returns true if the first [`BEGINNING`] bytes of a file look like the beginning of a message.
pub(crate) fn is_mail(start: &[u8]) -> bool {
    let start = &start[..start.len().min(BEGINNING)];
    let mut rest = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let (mut is_first, mut damaged) = (true, 0);
    while !rest.is_empty() {
        let (line, step) = split_line(rest);
        rest = &rest[step..];
        let is_blank = line.trim_ascii().is_empty();
        if is_from_line(line) || (is_blank && is_first) {
            continue;
        }
        match FollowingLine::of(line) {
            FollowingLine::Known => return true,
            FollowingLine::Field if is_first => return true,
            _ if is_blank => return false,
            _ => is_first = false,
        }
        damaged += step;
        if damaged > DAMAGED {
            return false;
        }
    }
    // The text is blank.
    is_first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_mail_by_its_first_field() {
        for mail in [
            &b""[..],
            b"\n\n \n",
            b"Subject: x\n\nbody",
            b"subject:x",
            b"X-Anything : y\r\n",
            b"Unknown: field\n\n",
            b"\xef\xbb\xbf\r\n\r\nFrom: a",
            b"From a@b.c Mon Jan  1 00:00:00 2001\nTo: x\n\n",
            b"From a@b.c Mon Jan  1 00:00:00 2001\r\r\nTo: x\r\n\r\n",
            b">From a@b.c Mon Jan  1 00:00:00 2001\rReceived: x\r\r",
            b" continued without its first line\nDate: x\n\n",
            b"\0\xff damaged\nno colon here\nMessage-ID: <x>\n",
        ] {
            assert!(is_mail(mail), "{}", mail.escape_ascii());
        }
        for other in [
            &b"hello\n"[..],
            b"hello\n\nSubject: x\n",
            b"root:x:0:0:root:/root:/bin/bash\nlp:x:7:7:lp:/var/spool/lpd:/usr/sbin/nologin\n",
            b"\x7fELF\x02\x01\x01\0\0\0\n\0Subject\0: x\n",
            b"<html>\n<p>To: x\n",
            b"From here on we\nwrite prose\n\nDate: x",
            b"#!/bin/sh\n# Date: x\n",
            b"\xff\xd8\xff\xe0\0\x10JFIF",
        ] {
            assert!(!is_mail(other), "{}", other.escape_ascii());
        }
    }

    /// In a program, a line that looks like a field stands after too much other text, or too far from the start.
    #[test]
    fn only_the_beginning_decides() {
        for (before, count, expected) in [
            ("x", DAMAGED - 1, true),
            ("x", DAMAGED, false),
            ("x\n", DAMAGED / 2 - 1, true),
            ("x\n", DAMAGED / 2 + 1, false),
            ("\n", BEGINNING - 20, true),
            ("From a@b.c\n", 5000, true),
        ] {
            let text = before.repeat(count) + "\nSubject: x\n";
            assert_eq!(
                is_mail(text.replace("\n\nS", "\nS").as_bytes()),
                expected,
                "{before:?} {count}"
            );
        }
    }
}
