//! Finds the boundary of a multipart in its body if the header does not declare the right one.
//!
//! Some headers lose the line with the boundary, or the white space before it. Gateways and censors rewrite only one of its
//! occurrences.
//!
//! # Rules
//!
//! - A delimiter is a line of `--` and up to 200 printable characters, followed by a line that begins with `Content-`.
//! - It counts if the same line with `--` at its end occurs later. The first such delimiter counts, since it is the outermost.
//!
//! # Limits
//!
//! Does not find parts without a header, or bodies without a closing delimiter: rulers and signatures in plain text look like them.

use crate::lexer::{line_end_length, starts_without_case};
use std::collections::HashMap;

/// Longest boundary that is found; RFC 2046 5.1.1 allows 70 characters.
const LONGEST: usize = 200;

/// Returns the boundary and the offset of its first delimiter line. Linear time.
pub(super) fn boundary(body: &[u8]) -> Option<(usize, &[u8])> {
    // Delimiters that a header follows, with the offset of their first occurrence.
    let mut opened: HashMap<&[u8], usize> = HashMap::new();
    let mut first: Option<(usize, &[u8])> = None;
    let mut start = 0;
    while start < body.len() {
        let end = memchr::memchr2(b'\n', b'\r', &body[start..]).map_or(body.len(), |at| start + at);
        let next = end + line_end_length(&body[end..]);
        let name = body[start..end]
            .strip_prefix(b"--")
            .map(<[u8]>::trim_ascii_end)
            .unwrap_or_default();
        if (1..=LONGEST).contains(&name.len()) && name.iter().all(|b| matches!(b, b' '..=b'~')) {
            if let Some(stem) = name.strip_suffix(b"--")
                && let Some(&at) = opened.get(stem)
                && first.is_none_or(|(known, _)| at < known)
            {
                first = Some((at, stem));
            }
            if starts_without_case(body.get(next..).unwrap_or_default(), b"content-") {
                opened.entry(name).or_insert(start);
            }
        }
        start = next;
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::assert_linear;

    #[test]
    fn delimiters_with_evidence() {
        for (body, want) in [
            ("--x\nContent-Type: a/b\n\ny\n--x--\n", Some((0, "x"))),
            (
                "pre\r\n--x y \r\ncontent-type: a/b\r\n\r\ny\r\n--x y--",
                Some((5, "x y")),
            ),
            ("--x\rContent-Type: a/b\r\ry\r--x--\r", Some((0, "x"))),
            // The outermost boundary, although the inner one ends first; and one that never ends.
            (
                "--z\nContent-A: b\n\n--a\nContent-A: b\n\n--b\nContent-A: b\n\n--b--\n--a--\n",
                Some((18, "a")),
            ),
            ("--a--\nContent-A: b\n\n--a----\n", Some((0, "a--"))),
            // No end, no header, the end first, rulers, an empty name.
            ("--x\nContent-Type: a/b\n\ny\n", None),
            ("--x\n\nhi\n--x--\n", None),
            ("--x--\n--x\nContent-Type: a/b\n", None),
            ("-----\n\ntext\n-----\n", None),
            ("--\nContent-Type: a/b\n----\n", None),
            (" --x\nContent-Type: a/b\n\n--x--\n", None),
            ("", None),
        ] {
            let found = boundary(body.as_bytes())
                .map(|(at, name)| (at, std::str::from_utf8(name).unwrap()));
            assert_eq!(found, want, "{body:?}");
        }
    }

    #[test]
    fn long_input_takes_linear_time() {
        for unit in ["--a\nContent-A: b\n", "--a--\n", "--\n", "\n"] {
            assert_linear(&unit, 100_000, |n| {
                let _ = boundary(unit.repeat(n).as_bytes());
            });
        }
    }
}
