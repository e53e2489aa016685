//! Rewrites parameters to UTF-8 and keeps their syntax.
//!
//! # Limits
//!
//! Does not change `charset` and `boundary`. Keeps continuations with gaps, duplicates or missing semicolons, and damaged forms
//! beside others. If a name has several forms, each is rewritten separately.

use super::decode::parse;
use super::decode::{Group, group, split_extended};
use super::encode::{extended, japanese_extended, japanese_words, quoted, words};
use super::names::{has_repeats, with_semicolon};
use super::param::{Param, Params};
use super::scan::{Item, LIMIT, Scanner};
use crate::encoded_word::{
    self, Form, HeaderContext, Replacement, RewriteTarget, Rewriting, decode_text,
    is_clean_japanese, is_clean_text,
};
use crate::event::{EventKind, Finding, FindingList, Reason};
use crate::header::FieldKind;
use crate::japanese;
use crate::lexer::{self, NameForm, has_open, has_word, split_name};
use mailglot_codec::{Charset, LossLog, View};
use std::collections::HashMap;
use std::ops::Range;

/// Returns the replacements that rewrite the parameters of a field to UTF-8; see [`crate::header::rewrite`].
pub(crate) fn rewrite(rewriting: &Rewriting<'_>, findings: &mut Vec<Finding>) -> Vec<Replacement> {
    let Rewriting {
        value,
        target,
        context,
        then,
        ..
    } = *rewriting;
    let form = target.form;
    let may_encode =
        has_open(value) || lexer::has_escape(value) || memchr::memchr(b'*', value).is_some();
    if value.is_ascii() && !may_encode && !has_repeats(value) {
        return Vec::new();
    }
    let before = parse(value, context, findings);
    let list = plan(value, &before, target, context, findings);
    if list.is_empty() {
        return list;
    }
    let after = encoded_word::apply(value, &list);
    let read = parse(&after, then, &mut Vec::new());
    if is_same(&read, &before, form)
        && plan(&after, &read, target, then, &mut Vec::new()).is_empty()
    {
        return list;
    }
    findings.add(
        0..value.len(),
        EventKind::ParamRfc2047,
        Reason::WouldReadDifferently,
    );
    Vec::new()
}

/// Returns true if parameters are equal. For ISO-2022-JP output, compares the characters that it writes.
fn is_same(one: &Params, other: &Params, form: Form) -> bool {
    let folded = |params: &Params| {
        let mut params = params.clone();
        params
            .list
            .iter_mut()
            .for_each(|param| param.text = japanese::folded(&param.text).0.into_owned());
        params
    };
    one == other || form == Form::Iso2022Jp && folded(one) == folded(other)
}

