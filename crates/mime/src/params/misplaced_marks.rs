//! Reads file names whose RFC 2231 marks are missing or misplaced, as some programs write them.
//!
//! ```text
//! filename="utf-8''%C3%BC.doc"                           no asterisk
//! filename="utf-8''a.doc"                                no asterisk, and nothing to escape
//! filename*0="utf-8''%C3"; filename*1="%BC.doc"          no asterisks
//! filename*0*=utf-8''%C3%BC; filename*1*=utf-8''%C3%A4   a repeated charset
//! filename*0*=utf-8''%C; filename*1*=3%BC                an escape in two segments
//! filename*=utf-8''"%C3%BC.doc"                          quotes inside the value
//! filename*=cp1252"%FC.doc"                              quotes for the apostrophes
//! filename*0="a "; filename*1*=utf-8''%C3%BC             the charset behind plain segments
//! ```
//!
//! # Limits
//!
//! Without an asterisk, the value must be ASCII, and the charset must be able to decode its bytes. Such a value stays as written,
//! since other readers show it literally. Nothing but the value decides how it is decoded.

use super::scan::{Item, ValueSegment};
use super::value::{FormText, VALUE, ValuePlace, escape, extended, percent_decode, split_extended};
use crate::encoded_word::HeaderContext;
use crate::event::{EventKind, Finding, FindingList, Reason};
use crate::lexer::{has_word, is_attribute_char, is_file_name};
use crate::unlogged::count_losses;
use mailglot_codec::{Charset, View};
use std::borrow::Cow;

/// Returns true if a field may contain an extended value without an asterisk. Does not parse it.
pub(super) fn may_lack_asterisk(value: &[u8]) -> bool {
    memchr::memmem::find(value, b"''").is_some()
}

/// Returns true for the value of a plain parameter that has the syntax of an extended one.
///
/// It begins with the label of a charset and two apostrophes. Escapes of valid text follow, all complete, or a name without escapes:
/// see [`needs_no_escape`].
pub(super) fn lacks_asterisk(name: &[u8], value: &[u8]) -> bool {
    if !is_file_name(name) || !may_lack_asterisk(value) || value.len() > VALUE {
        return false;
    }
    let (Some(label), Some(b""), rest) = split_extended(value) else {
        return false;
    };
    let is_printable = value.iter().all(|byte| matches!(byte, b' '..=b'~'));
    let Some(charset) = Charset::for_label(label, View::Mail).charset() else {
        return false;
    };
    let mut bytes = Vec::new();
    if !is_printable || has_word(value) || percent_decode(rest, &mut bytes) > 0 {
        return false;
    }
    let has_escapes = bytes.len() < rest.len();
    count_losses(charset, &bytes) == 0 && (has_escapes || needs_no_escape(label, charset, rest))
}

/// Returns true if an encoder writes `text` after `label` without escapes, and `label` is no word that an apostrophe may follow.
///
/// An encoder escapes blanks, apostrophes and quotes. `Greek''s.doc` and `L1''.jpg` may be names: a label that has no digit or
/// hyphen, or is shorter than `big5`, does not count.
fn needs_no_escape(label: &[u8], charset: Charset, text: &[u8]) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphabetic();
    let is_distinct = label.len() >= 4 && is_word(&label[0]) && !label.iter().all(is_word);
    let is_literal = |&byte: &u8| is_attribute_char(byte) || matches!(byte, b'(' | b')');
    is_distinct && charset.is_ascii_compatible() && !text.is_empty() && text.iter().all(is_literal)
}

/// Decodes a value for which [`lacks_asterisk`] is true. No evidence of the message counts, so the text never changes.
pub(super) fn without_asterisk(
    value: &[u8],
    at: &ValuePlace,
    found: &mut Vec<Finding>,
) -> FormText {
    let (label, language, rest) = split_extended(value);
    let mut bytes = Vec::new();
    percent_decode(rest, &mut bytes);
    let context = HeaderContext::default();
    extended(label, language, &bytes, at, &context, found)
}

