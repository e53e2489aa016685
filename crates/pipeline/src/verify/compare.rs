//! Compares what the second reader reads with what is expected.

use super::disagreement::Disagreement;
use super::expected::{BodyText, Content, ExpectedItem};
use super::reader::{self, SecondReading};
use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::fields::{Entry, Mailbox};
use mailglot_mime::{CharsetOut, Message, Policy, iso_2022_jp_form, params};
use std::borrow::Cow;
use std::fmt::Write as _;

/// A difference between the readers at one position.
pub(super) struct Difference {
    pub(super) expected: String,
    /// None if the second reader finds no field or text there.
    pub(super) seen: Option<String>,
}

impl Difference {
    pub(super) fn into_disagreement(
        self,
        message: &Message<'_>,
        item: &ExpectedItem<'_>,
    ) -> Disagreement {
        let seen = self.seen.as_deref();
        let at = seen.map_or(0, |seen| common(&self.expected, seen));
        Disagreement {
            section: message.section(item.part),
            at: item.original.start,
            what: item.content.what().to_owned(),
            expected: excerpt(&self.expected, at),
            seen: seen.map_or_else(|| "nothing".to_owned(), |seen| excerpt(seen, at)),
        }
    }
}

/// Returns the first difference between the second reader and the expected content.
pub(super) fn difference(
    item: &ExpectedItem<'_>,
    reading: &SecondReading<'_>,
    policy: &Policy,
) -> Option<Difference> {
    // Some codes of JIS X 0208 have two characters. Readers decode to either.
    let japanese = policy.charset_out == CharsetOut::Iso2022Jp;
    let form = |text: &str| {
        if japanese {
            iso_2022_jp_form(text).into_owned()
        } else {
            text.to_owned()
        }
    };
    if let Content::Body(body) = &item.content {
        return body_difference(body, item.start, reading, &form);
    }
    let expected = field_as_expected(&item.content);
    let (Some(value), Some(end)) = (reading.value(item.start), reading.field(item.start)) else {
        return Some(Difference {
            expected,
            seen: None,
        });
    };
    if end != item.end {
        // A line that was added within the field is another field.
        let seen = format!("{} bytes", end - item.start);
        return Some(Difference {
            expected: format!("{} bytes", item.end - item.start),
            seen: Some(seen),
        });
    }
    let seen = field_as_seen(&item.content, value);
    let same = expected == seen || form(&expected) == form(&seen);
    (!same).then_some(Difference {
        expected,
        seen: Some(seen),
    })
}

/// Returns the difference between the text of a body and what the second reader reads at `start`.
///
/// A body that kept its label and its decoded bytes only got another transfer encoding, so its text is not compared.
fn body_difference(
    body: &BodyText<'_>,
    start: usize,
    reading: &SecondReading<'_>,
    form: &dyn Fn(&str) -> String,
) -> Option<Difference> {
    let label = reading.label(start).unwrap_or_default();
    let keeps_label = body.label.eq_ignore_ascii_case(label);
    if keeps_label && body.is_unedited {
        return None;
    }
    let keeps_bytes = || {
        body.plain
            .is_some_and(|plain| keeps_label && reading.has_bytes(start, plain))
    };
    let Some(seen) = reading.body(start).and_then(|body| reading.text(body)) else {
        let expected = body.text.to_string();
        return (!keeps_bytes()).then_some(Difference {
            expected,
            seen: None,
        });
    };
    let (mut expected, mut seen) = (
        Cow::Borrowed(inner(&body.text)),
        Cow::Borrowed(inner(&seen)),
    );
    // Most texts are equal as they are. The other forms take longer, and are computed one by one.
    let forms: [&dyn Fn(&str) -> String; 3] = [
        &|text: &str| text.replace("\r\n", "\n"),
        &|text: &str| {
            if body.document {
                without_declarations(text)
            } else {
                text.to_owned()
            }
        },
        form,
    ];
    for form in forms {
        if expected == seen {
            return None;
        }
        (expected, seen) = (form(&expected).into(), form(&seen).into());
    }
    let (expected, seen) = (expected.into_owned(), seen.into_owned());
    (expected != seen && !keeps_bytes()).then_some(Difference {
        expected,
        seen: Some(seen),
    })
}

/// Formats what this project reads in a field, for comparison.
pub(super) fn field_as_expected(content: &Content<'_>) -> String {
    match content {
        Content::Body(body) => body.text.to_string(),
        Content::Text(_, text) => words(text),
        Content::Mailboxes(_, entries) => {
            let (mut mailboxes, mut groups) = (Vec::new(), Vec::new());
            for entry in entries {
                match entry {
                    Entry::Mailbox(mailbox) => mailboxes.push(mailbox),
                    Entry::Group { name, list } => {
                        mailboxes.extend(list);
                        groups.push(name.as_str());
                    }
                }
            }
            let full = |mailbox: &Mailbox| {
                let name = mailbox.name.iter().chain(&mailbox.comments);
                (
                    name.map(String::as_str).collect::<Vec<_>>().join(" "),
                    mailbox.address.clone(),
                )
            };
            listed(mailboxes.into_iter().map(full), groups.into_iter())
        }
        Content::Parameters(_, list) => parameters(list),
    }
}

