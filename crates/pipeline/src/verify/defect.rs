//! Known defects of the second reader, each with a rule and an example that shows it.
//!
//! A rule examines one difference. It may also compare the second reader's result for the *original* message. If that reader
//! finds other parts or addresses there as well, the rewriting did not cause the difference.

use super::compare::{Difference, field_as_seen, with_escapes_decoded, words};
use super::expected::{Content, ExpectedItem};
use super::reader::{self, SecondReader, SecondReading};
use mailglot_codec::{Charset, View};
use mailglot_mime::fields::{Entry, Mailbox};
use mailglot_mime::named;
use mailglot_mime::{Eol, Message, Part};
use std::borrow::Cow;
use std::cell::OnceCell;

named! {
    /// A class of differences that are explained by a known defect of the second reader.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Defect {
        /// mail-parser would need more than linear time, or too much stack.
        TooCostly = "too-costly",
        /// mail-parser panics, in the original message, too.
        Fault = "fault",
        /// mail-parser does not recognize line ends that are CR alone.
        CrLineEnds = "cr-line-ends",
        /// mail-parser continues a header that no blank line ends.
        NoBlankLine = "no-blank-line",
        /// mail-parser finds different fields or parts in the original message already.
        Structure = "structure",
        /// mail-parser treats a text part as binary, because its media type is malformed.
        NoText = "no-text",
        /// mail-parser parses the original field differently already: other addresses, parameters of other names, or no charset.
        FieldSyntax = "field-syntax",
        /// mail-parser reads the field as it read the original one. Neither contains what this project reads differently.
        Unchanged = "unchanged",
        /// mail-parser decodes an encoded word that stays unchanged here, because its charset is unknown or it is damaged.
        KeptWord = "kept-word",
        /// mail-parser reads unchanged raw bytes as U+FFFD.
        RawBytes = "raw-bytes",
        /// mail-parser recognizes a delimiter in the middle of a line.
        Delimiter = "delimiter",
        /// mail-parser adds or drops a space beside an encoded word or a quoted string that touches text. It drops unpaired quotes and
        /// angle brackets.
        Spaces = "spaces",
    }
}

impl Defect {
    /// Returns an original message. After its rewriting, the second reader shows the defect.
    pub fn example(self) -> Cow<'static, [u8]> {
        Cow::Borrowed(match self {
            Self::TooCostly => {
                return [&b"Subject: caf\xE9\nX-Words: "[..], &b"=?a?q?".repeat(3_000), b"\n\n"].concat().into();
            }
            Self::Fault => {
                b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b\nContent-Type: message/rfc822\n\n\
                  Content-Type: message/rfc822\nSubject: caf\xE9\n\nSubject: x\n\nd\n--b--\n"
            }
            Self::CrLineEnds => b"Subject: caf\xE9\rContent-Type: text/plain; charset=iso-8859-1\r\r\xE9t\xE9\r",
            Self::NoBlankLine => b"Subject: a\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\nno field here, \xE9t\xE9\n",
            Self::Structure => {
                b"Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\
                  Content-Type: text/plain; charset=iso-8859-1\n\n\xE9t\xE9\n--a--\n"
            }
            Self::NoText => b"Content-Type: plain; charset=iso-8859-1\n\n\xE9t\xE9\n",
            Self::FieldSyntax => {
                b"Content-Type: text/plain; comment=\"\"; comment=a; charset=iso-8859-1\n\n\xE9t\xE9\n"
            }
            Self::Unchanged => {
                b"Content-Type: text/plain; name*0*=utf-8''%C3; name*1*=%A9; charset=iso-8859-1\n\n\xE9t\xE9\n"
            }
            Self::KeptWord => b"Subject: caf\xE9 =?x-klingon?Q?=E9?= caf\xE9\n\nx\n",
            Self::RawBytes => b"Content-Type: text/plain; cha\xB5set=\x97o; charset=iso-8859-1\n\n\xE9t\xE9\n",
            Self::Delimiter => {
                b"Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: text/plain; charset=iso-8859-1\n\
                  Content-Transfer-Encoding: base64\n\nc2VlIC0tYSBoZXJlIOkK\n--a--\n"
            }
            Self::Spaces => b"To: \"First\" M=?iso-8859-1?Q?=E9?= <a@b.example>\n\nx\n",
        })
    }
}

