//! Decodes parameters: joins continuations, decodes extended values and encoded words (RFC 2231, sections 3 and 4).

use super::param::{Param, Params};
use super::scan::{Item, LIMIT, Scanner, note_path};
use crate::charset_choice::visual_order_note;
use crate::encoded_word::{self, HeaderContext, repair};
use crate::event::{Detail, EventKind, Finding, FindingList, Reason};
use crate::lexer::{NameForm, has_word, split_name};
use mailglot_codec::{Charset, Resolved, View};
use mailglot_kernel::hex_escapes::digit_value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// Maximum number of different names that are read from one field.
const NAMES: usize = 1_000;
/// Maximum number of bytes that are read from one value.
const VALUE: usize = 1 << 20;

/// All forms in which one name occurs.
#[derive(Debug, Default)]
pub(super) struct Group<'a> {
    /// Lower-case name.
    pub name: String,
    /// `name`
    pub plain: Option<Item<'a>>,
    /// `name*`
    pub extended: Option<Item<'a>>,
    /// `name*0`, `name*1`, …, sorted, without gaps or duplicates; each with its number and whether it is percent-encoded.
    pub segments: Vec<(u32, bool, Item<'a>)>,
    /// True if no parameter of this name was left out.
    pub whole: bool,
    /// Repeated parameters of one form, and segments that cannot be joined.
    pub left_out: Vec<Item<'a>>,
}

/// The forms in order of precedence.
pub(super) const FORMS: [NameForm; 3] = [
    NameForm::Extended,
    NameForm::Segment {
        number: 0,
        encoded: false,
    },
    NameForm::Plain,
];

/// Parses a field value and decodes its parameters. Ranges of findings are relative to `value`.
///
/// ```
/// use mailglot_mime::encoded_word::HeaderContext;
/// use mailglot_mime::params::parse;
///
/// let value = b"attachment; filename*0*=utf-8''%C3%9C; filename*1=\"ber.pdf\"";
/// let params = parse(value, &HeaderContext::default(), &mut Vec::new());
/// assert_eq!((params.value.as_str(), params.get("filename")), ("attachment", Some("Über.pdf")));
/// ```
pub fn parse(value: &[u8], context: &HeaderContext, findings: &mut Vec<Finding>) -> Params {
    let (main, groups) = group(value, context, findings);
    let mut text = String::new();
    encoded_word::push_clean(
        &encoded_word::bytes_to_text(
            None,
            false,
            &main,
            &HeaderContext::default(),
            &mut Vec::new(),
        )
        .0,
        &mut text,
    );
    let mut list: Vec<_> = groups
        .iter()
        .filter_map(|group| group.decode(context, findings))
        .collect();
    list.sort_by_key(|(place, _)| *place);
    findings.sort_by_key(|f| f.at.start);
    Params {
        value: text.trim().to_lowercase(),
        list: list.into_iter().map(|(_, param)| param).collect(),
    }
}

/// Returns the main value and the parameters, grouped by name in order of first appearance.
pub(super) fn group<'a>(
    value: &'a [u8],
    context: &HeaderContext<'a>,
    findings: &mut Vec<Finding>,
) -> (Cow<'a, [u8]>, Vec<Group<'a>>) {
    let (main, scanner) = Scanner::new(value);
    let mut scanner = scanner.within(context);
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut index: HashMap<String, usize> = HashMap::new();
    for item in scanner.by_ref().take(LIMIT) {
        let (base, form) = split_name(item.raw.name);
        note_mark(&item, form, findings);
        let mut name = String::new();
        let controls = encoded_word::push_clean(
            &String::from_utf8_lossy(base).to_ascii_lowercase(),
            &mut name,
        );
        encoded_word::report_controls(controls, &item.name, findings);
        let known = index.get(&name).copied();
        if known.is_none() && groups.len() == NAMES {
            findings.add(
                item.name.start..value.len(),
                EventKind::HdrBeyondLimit,
                Reason::ParameterLimit,
            );
            break;
        }
        let at = known.unwrap_or_else(|| {
            index.insert(name.clone(), groups.len());
            groups.push(Group {
                name,
                whole: true,
                ..Group::default()
            });
            groups.len() - 1
        });
        let group = &mut groups[at];
        let place = match form {
            NameForm::Plain => &mut group.plain,
            NameForm::Extended => &mut group.extended,
            NameForm::Segment { number, encoded } => {
                group.segments.push((number, encoded, item));
                continue;
            }
        };
        if place.is_none() {
            *place = Some(item);
        } else {
            group.whole = false;
            findings.add(
                item.extent(),
                EventKind::ParamDuplicate,
                Reason::FirstCounts,
            );
            group.left_out.push(item);
        }
    }
    if index.len() < NAMES {
        scanner.note_rest();
    }
    findings.append(&mut scanner.tolerated);
    for group in &mut groups {
        group.sort(findings);
    }
    (main, groups)
}

