//! Parameters in UTF-8: the syntax stays, the charset changes.
//!
//! # Limits
//!
//! `charset` and `boundary` are never changed, nor is a form that another form of the same name wins over (but for the names of files, see
//! `names`), nor a continuation with gaps, duplicates or missing semicolons.

use super::decode::{Form as Mark, Group, group, split_extended, split_name};
use super::encode::{extended, japanese_extended, japanese_words, quoted, words};
use super::names::{has_repeats, with_semicolon};
use super::scan::Item;
use super::{Param, Params, parse};
use crate::encoded_word::{
    self, Finding, Form, HeaderContext, Replacement, UNSAFE, decode_text, has_open, has_word,
    is_clean_japanese, is_tidy_text,
};
use crate::{EventKind, japanese, lex};
use mailglot_codec::{Charset, LossLog, View};
use std::collections::HashMap;
use std::ops::Range;

/// The changes that bring the parameters of a field to UTF-8; see [`encoded_word::rewrite`].
pub(crate) fn rewrite(
    value: &[u8],
    form: Form,
    context: &HeaderContext,
    then: &HeaderContext,
    line: (usize, &str),
    findings: &mut Vec<Finding>,
) -> Vec<Replacement> {
    let may_encode = has_open(value) || lex::may_shift(value) || memchr::memchr(b'*', value).is_some();
    if value.is_ascii() && !may_encode && !has_repeats(value) {
        return Vec::new();
    }
    let before = parse(value, context, findings);
    let list = plan(value, &before, form, context, line, findings);
    if list.is_empty() {
        return list;
    }
    let after = encoded_word::apply(value, &list);
    let read = parse(&after, then, &mut Vec::new());
    if is_same(&read, &before, form) && plan(&after, &read, form, then, line, &mut Vec::new()).is_empty() {
        return list;
    }
    findings.push(Finding::new(0..value.len(), EventKind::ParamRfc2047, UNSAFE));
    Vec::new()
}

/// Whether parameters read the same, in the characters that the form has.
fn is_same(one: &Params, other: &Params, form: Form) -> bool {
    let folded = |params: &Params| {
        let mut params = params.clone();
        params.list.iter_mut().for_each(|param| param.text = japanese::folded(&param.text).0.into_owned());
        params
    };
    one == other || form == Form::Iso2022Jp && folded(one) == folded(other)
}

fn plan(
    value: &[u8],
    params: &Params,
    form: Form,
    context: &HeaderContext,
    (column, eol): (usize, &str),
    findings: &mut Vec<Finding>,
) -> Vec<Replacement> {
    let (_, mut groups) = group(value, context, &mut Vec::new());
    let mut list: Vec<Replacement> = groups
        .iter_mut()
        .flat_map(|group| group.settle(value, context))
        .map(|at| Replacement { at, with: Vec::new() })
        .collect();
    let by_name: HashMap<&str, &Param> = params.list.iter().map(|p| (p.name.as_str(), p)).collect();
    let mut jobs: Vec<Job<'_>> = groups
        .iter()
        .filter(|g| !matches!(g.name.as_str(), "charset" | "boundary"))
        .filter_map(|g| job(value, g, &by_name, form, context, findings))
        .collect();
    jobs.sort_by_key(|j| j.at.start);
    let (mut at, mut column) = (0, column);
    for job in jobs {
        let gap = &value[at..job.at.start];
        column = match memchr::memrchr2(b'\r', b'\n', gap) {
            Some(n) => gap.len() - n - 1,
            None => column + gap.len(),
        };
        let with = job.write(column, eol);
        column = with.len() - with.rfind('\n').map_or(0, |n| n + 1);
        at = job.at.end;
        list.push(Replacement { at: job.at.clone(), with: with.into_bytes() });
        list.extend(job.drop.into_iter().map(|at| Replacement { at, with: Vec::new() }));
    }
    list.sort_by_key(|r| r.at.start);
    if list.is_sorted_by(|a, b| a.at.end <= b.at.start) { list } else { Vec::new() }
}