/// The original message, which the second reader reads once if a rule needs it.
pub(super) struct Original<'o, 'a> {
    reader: &'o SecondReader,
    message: &'o Message<'a>,
    reading: OnceCell<SecondReading<'a>>,
}

impl<'o, 'a> Original<'o, 'a> {
    pub(super) fn new(reader: &'o SecondReader, message: &'o Message<'a>) -> Self {
        Self {
            reader,
            message,
            reading: OnceCell::new(),
        }
    }

    fn reading(&self) -> &SecondReading<'a> {
        self.reading
            .get_or_init(|| self.reader.read(self.message.raw(), false))
    }
}

/// Returns the known defect that explains a difference, if any.
pub(super) fn explain(
    original: &Original<'_, '_>,
    item: &ExpectedItem<'_>,
    reading: &SecondReading<'_>,
    difference: &Difference,
) -> Option<Defect> {
    let message = original.message;
    let explains = |defect: &Defect| match defect {
        // Checked before the message is read.
        Defect::TooCostly | Defect::Fault => false,
        Defect::CrLineEnds => message.eol() == Eol::Cr,
        Defect::NoBlankLine => {
            let is_unended = |part: &Part| part.header.end == part.body.start;
            difference.seen.is_none() && message.part(item.part).is_some_and(is_unended)
        }
        Defect::Structure => is_structure(original, item, difference),
        Defect::NoText => is_no_text(original, item, reading),
        Defect::FieldSyntax => {
            is_field_syntax(message, item) || has_no_label(original, item, reading)
        }
        Defect::Unchanged => is_unchanged(message, item, reading, difference),
        Defect::KeptWord => is_kept_word(item, reading),
        Defect::RawBytes => is_raw_bytes(item, reading, difference),
        Defect::Delimiter => is_delimiter(message, item, difference),
        Defect::Spaces => is_spaces(item, reading, difference),
    };
    Defect::ALL.iter().copied().find(explains)
}

/// Returns true if mail-parser finds no such field or body in the original, or one that ends elsewhere.
fn is_structure(
    original: &Original<'_, '_>,
    item: &ExpectedItem<'_>,
    difference: &Difference,
) -> bool {
    let (message, original) = (original.message, original.reading());
    let Content::Body(..) = item.content else {
        return match original.field(item.original.start) {
            None => difference.seen.is_none(),
            Some(end) => end != item.original.end,
        };
    };
    let Some(body) = original.body(item.original.start) else {
        return difference.seen.is_none();
    };
    let end = |end: usize| message.raw()[..end].trim_ascii_end().len();
    // If it ends elsewhere, one text is a prefix of the other.
    let begins = difference.seen.as_deref().is_none_or(|seen| {
        let (expected, seen) = (difference.expected.trim_end(), seen.trim_end());
        expected.starts_with(seen) || seen.starts_with(expected)
    });
    let header = message.part(item.part).map(|part| part.header.start);
    end(body.end) != end(item.original.end) && begins || Some(body.header) != header
}

/// Returns true if the part is no text for mail-parser, neither before nor after.
fn is_no_text(
    original: &Original<'_, '_>,
    item: &ExpectedItem<'_>,
    reading: &SecondReading<'_>,
) -> bool {
    let Content::Body(..) = item.content else {
        return false;
    };
    let is_binary =
        |reading: &SecondReading<'_>, start| reading.body(start).is_some_and(|body| !body.is_text);
    is_binary(reading, item.start) && is_binary(original.reading(), item.original.start)
}

/// Returns true if mail-parser finds no label of a part, neither before nor after, and the bytes of the body are the expected text. The label
/// must be UTF-8 already, so that no edit of it can be missing.
///
/// *Example*: a fold in front of the value, as in `charset=\n\t"utf-8"`.
fn has_no_label(
    original: &Original<'_, '_>,
    item: &ExpectedItem<'_>,
    reading: &SecondReading<'_>,
) -> bool {
    let Content::Body(body) = &item.content else {
        return false;
    };
    let is_empty = |label: Option<&str>| label.unwrap_or_default().is_empty();
    let label = Charset::for_label(body.label.as_bytes(), View::Mail);
    label.charset() == Some(Charset::UTF_8)
        && is_empty(reading.label(item.start))
        && is_empty(original.reading().label(item.original.start))
        && reading.has_bytes(item.start, body.text.as_bytes())
}

