//! Finds the envelope sender and the date in a separator line, so that a line that must be written anew keeps both.
//!
//! # Limits
//! Does not parse the date. Of several words before it, only an address, `joe at example.org` or a path of UUCP is a sender.

use std::borrow::Cow;

use memchr::memrchr;

use super::from_line::{is_address, is_patch, last_date, words};
use crate::line_ends::split_line;

/// Longest sender that is kept.
const LONGEST_SENDER: usize = 900;
/// Words of a line with a sender and a date in another language: `From root Di Mär  4 10:11:12 2003`.
const WITH_DATE: usize = 6;

/// The words of a separator line.
///
/// ```
/// use mailglot_archive::mbox::SeparatorWords;
///
/// let words = SeparatorWords::of(b"From joe at example.org  Mon Jan  1 10:20:30 2018\n");
/// assert_eq!(words.sender.as_deref(), Some(&b"joe@example.org"[..]));
/// assert_eq!(words.date, b"Mon Jan  1 10:20:30 2018");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeparatorWords<'a> {
    /// The sender as one word: an address if the line has one. None if it names no sender, or none that can stand in a separator line.
    pub sender: Option<Cow<'a, [u8]>>,
    /// The text that names the sender. Empty if nothing does.
    pub sender_text: &'a [u8],
    /// The date as written, with its zone: `Wed Feb 14 09:49:48 MET 2001`. Empty if the line has no date, or the one that git writes before each patch.
    pub date: &'a [u8],
}

impl<'a> SeparatorWords<'a> {
    /// Splits a line, with or without its line end. A line that does not begin with `From ` has no words.
    pub fn of(line: &'a [u8]) -> Self {
        let (line, _) = split_line(line);
        let rest = line.strip_prefix(b"From ").unwrap_or_default();
        if is_patch(rest) {
            return Self {
                sender: None,
                sender_text: rest.trim_ascii(),
                date: b"",
            };
        }
        let Some(found) = last_date(rest) else {
            return Self::without_date(rest);
        };
        let (rest, host) = if found.is_remote {
            let host = words(rest).next_back();
            (without_last_words(rest, 3), host)
        } else {
            (rest, None)
        };
        let before = without_last_words(rest, found.words);
        let sender_text = sender_text(before);
        Self {
            sender: sender(sender_text, host),
            sender_text,
            date: rest[before.len()..].trim_ascii(),
        }
    }

    /// Splits a line without an English date. What follows the sender may be a date in another language.
    fn without_date(rest: &'a [u8]) -> Self {
        let count = words(rest).take(WITH_DATE).count();
        let first = words(rest).next().unwrap_or_default();
        let is_first_sender = is_address(first) || first == b"-" || matches!(count, 1 | WITH_DATE);
        let length = if words(rest).nth(1) == Some(b"at") {
            3
        } else {
            usize::from(is_first_sender)
        };
        let after = without_first_words(rest, length);
        let sender_text = sender_text(&rest[..rest.len() - after.len()]);
        Self {
            sender: sender(sender_text, None),
            sender_text,
            date: after.trim_ascii(),
        }
    }
}

/// Returns the text of a sender. Empty for `-`, which Thunderbird writes instead of one.
fn sender_text(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii();
    if text == b"-" { b"" } else { text }
}

/// Returns the sender as one word. `host` is that of `remote from host`, which begins a path.
fn sender<'a>(text: &'a [u8], host: Option<&[u8]>) -> Option<Cow<'a, [u8]>> {
    if let Some(address) = address(text) {
        return Some(Cow::Borrowed(address));
    }
    let mut rest = words(text);
    let sender = match (rest.next()?, rest.next(), rest.next(), rest.next()) {
        (b"<>", None, None, None) => Cow::Borrowed(&b"MAILER-DAEMON"[..]),
        (user, None, None, None) => match host.map(|host| [host, b"!"].concat()) {
            Some(path) if !user.starts_with(&path) => Cow::Owned([&path, user].concat()),
            _ => Cow::Borrowed(user),
        },
        (user, Some(b"at"), Some(domain), None) => Cow::Owned([user, b"@", domain].concat()),
        _ => return None,
    };
    let is_word = sender.len() <= LONGEST_SENDER && sender.iter().all(u8::is_ascii_graphic);
    is_word.then_some(sender)
}