/// One parameter to be written anew.
struct Job<'a> {
    /// Name to value.
    at: Range<usize>,
    /// Further segments, with their semicolons.
    drop: Vec<Range<usize>>,
    name: &'a str,
    text: &'a str,
    language: &'a str,
    syntax: Syntax,
    /// In ISO-2022-JP.
    japanese: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    /// `name="=?UTF-8?Q?…?="`
    Words,
    /// `name*=utf-8''…`
    Extended,
    /// `name="…"` in raw UTF-8.
    Raw,
}

/// Bytes of a name beyond which its value is in UTF-8: lines are as long as the name asks for, and each is tried anew for each character.
const LONGEST_JAPANESE: usize = 100;

fn job<'a>(
    value: &'a [u8],
    group: &Group<'a>,
    params: &HashMap<&str, &'a Param>,
    form: Form,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Option<Job<'a>> {
    let param = *params.get(&*group.name)?;
    let forms = usize::from(group.plain.is_some())
        + usize::from(group.extended.is_some())
        + usize::from(!group.segments.is_empty());
    if forms != 1 || !group.whole {
        return None;
    }
    let items: Vec<_> =
        group.plain.iter().chain(&group.extended).chain(group.segments.iter().map(|s| &s.2)).collect();
    let first = *items.iter().min_by_key(|i| i.name.start)?;
    let drop = items
        .iter()
        .filter(|i| i.name.start != first.name.start)
        .map(|item| with_semicolon(value, item))
        .collect::<Option<Vec<_>>>()?;
    let whole =
        items.iter().map(|item| item.extent()).reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))?;
    let (form, japanese) = match form {
        Form::Iso2022Jp if !param.text.is_ascii() => {
            if is_settled(group, &items, Form::Iso2022Jp, param, context) {
                return None;
            }
            let (kind, count) = match japanese::write(&param.text) {
                Ok(_) if group.name.len() > LONGEST_JAPANESE => {
                    (EventKind::CharsetBeyondOut, param.text.chars().count() as u64)
                }
                Ok(written) => (EventKind::CharsetLookAlike, written.look_alikes),
                Err(lacking) => (EventKind::CharsetBeyondOut, lacking),
            };
            if count > 0 {
                findings.push(Finding::counted(whole, kind, "ISO-2022-JP", count));
            }
            let japanese = kind == EventKind::CharsetLookAlike;
            (if japanese { Form::Iso2022Jp } else { Form::Words }, japanese)
        }
        // UTF-8 is as good for ASCII.
        Form::Iso2022Jp => (Form::Words, false),
        form => (form, false),
    };
    let syntax = syntax(group, &items, form, param, context)?;
    let (base, mark) = split_name(first.raw.name);
    let base = if mark == Mark::Plain { first.raw.name } else { base };
    let name = std::str::from_utf8(base).ok().filter(|n| n.bytes().all(lex::is_token))?;
    Some(Job {
        at: first.extent(),
        drop,
        name,
        text: &param.text,
        language: param.language.as_deref().unwrap_or(""),
        syntax,
        japanese,
    })
}