fn plan(
    value: &[u8],
    params: &Params,
    target: RewriteTarget<'_>,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Vec<Replacement> {
    let form = target.form;
    let (_, mut groups) = group(value, context, &mut Vec::new());
    let mut list: Vec<Replacement> = groups
        .iter_mut()
        .flat_map(|group| group.remove_ambiguous(value, context))
        .map(|at| Replacement {
            at,
            with: Vec::new(),
        })
        .collect();
    let by_name: HashMap<&str, &Param> = params.list.iter().map(|p| (p.name.as_str(), p)).collect();
    let groups: Vec<Group<'_>> = groups
        .into_iter()
        .filter(|g| !matches!(g.name.as_str(), "charset" | "boundary"))
        .collect();
    let singles: Vec<(Group<'_>, Param)> = groups
        .iter()
        .filter(|group| !is_single(group))
        .flat_map(|group| group.singles(context))
        .collect();
    let alone = groups
        .iter()
        .filter(|group| is_single(group) && group.whole);
    let alone = alone.filter_map(|group| Some((group, *by_name.get(&*group.name)?, false)));
    let among = singles.iter().map(|(group, param)| (group, param, true));
    let mut jobs: Vec<Job<'_>> = alone
        .chain(among)
        .filter_map(|(group, param, among)| {
            job(value, (group, among), param, form, context, findings)
        })
        .collect();
    jobs.sort_by_key(|j| j.at.start);
    let (mut at, mut column) = (0, target.column);
    for job in jobs {
        let gap = &value[at..job.at.start];
        column = match memchr::memrchr2(b'\r', b'\n', gap) {
            Some(n) => gap.len() - n - 1,
            None => column + gap.len(),
        };
        let with = job.write(column, target.eol);
        column = with.len() - with.rfind('\n').map_or(0, |n| n + 1);
        at = job.at.end;
        list.push(Replacement {
            at: job.at.clone(),
            with: with.into_bytes(),
        });
        list.extend(job.drop.into_iter().map(|at| Replacement {
            at,
            with: Vec::new(),
        }));
    }
    list.extend(comments(value, target, context, findings));
    list.sort_by_key(|r| r.at.start);
    if list.is_sorted_by(|a, b| a.at.end <= b.at.start) {
        list
    } else {
        Vec::new()
    }
}

/// Returns the changes of comments with raw bytes (RFC 2047, section 5), and reports raw bytes outside comments and values.
fn comments(
    value: &[u8],
    target: RewriteTarget<'_>,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Vec<Replacement> {
    let mut list = Vec::new();
    if value.is_ascii() {
        return list;
    }
    let (_, scanner) = Scanner::new(value);
    let values = scanner
        .within(context)
        .take(LIMIT)
        .map(|item| item.raw.range);
    let (mut at, mut open) = (0, true);
    for next in values.chain(std::iter::once(value.len()..value.len())) {
        while at < next.start {
            let from = at;
            let end = if value[at] == b'(' && open {
                lexer::comment_end(value, at)
            } else {
                None
            };
            open &= value[at] != b'(' || end.is_some();
            let Some(end) = end.filter(|end| *end <= next.start) else {
                let parts = value[at + 1..next.start].iter().position(|b| *b == b'(');
                at = parts.map_or(next.start, |n| at + 1 + n);
                let raw = &value[from..at];
                if let Some(first) = raw.iter().position(|b| !b.is_ascii()) {
                    let last = raw.iter().rposition(|b| !b.is_ascii()).unwrap_or(first);
                    let at = from + first..from + last + 1;
                    findings.add(at, EventKind::ParamJunk, Reason::RawBytesKept);
                }
                continue;
            };
            at = end;
            let (comment, kind) = (&value[from..end], FieldKind::Phrases);
            if comment.is_ascii() {
                continue;
            }
            let line = memchr::memrchr2(b'\r', b'\n', &value[..from]);
            let column = line.map_or(target.column + from, |line| from - line - 1);
            let target = RewriteTarget { column, ..target };
            let mut found = Vec::new();
            let changes = Rewriting {
                value: comment,
                kind,
                target,
                context,
                then: context,
            }
            .changes(&mut found);
            list.extend(changes.into_iter().map(|change| Replacement {
                at: from + change.at.start..from + change.at.end,
                with: change.with,
            }));
            findings.extend(found.into_iter().map(|finding| finding.shifted(from)));
        }
        at = at.max(next.end);
    }
    list
}

/// A parameter to rewrite.
struct Job<'a> {
    /// Range from name to value.
    at: Range<usize>,
    /// Ranges of further segments, including their semicolons.
    drop: Vec<Range<usize>>,
    name: &'a str,
    text: &'a str,
    language: &'a str,
    syntax: Syntax,
    /// True for ISO-2022-JP output.
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

/// Longest name, in bytes, whose value is written in ISO-2022-JP. Longer names make longer lines, and the time per line grows with
/// its length.
const LONGEST_JAPANESE: usize = 100;

/// Returns true if a name occurs in one form only.
fn is_single(group: &Group<'_>) -> bool {
    let forms = [
        group.plain.is_some(),
        group.extended.is_some(),
        !group.segments.is_empty(),
    ];
    group.left_out.is_empty() && forms.iter().filter(|is_there| **is_there).count() == 1
}

/// Returns how to rewrite a name with one form. `among` means that the name has other forms, so this form stays.
fn job<'a>(
    value: &'a [u8],
    (group, among): (&Group<'a>, bool),
    param: &'a Param,
    form: Form,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Option<Job<'a>> {
    let items: Vec<_> = group
        .plain
        .iter()
        .chain(&group.extended)
        .chain(group.segments.iter().map(|s| &s.2))
        .collect();
    let first = *items.iter().min_by_key(|i| i.name.start)?;
    let drop = items
        .iter()
        .filter(|i| i.name.start != first.name.start)
        .map(|item| with_semicolon(value, item))
        .collect::<Option<Vec<_>>>()?;
    let whole = items
        .iter()
        .map(|item| item.extent())
        .reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))?;
    let (form, japanese) = match form {
        Form::Iso2022Jp if !param.text.is_ascii() => {
            if is_unchanged(group, &items, Form::Iso2022Jp, param, context) {
                return None;
            }
            let (kind, count) = match japanese::write(&param.text) {
                Ok(_) if group.name.len() > LONGEST_JAPANESE => (
                    EventKind::CharsetBeyondOut,
                    param.text.chars().count() as u64,
                ),
                Ok(written) => (EventKind::CharsetLookAlike, written.look_alikes),
                Err(lacking) => (EventKind::CharsetBeyondOut, lacking),
            };
            if count > 0 {
                findings.add_counted(whole, kind, Charset::ISO_2022_JP, count);
            }
            let japanese = kind == EventKind::CharsetLookAlike;
            (
                if japanese {
                    Form::Iso2022Jp
                } else {
                    Form::Words
                },
                japanese,
            )
        }
        // ASCII text is the same in UTF-8.
        Form::Iso2022Jp => (Form::Words, false),
        form => (form, false),
    };
    let syntax = match syntax(group, &items, form, param, context)? {
        Syntax::Extended if among && group.plain.is_some() => Syntax::Words,
        syntax => syntax,
    };
    let (base, mark) = split_name(first.raw.name);
    let base = if mark == NameForm::Plain {
        first.raw.name
    } else {
        base
    };
    let name = std::str::from_utf8(base)
        .ok()
        .filter(|n| n.bytes().all(lexer::is_token))?;
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

