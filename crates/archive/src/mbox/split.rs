//! The splitting rule: evidence for and against a `From ` line.
//!
//! A decision depends on the profile of the file, on the boundaries that the open message declares, and on the bytes within
//! 1 MiB, nothing else; so it is the same for every way of reading the file.
//!
//! # Limits
//! A `From ` line above 4 KiB is never a separator.

use super::from_line::{FromLine, Shape, Shapes};
use super::write::{quote_depth, split_line};

/// Bytes after the start of a candidate that all other evidence lies in.
pub(super) const NEAR: usize = 16 << 10;
/// Bytes before a candidate that evidence may lie in.
pub(super) const BEHIND: usize = 1 << 10;
/// Points from which a candidate is accepted.
pub(super) const ACCEPT: i32 = 6;

const LONGEST_LINE: usize = 4 << 10;

/// What follows a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Follower {
    /// A field known in mail.
    Known,
    /// Something of the shape `name: value`.
    Field,
    /// Anything else.
    Other,
}

/// What speaks for and against a candidate, as far as its neighborhood tells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    /// The line itself.
    pub line: FromLine,
    /// Index after its line end.
    pub end: usize,
    /// A blank line stands before, or only the prelude.
    pub blank_before: bool,
    /// The first line after it that is no quoted or unquoted `From ` line.
    pub follower: Follower,
    /// The lines around it are base64.
    pub base64: bool,
}

impl Evidence {
    /// Looks at a `From ` line that starts at `at`. `data` starts up to [`BEHIND`] bytes before the candidate, or at the start
    /// of the entry; it ends [`NEAR`] bytes after `at` or at the end of the file (`whole`). `None`: no line of bearable length.
    pub(super) fn gather(data: &[u8], at: usize, first: bool, whole: bool) -> Option<Self> {
        let (line, step) = split_line(&data[at..]);
        if line.len() > LONGEST_LINE || (step == line.len() && !whole) {
            return None;
        }
        let end = at + step;
        let before = line_before(data, at);
        let mut follower = &data[end..];
        let mut after = None;
        for _ in 0..MOST_FROM_LINES {
            let (line, step) = split_line(follower);
            after = Some(line);
            if !is_from_line(line) || step == line.len() {
                break;
            }
            follower = &follower[step..];
        }
        let after = after.unwrap_or_default();
        Some(Self {
            line: FromLine::classify(line),
            end,
            blank_before: first || before.is_some_and(<[u8]>::is_empty),
            follower: Follower::of(after),
            base64: before.is_some_and(is_base64_line)
                && is_base64_line(split_line(&data[end..]).0),
        })
    }

    /// The points. Whether a multipart is open decides apart from them.
    pub(super) fn points(&self, dominant: Shapes) -> i32 {
        let mut points = 0;
        if self.blank_before {
            points += 2;
        }
        if self.line.dated {
            points += 2;
        }
        points += match self.follower {
            Follower::Known => 3,
            Follower::Field => 2,
            Follower::Other => 0,
        };
        if dominant.contains(self.line) {
            points += 3;
        } else if self.line.shape == Shape::Git {
            points -= 6;
        }
        if self.base64 {
            points -= 2;
        }
        points
    }
}

/// True if `header`, which begins behind a separator line, is that of a message: it has From and one of Date, Message-ID and Received.
///
/// Lines `From ` and `>From ` may stand before it. Reads up to the first line that is no field, or to the end of `header`.
pub(super) fn is_mail_header(header: &[u8]) -> bool {
    let (mut rest, mut from_lines) = (header, 0);
    let (mut author, mut origin) = (false, false);
    while !rest.is_empty() {
        if author && origin {
            return true;
        }
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
        if Follower::of(line) == Follower::Other {
            break;
        }
        let is = |name: &[u8]| {
            line.get(..name.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(name))
                && matches!(line.get(name.len()), Some(b':' | b' ' | b'\t'))
        };
        author |= is(b"from");
        origin |= is(b"date") || is(b"message-id") || is(b"received");
    }
    author && origin
}

/// Lines `From ` and `>From ` behind a separator that may stand before a header.
const MOST_FROM_LINES: usize = 16;

