//! Chooses one of several charset parameters of a Content-Type.
//!
//! # Limits
//!
//! Ignores the language of a label (RFC 2231).

use crate::encoded_word::{HeaderContext, Replacement, apply};
use crate::lexer::{NameForm, split_name, starts_without_case};
use crate::params::{self, RawParam};
use mailglot_codec::{Charset, View};
use std::borrow::Cow;
use std::ops::Range;

/// A charset parameter.
#[derive(Clone, Debug)]
pub(crate) struct CharsetParameter {
    /// Range from its name to the end of its value, in the field's value.
    pub(crate) whole: Range<usize>,
    /// Range of its value, including quotes.
    pub(crate) range: Range<usize>,
    /// The form of its value.
    pub(crate) form: NameForm,
}

impl CharsetParameter {
    /// Returns true for a form of RFC 2231.
    fn is_extended(&self) -> bool {
        self.form != NameForm::Plain
    }

    fn is_segment(&self) -> bool {
        matches!(self.form, NameForm::Segment { .. })
    }
}

/// Returns all charset parameters of a field, in order.
pub(crate) fn labels(value: &[u8], list: &[RawParam<'_>]) -> Vec<CharsetParameter> {
    list.iter()
        .filter_map(|param| {
            let whole = name_start(value, param)..param.range.end;
            Some(CharsetParameter {
                whole,
                range: param.range.clone(),
                form: form(param.name)?,
            })
        })
        .collect()
}

/// Returns all labels, but only the first segment of one in segments. If there are two, readers choose differently.
pub(crate) fn rivals(labels: &[CharsetParameter]) -> impl Iterator<Item = &CharsetParameter> {
    let first = labels.iter().position(CharsetParameter::is_segment);
    labels
        .iter()
        .enumerate()
        .filter(move |(at, l)| !l.is_segment() || Some(*at) == first)
        .map(|(_, l)| l)
}

/// Returns a label that consists of segments (RFC 2231, section 3) or has percent signs. None if the label is a verbatim part of the value.
pub(crate) fn joined(value: &[u8], labels: &[CharsetParameter]) -> Option<Box<str>> {
    let percent = |label: &CharsetParameter| {
        label.is_extended() && value[label.range.clone()].contains(&b'%')
    };
    if !labels
        .iter()
        .any(|label| label.is_segment() || percent(label))
    {
        return None;
    }
    let params = params::parse(value, &HeaderContext::default(), &mut Vec::new());
    params.get("charset").map(Into::into)
}

/// Returns the range of the label that counts: the RFC 2231 form, else the first known charset, else the first.
///
/// For several segments, the range covers all of them.
pub(crate) fn label(value: &[u8], labels: &[CharsetParameter]) -> Option<Range<usize>> {
    let extended = labels.iter().filter(|label| label.is_extended());
    if let Some(label) = extended
        .clone()
        .find(|label| label.form == NameForm::Extended)
    {
        return Some(text_of(value, &label.range));
    }
    let begins =
        |label: &&CharsetParameter| matches!(label.form, NameForm::Segment { number: 0, .. });
    if let Some(first) = extended.clone().find(begins) {
        let segments = extended.map(|label| &label.range);
        let end = segments
            .map(|range| range.end)
            .fold(first.range.end, usize::max);
        return Some(text_of(value, &first.range).start..end);
    }
    let plain: Vec<&CharsetParameter> =
        labels.iter().filter(|label| !label.is_extended()).collect();
    let names = |label: &&&CharsetParameter| {
        let text = unquote(&value[label.range.clone()]);
        Charset::for_label(&text, View::Mail).charset().is_some()
    };
    let first = plain.first()?;
    let best = if plain.len() > 1 {
        plain.iter().find(names).unwrap_or(first)
    } else {
        first
    };
    Some(best.range.clone())
}

/// Returns changes that reduce several charset parameters, or one in RFC 2231 form, to one parameter with the label `name`.
///
/// The first parameter gets the label; the others are removed with their semicolons. None if a single plain parameter exists, or if
/// junk between parameters would be read differently afterwards.
pub(crate) fn one_label(value: &[u8], name: &str) -> Option<Vec<Replacement>> {
    let (main, list) = params::scan(value);
    let labels = labels(value, &list);
    if labels.len() < 2 && !labels.iter().any(CharsetParameter::is_extended) {
        return None;
    }
    let change = |(index, label): (usize, &CharsetParameter)| {
        let at = label.whole.clone();
        if index == 0 {
            let with = format!("charset={name}").into_bytes();
            return Replacement { at, with };
        }
        let before = value[..at.start].trim_ascii_end();
        let start = if before.ends_with(b";") {
            before.len() - 1
        } else {
            at.start
        };
        Replacement {
            at: start..at.end,
            with: Vec::new(),
        }
    };
    let changes: Vec<Replacement> = labels.iter().enumerate().map(change).collect();
    if !changes.is_sorted_by(|one, next| one.at.end <= next.at.start) {
        return None;
    }
    let after = apply(value, &changes);
    let (new_main, new_list) = params::scan(&after);
    let is_label = |param: &&RawParam<'_>| form(param.name).is_some();
    let (_, others): (Vec<_>, Vec<_>) = list.iter().partition(is_label);
    let (new_labels, new_others): (Vec<_>, Vec<_>) = new_list.iter().partition(is_label);
    let is_same = |(old, new): (&&RawParam<'_>, &&RawParam<'_>)| {
        old.name == new.name && old.value == new.value
    };
    let same = main == new_main
        && others.len() == new_others.len()
        && others.iter().zip(&new_others).all(is_same);
    let one = matches!(new_labels[..], [param] if *param.value == *name.as_bytes());
    (same && one).then_some(changes)
}

/// Returns changes that set the label if [`one_label`] cannot: the first segment gets it, further segments become empty.
pub(crate) fn in_place(value: &[u8], name: &str) -> Vec<Replacement> {
    let (_, list) = params::scan(value);
    let change = |label: &CharsetParameter| {
        let with = match label.form {
            NameForm::Plain => return None,
            NameForm::Extended
            | NameForm::Segment {
                number: 0,
                encoded: true,
            } => format!("''{name}"),
            NameForm::Segment {
                number: 0,
                encoded: false,
            } => name.to_owned(),
            NameForm::Segment { .. } => "\"\"".to_owned(),
        };
        Some(Replacement {
            at: label.range.clone(),
            with: with.into_bytes(),
        })
    };
    labels(value, &list).iter().filter_map(change).collect()
}

/// Returns the form of a charset parameter; None for other parameters.
fn form(name: &[u8]) -> Option<NameForm> {
    // Most names differ in the first bytes.
    if !starts_without_case(name, b"charset") {
        return None;
    }
    let (base, form) = split_name(name);
    (base.len() == b"charset".len()).then_some(form)
}

/// Returns the range of the text after charset and language of an RFC 2231 value, without quotes.
fn text_of(value: &[u8], range: &Range<usize>) -> Range<usize> {
    let text = &value[range.clone()];
    let Some(last) = memchr::memrchr(b'\'', text) else {
        return range.clone();
    };
    let end = if text.starts_with(b"\"") && text.ends_with(b"\"") {
        text.len() - 1
    } else {
        text.len()
    };
    range.start + (last + 1).min(end)..range.start + end
}

/// Returns the start of a parameter's name, which precedes the equals sign (or a colon for it) and white space around it.
fn name_start(value: &[u8], param: &RawParam<'_>) -> usize {
    let before = &value[..param.range.start];
    // A comment before the value may have equals signs and colons, too.
    let name_end = memchr::memrchr2_iter(b'=', b':', before)
        .map(|sign| before[..sign].trim_ascii_end())
        .find(|name| name.ends_with(param.name))
        .map_or(before.len(), <[u8]>::len);
    name_end.saturating_sub(param.name.len())
}

/// Removes quotes and quoted pairs from a parameter value.
pub(crate) fn unquote(value: &[u8]) -> Cow<'_, [u8]> {
    let Some(inner) = value.strip_prefix(b"\"") else {
        return Cow::Borrowed(value);
    };
    let inner = inner.strip_suffix(b"\"").unwrap_or(inner);
    if memchr::memchr(b'\\', inner).is_none() {
        return Cow::Borrowed(inner);
    }
    let mut plain = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter();
    while let Some(byte) = bytes.next() {
        plain.extend(if *byte == b'\\' {
            bytes.next()
        } else {
            Some(byte)
        });
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the label that counts, and the text of all charset parameters.
    fn read(value: &str) -> (Option<&str>, Vec<&str>) {
        let (_, list) = params::scan(value.as_bytes());
        let labels = labels(value.as_bytes(), &list);
        let whole = labels
            .iter()
            .map(|label| &value[label.whole.clone()])
            .collect();
        (
            label(value.as_bytes(), &labels).map(|range| &value[range]),
            whole,
        )
    }

    #[test]
    fn one_label_counts() {
        let table: &[(&str, Option<&str>, &[&str])] = &[
            ("text/plain", None, &[]),
            ("text/plain; charset=a", Some("a"), &["charset=a"]),
            (
                "text/plain; Charset = \"koi8-r\"; x=y",
                Some("\"koi8-r\""),
                &["Charset = \"koi8-r\""],
            ),
            (
                "text/plain; x=y; charset: koi8-r",
                Some("koi8-r"),
                &["charset: koi8-r"],
            ),
            (
                "text/plain; charset= (a=b: c) koi8-r",
                Some("koi8-r"),
                &["charset= (a=b: c) koi8-r"],
            ),
            (
                "charset=\"koi8-r\"",
                Some("\"koi8-r\""),
                &["charset=\"koi8-r\""],
            ),
            (
                "text/plain; charset=utf-7; charset=latin1",
                Some("utf-7"),
                &["charset=utf-7", "charset=latin1"],
            ),
            (
                "text/plain; charset=nobody; charset=latin1",
                Some("latin1"),
                &["charset=nobody", "charset=latin1"],
            ),
            (
                "text/plain; charset=x; charset=y",
                Some("x"),
                &["charset=x", "charset=y"],
            ),
            (
                "text/plain; charset*=us-ascii'en'utf-7",
                Some("utf-7"),
                &["charset*=us-ascii'en'utf-7"],
            ),
            (
                "text/plain; charset=a; charset*=''utf-7",
                Some("utf-7"),
                &["charset=a", "charset*=''utf-7"],
            ),
            (
                "text/plain; charset*=\"''utf-7\"",
                Some("utf-7"),
                &["charset*=\"''utf-7\""],
            ),
            (
                "text/plain; charset*0=utf-7",
                Some("utf-7"),
                &["charset*0=utf-7"],
            ),
            (
                "text/plain; charset*1=7; charset*0=utf-",
                Some("utf-"),
                &["charset*1=7", "charset*0=utf-"],
            ),
            (
                "text/plain; charset*0*=''a; charset*1=b; x=y",
                Some("a; charset*1=b"),
                &["charset*0*=''a", "charset*1=b"],
            ),
            ("text/plain; charset*1=b", None, &["charset*1=b"]),
            (
                "text/plain; charset*1=b; charset=c",
                Some("c"),
                &["charset*1=b", "charset=c"],
            ),
            ("text/plain; charset*01=b", None, &[]),
            ("text/plain; charsets=a; charset*x=b", None, &[]),
        ];
        for (value, label, whole) in table {
            assert_eq!(read(value), (*label, whole.to_vec()), "{value}");
        }
    }

    #[test]
    fn segments_are_joined() {
        let table: &[(&str, Option<&str>, usize)] = &[
            ("text/plain; charset=a", None, 1),
            ("text/plain; charset*=''b", None, 1),
            ("text/plain; charset*=''koi8%2Dr", Some("koi8-r"), 1),
            (
                "text/plain; charset*0=iso-8859-; charset*1=2",
                Some("iso-8859-2"),
                1,
            ),
            (
                "text/plain; charset*1=2; charset*0=iso-8859-",
                Some("iso-8859-2"),
                1,
            ),
            (
                "text/plain; charset*0*=us-ascii'en'koi8; charset*1*=%2Du",
                Some("koi8-u"),
                1,
            ),
            (
                "text/plain; charset*0=\"windows-12\"; charset*1=\"51\"",
                Some("windows-1251"),
                1,
            ),
            (
                "text/plain; charset*0=a; charset*1=b; charset=c",
                Some("ab"),
                2,
            ),
            ("text/plain; charset*0=a; charset*2=b", Some("a"), 1),
            ("text/plain; charset*1=b", None, 1),
            ("text/plain; charset*1=b; charset=c", Some("c"), 2),
        ];
        for (value, label, count) in table {
            let (_, list) = params::scan(value.as_bytes());
            let labels = labels(value.as_bytes(), &list);
            assert_eq!(
                joined(value.as_bytes(), &labels).as_deref(),
                *label,
                "{value}"
            );
            assert_eq!(rivals(&labels).count(), *count, "{value}");
        }
    }

    fn changed(value: &str, changes: &[Replacement]) -> String {
        String::from_utf8_lossy(&apply(value.as_bytes(), changes)).into_owned()
    }

    #[test]
    fn irremovable_segments_are_emptied() {
        for (value, expected) in [
            (
                "a/b;charset*0=i;charset*1=j=k",
                "a/b;charset*0=utf-8;charset*1=\"\"",
            ),
            (
                "a/b;charset*1=j;charset*0*=''i",
                "a/b;charset*1=\"\";charset*0*=''utf-8",
            ),
        ] {
            let after = changed(value, &in_place(value.as_bytes(), "utf-8"));
            assert_eq!(after, expected);
            let (_, list) = params::scan(after.as_bytes());
            assert_eq!(
                joined(after.as_bytes(), &labels(after.as_bytes(), &list)).as_deref(),
                Some("utf-8")
            );
        }
    }

    #[test]
    fn several_labels_become_one() {
        let table: &[(&str, Option<&str>)] = &[
            ("text/plain", None),
            ("text/plain; charset=a", None),
            (
                "text/plain; charset=a; charset=\"b\"; x=y",
                Some("text/plain; charset=utf-8; x=y"),
            ),
            (
                "text/plain; x=y;\n Charset=a ;\tcharset*=us-ascii'en'b",
                Some("text/plain; x=y;\n charset=utf-8 "),
            ),
            (
                "text/plain; charset*=us-ascii'en'b; x=y",
                Some("text/plain; charset=utf-8; x=y"),
            ),
            (
                "text/plain; charset*0=iso-8859-; charset*1=2",
                Some("text/plain; charset=utf-8"),
            ),
            (
                "text/plain; charset*0*=''koi8;\r\n\tcharset*1=-u; x=y",
                Some("text/plain; charset=utf-8; x=y"),
            ),
            ("text/plain; charset*1=2", Some("text/plain; charset=utf-8")),
            // The text after the quotes would become part of the name.
            ("text/plain;charset=\"\"t=;charset=", None),
        ];
        for (value, expected) in table {
            let changed = one_label(value.as_bytes(), "utf-8").map(|changes| {
                let after = changed(value, &changes);
                assert!(one_label(after.as_bytes(), "utf-8").is_none(), "{value}");
                after
            });
            assert_eq!(changed.as_deref(), *expected, "{value}");
        }
    }
}