/// Formats what the second reader reads in the value of such a field.
pub(super) fn field_as_seen(content: &Content<'_>, value: &[u8]) -> String {
    match content {
        Content::Body(_) | Content::Text(..) => words(&reader::unstructured(value)),
        Content::Mailboxes(..) => {
            let (mailboxes, groups) = reader::mailboxes(value);
            listed(mailboxes.into_iter(), groups.iter().map(String::as_str))
        }
        Content::Parameters(..) => parameters(&reader::parameters(value)),
    }
}

/// Returns a text without a byte order mark and without trailing line ends.
fn inner(text: &str) -> &str {
    text.trim_start_matches('\u{FEFF}')
        .trim_end_matches(['\r', '\n'])
}

/// Returns a document without its charset declarations (`charset=…`, `encoding="…"`, `@charset "…"`,
/// `X-LOTUS-CHARSET:…`).
fn without_declarations(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = next_declaration(rest) {
        let (before, after) = rest.split_at(at);
        kept.push_str(before);
        rest = after.trim_start_matches(|c: char| u8::try_from(c).is_ok_and(is_of_charset_name));
    }
    kept + rest
}

/// Returns the position of the charset name after `charset` or `encoding`.
fn next_declaration(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    (0..bytes.len()).find_map(|at| {
        let word = bytes
            .get(at..at + 7)
            .filter(|word| word.eq_ignore_ascii_case(b"charset"));
        let word = word.or_else(|| {
            bytes
                .get(at..at + 8)
                .filter(|word| word.eq_ignore_ascii_case(b"encoding"))
        });
        let start = at + word?.len();
        let colon = usize::from(bytes.get(start) == Some(&b':'));
        let skipped = bytes[start + colon..]
            .iter()
            .take_while(|byte| b" \t\r\n='\"".contains(byte))
            .count()
            + colon;
        let name = start + skipped;
        let is_name = bytes.get(name).copied().is_some_and(is_of_charset_name);
        (skipped > 0 && is_name).then_some(name)
    })
}

/// Returns true for the characters of names in declarations, which no charset need have: `_autodetect`.
fn is_of_charset_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_:.+".contains(&byte)
}

/// Joins the words of a header value by single spaces. Folding may change blanks, and a control counts as one.
pub(super) fn words(text: &str) -> String {
    joined(text, |c| c == ' ' || c.is_control())
}

/// Returns a name with its comments, without blanks and parentheses, which readers place differently.
fn name(text: &str) -> String {
    joined(text, |c| {
        matches!(c, '(' | ')') || c.is_whitespace() || c.is_control()
    })
}

fn joined(text: &str, is_blank: impl Fn(char) -> bool) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut blank = false;
    for c in text.chars().filter(|c| *c != '\u{FEFF}') {
        if is_blank(c) {
            blank = !joined.is_empty();
            continue;
        }
        if std::mem::take(&mut blank) {
            joined.push(' ');
        }
        joined.push(c);
    }
    joined
}

fn listed<'g>(
    mailboxes: impl Iterator<Item = (String, String)>,
    groups: impl Iterator<Item = &'g str>,
) -> String {
    let mut text = String::new();
    for (full, address) in mailboxes {
        let _ = write!(text, "{} <{}>, ", name(&full), words(&address));
    }
    for group in groups {
        let _ = write!(text, "{}; ", name(group));
    }
    text
}

/// Sorts names and texts. Skips languages, and the charset, which was changed.
fn parameters(list: &[(String, String)]) -> String {
    let kept = list
        .iter()
        .filter(|(name, _)| name != "charset" && !name.ends_with("-language"));
    let mut kept: Vec<String> = kept
        .map(|(name, text)| format!("{name}={}", words(&with_escapes_decoded(name, text))))
        .collect();
    kept.sort_unstable();
    kept.join("; ")
}

/// Decodes an extended value without an asterisk (`filename="utf-8''%C3%BC.doc"`), which other readers show literally.
pub(super) fn with_escapes_decoded<'t>(name: &str, text: &'t str) -> Cow<'t, str> {
    let is_file_name = matches!(name, "filename" | "name");
    if !is_file_name || !text.is_ascii() || !text.contains("''") || !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
    let value = format!("attachment; {name}=\"{quoted}\"");
    let mut list = params::parse(value.as_bytes(), &HeaderContext::default(), &mut Vec::new()).list;
    list.pop()
        .map_or(Cow::Borrowed(text), |param| Cow::Owned(param.text))
}

/// Returns the length of the common prefix in characters.
fn common(one: &str, other: &str) -> usize {
    one.chars()
        .zip(other.chars())
        .take_while(|(a, b)| a == b)
        .count()
}

/// Returns a short excerpt of a text, from just before a character.
pub(super) fn excerpt(text: &str, at: usize) -> String {
    format!(
        "{:?}",
        text.chars()
            .skip(at.saturating_sub(10))
            .take(40)
            .collect::<String>()
    )
}
