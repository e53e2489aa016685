//! Builds a log line: logfmt (`key=value`), or JSON with the same keys.
//!
//! A value consists of bytes that the sender of the mail chose. Bytes that are not printable ASCII, `"` and `\` are written as `\xNN`, so no value
//! can end its line or itself, and each can be decoded. Such a value is quoted, and its backslashes are doubled, as readers of logfmt and of
//! JSON expect. Both forms contain the same characters.
//!
//! For journald a logfmt line begins with its priority (`<6>`), which journald removes from standard error of a service
//! (`SyslogLevelPrefix=` of systemd.exec(5)).
//!
//! # Limits
//! A truncated value cannot be distinguished from one that ends in three dots.

use serde::Deserialize;
use std::fmt::Write;
use std::time::Duration;

/// Length limit of a value in characters.
const LONGEST: usize = 256;
/// Marks the place where a value was truncated.
const CUT: &str = "...";

/// Form of log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// logfmt: `key=value`, separated by spaces. A value with other than plain characters is quoted.
    #[default]
    #[serde(rename = "logfmt", alias = "text")]
    Text,
    /// A JSON object.
    Json,
    /// logfmt after a priority, for journald.
    Journald,
}

/// Priority of a line, with the numbers of syslog (RFC 5424, section 6.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// The gateway itself failed.
    Error = 3,
    /// Mail is deferred, or a peer violated the protocol.
    Warning = 4,
    /// Mail is rejected or quarantined.
    Notice = 5,
    /// Normal operation.
    Info = 6,
}

/// Builds a line key by key. Keys are fixed words of the gateway.
#[derive(Clone, Debug)]
pub struct LogLine {
    form: Form,
    out: String,
    /// Offset at which the line begins.
    start: usize,
}

impl LogLine {
    /// Makes an empty line.
    pub fn new(form: Form) -> Self {
        Self::behind(String::with_capacity(256), form, Priority::Info)
    }

    /// Makes an empty line after existing text.
    pub(crate) fn behind(mut out: String, form: Form, priority: Priority) -> Self {
        if form == Form::Journald {
            // Writing to a string cannot fail.
            let _ = write!(out, "<{}>", priority as u8);
        }
        Self {
            form,
            start: out.len(),
            out,
        }
    }

    /// Adds a value of any bytes.
    #[must_use]
    pub fn bytes(mut self, key: &str, value: &[u8]) -> Self {
        self.key(key);
        let quoted = self.form == Form::Json
            || value.is_empty()
            || value
                .iter()
                .any(|byte| matches!(byte, b' ' | b'=') || !is_plain(*byte));
        if quoted {
            self.out.push('"');
        }
        self.escaped(value);
        if quoted {
            self.out.push('"');
        }
        self
    }