/// Returns the value of the original field.
fn original_value<'m>(message: &Message<'m>, item: &ExpectedItem<'_>) -> Option<&'m [u8]> {
    let field = item.original.of(message.raw());
    let colon = memchr::memchr(b':', field)?;
    Some(&field[colon + 1..])
}

/// Returns true if the addresses, or the parameters as far as they are ASCII, differ in the original already.
fn is_field_syntax(message: &Message<'_>, item: &ExpectedItem<'_>) -> bool {
    let Some(value) = original_value(message, item) else {
        return false;
    };
    match &item.content {
        Content::Body(..) | Content::Text(..) => false,
        Content::Mailboxes(_, entries) => {
            let (mut ours, mut groups) = (Vec::new(), 0);
            for entry in entries {
                match entry {
                    Entry::Mailbox(mailbox) => ours.push(mailbox),
                    Entry::Group { list, .. } => {
                        groups += 1;
                        ours.extend(list);
                    }
                }
            }
            let has_name =
                |mailbox: &Mailbox| mailbox.name.is_some() || !mailbox.comments.is_empty();
            let ours = ours
                .into_iter()
                .map(|mailbox| (mailbox.address.as_str(), has_name(mailbox)));
            let (mailboxes, names) = reader::mailboxes(value);
            let theirs = mailboxes
                .iter()
                .map(|(name, address)| (address.as_str(), !name.is_empty()));
            groups != names.len() || !ours.eq(theirs)
        }
        Content::Parameters(_, list) => {
            // Non-ASCII text depends on charsets.
            let shape = |text: &str| {
                if text.is_ascii() {
                    text.to_owned()
                } else {
                    "\u{FFFD}".to_owned()
                }
            };
            let names = |list: &[(String, String)]| {
                let kept = list.iter().filter(|(name, _)| !name.ends_with("-language"));
                let mut names: Vec<_> = kept
                    .map(|(name, text)| (name.clone(), shape(&with_escapes_decoded(name, text))))
                    .collect();
                names.sort_unstable();
                names
            };
            names(list) != names(&reader::parameters(value))
        }
    }
}

/// Returns true if mail-parser reads the same before and after, and the field has no ambiguous raw bytes.
fn is_unchanged(
    message: &Message<'_>,
    item: &ExpectedItem<'_>,
    reading: &SecondReading<'_>,
    difference: &Difference,
) -> bool {
    let (Some(old), Some(new)) = (original_value(message, item), reading.value(item.start)) else {
        return false;
    };
    let same = || difference.seen.as_ref() == Some(&field_as_seen(&item.content, old));
    !matches!(item.content, Content::Body(..)) && new.is_ascii() && same()
}

/// Returns true if both read the same, apart from words that the expected text contains in encoded form.
fn is_kept_word(item: &ExpectedItem<'_>, reading: &SecondReading<'_>) -> bool {
    let (Content::Text(_, text), Some(value)) = (&item.content, reading.value(item.start)) else {
        return false;
    };
    let (mut expected, mut hidden) = (text.clone(), value.to_vec());
    for at in memchr::memmem::find_iter(value, b"=?") {
        let Some(word) = word(&value[at..]).and_then(|word| std::str::from_utf8(word).ok()) else {
            continue;
        };
        if text.contains(word) {
            hidden[at + 1] = b'_';
            expected = expected.replace(word, &format!("=_{}", &word[2..]));
        }
    }
    hidden != value && field_as_seen(&item.content, &hidden) == words(&expected)
}

/// Returns the encoded word at the start of `bytes`.
fn word(bytes: &[u8]) -> Option<&[u8]> {
    // Labels are short, and so are the words of most writers.
    let label = memchr::memchr(b'?', &bytes[2..bytes.len().min(80)])? + 2;
    let [b'?', b'b' | b'B' | b'q' | b'Q', b'?', payload @ ..] = &bytes[label..] else {
        return None;
    };
    let end = memchr::memmem::find(&payload[..payload.len().min(1000)], b"?=")?;
    Some(&bytes[..label + 3 + end + 2])
}