/// Reports an invalid RFC 2231 mark, and quotes around an extended value, which RFC 2231 7 does not allow.
pub(super) fn note_mark(item: &Item<'_>, form: NameForm, findings: &mut Vec<Finding>) {
    match form {
        NameForm::Plain if item.raw.name.contains(&b'*') => {
            findings.add(
                item.name.clone(),
                EventKind::ParamBadMark,
                Reason::PartOfName,
            );
        }
        NameForm::Extended | NameForm::Segment { encoded: true, .. } if item.quoted => {
            findings.add(
                item.raw.range.clone(),
                EventKind::ParamQuotedExtended,
                Reason::Unquoted,
            );
        }
        _ => {}
    }
}

impl Item<'_> {
    /// Returns the range from the name to the end of the value.
    pub(super) fn extent(&self) -> Range<usize> {
        self.name.start..self.raw.range.end.max(self.name.end)
    }
}

impl<'a> Group<'a> {
    /// Sorts the segments and leaves out those that cannot be joined.
    fn sort(&mut self, findings: &mut Vec<Finding>) {
        let count = self.segments.len();
        self.segments.sort_by_key(|s| s.0);
        let mut kept: Vec<(u32, bool, Item<'a>)> = Vec::with_capacity(count);
        for (number, encoded, item) in std::mem::take(&mut self.segments) {
            let next = kept.len() as u32;
            if number == next {
                kept.push((number, encoded, item));
                continue;
            }
            let (kind, detail) = if number < next {
                (EventKind::ParamDuplicate, Reason::FirstCounts)
            } else {
                (EventKind::ParamGap, Reason::BehindGap)
            };
            findings.add(item.extent(), kind, detail);
            self.left_out.push(item);
        }
        self.segments = kept;
        self.whole &= self.segments.len() == count;
    }

    /// Decodes each form that is present, with its extent and findings.
    pub(super) fn read(&self, context: &HeaderContext) -> [Option<DecodedForm>; 3] {
        FORMS.map(|form| {
            let mut found = Vec::new();
            let (extent, decoded) = self.decode_form(form, context, &mut found)?;
            Some(DecodedForm {
                extent,
                decoded,
                found,
            })
        })
    }

    /// Returns each form as a group of its own, repeated ones included, with its decoded value.
    ///
    /// Skips damaged forms and incomplete segments.
    pub(super) fn singles(&self, context: &HeaderContext) -> Vec<(Group<'a>, Param)> {
        let single = || Group {
            name: self.name.clone(),
            whole: true,
            ..Group::default()
        };
        let mut list = Vec::new();
        for item in self
            .plain
            .iter()
            .chain(&self.extended)
            .chain(&self.left_out)
        {
            match split_name(item.raw.name).1 {
                NameForm::Plain => list.push(Group {
                    plain: Some(item.clone()),
                    ..single()
                }),
                NameForm::Extended => list.push(Group {
                    extended: Some(item.clone()),
                    ..single()
                }),
                NameForm::Segment { .. } => {}
            }
        }
        let is_segment =
            |item: &Item<'_>| matches!(split_name(item.raw.name).1, NameForm::Segment { .. });
        if !self.segments.is_empty() && !self.left_out.iter().any(is_segment) {
            list.push(Group {
                segments: self.segments.clone(),
                ..single()
            });
        }
        list.into_iter()
            .filter_map(|group| {
                let read = group.read(context).into_iter().flatten().next()?;
                let FormText {
                    text,
                    language,
                    losses,
                } = read.decoded;
                (losses == 0).then(|| {
                    (
                        group,
                        Param {
                            name: self.name.clone(),
                            text,
                            language,
                        },
                    )
                })
            })
            .collect()
    }

    /// Returns the decoded parameter and the offset where it begins.
    ///
    /// Prefers `name*` to `name*0` to `name`, and an undamaged form to a damaged one.
    fn decode(
        &self,
        context: &HeaderContext,
        findings: &mut Vec<Finding>,
    ) -> Option<(usize, Param)> {
        let mut forms = self.read(context);
        let preferred = preferred(&forms)?;
        for (index, read) in forms
            .iter()
            .enumerate()
            .skip_while(|(_, read)| read.is_none())
            .skip(1)
        {
            let Some(read) = read else { continue };
            let detail = if index == preferred {
                Reason::OtherFormDamaged
            } else {
                Reason::OtherFormCounts
            };
            findings.add(read.extent.clone(), EventKind::ParamDuplicate, detail);
        }
        let DecodedForm {
            extent,
            decoded,
            found,
        } = forms[preferred].take()?;
        findings.extend(found);
        let place = extent.start;
        note_path(&self.name, &decoded.text, extent, findings);
        Some((
            place,
            Param {
                name: self.name.clone(),
                text: decoded.text,
                language: decoded.language,
            },
        ))
    }

    fn decode_form(
        &self,
        form: NameForm,
        context: &HeaderContext,
        found: &mut Vec<Finding>,
    ) -> Option<(Range<usize>, FormText)> {
        let mut bytes = Vec::new();
        match form {
            NameForm::Plain => {
                let item = self.plain.as_ref()?;
                let exact = matches!(item.raw.value, Cow::Borrowed(_))
                    .then_some(item.raw.range.start + usize::from(item.quoted));
                let at = ValuePlace {
                    range: item.raw.range.clone(),
                    exact,
                };
                Some((
                    item.extent(),
                    words(limit(&item.raw.value, &at, found), &at, context, found),
                ))
            }
            NameForm::Extended => {
                let item = self.extended.as_ref()?;
                let at = ValuePlace {
                    range: item.raw.range.clone(),
                    exact: None,
                };
                let (charset, language, rest) = split_extended(limit(&item.raw.value, &at, found));
                percent(rest, &at, &mut bytes, found);
                Some((
                    item.extent(),
                    extended(charset, language, &bytes, &at, context, found),
                ))
            }
            NameForm::Segment { .. } => {
                let first = self.segments.iter().map(|s| s.2.name.start).min()?;
                let starts = self.segments.iter().map(|s| s.2.raw.range.start);
                let ends = self.segments.iter().map(|s| s.2.raw.range.end);
                let at = ValuePlace {
                    range: starts.min()?..ends.max()?,
                    exact: None,
                };
                let (mut head, mut language) = (None, None);
                for (number, encoded, item) in &self.segments {
                    let mut part: &[u8] = &item.raw.value;
                    if *number == 0 && *encoded {
                        (head, language, part) = split_extended(part);
                    }
                    let place = ValuePlace {
                        range: item.raw.range.clone(),
                        exact: None,
                    };
                    if *encoded {
                        percent(part, &place, &mut bytes, found);
                    } else {
                        bytes.extend_from_slice(part);
                    }
                    if bytes.len() > VALUE {
                        break;
                    }
                }
                let bytes = limit(&bytes, &at, found);
                let extent = first..at.range.end;
                let decoded = if self.segments.iter().any(|s| s.1) {
                    extended(head, language, bytes, &at, context, found)
                } else {
                    words(bytes, &at, context, found)
                };
                Some((extent, decoded))
            }
        }
    }
}

/// The position of a value in the field.
struct ValuePlace {
    range: Range<usize>,
    /// Offset of the first byte, if the value is a verbatim part of the field.
    exact: Option<usize>,
}

/// The decoded text of one form.
pub(super) struct FormText {
    pub(super) text: String,
    language: Option<String>,
    /// Number of bytes that are invalid in the declared charset. A damaged form counts only if no other form is intact.
    losses: u64,
}

/// A decoded form with its findings.
pub(super) struct DecodedForm {
    extent: Range<usize>,
    pub(super) decoded: FormText,
    found: Vec<Finding>,
}

/// Returns the index of the form that counts: the first undamaged one, else the first.
pub(super) fn preferred(forms: &[Option<DecodedForm>; 3]) -> Option<usize> {
    let clean =
        |read: &Option<DecodedForm>| read.as_ref().is_some_and(|read| read.decoded.losses == 0);
    forms
        .iter()
        .position(clean)
        .or_else(|| forms.iter().position(Option::is_some))
}

fn limit<'b>(bytes: &'b [u8], at: &ValuePlace, found: &mut Vec<Finding>) -> &'b [u8] {
    if bytes.len() > VALUE {
        found.add(
            at.range.clone(),
            EventKind::HdrBeyondLimit,
            Reason::ValueLimit,
        );
    }
    &bytes[..bytes.len().min(VALUE)]
}