/// Returns the joined segments if none has an asterisk at its end, and the whole is an extended value.
pub(super) fn segments_without_asterisk(
    name: &[u8],
    segments: &[ValueSegment<'_>],
) -> Option<Vec<u8>> {
    let first = segments.first()?;
    if !is_file_name(name)
        || !may_lack_asterisk(first.value())
        || segments.iter().any(|segment| segment.is_encoded)
    {
        return None;
    }
    let values = segments.iter().map(ValueSegment::value);
    let joined = values.collect::<Vec<_>>().concat();
    lacks_asterisk(name, &joined).then_some(joined)
}

/// Returns the number of the segment whose charset stands behind plain segments of ASCII, where it belongs into the first one.
///
/// Its label names a charset, and two apostrophes follow. An encoder writes `%27` for an apostrophe of the text.
pub(super) fn late_charset(segments: &[ValueSegment<'_>]) -> Option<u32> {
    let at = segments.iter().position(|segment| segment.is_encoded)?;
    let (plain, first) = (&segments[..at], &segments[at]);
    if plain.is_empty() || !plain.iter().all(|segment| segment.value().is_ascii()) {
        return None;
    }
    let (Some(label), Some(b""), text) = split_extended(first.value()) else {
        return None;
    };
    let charset = Charset::for_label(label, View::Mail).charset()?;
    let has_escapes = memchr::memchr(b'%', text).is_some();
    (charset.is_ascii_compatible() && has_escapes).then_some(first.number)
}

/// Repairs the forms of one name, `segments` in order: removes quotes inside a value and the charset in later segments.
///
/// Moves an escape that was cut into the later segment.
pub(super) fn repair_marks(
    whole: Option<&mut Item<'_>>,
    segments: &mut [ValueSegment<'_>],
    findings: &mut Vec<Finding>,
) {
    if let Some(item) = whole {
        remove_inner_quotes(item, findings);
        replace_quotes_for_apostrophes(item, findings);
    }
    if let Some((first, later)) = segments.split_first_mut()
        && first.is_encoded
    {
        remove_inner_quotes(&mut first.item, findings);
        let rest = split_extended(first.value()).2.len();
        let prefix = &first.value()[..first.value().len() - rest];
        // `''` alone may be text.
        if prefix.len() > 2 && prefix.ends_with(b"'") {
            for segment in later.iter_mut().filter(|segment| segment.is_encoded) {
                remove_prefix(&mut segment.item, prefix, findings);
            }
        }
    }
    for next in 1..segments.len() {
        let [one, other] = &mut segments[next - 1..=next] else {
            continue;
        };
        if one.is_encoded && other.is_encoded {
            move_cut_escape(&mut one.item.raw.value, &mut other.item.raw.value);
        }
    }
}

/// Removes quotes around the text after charset and language.
fn remove_inner_quotes(item: &mut Item<'_>, findings: &mut Vec<Finding>) {
    let value = &item.raw.value;
    let (Some(_), Some(_), rest) = split_extended(value) else {
        return;
    };
    let [b'"', inner @ .., b'"'] = rest else {
        return;
    };
    if inner.is_empty() || inner.contains(&b'"') {
        return;
    }
    let without = [&value[..value.len() - rest.len()], inner].concat();
    item.raw.value = Cow::Owned(without);
    let at = item.raw.range.clone();
    findings.add(at, EventKind::ParamQuotedExtended, Reason::Unquoted);
}

/// Writes two apostrophes for the quotes around a text with escapes that follows the name of a charset.
fn replace_quotes_for_apostrophes(item: &mut Item<'_>, findings: &mut Vec<Finding>) {
    let value = &item.raw.value;
    let Some(quote) = memchr::memchr(b'"', value).filter(|_| !item.quoted) else {
        return;
    };
    let (label, text) = (&value[..quote], &value[quote + 1..]);
    let text = text.strip_suffix(b"\"").unwrap_or(text);
    let is_charset = Charset::for_label(label, View::Mail).charset().is_some();
    let has_escape = memchr::memchr_iter(b'%', text).any(|at| escape(&text[at..]).is_some());
    if !is_charset || !has_escape || text.contains(&b'"') || value.contains(&b'\'') {
        return;
    }
    item.raw.value = Cow::Owned([label, b"''", text].concat());
    let at = item.raw.range.clone();
    let kind = EventKind::ParamQuotedExtended;
    findings.add(at, kind, Reason::QuotesForApostrophes);
}

fn remove_prefix(item: &mut Item<'_>, prefix: &[u8], findings: &mut Vec<Finding>) {
    let Some(rest) = item.raw.value.strip_prefix(prefix) else {
        return;
    };
    item.raw.value = Cow::Owned(rest.to_vec());
    let at = item.raw.range.clone();
    findings.add(at, EventKind::ParamBadMark, Reason::RepeatedCharset);
}

/// Moves the beginning of an escape at the end of a segment into the next one, which has its other digits.
pub(super) fn move_cut_escape(one: &mut Cow<'_, [u8]>, other: &mut Cow<'_, [u8]>) {
    let length = match one[..] {
        [.., b'%'] => 1,
        [.., b'%', _] => 2,
        _ => return,
    };
    let start = one.len() - length;
    let rest = &other[..other.len().min(2)];
    if escape(&[&one[start..], rest].concat()).is_some() {
        let joined = [&one[start..], other].concat();
        *other = Cow::Owned(joined);
        one.to_mut().truncate(start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoded_word::{Form, Repairs, RewriteTarget, apply};
    use crate::field_kind::FieldKind;
    use crate::header;
    use crate::params::{Compat, encode, parse};

    /// Values with the name that they give, and the codes of their events.
    const READ: &[(&str, Option<&str>, &[&str])] = &[
        (
            "a; filename=\"utf-8''%D0%94%D0%BE%D0%B3.doc\"",
            Some("Дог.doc"),
            &["param.bad-mark"],
        ),
        (
            "a; filename=koi8-r''%E4%CF%C7.doc",
            Some("Дог.doc"),
            &["param.bad-mark"],
        ),
        (
            "a; filename*=Cp1252\"Auftragsbest%E4tigung.pdf\"",
            Some("Auftragsbestätigung.pdf"),
            &["param.quoted-extended", "param.unquoted"],
        ),
        (
            "a; filename*=Cp1252\"Auftragsbest%E4tigung.pdf",
            Some("Auftragsbestätigung.pdf"),
            &["param.quoted-extended", "param.unquoted"],
        ),
        (
            "a; filename*=x\"b%E4\"",
            Some("x\"bä\""),
            &["param.unquoted", "param.no-charset", "charset.detected"],
        ),
        // No charset, no or broken escapes, a language, invalid bytes, or another name.
        (
            "a; filename=\"x''%D0%94.doc\"",
            Some("x''%D0%94.doc"),
            &["param.url-encoded"],
        ),
        // Nothing to escape.
        (
            "a; filename=\"utf-8''Privitak.jpg\"",
            Some("Privitak.jpg"),
            &["param.bad-mark"],
        ),
        (
            "a; filename=\"koi8-r''a(1).doc\"",
            Some("a(1).doc"),
            &["param.bad-mark"],
        ),
        (
            "a; filename*0=\"utf-8''Privi\"; filename*1=\"tak.jpg\"",
            Some("Privitak.jpg"),
            &["param.bad-mark"],
        ),
        // An encoder escapes these characters. No charset, a word, a number, nothing behind the mark, one apostrophe, a language.
        (
            "a; filename=\"utf-8''a b.doc\"",
            Some("utf-8''a b.doc"),
            &[],
        ),
        ("a; filename=\"utf-8''a''b\"", Some("utf-8''a''b"), &[]),
        (
            "a; filename=\"utf-8''a/b\"",
            Some("utf-8''a/b"),
            &["param.path"],
        ),
        ("a; filename=\"utf-9''a.doc\"", Some("utf-9''a.doc"), &[]),
        (
            "a; filename=\"my utf-8''a.doc\"",
            Some("my utf-8''a.doc"),
            &[],
        ),
        ("a; filename=\"Greek''s.doc\"", Some("Greek''s.doc"), &[]),
        ("a; filename=\"L1''a.doc\"", Some("L1''a.doc"), &[]),
        ("a; filename=\"1252''a.doc\"", Some("1252''a.doc"), &[]),
        ("a; filename=\"utf-16''a.doc\"", Some("utf-16''a.doc"), &[]),
        ("a; filename=\"utf-8''\"", Some("utf-8''"), &[]),
        ("a; filename=\"utf-8'a.doc\"", Some("utf-8'a.doc"), &[]),
        (
            "a; filename=\"utf-8'en'a.doc\"",
            Some("utf-8'en'a.doc"),
            &[],
        ),
        ("a; x=\"utf-8''a.doc\"; filename=b", Some("b"), &[]),
        (
            "a; filename=\"utf-8''%41%.doc\"",
            Some("utf-8''%41%.doc"),
            &[],
        ),
        ("a; filename=\"utf-8'en'%41\"", Some("utf-8'en'%41"), &[]),
        ("a; filename=\"utf-8''%FF\"", Some("utf-8''%FF"), &[]),
        ("a; x=\"utf-8''%41\"; filename=b", Some("b"), &[]),
        (
            "a; filename*0=utf-8''%D0%94%D0; filename*1=%BE.doc",
            Some("До.doc"),
            &["param.bad-mark"],
        ),
        (
            "a; filename*0=utf-8''%D0%94%D0; filename*1=%.doc",
            Some("utf-8''%D0%94%D0%.doc"),
            &[],
        ),
        (
            "a; filename*0*=utf-8''%D0%94; filename*1*=utf-8''%D0%BE.doc",
            Some("До.doc"),
            &["param.bad-mark"],
        ),
        (
            "a; filename*0*=koi8-r'ru'%E4; filename*1*=koi8-r'ru'%CF; filename*2*=koi8-r''%C7",
            Some("Доkoi8-r''г"),
            &["param.bad-mark"],
        ),
        (
            "a; filename*1*=utf-8''%D0%94; filename*2*=%D0%BE.doc",
            Some("До.doc"),
            &["param.gap"],
        ),
        ("a; filename*1=x; filename=y", Some("y"), &["param.gap"]),
        (
            "a; filename*2=x; filename*3=y",
            None,
            &["param.gap", "param.gap"],
        ),
        (
            "a; filename*00*=utf-8''%D0%94; filename*01*=%D0%BE.doc",
            Some("До.doc"),
            &["param.bad-mark", "param.bad-mark"],
        ),
        (
            "a; filename*0=foo; filename*01=bar",
            Some("foo"),
            &["param.bad-mark", "param.gap"],
        ),
        (
            "a; filename*0*=utf-8''%D0%94%D; filename*1*=0%BE.doc",
            Some("До.doc"),
            &[],
        ),
        (
            "a; filename*0*=utf-8''%D0%94%; filename*1*=D; filename*2*=0%BE.doc",
            Some("Д%D0\u{fffd}.doc"),
            &["param.bad-percent", "charset.invalid-bytes"],
        ),
        (
            "a; filename*0*=koi8-r''%E4%C; filename*1*=F.doc",
            Some("До.doc"),
            &[],
        ),
        (
            "a; filename*0=\"Book \"; filename*1*=utf-8''%D0%94.doc; filename*2*=%D0%BE",
            Some("Book Д.docо"),
            &["param.bad-mark"],
        ),
        (
            "a; filename*0=a; filename*1=b; filename*2*=koi8-r''%E4",
            Some("abД"),
            &["param.bad-mark"],
        ),
        // A name that contains the mark, a plain segment, no charset, no escape, a second charset.
        (
            "a; filename*0*=''a; filename*1*=utf-8''%D0%94",
            Some("autf-8''Д"),
            &["param.no-charset"],
        ),
        (
            "a; filename*0=a; filename*1=\"utf-8''%D0%94\"",
            Some("autf-8''%D0%94"),
            &[],
        ),
        (
            "a; filename*0=a; filename*1*=x''%D0%94",
            Some("ax''Д"),
            &["param.no-charset"],
        ),
        (
            "a; filename*0=a; filename*1*=utf-8''b",
            Some("autf-8''b"),
            &["param.no-charset"],
        ),
        (
            "a; filename*0=a; filename*1*=%62; filename*2*=utf-8''%D0%94",
            Some("abutf-8''Д"),
            &["param.no-charset"],
        ),
        (
            "a; filename*=utf-8''\"%D0%94.doc\"",
            Some("Д.doc"),
            &["param.quoted-extended", "param.unquoted"],
        ),
        (
            "a; filename*=koi8-r''\"%E4.doc\"",
            Some("Д.doc"),
            &["param.quoted-extended", "param.unquoted"],
        ),
        ("filename=\"a.doc\"", Some("a.doc"), &["param.no-semicolon"]),
        (
            " filename*0*=koi8-r''%E4; filename*1=.doc",
            Some("Д.doc"),
            &["param.no-semicolon"],
        ),
        (
            "(c) filename = my file.doc; x=y",
            Some("my file.doc"),
            &["param.no-semicolon", "param.blank", "param.unquoted"],
        ),
    ];

    #[test]
    fn names_with_misplaced_marks_are_read() {
        for (value, want, codes) in READ {
            let mut findings = Vec::new();
            let params = parse(value.as_bytes(), &HeaderContext::default(), &mut findings);
            assert_eq!(params.get("filename"), *want, "{value}");
            let mut found: Vec<_> = findings.iter().map(|finding| finding.kind.code()).collect();
            let mut codes = codes.to_vec();
            found.sort_unstable();
            codes.sort_unstable();
            assert_eq!(found, codes, "{value}");
        }
    }

    #[test]
    fn rewritten_names_read_as_before() {
        let repairs = HeaderContext {
            repairs: Repairs::ALL,
            ..HeaderContext::default()
        };
        for (value, ..) in READ {
            for form in [Form::Words, Form::RawUtf8, Form::Iso2022Jp] {
                for context in [HeaderContext::default(), repairs] {
                    let target = RewriteTarget {
                        form,
                        column: 20,
                        eol: "\r\n",
                    };
                    let rewrite = |value: &[u8]| {
                        let kind = FieldKind::Parameters;
                        header::rewrite(value, kind, target, &context, &mut Vec::new())
                    };
                    let once = apply(value.as_bytes(), &rewrite(value.as_bytes()));
                    let read =
                        |value: &[u8]| parse(value, &HeaderContext::default(), &mut Vec::new());
                    let shown = String::from_utf8_lossy(&once);
                    assert_eq!(read(&once), read(value.as_bytes()), "{value} → {shown}");
                    assert_eq!(rewrite(&once), [], "{value} → {shown}");
                }
            }
        }
    }

    #[test]
    fn a_name_in_utf8_stays_as_written() {
        for value in [
            "a; filename=\"utf-8''%D0%94.doc\"",
            "a; filename=\"koi8-r''%E4.doc\"",
            "a; filename*0=koi8-r''%E4; filename*1=%CF.doc",
            "a; filename*0*=utf-8''%D0%94; filename*1*=utf-8''%D0%BE.doc",
            "a; filename*1*=utf-8''%D0%94; filename*2*=%D0%BE.doc",
            "a; filename*00*=utf-8''%D0%94; filename*01*=%D0%BE.doc",
            "a; filename*0*=utf-8''%D0%94%D; filename*1*=0%BE.doc",
            "a; filename*=utf-8''\"%D0%94.doc\"",
        ] {
            let target = RewriteTarget {
                form: Form::Words,
                column: 20,
                eol: "\r\n",
            };
            let (kind, context) = (FieldKind::Parameters, HeaderContext::default());
            let list = header::rewrite(value.as_bytes(), kind, target, &context, &mut Vec::new());
            assert_eq!(list, [], "{value}");
        }
    }

    #[test]
    fn a_name_that_looks_extended_is_encoded() {
        for compat in [Compat::None, Compat::Ascii, Compat::Words] {
            let text = "utf-8''%41.doc";
            let value = encode("filename", text, compat, 1, "\r\n").expect("a name");
            let value = format!("attachment; {value}");
            let params = parse(value.as_bytes(), &HeaderContext::default(), &mut Vec::new());
            assert_eq!(params.get("filename"), Some(text), "{value}");
        }
    }
}
