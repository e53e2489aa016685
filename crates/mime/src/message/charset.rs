//! Which of several charset parameters of a Content-Type counts.
//!
//! # Limits
//!
//! A label in segments (`charset*0=`) or with percent signs is taken as it stands.

use crate::params::{self, RawParam};
use mailglot_codec::{Charset, View};
use std::ops::Range;

/// A charset parameter.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    /// From its name to the end of its value, in the field's value.
    pub(crate) whole: Range<usize>,
    /// Its value, quotes included.
    pub(crate) range: Range<usize>,
    /// The form of RFC 2231.
    pub(crate) extended: bool,
}

/// All charset parameters of a field, in order.
pub(crate) fn labels(value: &[u8], list: &[RawParam<'_>]) -> Vec<Label> {
    list.iter()
        .filter(|param| is_charset(param.name))
        .map(|param| Label {
            whole: name_start(value, param)..param.range.end,
            range: param.range.clone(),
            extended: param.name.len() > 7,
        })
        .collect()
}

/// The range of the label that counts: that of RFC 2231, else the first that names a charset, else the first.
pub(crate) fn label(value: &[u8], labels: &[Label]) -> Option<Range<usize>> {
    if let Some(label) = labels.iter().find(|label| label.extended) {
        return Some(text_of(value, &label.range));
    }
    let names = |label: &&Label| {
        let text = crate::text::unquote(&value[label.range.clone()]);
        Charset::for_label(&text, View::Mail).charset().is_some()
    };
    let first = labels.first()?;
    let best = if labels.len() > 1 { labels.iter().find(names).unwrap_or(first) } else { first };
    Some(best.range.clone())
}

/// A range of a value, and what is to stand there.
pub(crate) type Change = (Range<usize>, Vec<u8>);

/// The changes that make one parameter, with this label, of several or of one in the form of RFC 2231: the first says it, the others go with their
/// semicolons. None where there is just one, or where junk between the parameters would read otherwise afterwards.
pub(crate) fn one_label(value: &[u8], name: &str) -> Option<Vec<Change>> {
    let (main, list) = params::scan(value);
    let labels = labels(value, &list);
    if labels.len() < 2 && labels.iter().all(|label| !label.extended) {
        return None;
    }
    let change = |(index, label): (usize, &Label)| -> Change {
        let whole = label.whole.clone();
        if index == 0 {
            return (whole, format!("charset={name}").into_bytes());
        }
        let before = value[..whole.start].trim_ascii_end();
        let start = if before.ends_with(b";") { before.len() - 1 } else { whole.start };
        (start..whole.end, Vec::new())
    };
    let changes: Vec<Change> = labels.iter().enumerate().map(change).collect();
    let mut after = Vec::with_capacity(value.len());
    let mut at = 0;
    for (range, with) in &changes {
        after.extend_from_slice(value.get(at..range.start)?);
        after.extend_from_slice(with);
        at = range.end;
    }
    after.extend_from_slice(value.get(at..)?);
    let (new_main, new_list) = params::scan(&after);
    let is_label = |param: &&RawParam<'_>| is_charset(param.name);
    let others = list.iter().filter(|p| !is_label(p)).map(|p| (p.name, &p.value));
    let same =
        main == new_main && others.eq(new_list.iter().filter(|p| !is_label(p)).map(|p| (p.name, &p.value)));
    let mut new = new_list.iter().filter(is_label);
    let one = new.next().is_some_and(|param| *param.value == *name.as_bytes()) && new.next().is_none();
    (same && one).then_some(changes)
}

fn is_charset(name: &[u8]) -> bool {
    let (name, mark) = name.split_at(name.len().min(7));
    name.eq_ignore_ascii_case(b"charset") && matches!(mark, b"" | b"*" | b"*0" | b"*0*")
}

/// The text behind charset and language of a value of RFC 2231, without quotes.
fn text_of(value: &[u8], range: &Range<usize>) -> Range<usize> {
    let text = &value[range.clone()];
    let Some(last) = memchr::memrchr(b'\'', text) else { return range.clone() };
    let end = if text.starts_with(b"\"") && text.ends_with(b"\"") { text.len() - 1 } else { text.len() };
    range.start + (last + 1).min(end)..range.start + end
}

/// Where the name of a parameter begins: before the equals sign, and blanks around it.
fn name_start(value: &[u8], param: &RawParam<'_>) -> usize {
    let before = &value[..param.range.start];
    let equals = memchr::memrchr(b'=', before).unwrap_or(before.len());
    let name_end = before[..equals].trim_ascii_end().len();
    name_end.saturating_sub(param.name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The label that counts, and all parameters whole.
    fn read(value: &str) -> (Option<&str>, Vec<&str>) {
        let (_, list) = params::scan(value.as_bytes());
        let labels = labels(value.as_bytes(), &list);
        let whole = labels.iter().map(|label| &value[label.whole.clone()]).collect();
        (label(value.as_bytes(), &labels).map(|range| &value[range]), whole)
    }

    #[test]
    fn one_label_counts() {
        let table: &[(&str, Option<&str>, &[&str])] = &[
            ("text/plain", None, &[]),
            ("text/plain; charset=a", Some("a"), &["charset=a"]),
            ("text/plain; Charset = \"koi8-r\"; x=y", Some("\"koi8-r\""), &["Charset = \"koi8-r\""]),
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
            ("text/plain; charset=x; charset=y", Some("x"), &["charset=x", "charset=y"]),
            ("text/plain; charset*=us-ascii'en'utf-7", Some("utf-7"), &["charset*=us-ascii'en'utf-7"]),
            ("text/plain; charset=a; charset*=''utf-7", Some("utf-7"), &["charset=a", "charset*=''utf-7"]),
            ("text/plain; charset*=\"''utf-7\"", Some("utf-7"), &["charset*=\"''utf-7\""]),
            ("text/plain; charset*0=utf-7", Some("utf-7"), &["charset*0=utf-7"]),
            ("text/plain; charsets=a; charset*x=b", None, &[]),
        ];
        for (value, label, whole) in table {
            assert_eq!(read(value), (*label, whole.to_vec()), "{value}");
        }
    }

    #[test]
    fn several_labels_become_one() {
        let table: &[(&str, Option<&str>)] = &[
            ("text/plain", None),
            ("text/plain; charset=a", None),
            ("text/plain; charset=a; charset=\"b\"; x=y", Some("text/plain; charset=utf-8; x=y")),
            (
                "text/plain; x=y;\n Charset=a ;\tcharset*=us-ascii'en'b",
                Some("text/plain; x=y;\n charset=utf-8 "),
            ),
            ("text/plain; charset*=us-ascii'en'b; x=y", Some("text/plain; charset=utf-8; x=y")),
            // What follows the quotes would become a part of the name.
            ("text/plain;charset=\"\"t=;charset=", None),
        ];
        for (value, expected) in table {
            let changed = one_label(value.as_bytes(), "utf-8").map(|changes| {
                let mut after = (*value).to_owned();
                for (range, with) in changes.into_iter().rev() {
                    after.replace_range(range, std::str::from_utf8(&with).unwrap_or_default());
                }
                assert!(one_label(after.as_bytes(), "utf-8").is_none(), "{value}");
                after
            });
            assert_eq!(changed.as_deref(), *expected, "{value}");
        }
    }
}
