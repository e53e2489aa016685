//! Reads the header fields of a message that lists, selections and splits need, and its body only if their charset may depend on it.
//!
//! # Limits
//!
//! A header above 1 MiB is read up to there. Words under a label of UTF-8 are read without the body.

use mailglot_archive::mbox::{SeparatorWords, without_mmdf_lines};
use mailglot_mime::fields::{Date, date};
use mailglot_mime::{Limits, LineRule, Mail, Message, PartId, Policy};

/// Bytes of a header that are read.
const LONGEST: usize = 1 << 20;

/// Returns the header of a message with the blank line after it, or the whole message without one.
///
/// Empty lines before the header belong to it, as [`Message::parse`] decides.
pub(crate) fn header(raw: &[u8]) -> &[u8] {
    let raw = &raw[..raw.len().min(LONGEST)];
    let (lines, _) = LineRule::of(raw);
    let mut start = 0;
    while start < raw.len()
        && let line = lines.line(raw, start)
        && line.end == start
    {
        start = line.next;
    }
    let header = header_from(raw, start, lines);
    if start > 0 {
        let message = Message::parse(header, &Limits::default());
        if message.fields(PartId::ROOT).is_empty() {
            return &raw[..lines.line(raw, 0).next];
        }
    }
    header
}

/// Returns the bytes up to the first empty line after `at`, a line start, and with it.
fn header_from(raw: &[u8], mut at: usize, lines: LineRule) -> &[u8] {
    while at < raw.len() {
        let line = lines.line(raw, at);
        if line.end == at {
            return &raw[..line.next];
        }
        at = line.next;
    }
    raw
}

/// Parses the header of a message. The body is parsed, too, if the charset of raw bytes or of words may depend on it. Text under the same
/// label may disprove that label.
pub(crate) fn mail<'a>(raw: &'a [u8], policy: &Policy) -> Mail<'a> {
    let header = header(raw);
    let read = if header.is_ascii() && !has_legacy_word(header) {
        header
    } else {
        raw
    };
    Mail::parse_with(read, policy.clone())
}

/// Returns true if something may be an encoded word under another label than UTF-8.
fn has_legacy_word(header: &[u8]) -> bool {
    memchr::memmem::find_iter(header, b"=?").any(|at| {
        let label = header[at + 2..].get(..5).unwrap_or_default();
        label.first().is_some_and(u8::is_ascii_alphanumeric)
            && !label.eq_ignore_ascii_case(b"utf-8")
    })
}

/// Where the date of a message stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateSource {
    /// Its Date field.
    Field,
    /// The separator line of its mailbox.
    Separator,
}

impl DateSource {
    /// Returns the name in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Field => "field",
            Self::Separator => "separator",
        }
    }
}

/// Returns the date of a message: its Date field, else that of the separator before it. None if neither can be read.
pub(crate) fn dated(raw: &[u8], separator: &[u8]) -> Option<(Date, DateSource)> {
    message_date(raw)
        .map(|date| (date, DateSource::Field))
        .or_else(|| separator_date(separator).map(|date| (date, DateSource::Separator)))
}

/// Parses the Date field of a message.
pub(crate) fn message_date(raw: &[u8]) -> Option<Date> {
    date_field(header(raw)).and_then(date)
}

/// Returns true if a line begins a field of this name, in any case.
pub(crate) fn begins_field(line: &[u8], name: &[u8]) -> bool {
    line.get(..name.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(name))
        && line[name.len()..].trim_ascii_start().starts_with(b":")
}

/// Returns the value of the first Date field of a header, with its folded lines.
fn date_field(header: &[u8]) -> Option<&[u8]> {
    const NAME: &[u8] = b"date";
    let (lines, _) = LineRule::of(header);
    let mut at = 0;
    while at < header.len() {
        let line = &header[at..];
        if begins_field(line, NAME) {
            let start = at + memchr::memchr(b':', line)? + 1;
            return Some(&header[start..field_end(header, start, lines)]);
        }
        at = lines.line(header, at).next;
    }
    None
}

/// Returns the end of a field whose value begins at `start`: the first line end without white space after it.
fn field_end(header: &[u8], start: usize, lines: LineRule) -> usize {
    let mut at = start;
    loop {
        let line = lines.line(header, at);
        if !matches!(header.get(line.next), Some(b' ' | b'\t')) {
            return line.end;
        }
        at = line.next;
    }
}

/// The date of a separator that `normalize` writes for a message without any date.
const NO_DATE: &[u8] = b"Thu Jan  1 00:00:00 1970";