/// Returns true if raw bytes are left, and both read the same apart from them.
fn is_raw_bytes(
    item: &ExpectedItem<'_>,
    reading: &SecondReading<'_>,
    difference: &Difference,
) -> bool {
    let plain = |text: &str| {
        let mut plain = text
            .chars()
            .map(|c| if c.is_ascii() { c } else { '\u{FFFD}' })
            .collect::<Vec<_>>();
        plain.dedup_by(|a, b| a == b && *a == '\u{FFFD}');
        plain
    };
    let raw = reading
        .value(item.start)
        .is_some_and(|value| std::str::from_utf8(value).is_err());
    raw && difference
        .seen
        .as_deref()
        .is_some_and(|seen| plain(seen) == plain(&difference.expected))
}

/// Returns true if mail-parser ends the text at an enclosing boundary that is not part of a delimiter.
fn is_delimiter(message: &Message<'_>, item: &ExpectedItem<'_>, difference: &Difference) -> bool {
    let (Content::Body(..), Some(seen)) = (&item.content, &difference.seen) else {
        return false;
    };
    let Some(rest) = difference.expected.strip_prefix(seen.as_str()) else {
        return false;
    };
    let mut next = message.part(item.part).and_then(|part| part.parent);
    while let Some(id) = next {
        let found = message
            .boundary(id)
            .and_then(|boundary| rest.strip_prefix("--")?.as_bytes().strip_prefix(boundary));
        let whole = |rest: &[u8]| {
            let rest = rest.strip_prefix(b"--").unwrap_or(rest);
            rest.split(|byte| *byte == b'\n')
                .next()
                .is_some_and(|line| line.trim_ascii().is_empty())
        };
        if found.is_some_and(|rest| !whole(rest) || !seen.is_empty() && !seen.ends_with('\n')) {
            return true;
        }
        next = message.part(id).and_then(|part| part.parent);
    }
    false
}

fn is_spaces(
    item: &ExpectedItem<'_>,
    reading: &SecondReading<'_>,
    difference: &Difference,
) -> bool {
    let (Content::Text(..) | Content::Mailboxes(..), Some(seen)) =
        (&item.content, &difference.seen)
    else {
        return false;
    };
    let lists = matches!(item.content, Content::Mailboxes(..));
    let solid = |text: &str| text.replace([' ', '"', '<', '>'], "");
    let solid = |text: &str| {
        if lists {
            solid(text)
        } else {
            text.replace(' ', "")
        }
    };
    let touches = |value: &[u8]| {
        let mut closes = memchr::memmem::find_iter(value, b"?=");
        closes.any(|at| value.get(at + 2).is_some_and(|after| !is_blank(*after)))
            || lists
                && (value.contains(&b'"')
                    || count(value, b'<') != count(value, b'>')
                    || has_touching_comment(value))
    };
    let Some(value) = reading.value(item.start) else {
        return false;
    };
    let spaced = spaced(value);
    let expected = solid(&difference.expected);
    touches(value) && expected == solid(seen)
        || spaced.len() > value.len() && expected == solid(&field_as_seen(&item.content, &spaced))
}

/// Returns true if text stands directly before or behind a comment: `a-()b`. Readers show it with and without a space.
fn has_touching_comment(value: &[u8]) -> bool {
    let is_text = |byte: &u8| !is_blank(*byte) && !matches!(byte, b'(' | b')' | b',' | b';' | b'<');
    let opens = |at: usize| at > 0 && is_text(&value[at - 1]);
    let closes = |at: usize| value.get(at + 1).is_some_and(is_text);
    memchr::memchr_iter(b'(', value).any(opens) || memchr::memchr_iter(b')', value).any(closes)
}

/// Returns the value with a space before each word that touches the text before it.
fn spaced(value: &[u8]) -> Vec<u8> {
    let mut spaced = Vec::with_capacity(value.len());
    let mut rest = 0;
    for at in
        memchr::memmem::find_iter(value, b"=?").filter(|&at| at > 0 && !is_blank(value[at - 1]))
    {
        spaced.extend_from_slice(&value[rest..at]);
        spaced.push(b' ');
        rest = at;
    }
    spaced.extend_from_slice(&value[rest..]);
    spaced
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn count(value: &[u8], byte: u8) -> usize {
    memchr::memchr_iter(byte, value).count()
}