    /// Adds a comma-separated list of whole items, as many as fit. Three dots mark omitted ones. `total` is the number of all items.
    #[must_use]
    pub fn list<'a>(
        self,
        key: &str,
        items: impl IntoIterator<Item = &'a [u8]>,
        total: usize,
    ) -> Self {
        let (mut joined, mut width, mut count) = (Vec::new(), 0, 0);
        for item in items {
            width += 1 + item.iter().copied().map(width_of).sum::<usize>();
            if count > 0 && width > LONGEST - CUT.len() {
                break;
            }
            if count > 0 {
                joined.push(b',');
            }
            joined.extend_from_slice(item);
            count += 1;
        }
        if count > 0 && count < total {
            joined.extend_from_slice(b",...");
        }
        self.bytes(key, &joined)
    }

    /// Adds a text value.
    #[must_use]
    pub fn text(self, key: &str, value: &str) -> Self {
        self.bytes(key, value.as_bytes())
    }

    /// Adds fixed words of the gateway, without escaping or truncation.
    #[must_use]
    pub(crate) fn words(mut self, key: &str, words: &str) -> Self {
        debug_assert!(words.bytes().all(is_plain));
        self.key(key);
        let _ = write!(self.out, "\"{words}\"");
        self
    }

    /// Adds a number.
    #[must_use]
    pub fn number(mut self, key: &str, value: u64) -> Self {
        self.key(key);
        // Writing to a string cannot fail.
        let _ = write!(self.out, "{value}");
        self
    }

    /// Adds a time in milliseconds, with two decimal places.
    #[must_use]
    pub fn millis(mut self, key: &str, value: Duration) -> Self {
        self.key(key);
        let hundredths = value.as_micros() / 10;
        let _ = write!(self.out, "{}.{:02}", hundredths / 100, hundredths % 100);
        self
    }

    /// Returns the existing text with the line, without a line end.
    pub fn finish(mut self) -> String {
        if self.form == Form::Json {
            self.out.push_str(if self.out.len() == self.start {
                "{}"
            } else {
                "}"
            });
        }
        self.out
    }

    fn key(&mut self, key: &str) {
        let first = self.out.len() == self.start;
        match self.form {
            Form::Text | Form::Journald => {
                self.out.push_str(if first { "" } else { " " });
                self.out.push_str(key);
                self.out.push('=');
            }
            Form::Json => {
                self.out.push(if first { '{' } else { ',' });
                let _ = write!(self.out, "\"{key}\":");
            }
        }
    }

    /// Adds a value. Truncates a long one between two characters.
    fn escaped(&mut self, value: &[u8]) {
        if value.len() <= LONGEST
            && value.iter().all(|byte| is_plain(*byte))
            && let Ok(text) = std::str::from_utf8(value)
        {
            self.out.push_str(text);
            return;
        }
        let mut room = LONGEST;
        // Reads no more of a long value than could be written.
        if value.len() > LONGEST || value.iter().copied().map(width_of).sum::<usize>() > LONGEST {
            room -= CUT.len();
        }
        for byte in value {
            let Some(left) = room.checked_sub(width_of(*byte)) else {
                self.out.push_str(CUT);
                return;
            };
            room = left;
            if is_plain(*byte) {
                self.out.push(char::from(*byte));
            } else {
                let _ = write!(self.out, "\\\\x{byte:02x}");
            }
        }
    }
}

/// Returns the number of characters that a byte takes, apart from the doubled backslash.
fn width_of(byte: u8) -> usize {
    if is_plain(byte) { 1 } else { 4 }
}

fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\'
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn both(value: &[u8]) -> [String; 2] {
        [Form::Text, Form::Json].map(|form| LogLine::new(form).bytes("k", value).finish())
    }

    #[test]
    fn values_are_quoted_and_escaped() {
        for (value, text, json) in [
            (&b"<a@b>"[..], "k=<a@b>", r#"{"k":"<a@b>"}"#),
            (b"", r#"k="""#, r#"{"k":""}"#),
            (b"a b", r#"k="a b""#, r#"{"k":"a b"}"#),
            (b"a=b", r#"k="a=b""#, r#"{"k":"a=b"}"#),
            (b"\"", r#"k="\\x22""#, r#"{"k":"\\x22"}"#),
            (b"\\", r#"k="\\x5c""#, r#"{"k":"\\x5c"}"#),
            (b"a\nk=v", r#"k="a\\x0ak=v""#, r#"{"k":"a\\x0ak=v"}"#),
            (
                b"\r\0\x7f\xff\x1b[2J",
                r#"k="\\x0d\\x00\\x7f\\xff\\x1b[2J""#,
                r#"{"k":"\\x0d\\x00\\x7f\\xff\\x1b[2J"}"#,
            ),
            (
                "ü\u{202e}".as_bytes(),
                r#"k="\\xc3\\xbc\\xe2\\x80\\xae""#,
                r#"{"k":"\\xc3\\xbc\\xe2\\x80\\xae"}"#,
            ),
        ] {
            assert_eq!(both(value), [text, json], "{}", value.escape_ascii());
        }
    }

    /// Decodes a value of the logfmt form.
    fn read(line: &str) -> Vec<u8> {
        let value = line.strip_prefix("k=").unwrap();
        let value = value
            .strip_prefix('"')
            .and_then(|v| v.strip_suffix('"'))
            .unwrap_or(value);
        let (mut out, mut rest) = (Vec::new(), value);
        while let Some(first) = rest.chars().next() {
            if let Some(hex) = rest.strip_prefix("\\\\x") {
                out.push(u8::from_str_radix(&hex[..2], 16).unwrap());
                rest = &hex[2..];
            } else {
                out.push(first as u8);
                rest = &rest[1..];
            }
        }
        out
    }

    #[test]
    fn every_byte_can_be_decoded_and_none_ends_the_line() {
        for first in 0..=255_u8 {
            for second in 0..=255_u8 {
                let [text, json] = both(&[first, second]);
                assert!(
                    text.bytes()
                        .chain(json.bytes())
                        .all(|b| (b' '..=b'~').contains(&b))
                );
                assert_eq!(read(&text), [first, second]);
                let inner = json
                    .strip_prefix(r#"{"k":""#)
                    .unwrap()
                    .strip_suffix(r#""}"#)
                    .unwrap();
                assert_eq!(inner, text.strip_prefix("k=").unwrap().trim_matches('"'));
            }
        }
    }

    #[test]
    fn values_are_cut_at_256_characters() {
        for (value, want) in [
            (vec![b'a'; 256], "a".repeat(256)),
            (vec![b'a'; 257], "a".repeat(253) + "..."),
            (vec![b'a'; 1 << 20], "a".repeat(253) + "..."),
            (vec![0xff; 64], r"\xff".repeat(64)),
            (vec![0xff; 65], r"\xff".repeat(63) + "..."),
            ([vec![b'a'; 254], vec![0]].concat(), "a".repeat(253) + "..."),
            (
                [vec![b'a'; 252], vec![0]].concat(),
                "a".repeat(252) + r"\x00",
            ),
        ] {
            let got = both(&value);
            let want = want.replace('\\', "\\\\");
            let quotes = if value.iter().all(|byte| is_plain(*byte)) {
                ""
            } else {
                "\""
            };
            assert_eq!(got[0], format!("k={quotes}{want}{quotes}"));
            assert_eq!(got[1], format!(r#"{{"k":"{want}"}}"#));
        }
    }

    #[test]
    fn lists_hold_whole_items() {
        let list = |items: &[&[u8]], total| {
            LogLine::new(Form::Text)
                .list("to", items.iter().copied(), total)
                .finish()
        };
        assert_eq!(list(&[], 0), "to=\"\"");
        assert_eq!(list(&[b"<a@b>"], 1), "to=<a@b>");
        assert_eq!(list(&[b"<a@b>", b"<c@d>"], 2), "to=<a@b>,<c@d>");
        assert_eq!(list(&[b"<a@b>", b"<c@d>"], 3), "to=<a@b>,<c@d>,...");
        for length in 1..300 {
            for total in 1..300 {
                let item = vec![b'a'; length];
                let items = vec![&item[..]; total];
                let line = list(&items, total);
                assert!(line.len() <= 3 + LONGEST + CUT.len(), "{line}");
                let shown: Vec<_> = line[3..].split(',').collect();
                let whole = shown.iter().filter(|one| one.len() == length).count();
                assert!(
                    whole == shown.len()
                        || whole == shown.len() - 1
                            && shown.last().is_some_and(|last| last.ends_with("..."))
                );
                assert_eq!(whole == total, !line.ends_with("..."), "{line}");
                if total > 40 {
                    break;
                }
            }
        }
    }

    #[test]
    fn journald_gets_a_priority() {
        for (priority, want) in [
            (Priority::Error, "<3>k=v"),
            (Priority::Warning, "<4>k=v"),
            (Priority::Notice, "<5>k=v"),
            (Priority::Info, "<6>k=v"),
        ] {
            let line = LogLine::behind("before\n".to_owned(), Form::Journald, priority)
                .text("k", "v")
                .finish();
            assert_eq!(line, format!("before\n{want}"));
        }
        assert_eq!(
            LogLine::behind(String::new(), Form::Text, Priority::Error)
                .text("k", "v")
                .finish(),
            "k=v"
        );
    }

    #[test]
    fn keys_keep_their_order() {
        for (form, want) in [
            (Form::Text, "msg=4F route=milter in=5 ms=0.21"),
            (
                Form::Json,
                r#"{"msg":"4F","route":"milter","in":5,"ms":0.21}"#,
            ),
            (Form::Journald, "<6>msg=4F route=milter in=5 ms=0.21"),
        ] {
            let line = LogLine::new(form)
                .text("msg", "4F")
                .text("route", "milter")
                .number("in", 5);
            assert_eq!(line.millis("ms", Duration::from_micros(219)).finish(), want);
        }
        assert_eq!(LogLine::new(Form::Json).finish(), "{}");
        let time = |micros| {
            LogLine::new(Form::Text)
                .millis("ms", Duration::from_micros(micros))
                .finish()
        };
        assert_eq!(
            [time(0), time(9), time(12_345_678)],
            ["ms=0.00", "ms=0.00", "ms=12345.67"]
        );
    }
}
