//! Replaces line ends of a value that are not folds by spaces, and reports them.
//!
//! # Limits
//!
//! A CR before white space counts as a fold, because some mail ends lines in CR. Of several line ends before white space the last one is the fold.

use mailglot_mime::{EventKind, Finding, Reason};
use std::borrow::Cow;
use std::ops::Range;

/// Returns true if the value has no line ends, or only folds: LF or CRLF before a space or tab.
pub(super) fn has_only_folds(value: &[u8]) -> bool {
    let mut rest = value;
    while let Some(at) = memchr::memchr2(b'\r', b'\n', rest) {
        rest = match &rest[at..] {
            [b'\n', b' ' | b'\t', rest @ ..] | [b'\r', b'\n', b' ' | b'\t', rest @ ..] => rest,
            _ => return false,
        };
    }
    true
}

/// Returns the value as one line: each byte of a line end that is not a fold becomes a space, and is reported. Offsets stay.
pub(super) fn one_line<'v>(value: &'v [u8], findings: &mut Vec<Finding>) -> Cow<'v, [u8]> {
    without(value, |_| true, findings)
}

/// Like [`one_line`], for a text of several lines: replaces only bare CRs.
pub(super) fn lines<'v>(text: &'v [u8], findings: &mut Vec<Finding>) -> Cow<'v, [u8]> {
    without(text, |run| !run.contains(&b'\n'), findings)
}

fn without<'v>(
    value: &'v [u8],
    is_foreign: impl Fn(&[u8]) -> bool,
    findings: &mut Vec<Finding>,
) -> Cow<'v, [u8]> {
    let mut line = Cow::Borrowed(value);
    let (mut at, mut count) = (0, 0);
    let mut replaced: Option<Range<usize>> = None;
    while let Some(found) = memchr::memchr2(b'\r', b'\n', &value[at..]) {
        let start = at + found;
        let run = &value[start..];
        at = start
            + run
                .iter()
                .take_while(|b| matches!(b, b'\r' | b'\n'))
                .count();
        let is_folded = matches!(value.get(at), None | Some(b' ' | b'\t'));
        let end = if is_folded {
            at - last_line_end(&value[start..at])
        } else {
            at
        };
        if end == start || !is_foreign(&value[start..end]) {
            continue;
        }
        line.to_mut()[start..end].fill(b' ');
        count += (end - start) as u64;
        replaced = Some(replaced.map_or(start, |range| range.start)..end);
    }
    if let Some(at) = replaced {
        let (kind, reason) = (EventKind::EwControlChar, Reason::BareLineEnd);
        findings.push(Finding::counted(at, kind, reason, count));
    }
    line
}

/// Returns the length of the last line end in a run: CR, or LF with the CRs before it.
fn last_line_end(run: &[u8]) -> usize {
    let Some(before) = run.strip_suffix(b"\n") else {
        return run.len().min(1);
    };
    1 + before
        .iter()
        .rev()
        .take_while(|byte| **byte == b'\r')
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_mime::encoded_word::HeaderContext;
    use mailglot_mime::header::{FieldKind, decode, decode_lines};

    /// Nothing is found in such a value, and it is one line for `decode_lines`.
    #[test]
    fn values_with_only_folds_are_one_line() {
        let pieces = ["\r", "\n", " ", "\t", "a", "=?utf-8?Q?=C3=BC?="];
        let (context, kind) = (HeaderContext::default(), FieldKind::Unstructured);
        let mut folded = 0;
        for seed in 0..pieces.len().pow(6) {
            let chosen = (0..6).map(|n| pieces[seed / pieces.len().pow(n) % pieces.len()]);
            let value = chosen.collect::<String>().into_bytes();
            if has_only_folds(&value) {
                let mut findings = Vec::new();
                let (one, several) = (
                    one_line(&value, &mut findings),
                    lines(&value, &mut findings),
                );
                assert!(*one == value && *several == value && findings.is_empty());
                let text = decode_lines(&value, kind, &context, &mut findings);
                let mut found = Vec::new();
                assert_eq!(text, decode(&value, kind, &context, &mut found));
                assert_eq!(findings, found);
                folded += usize::from(value.contains(&b'\n'));
            }
        }
        assert!(folded > 1_000, "{folded}");
        for other in ["a\n", "a\nb", "a\r b", "a\n\n b", "a\r\r\n b", "\n\r\n "] {
            assert!(!has_only_folds(other.as_bytes()), "{other:?}");
        }
    }

    #[test]
    fn line_ends_are_folds_or_reported() {
        type Text = &'static [u8];
        let table: [(Text, Text, Text, u64); 14] = [
            (b"a\n\n b", b"a \n b", b"a\n\n b", 1),
            (b"a\r\n\r\n b", b"a  \r\n b", b"a\r\n\r\n b", 2),
            (b"a\n\r b", b"a \r b", b"a\n\r b", 1),
            (b"a\r\r\n b", b"a\r\r\n b", b"a\r\r\n b", 0),
            (b"\n\r", b" \r", b"\n\r", 1),
            (b"a\n\n\n", b"a  \n", b"a\n\n\n", 2),
            (b"a b", b"a b", b"a b", 0),
            (
                b"a\r\n b\n\tc\r d\r\n",
                b"a\r\n b\n\tc\r d\r\n",
                b"a\r\n b\n\tc\r d\r\n",
                0,
            ),
            (b"a\nb", b"a b", b"a\nb", 1),
            (b"a\r\nb", b"a  b", b"a\r\nb", 2),
            (b"a\rb", b"a b", b"a b", 1),
            (b"a\rb\r\nc\n d\n", b"a b  c\n d\n", b"a b\r\nc\n d\n", 3),
            (b"\n\na", b"  a", b"\n\na", 2),
            (b"\r", b"\r", b"\r", 0),
        ];
        for (value, line, text, count) in table {
            let mut findings = Vec::new();
            assert_eq!(
                &*one_line(value, &mut findings),
                line,
                "{}",
                value.escape_ascii()
            );
            assert_eq!(findings.iter().map(|found| found.count).sum::<u64>(), count);
            for found in findings {
                let is_end = |at: usize| matches!(value[at], b'\r' | b'\n');
                assert!(
                    is_end(found.at.start) && is_end(found.at.end - 1),
                    "{found:?}"
                );
            }
            assert_eq!(
                &*lines(value, &mut Vec::new()),
                text,
                "{}",
                value.escape_ascii()
            );
        }
    }
}