/// True for a quoted or unquoted `From ` line.
pub(crate) fn is_from_line(line: &[u8]) -> bool {
    let depth = line.iter().take_while(|&&byte| byte == b'>').count();
    line[depth..].starts_with(b"From ")
}

/// True if the mailbox quoted the `>From ` line at `at`, as far as its neighbors tell.
///
/// Behind a `From ` line it belongs to a header. Beside another line that begins with `>`, a reply quotes it:
///
/// ```text
/// > Who can come?
/// >From what I heard, everybody.
/// ```
pub(super) fn is_quoted_by_mailbox(data: &[u8], at: usize) -> bool {
    let after = split_line(&data[at..]).1;
    let is_quotation = |line: &[u8]| line.starts_with(b">");
    line_before(data, at).is_some_and(|line| !is_from_line(line) && !is_quotation(line))
        && !is_quotation(&data[at + after..])
}

/// The line before `at` without its end, as far as it lies within [`BEHIND`].
fn line_before(data: &[u8], at: usize) -> Option<&[u8]> {
    let before = &data[at.saturating_sub(BEHIND)..at];
    let ([before @ .., b'\r', b'\n'] | [before @ .., b'\n' | b'\r']) = before else {
        return None;
    };
    let start = memchr::memrchr2(b'\n', b'\r', before).map_or(0, |end| end + 1);
    Some(&before[start..])
}

/// A full-width line of base64, as in the middle of a body.
fn is_base64_line(line: &[u8]) -> bool {
    (60..=76).contains(&line.len())
        && line
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
}

impl Follower {
    /// Classifies a line.
    pub(crate) fn of(line: &[u8]) -> Self {
        let name = line
            .iter()
            .take_while(|byte| (b'!'..=b'~').contains(byte) && **byte != b':')
            .count();
        let colon = name
            + line[name..]
                .iter()
                .take_while(|byte| matches!(byte, b' ' | b'\t'))
                .count();
        if name == 0 || name > 70 || line.get(colon) != Some(&b':') {
            return Self::Other;
        }
        if is_known(&line[..name]) {
            Self::Known
        } else if colon == name && matches!(line.get(colon + 1), None | Some(b' ' | b'\t')) {
            Self::Field
        } else {
            Self::Other
        }
    }
}

/// Names of fields that stand in mail and hardly in prose.
fn is_known(name: &[u8]) -> bool {
    const FAMILIES: [&str; 10] = [
        "x-",
        "list-",
        "content-",
        "dkim-",
        "arc-",
        "resent-",
        "received-",
        "authentication-",
        "original-",
        "mail-",
    ];
    const NAMES: &[&str] = &[
        "approved",
        "auto-submitted",
        "bcc",
        "cc",
        "comments",
        "date",
        "delivered-to",
        "delivery-date",
        "disposition-notification-to",
        "domainkey-signature",
        "encoding",
        "envelope-to",
        "errors-to",
        "followup-to",
        "from",
        "importance",
        "in-reply-to",
        "keywords",
        "lines",
        "mailing-list",
        "message-id",
        "mime-version",
        "newsgroups",
        "organisation",
        "organization",
        "path",
        "precedence",
        "priority",
        "received",
        "references",
        "reply-to",
        "return-path",
        "return-receipt-to",
        "sender",
        "sensitivity",
        "status",
        "subject",
        "thread-index",
        "thread-topic",
        "to",
        "user-agent",
        "xref",
    ];
    let Some(first) = name.first().map(u8::to_ascii_lowercase) else {
        return false;
    };
    // Every message has a line that is looked up here: nearly all names fall by their first letter.
    let named = |known: &&str, name: Option<&[u8]>| {
        known.as_bytes().first() == Some(&first)
            && name.is_some_and(|name| name.eq_ignore_ascii_case(known.as_bytes()))
    };
    FAMILIES
        .iter()
        .any(|family| named(family, name.get(..family.len())))
        || NAMES
            .iter()
            .any(|known| named(known, (name.len() == known.len()).then_some(name)))
}

/// Number of `>` before a `From ` at `at` when only those stand before it in the line.
pub(super) fn quoted(data: &[u8], at: usize) -> Option<usize> {
    quote_depth(data, at).filter(|depth| *depth > 0)
}