/// Decodes a plain value: encoded words and raw bytes.
fn words(
    bytes: &[u8],
    at: &ValuePlace,
    context: &HeaderContext,
    found: &mut Vec<Finding>,
) -> FormText {
    let mut own = Vec::new();
    let text = encoded_word::decode_text(bytes, context, &mut own);
    if has_word(bytes) {
        found.add(at.range.clone(), EventKind::ParamRfc2047, Detail::None);
    }
    let losses = own
        .iter()
        .filter(|f| f.kind == EventKind::CharsetInvalidBytes)
        .map(|f| f.count)
        .sum();
    found.extend(own.into_iter().map(|finding| match at.exact {
        Some(start) => finding.shifted(start),
        None => Finding {
            at: at.range.clone(),
            ..finding
        },
    }));
    FormText {
        text: text.into_owned(),
        language: None,
        losses,
    }
}

/// Decodes the bytes of an extended value in the charset that it names.
fn extended(
    label: Option<&[u8]>,
    language: Option<&[u8]>,
    bytes: &[u8],
    at: &ValuePlace,
    context: &HeaderContext,
    found: &mut Vec<Finding>,
) -> FormText {
    let (resolved, mapped) = label.map_or((Resolved::NoInformation, false), |label| {
        context.resolve(label)
    });
    let mut report = |kind, detail: Detail| {
        found.add(at.range.clone(), kind, detail);
    };
    if let Some(charset) = resolved.charset().filter(|_| mapped) {
        report(EventKind::CharsetMapped, charset.into());
    }
    if label.is_none_or(<[u8]>::is_empty) {
        report(EventKind::ParamNoCharset, Detail::None);
    } else if resolved.charset().is_none() {
        report(EventKind::CharsetUnknownLabel, Reason::LabelIgnored.into());
    } else if language.is_none() {
        report(EventKind::ParamNoCharset, Reason::OneApostrophe.into());
    }
    let mut events = Vec::new();
    let (raw, used, losses) =
        encoded_word::bytes_to_text(resolved.charset(), mapped, bytes, context, &mut events);
    let is_read = !events.is_empty();
    found.extend(
        events
            .into_iter()
            .map(|(kind, detail)| Finding::new(at.range.clone(), kind, detail)),
    );
    if !is_read && used != resolved.charset() && !bytes.is_ascii() {
        let range = at.range.clone();
        found.push(if let (Some(charset), None) = (resolved.charset(), used) {
            encoded_word::mislabel_finding(charset, range)
        } else {
            Finding::new(
                range,
                EventKind::CharsetDetected,
                used.unwrap_or(Charset::UTF_8),
            )
        });
    }
    if let Some(order) = used.and_then(|used| visual_order_note(used, &raw)) {
        found.add(at.range.clone(), EventKind::CharsetVisualOrder, order);
    }
    if losses > 0 && !is_read {
        found.add_counted(
            at.range.clone(),
            EventKind::CharsetInvalidBytes,
            Detail::None,
            losses,
        );
    }
    let text = clean_text(&raw, at, context, found);
    let language = language
        .filter(|l| !l.is_empty())
        .map(|l| String::from_utf8_lossy(l).into_owned());
    FormText {
        text,
        language,
        losses,
    }
}