/// Whether nothing is to be done for a form.
fn is_settled(
    group: &Group<'_>,
    items: &[&Item<'_>],
    form: Form,
    param: &Param,
    context: &HeaderContext,
) -> bool {
    syntax(group, items, form, param, context).is_none()
}

/// The syntax in which a parameter is written anew; None where it stays.
fn syntax(
    group: &Group<'_>,
    items: &[&Item<'_>],
    form: Form,
    param: &Param,
    context: &HeaderContext,
) -> Option<Syntax> {
    let encoded = group.extended.is_some() || group.segments.iter().any(|s| s.1);
    if encoded {
        let headed = group.extended.is_some() || group.segments.first().is_some_and(|s| s.1);
        let (head, _, first) = match &items[0].raw.value {
            value if headed => split_extended(value),
            value => (None, None, &value[..]),
        };
        let charset = head.and_then(|label| Charset::for_label(label, View::Mail).charset());
        let mut bytes = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let value = if at == 0 { first } else { &item.raw.value };
            if group.segments.get(at).is_none_or(|segment| segment.1) {
                super::decode::percent_decode(value, &mut bytes);
            } else {
                bytes.extend_from_slice(value);
            }
        }
        let ascii = bytes.is_ascii() && charset.is_none_or(Charset::is_ascii_compatible);
        let controls = bytes.iter().any(u8::is_ascii_control);
        let clean = match form {
            Form::Iso2022Jp => charset == Some(Charset::ISO_2022_JP) && is_clean_japanese(&bytes),
            Form::Words | Form::RawUtf8 => {
                charset == Some(Charset::UTF_8)
                    && std::str::from_utf8(&bytes).is_ok_and(|t| !t.contains(encoded_word::is_control))
            }
        };
        // What was repaired reads otherwise than its bytes.
        let same = !context.repairs.any()
            || param.text.as_bytes() == bytes
            || form == Form::Iso2022Jp
                && clean
                && Charset::ISO_2022_JP.decode(&bytes, &mut LossLog::with_limit(0)) == param.text;
        let written = items.iter().all(|item| match form {
            Form::Words | Form::Iso2022Jp => item.raw.value.is_ascii(),
            Form::RawUtf8 => std::str::from_utf8(&item.raw.value).is_ok(),
        });
        let stays = same && written && (clean || ascii && !controls);
        return (!stays).then_some(Syntax::Extended);
    }
    let bytes: Vec<u8> = items.iter().flat_map(|i| i.raw.value.iter().copied()).collect();
    let words = has_word(&bytes) && decode_text(&bytes, context, &mut Vec::new()).as_bytes() != bytes;
    let shifted = lex::has_shift(&bytes);
    let raw = shifted || !bytes.is_ascii();
    let readable = !param.text.contains("=?") && !param.text.contains(['\r', '\n']);
    match form {
        Form::RawUtf8 if !words && !shifted && std::str::from_utf8(&bytes).is_ok() => None,
        Form::RawUtf8 if readable => Some(Syntax::Raw),
        _ if words && !raw && is_tidy_text(&bytes, form, context) => None,
        _ if words => Some(Syntax::Words),
        _ if raw => Some(Syntax::Extended),
        _ => None,
    }
}

impl Job<'_> {
    fn write(&self, column: usize, eol: &str) -> String {
        match self.syntax {
            Syntax::Words if self.japanese => japanese_words(self.name, self.text, column, eol),
            Syntax::Extended if self.japanese => {
                japanese_extended(self.name, self.text, self.language, column, eol)
            }
            Syntax::Raw => quoted(self.name, self.text),
            Syntax::Words => words(self.name, self.text, column, eol),
            Syntax::Extended => extended(self.name, self.text, self.language, column, eol),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::encode::LINE;
    use super::*;
    use crate::header::FieldKind;

    fn after(value: &str, form: Form) -> String {
        let list = encoded_word::rewrite(
            value.as_bytes(),
            FieldKind::Parameters,
            form,
            &HeaderContext::default(),
            20,
            b"\r\n",
            &mut Vec::new(),
        );
        String::from_utf8(encoded_word::apply(value.as_bytes(), &list))
            .expect("changes of ASCII text are UTF-8")
    }

    #[test]
    fn repairs_reach_extended_values() {
        let context = HeaderContext { repairs: encoded_word::Repairs::ALL, ..HeaderContext::default() };
        for (value, want) in [
            ("a; f*=utf-8''%C3%83%C2%BC", "a; f*=utf-8''%C3%BC"),
            ("a; f*0*=utf-8'de'%C3%83; f*1*=%C2%BC", "a; f*=utf-8'de'%C3%BC"),
            ("a; f*=iso-8859-1''x%26uuml%3B", "a; f*=utf-8''x%C3%BC"),
            ("a; f*=utf-8''x%26uuml%3B", "a; f*=utf-8''x%C3%BC"),
            ("a; f*=utf-8''x%26amp%3B", "a; f*=utf-8''x%26amp%3B"),
            ("a; f*0*=utf-8''a; f*1=\"%41\"", "a; f*0*=utf-8''a; f*1=\"%41\""),
        ] {
            for form in [Form::Words, Form::RawUtf8] {
                let mut findings = Vec::new();
                let value = value.as_bytes();
                let list = rewrite(value, form, &context, &context, (20, "\r\n"), &mut findings);
                let after = encoded_word::apply(value, &list);
                assert_eq!(String::from_utf8_lossy(&after), want, "{findings:?}");
                assert_eq!(rewrite(&after, form, &context, &context, (20, "\r\n"), &mut Vec::new()), []);
            }
        }
    }

    #[test]
    fn the_syntax_stays() {
        for (value, want) in [
            ("a; f*=koi8-r'ru'%F0", "a; f*=utf-8'ru'%D0%9F"),
            ("a; f*=utf-8''%D0%9F", "a; f*=utf-8''%D0%9F"),
            ("a; f=\"\x1B$B%F\x1B(B.txt\"; g=h", "a; f*=utf-8''%E3%83%86.txt; g=h"),
            ("a; f*=iso-8859-1''R%C3%A9union", "a; f*=utf-8''R%C3%A9union"),
            ("a; f=\"=?iso-8859-1?Q?R=C3=A9union?=\"", "a; f=\"=?UTF-8?Q?R=C3=A9union?=\""),
            ("a; f*=utf-8''ä", "a; f*=utf-8''%C3%A4"),
            ("a; f*=utf-8'ü'x", "a; f*=utf-8'ü'x"),
            ("a; f*=us-ascii'en'x%20y", "a; f*=us-ascii'en'x%20y"),
            ("a; f=\"=?koi8-r?B?8A==?=\"; g=h", "a; f=\"=?UTF-8?B?0J8=?=\"; g=h"),
            ("a; f==?iso-8859-1?Q?=E4?=.gif", "a; f=\"=?UTF-8?B?w6QuZ2lm?=\""),
            ("a; f=\"=?UTF-8?Q?=C3=A4?=\"", "a; f=\"=?UTF-8?Q?=C3=A4?=\""),
            ("a; f=\"ä\"", "a; f*=utf-8''%C3%A4"),
            ("a; f*1*=%F0; x=y; f*0*=koi8-r''%F0", "a; f*=utf-8''%D0%9F%D0%9F; x=y"),
            ("a; f*0*=koi8-r''%F0; f*2*=%F0", "a; f*0*=koi8-r''%F0; f*2*=%F0"),
            ("a; charset=\"=?koi8-r?B?8A==?=\"", "a; charset=\"=?koi8-r?B?8A==?=\""),
        ] {
            assert_eq!(after(value, Form::Words), want, "{value}");
        }
    }

    #[test]
    fn raw_utf8() {
        for (value, want) in [
            ("a; f=\"=?koi8-r?B?8A==?=\"", "a; f=\"П\""),
            ("a; f=\"ä\"", "a; f=\"ä\""),
            ("a; f*=koi8-r''%F0", "a; f*=utf-8''%D0%9F"),
            ("a; f=\"=?us-ascii?Q?=3D=3Fx?=\"", "a; f=\"=?UTF-8?B?PT94?=\""),
        ] {
            assert_eq!(after(value, Form::RawUtf8), want, "{value}");
        }
    }

    #[test]
    fn long_values_become_segments() {
        let value = format!("a; f*=koi8-r''{}", "%F0".repeat(50));
        let out = after(&value, Form::Words);
        assert!(out.starts_with("a; f*0*=utf-8''%D0%9F"));
        assert!(
            out.split("\r\n").enumerate().all(|(i, line)| line.len() + if i == 0 { 20 } else { 0 } <= LINE),
            "{out}"
        );
        assert_eq!(
            parse(out.as_bytes(), &HeaderContext::default(), &mut Vec::new()).list[0].text,
            "П".repeat(50)
        );
    }
}