/// Returns an address that can stand in a separator line.
pub(super) fn address(value: &[u8]) -> Option<&[u8]> {
    let inner = memrchr(b'<', value)
        .and_then(|open| value[open + 1..].split(|&byte| byte == b'>').next())
        .map(<[u8]>::trim_ascii);
    let words =
        value.split(|byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b';' | b'(' | b')'));
    inner.into_iter().chain(words).find(|word| {
        (3..=254).contains(&word.len())
            && word.contains(&b'@')
            && word
                .iter()
                .all(|byte| (b'!'..=b'~').contains(byte) && !matches!(byte, b'<' | b'>' | b'"'))
    })
}

/// Returns a text without its last words, and without the blanks after what is left.
fn without_last_words(text: &[u8], count: usize) -> &[u8] {
    let mut rest = text.trim_ascii_end();
    for _ in 0..count {
        let blank = rest.iter().rposition(|byte| is_blank(*byte));
        rest = rest[..blank.map_or(0, |at| at + 1)].trim_ascii_end();
    }
    rest
}

/// Returns a text without its first words.
fn without_first_words(text: &[u8], count: usize) -> &[u8] {
    let mut rest = text.trim_ascii_start();
    for _ in 0..count {
        let blank = rest.iter().position(|byte| is_blank(*byte));
        rest = rest[blank.unwrap_or(rest.len())..].trim_ascii_start();
    }
    rest
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn senders_and_dates_are_found() {
        let day = "Wed Feb 14 09:49:48 2001";
        let takeout = "Wed Feb 14 09:49:48 +0000 2001";
        let iso = "2001-02-14 09:49:48 +0100";
        for (line, sender, text, date) in [
            (format!("a@b.c {day}"), Some("a@b.c"), "a@b.c", day),
            (format!("<a@b.c> {day}"), Some("a@b.c"), "<a@b.c>", day),
            (format!("root {day}"), Some("root"), "root", day),
            (format!("- {day}"), None, "", day),
            (format!("<> {day}"), Some("MAILER-DAEMON"), "<>", day),
            (day.to_owned(), None, "", day),
            (format!("z at y.x  {day}"), Some("z@y.x"), "z at y.x", day),
            (format!("1@xxx {takeout}"), Some("1@xxx"), "1@xxx", takeout),
            (format!("joe\t{iso}"), Some("joe"), "joe", iso),
            (
                format!("joe {day} remote from uunet"),
                Some("uunet!joe"),
                "joe",
                day,
            ),
            (
                format!("uunet!joe {day} remote from uunet"),
                Some("uunet!joe"),
                "uunet!joe",
                day,
            ),
            (
                format!("a@b.c {day} remote from uunet"),
                Some("a@b.c"),
                "a@b.c",
                day,
            ),
            (
                format!("a@b.c (A B) {day}"),
                Some("a@b.c"),
                "a@b.c (A B)",
                day,
            ),
            (format!("John Doe {day}"), None, "John Doe", day),
            (format!("\u{e9}@b.c {day}"), None, "\u{e9}@b.c", day),
            (
                "a@b.c Mi Feb 14 09:49:48 2001".to_owned(),
                Some("a@b.c"),
                "a@b.c",
                "Mi Feb 14 09:49:48 2001",
            ),
            (
                "root Mi Feb 14 09:49:48 2001".to_owned(),
                Some("root"),
                "root",
                "Mi Feb 14 09:49:48 2001",
            ),
            ("nobody".to_owned(), Some("nobody"), "nobody", ""),
            ("z at y.x".to_owned(), Some("z@y.x"), "z at y.x", ""),
            (String::new(), None, "", ""),
            ("here we go".to_owned(), None, "", "here we go"),
            (
                format!("{} Mon Sep 17 00:00:00 2001", "a1".repeat(20)),
                None,
                &format!("{} Mon Sep 17 00:00:00 2001", "a1".repeat(20)),
                "",
            ),
        ] {
            for end in ["", "\n", "\r\n", "\r\r\n"] {
                let line = format!("From {line}{end}");
                let words = SeparatorWords::of(line.as_bytes());
                assert_eq!(words.sender.as_deref(), sender.map(str::as_bytes), "{line}");
                assert_eq!(words.sender_text, text.as_bytes(), "{line}");
                assert_eq!(words.date, date.as_bytes(), "{line}");
            }
        }
        assert_eq!(SeparatorWords::of(b"\x01\x01\x01\x01\n").date, b"");
    }
}