/// Applies the repairs of the context to decoded text, and replaces controls by spaces.
fn clean_text(
    raw: &str,
    at: &ValuePlace,
    context: &HeaderContext,
    found: &mut Vec<Finding>,
) -> String {
    let repaired = repair::repaired(raw.into(), context.repairs, true, &at.range, found);
    let mut text = String::new();
    let controls = encoded_word::push_clean(&repaired, &mut text);
    encoded_word::report_controls(controls, &at.range, found);
    let (range, strip) = (at.range.clone(), context.strip_hidden);
    encoded_word::report_hidden_characters(&mut text, 0, range, strip, found);
    text
}

/// Splits `charset'language'value` into charset, language and value.
///
/// With one apostrophe, the text before it is the charset if it is a known label.
pub(super) fn split_extended(value: &[u8]) -> (Option<&[u8]>, Option<&[u8]>, &[u8]) {
    let Some(first) = memchr::memchr(b'\'', value) else {
        return (None, None, value);
    };
    let (label, rest) = (&value[..first], &value[first + 1..]);
    if let Some(second) = memchr::memchr(b'\'', rest) {
        return (Some(label), Some(&rest[..second]), &rest[second + 1..]);
    }
    if label.is_empty() || Charset::for_label(label, View::Mail).charset().is_some() {
        return (Some(label), None, rest);
    }
    (None, None, value)
}