/// Returns true if a form needs no change.
fn is_unchanged(
    group: &Group<'_>,
    items: &[&Item<'_>],
    form: Form,
    param: &Param,
    context: &HeaderContext,
) -> bool {
    syntax(group, items, form, param, context).is_none()
}

/// Returns the syntax for rewriting a parameter; None if it needs no change.
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
                    && std::str::from_utf8(&bytes).is_ok_and(encoded_word::is_writable)
            }
        };
        // A repair makes the text differ from the bytes.
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
    let bytes: Vec<u8> = items
        .iter()
        .flat_map(|i| i.raw.value.iter().copied())
        .collect();
    let words =
        has_word(&bytes) && decode_text(&bytes, context, &mut Vec::new()).as_bytes() != bytes;
    let shifted = lexer::has_raw_iso2022jp(&bytes);
    let raw = shifted || !bytes.is_ascii();
    let readable = !param.text.contains("=?") && !param.text.contains(['\r', '\n']);
    match form {
        Form::RawUtf8 if !words && !shifted && std::str::from_utf8(&bytes).is_ok() => None,
        Form::RawUtf8 if readable => Some(Syntax::Raw),
        _ if words && !raw && is_clean_text(&bytes, form, context) => None,
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
    use crate::header;

    fn after(value: &str, form: Form) -> String {
        let list = header::rewrite(
            value.as_bytes(),
            FieldKind::Parameters,
            RewriteTarget {
                form,
                column: 20,
                eol: "\r\n",
            },
            &HeaderContext::default(),
            &mut Vec::new(),
        );
        String::from_utf8(encoded_word::apply(value.as_bytes(), &list))
            .expect("changes of ASCII text are UTF-8")
    }

    #[test]
    fn repairs_reach_extended_values() {
        let context = HeaderContext {
            repairs: encoded_word::Repairs::ALL,
            ..HeaderContext::default()
        };
        for (value, want) in [
            ("a; f*=utf-8''%C3%83%C2%BC", "a; f*=utf-8''%C3%BC"),
            (
                "a; f*0*=utf-8'de'%C3%83; f*1*=%C2%BC",
                "a; f*=utf-8'de'%C3%BC",
            ),
            ("a; f*=iso-8859-1''x%26uuml%3B", "a; f*=utf-8''x%C3%BC"),
            ("a; f*=utf-8''x%26uuml%3B", "a; f*=utf-8''x%C3%BC"),
            ("a; f*=utf-8''x%26amp%3B", "a; f*=utf-8''x%26amp%3B"),
            (
                "a; f*0*=utf-8''a; f*1=\"%41\"",
                "a; f*0*=utf-8''a; f*1=\"%41\"",
            ),
        ] {
            for form in [Form::Words, Form::RawUtf8] {
                let mut findings = Vec::new();
                let value = value.as_bytes();
                let list = rewrite(
                    &Rewriting {
                        value,
                        kind: FieldKind::Parameters,
                        target: RewriteTarget {
                            form,
                            column: 20,
                            eol: "\r\n",
                        },
                        context: &context,
                        then: &context,
                    },
                    &mut findings,
                );
                let after = encoded_word::apply(value, &list);
                assert_eq!(String::from_utf8_lossy(&after), want, "{findings:?}");
                assert_eq!(
                    rewrite(
                        &Rewriting {
                            value: &after,
                            kind: FieldKind::Parameters,
                            target: RewriteTarget {
                                form,
                                column: 20,
                                eol: "\r\n"
                            },
                            context: &context,
                            then: &context
                        },
                        &mut Vec::new()
                    ),
                    []
                );
            }
        }
    }

    #[test]
    fn the_syntax_stays() {
        for (value, want) in [
            ("a; f*=koi8-r'ru'%F0", "a; f*=utf-8'ru'%D0%9F"),
            ("a; f*=utf-8''%D0%9F", "a; f*=utf-8''%D0%9F"),
            (
                "a; f=\"\x1B$B%F\x1B(B.txt\"; g=h",
                "a; f*=utf-8''%E3%83%86.txt; g=h",
            ),
            (
                "a; f*=iso-8859-1''R%C3%A9union",
                "a; f*=utf-8''R%C3%A9union",
            ),
            (
                "a; f=\"=?iso-8859-1?Q?R=C3=A9union?=\"",
                "a; f=\"=?UTF-8?Q?R=C3=A9union?=\"",
            ),
            ("a; f*=utf-8''ä", "a; f*=utf-8''%C3%A4"),
            ("a; f*=utf-8'ü'x", "a; f*=utf-8'ü'x"),
            ("a; f*=us-ascii'en'x%20y", "a; f*=us-ascii'en'x%20y"),
            (
                "a; f=\"=?koi8-r?B?8A==?=\"; g=h",
                "a; f=\"=?UTF-8?B?0J8=?=\"; g=h",
            ),
            (
                "a; f==?iso-8859-1?Q?=E4?=.gif",
                "a; f=\"=?UTF-8?B?w6QuZ2lm?=\"",
            ),
            ("a; f=\"=?UTF-8?Q?=C3=A4?=\"", "a; f=\"=?UTF-8?Q?=C3=A4?=\""),
            ("a; f=\"ä\"", "a; f*=utf-8''%C3%A4"),
            (
                "a; f*1*=%F0; x=y; f*0*=koi8-r''%F0",
                "a; f*=utf-8''%D0%9F%D0%9F; x=y",
            ),
            (
                "a; f*0*=koi8-r''%F0; f*2*=%F0",
                "a; f*0*=koi8-r''%F0; f*2*=%F0",
            ),
            (
                "a; charset=\"=?koi8-r?B?8A==?=\"",
                "a; charset=\"=?koi8-r?B?8A==?=\"",
            ),
        ] {
            assert_eq!(after(value, Form::Words), want, "{value}");
        }
    }

    #[test]
    fn each_form_becomes_utf8_and_keeps_its_text() {
        let (word, words) = ("\"=?UTF-8?B?SsO2cmcucGRm?=\"", "\"=?UTF-8?B?0J8ucGRm?=\"");
        for (value, want) in [
            (
                "a; filename=\"J\u{f6}rg.pdf\"; filename*=utf-8''J%C3%B6rg.pdf",
                format!("a; filename={word}; filename*=utf-8''J%C3%B6rg.pdf"),
            ),
            (
                "a; filename*=iso-8859-1''J%F6rg.pdf; filename=J\u{f6}rg.pdf",
                format!("a; filename*=utf-8''J%C3%B6rg.pdf; filename={word}"),
            ),
            (
                "a; f=\"\u{41f}.pdf\"; f*=koi8-r''%F0.pdf",
                format!("a; f={words}; f*=utf-8''%D0%9F.pdf"),
            ),
            (
                "a; f*0=\"=?koi8-r?B?8A=?=\"; f*1=.pdf; f=\u{41f}.pdf",
                format!("a; f={words}; f={words}"),
            ),
            (
                "a; title=\u{f6}; title=\u{fc}",
                "a; title=\"=?UTF-8?B?w7Y=?=\"; title=\"=?UTF-8?B?w7w=?=\"".into(),
            ),
            // A rewritten damaged form would become the one that counts.
            (
                "a; t=x; t*=utf-8''%C3%BC%FF",
                "a; t=x; t*=utf-8''%C3%BC%FF".into(),
            ),
        ] {
            let once = after(value, Form::Words);
            if value.contains("f*0") {
                assert!(once.is_ascii(), "{once}");
            } else {
                assert_eq!(once, want, "{value}");
            }
            assert_eq!(after(&once, Form::Words), once, "{value}");
            let read =
                |value: &str| parse(value.as_bytes(), &HeaderContext::default(), &mut Vec::new());
            assert_eq!(read(&once), read(value), "{value}");
        }
        // Latin-1, and names in every form.
        for form in [Form::Words, Form::RawUtf8, Form::Iso2022Jp] {
            for value in [
                &b"a; filename=\"J\xf6rg.pdf\"; filename*=utf-8''J%C3%B6rg.pdf"[..],
                b"a; title=\"J\xf6rg.pdf\"; title*=utf-8''other",
                b"a; (\xf6) filename=\"a.pdf\" (\xfc (\xe4))",
            ] {
                let context = HeaderContext::default();
                let list = rewrite(
                    &Rewriting {
                        value,
                        kind: FieldKind::Parameters,
                        target: RewriteTarget {
                            form,
                            column: 20,
                            eol: "\r\n",
                        },
                        context: &context,
                        then: &context,
                    },
                    &mut Vec::new(),
                );
                let once = encoded_word::apply(value, &list);
                assert!(
                    std::str::from_utf8(&once).is_ok(),
                    "{}",
                    once.escape_ascii()
                );
                assert!(
                    once.is_ascii() || form == Form::RawUtf8,
                    "{}",
                    once.escape_ascii()
                );
                assert_eq!(
                    rewrite(
                        &Rewriting {
                            value: &once,
                            kind: FieldKind::Parameters,
                            target: RewriteTarget {
                                form,
                                column: 20,
                                eol: "\r\n"
                            },
                            context: &context,
                            then: &context
                        },
                        &mut Vec::new()
                    ),
                    []
                );
            }
        }
    }

    #[test]
    fn comments_are_written_anew() {
        for (value, want) in [
            (
                "a; (\u{f6}) f=\"a.pdf\"",
                "a; (=?UTF-8?B?w7Y=?=) f=\"a.pdf\"",
            ),
            (
                "a (x \u{f6}(\u{fc})); f=b",
                "a (x =?UTF-8?B?w7Y=?=(=?UTF-8?B?w7w=?=)); f=b",
            ),
            ("a; f=b (\u{f6})", "a; f=b (=?UTF-8?B?w7Y=?=)"),
            ("a; f=\"b (\u{f6})\"", "a; f*=utf-8''b%20%28%C3%B6%29"),
            ("\u{f6}; f=b", "\u{f6}; f=b"),
            ("a; (\u{f6}", "a; (\u{f6}"),
        ] {
            assert_eq!(after(value, Form::Words), want, "{value}");
        }
        for value in ["\u{f6}; f=b", "a; (\u{f6}", "a; \u{f6}=b"] {
            let (mut findings, context) = (Vec::new(), HeaderContext::default());
            let _ = rewrite(
                &Rewriting {
                    value: value.as_bytes(),
                    kind: FieldKind::Parameters,
                    target: RewriteTarget {
                        form: Form::Words,
                        column: 20,
                        eol: "\n",
                    },
                    context: &context,
                    then: &context,
                },
                &mut findings,
            );
            assert!(
                findings
                    .iter()
                    .any(|finding| finding.kind == EventKind::ParamJunk),
                "{value}"
            );
        }
        crate::linear::assert_linear(&"comments", 50_000, |n| {
            let (value, context) = ("a; (\u{f6}".repeat(n), HeaderContext::default());
            let _ = rewrite(
                &Rewriting {
                    value: value.as_bytes(),
                    kind: FieldKind::Parameters,
                    target: RewriteTarget {
                        form: Form::Words,
                        column: 20,
                        eol: "\n",
                    },
                    context: &context,
                    then: &context,
                },
                &mut Vec::new(),
            );
        });
    }

    #[test]
    fn raw_utf8() {
        for (value, want) in [
            ("a; f=\"=?koi8-r?B?8A==?=\"", "a; f=\"П\""),
            ("a; f=\"ä\"", "a; f=\"ä\""),
            ("a; f*=koi8-r''%F0", "a; f*=utf-8''%D0%9F"),
            (
                "a; f=\"=?us-ascii?Q?=3D=3Fx?=\"",
                "a; f=\"=?UTF-8?B?PT94?=\"",
            ),
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
            out.split("\r\n")
                .enumerate()
                .all(|(i, line)| line.len() + if i == 0 { 20 } else { 0 } <= LINE),
            "{out}"
        );
        assert_eq!(
            parse(out.as_bytes(), &HeaderContext::default(), &mut Vec::new()).list[0].text,
            "П".repeat(50)
        );
    }
}