/// Parses the date of a separator line. Returns `None` for [`NO_DATE`].
pub(crate) fn separator_date(separator: &[u8]) -> Option<Date> {
    let words = SeparatorWords::of(without_mmdf_lines(separator));
    if words.date.starts_with(NO_DATE) {
        return None;
    }
    date(words.date)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_ends_at_the_first_blank_line() {
        for (raw, length) in [
            (&b"A: b\n\nc\n\n"[..], 6),
            (b"A: b\r\n\r\nc", 8),
            (b"A: b\r\rc", 6),
            (b"A: b\n c\n", 8),
            (b"\nA: b", 1),
            (b"\n\nFrom: b\nTo: c\n\nd", 17),
            (b"A: b\r\r\n\r\r\nc", 10),
            (b"A: b\n\rB: c\nD: e\n\nf", 17),
            (b"\rA: b\nC: d\n\ne", 12),
            (b"A: b\rC: d\r\rE\n\nf", 11),
            (b"", 0),
        ] {
            assert_eq!(header(raw).len(), length, "{}", raw.escape_ascii());
        }
        assert_eq!(header(&vec![b'a'; LONGEST + 5]).len(), LONGEST);
    }

    #[test]
    fn a_body_tells_the_charset_of_mislabelled_words() {
        let raw = b"Subject: =?iso-8859-1?Q?=D6=F0renci?=\nMIME-Version: 1.0\n\
            Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\n\
            De\xF0erli \xF6\xF0renciler, s\xFDnav sonu\xE7lar\xFD a\xE7\xFDkland\xFD. G\xF6r\xFC\xFEmek \xFCzere, \xE7ok te\xFEekk\xFCrler.\n";
        let mail = mail(raw, &Policy::default());
        assert_eq!(mail.subject().as_deref(), Some("Öğrenci"));
        assert!(!has_legacy_word(
            b"Subject: =?UTF-8?Q?=C3=A9?= =?Utf-8?Q?b?= a=?\n"
        ));
    }

    #[test]
    fn a_message_is_dated_by_its_field_or_its_separator() {
        let separator = &b"From a@b.c Tue Feb  6 07:08:09 2001\n"[..];
        let written = mailglot_archive::mbox::separator_for(b"", None, b"From: a@b.c\n\nx\n");
        assert!(written.trim_ascii_end().ends_with(NO_DATE));
        let day = |raw: &str, separator: &[u8]| {
            dated(raw.as_bytes(), separator).map(|(date, from)| (date.to_string(), from.name()))
        };
        let found = |text: &str, from| Some((text.to_owned(), from));
        for (raw, line, expected) in [
            (
                "Subject: x\nDATE : Mon, 2 Mar 1998\r\n\t10:00:00 +0100\n\n",
                separator,
                found("1998-03-02T10:00:00+01:00", "field"),
            ),
            (
                "To: x\r\r\nDate: Mon,\r\r\n 2 Mar 1998 10:00:00 +0100\r\r\n\r\r\n",
                separator,
                found("1998-03-02T10:00:00+01:00", "field"),
            ),
            (
                "To: x\n\rDate: never\nDate: Mon, 2 Mar 1998 10:00:00 +0100\n\n",
                separator,
                found("1998-03-02T10:00:00+01:00", "field"),
            ),
            (
                "Date: yesterday\n\n",
                separator,
                found("2001-02-06T07:08:09-00:00", "separator"),
            ),
            (
                "Subject: x\n\nDate: Mon, 2 Mar 1998 10:00:00 +0100\n",
                b"",
                None,
            ),
            ("Subject: x\n\n", &written[..], None),
            ("\n", b"From MAILER-DAEMON Thu Jan  1 00:00:00 1970\n", None),
            (
                "\n",
                b"From 151@xxx Mon Jan 01 10:20:30 +0000 2018\r\n",
                found("2018-01-01T10:20:30Z", "separator"),
            ),
            (
                "\n",
                b"From joe at example.org  Mon Jan  1 10:20:30 2018\n",
                found("2018-01-01T10:20:30-00:00", "separator"),
            ),
            (
                "\n",
                b"From - Mon Jan 01 10:20:30 2018\n",
                found("2018-01-01T10:20:30-00:00", "separator"),
            ),
            ("\n", b"From nobody\n", None),
            ("\n", b"\x01\x01\x01\x01\n", None),
        ] {
            assert_eq!(day(raw, line), expected, "{raw:?}");
        }
    }
}