/// Decodes percent-encoding and returns the number of percent signs without two digits, which are kept.
pub(super) fn percent_decode(text: &[u8], out: &mut Vec<u8>) -> u64 {
    let (mut rest, mut bad) = (text, 0);
    while let Some(n) = memchr::memchr(b'%', rest) {
        out.extend_from_slice(&rest[..n]);
        let digits = (rest.get(n + 1), rest.get(n + 2));
        let (high, low) = (
            digits.0.and_then(|&d| digit_value(d)),
            digits.1.and_then(|&d| digit_value(d)),
        );
        if let (Some(high), Some(low)) = (high, low) {
            out.push(high << 4 | low);
            rest = &rest[n + 3..];
        } else {
            out.push(b'%');
            bad += 1;
            rest = &rest[n + 1..];
        }
    }
    out.extend_from_slice(rest);
    bad
}

fn percent(text: &[u8], at: &ValuePlace, out: &mut Vec<u8>, found: &mut Vec<Finding>) {
    let bad = percent_decode(text, out);
    if bad > 0 {
        found.add_counted(
            at.range.clone(),
            EventKind::ParamBadPercent,
            Reason::PercentKept,
            bad,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(value: &str) -> String {
        parse(value.as_bytes(), &HeaderContext::default(), &mut Vec::new()).to_string()
    }

    fn kinds(value: &str) -> Vec<&'static str> {
        let mut findings = Vec::new();
        let _ = parse(value.as_bytes(), &HeaderContext::default(), &mut findings);
        findings.into_iter().map(|f| f.kind.code()).collect()
    }

    #[test]
    fn each_syntax_error_has_its_code() {
        for (value, want) in [
            ("a/b; name=c", vec![]),
            ("a/b; name=c;", vec![]),
            ("a/b (c); name=\"d e\"", vec![]),
            ("a/b; name=Plan Mai.pdf", vec!["param.unquoted"]),
            ("a/b; name=a@b", vec!["param.unquoted"]),
            ("a/b name=c", vec!["param.no-semicolon"]),
            ("a/b; x=\"y\" name=c", vec!["param.no-semicolon"]),
            ("a/b; x=y\n name=\"c\"", vec!["param.no-semicolon"]),
            ("a/b; name=\"c", vec!["param.unclosed-quote"]),
            ("a/b; name=\"c\" d; x=y", vec!["param.junk"]),
            ("a/b c; x=y", vec!["param.junk"]),
            ("a/b; name=\"C:\\x\"", vec!["param.path", "param.backslash"]),
            ("a/b; name*=''c", vec!["param.no-charset"]),
            ("a/b; name*=utf-8'c", vec!["param.no-charset"]),
            ("a/b; name*=c", vec!["param.no-charset"]),
            ("a/b; name*01=c", vec!["param.bad-mark"]),
            ("a/b; name*=\"utf-8''c\"", vec!["param.quoted-extended"]),
            ("a/b; name; x=y", vec!["param.no-value"]),
            ("a/b; name=; x=y", vec!["param.no-value"]),
            ("a/b;; x=y", vec!["param.empty"]),
            ("a/b; name = c", vec!["param.blank"]),
            ("a/b; name*0=c; name*2=d", vec!["param.gap"]),
            ("a/b; name=c; NAME=d", vec!["param.duplicate"]),
            ("a/b; name*=utf-8''%4", vec!["param.bad-percent"]),
            ("a/b; name=\"=?utf-8?Q?c?=\"", vec!["param.rfc2047"]),
        ] {
            assert_eq!(kinds(value), want, "{value}");
            let (mut seen, all) = (Vec::new(), kinds(value));
            crate::params::survey(value.as_bytes(), &mut seen);
            let scanned = [
                "path",
                "unquoted",
                "semicolon",
                "unclosed",
                "junk",
                "slash",
                "mark",
                "quoted-",
                "no-value",
                "empty",
                "blank",
            ];
            let want: Vec<_> = all
                .into_iter()
                .filter(|code| scanned.iter().any(|part| code.contains(part)))
                .collect();
            assert_eq!(
                seen.iter().map(|f| f.kind.code()).collect::<Vec<_>>(),
                want,
                "{value}"
            );
        }
    }

    #[test]
    fn long_input_is_bounded_and_reported() {
        for unit in [
            ";",
            "; a=b",
            "; a*1=b",
            "; =",
            ";a b",
            "; a=\"b\" c",
            ";x*",
            "; \u{fc}=a b",
            "; a=(",
            "a=\"",
            "; a=\"\x1b$B0\"\x1b(B\"",
            "\"\x1b$B0\"\x1b(Ba=",
            "\x1b$B\"a=\"b",
        ] {
            let value = format!("a/b{}", unit.repeat(100_000));
            let mut findings = Vec::new();
            let params = parse(value.as_bytes(), &HeaderContext::default(), &mut findings);
            assert!(params.list.len() <= NAMES, "{unit:?}");
            assert!(
                findings.len() <= 2 * LIMIT + 200,
                "{unit:?}: {}",
                findings.len()
            );
        }
        for (unit, all) in [("; n{}=b", 20_000), ("; a*{}=b", 20_000)] {
            let list: String = (0..all)
                .map(|n| unit.replace("{}", &n.to_string()))
                .collect();
            let mut findings = Vec::new();
            let _ = parse(
                format!("a/b{list}").as_bytes(),
                &HeaderContext::default(),
                &mut findings,
            );
            assert_eq!(
                findings
                    .iter()
                    .filter(|f| f.kind == EventKind::HdrBeyondLimit)
                    .count(),
                1,
                "{unit}"
            );
        }
    }

    #[test]
    fn names_and_their_marks() {
        for (name, want) in [
            ("a", ("a", NameForm::Plain)),
            ("a*", ("a", NameForm::Extended)),
            (
                "a*0",
                (
                    "a",
                    NameForm::Segment {
                        number: 0,
                        encoded: false,
                    },
                ),
            ),
            (
                "a*12*",
                (
                    "a",
                    NameForm::Segment {
                        number: 12,
                        encoded: true,
                    },
                ),
            ),
            ("a*01", ("a*01", NameForm::Plain)),
            ("a*1x", ("a*1x", NameForm::Plain)),
            ("a**", ("a**", NameForm::Plain)),
            ("*0", ("*0", NameForm::Plain)),
            ("a*1234567890", ("a*1234567890", NameForm::Plain)),
        ] {
            assert_eq!(
                split_name(name.as_bytes()),
                (want.0.as_bytes(), want.1),
                "{name}"
            );
        }
    }

    #[test]
    fn forms_join_and_win() {
        for (value, want) in [
            ("a; f*0*=utf-8''a%C3; f*1*=%A4", "a; f=\"aä\""),
            ("a; f*1*=%A4; x=1; f*0*=utf-8'de'a%C3", "a; f=\"aä\"; x=1"),
            ("a; f=x; f*0=y; f*=utf-8''z", "a; f=z"),
            ("a; f=x; f*0=y", "a; f=y"),
            ("a; f=x; f*=utf-8''%FF", "a; f=x"),
            ("a; f*=utf-8''Gr%FC%DFe.txt", "a; f=\"Grüße.txt\""),
            ("a; f*0*=utf-8''Gr%FC; f*1*=%DFe.txt", "a; f=\"Grüße.txt\""),
            ("a; f*0=x; f*2=z", "a; f=x"),
            ("a; f*1=x", "a"),
            ("a; f*0=x; f*0=y; F=\"z\"", "a; f=x"),
            ("a; f*0=x%41; f*1*=%42", "a; f=x%41B"),
            ("a; f*=''a%20b", "a; f=\"a b\""),
            ("a; f*=utf-8'a%20b", "a; f=\"a b\""),
            ("a; f*=a%20b", "a; f=\"a b\""),
            ("a; f*=utf-8''50%", "a; f=50%"),
            ("a; f*=iso-8859-1''R%C3%A9union", "a; f=\"Réunion\""),
            ("a; f*0*=koi8-r''R%C3; f*1*=%A9%C3%A9", "a; f=\"Réé\""),
            ("a; f*=koi8-r''%C3%C9", "a; f=\"ци\""),
            ("a; f=\"=?utf-8?q?=C3=A9?= =?utf-8?q?t?=\"", "a; f=\"ét\""),
            (
                "a; f*0=\"=?UTF-8?Q?Ma=C3\"; f*1=\"=9Fe?=\"",
                "a; f=\"Maße\"",
            ),
            ("a; f*=utf-8''x%0D%0ABcc:%00", "a; f=\"x  Bcc: \""),
            ("a; f=\"x\\\\y\"", "a; f=\"x\\\\y\""),
        ] {
            assert_eq!(show(value), want, "{value}");
        }
    }

    #[test]
    fn comments_stand_around_values() {
        for (value, want) in [
            ("a; name=(comment)one(comment)", "a; name=one"),
            ("a; filename=(c) one (d); x=y", "a; filename=one; x=y"),
            ("a; charset=(x)utf-8", "a; charset=utf-8"),
            ("a; x=(c)y(d); z=1", "a; x=y; z=1"),
            // File names with parentheses.
            ("a; filename=(1)Plan.pdf", "a; filename=\"(1)Plan.pdf\""),
            ("a; filename=Plan (1).pdf", "a; filename=\"Plan (1).pdf\""),
            ("a; filename=(1).pdf; x=y", "a; filename=\"(1).pdf\"; x=y"),
        ] {
            assert_eq!(show(value), want, "{value}");
        }
        crate::linear::assert_linear(&"comments around values", 200_000, |n| {
            let value = "; x=(c)y(".repeat(n / 9);
            let _ = parse(value.as_bytes(), &HeaderContext::default(), &mut Vec::new());
        });
        crate::linear::assert_linear(&"tabs", 200_000, |n| {
            let value = format!("a; x=\"{}\"", "\ta".repeat(n / 2));
            let _ = parse(value.as_bytes(), &HeaderContext::default(), &mut Vec::new());
        });
    }

    #[test]
    fn tabs_in_quoted_values_are_reported() {
        for (value, want, count) in [
            ("a; filename=\"a\tb.txt\"", "a; filename=\"a b.txt\"", 1),
            (
                "a; filename=\"a\tb\\\"\tc.txt\"; x=y",
                "a; filename=\"a b\\\" c.txt\"; x=y",
                2,
            ),
            ("a; filename=\"a b.txt\"", "a; filename=\"a b.txt\"", 0),
            // A fold, and white space between words.
            ("a; filename=\"a\r\n\tb.txt\"", "a; filename=\"a b.txt\"", 0),
            (
                "a; filename=\"=?utf-8?Q?a?=\t=?utf-8?Q?b?=\"",
                "a; filename=ab",
                0,
            ),
        ] {
            let mut findings = Vec::new();
            assert_eq!(
                parse(value.as_bytes(), &HeaderContext::default(), &mut findings).to_string(),
                want
            );
            let counts = findings
                .iter()
                .filter(|f| f.kind == EventKind::EwControlChar)
                .map(|f| f.count);
            assert_eq!(counts.sum::<u64>(), count, "{value:?} {findings:?}");
        }
    }

    #[test]
    fn repairs_are_reported() {
        for (value, want) in [
            ("a; f*0=x; f*2=z", vec!["param.gap"]),
            ("a; f=1; f=2", vec!["param.duplicate"]),
            ("a; f*=utf-8''5%", vec!["param.bad-percent"]),
            ("a; f=\"=?utf-8?q?a?=\"", vec!["param.rfc2047"]),
            ("a; f*=utf-8''%C3%B6%FF", vec!["charset.invalid-bytes"]),
            ("a; f*=utf-8''%FF", vec!["charset.invalid-bytes"]),
            ("a; f*=utf-8''Gr%FC%DFe.txt", vec!["charset.legacy-in-utf8"]),
            (
                "a; f*0*=utf-8''Gr%FC; f*1*=%DFe.txt",
                vec!["charset.legacy-in-utf8"],
            ),
            (
                "a; f*=iso-8859-1''R%C3%A9union",
                vec!["charset.utf8-in-legacy"],
            ),
            (
                "a; f*=us-ascii''R%C3%A9union",
                vec!["charset.utf8-in-legacy"],
            ),
            (
                "a; f*0*=koi8-r''R%C3; f*1*=%A9%C3%A9",
                vec!["charset.utf8-in-legacy"],
            ),
            ("a; f*=iso-8859-1''R%E9union", vec![]),
            ("a; f=b; g=\"c d\"", vec![]),
        ] {
            assert_eq!(kinds(value), want, "{value}");
        }
    }

    #[test]
    fn limits_have_a_defined_outcome() {
        let many = (0..2_000)
            .map(|i| format!(";p{i}=x"))
            .collect::<Vec<_>>()
            .concat();
        let mut findings = Vec::new();
        let params = parse(many.as_bytes(), &HeaderContext::default(), &mut findings);
        assert_eq!(
            (params.list.len(), findings[0].kind),
            (NAMES, EventKind::HdrBeyondLimit)
        );
        let long = format!("a; f={}", "x".repeat(2 << 20));
        assert_eq!(show(&long).len(), VALUE + 5);
    }
}
