//! Rewrites parameters to UTF-8 and keeps their syntax.
//!
//! # Limits
//!
//! Does not change `charset` and `boundary`. Keeps continuations with gaps, duplicates or missing semicolons, and damaged forms
//! beside others. If a name has several forms, each is rewritten separately.

use super::decode::parse;
use super::file_names::has_repeats;
use super::group::{Group, group};
use super::misplaced_marks::may_lack_asterisk;
use super::param::{Param, Params};
use super::raw_comments::comments;
use super::rewrite_unit::{Job, job};
use super::separators::separators;
use crate::encoded_word::{
    self, Form, HeaderContext, Replacement, RewriteTarget, Rewriting, find_damaged_ascii,
};
use crate::event::{EventKind, Finding, FindingList, Reason};
use crate::japanese;
use crate::lexer::{self, has_open};
use std::collections::HashMap;

/// Returns the replacements that rewrite the parameters of a field to UTF-8; see [`crate::header::rewrite`].
pub(crate) fn rewrite(rewriting: &Rewriting<'_>, findings: &mut Vec<Finding>) -> Vec<Replacement> {
    let (value, target, context) = (rewriting.value, rewriting.target, rewriting.context);
    let may_encode =
        has_open(value) || lexer::may_have_shifts(value) || memchr::memchr(b'*', value).is_some();
    let may_be_damaged = context.repairs.may_touch(value) || find_damaged_ascii(value).is_some();
    let may_decode = may_encode || may_be_damaged || may_lack_asterisk(value);
    if value.is_ascii() && !may_decode && !has_repeats(value) {
        return Vec::new();
    }
    let before = parse(value, context, findings);
    let list = plan(value, &before, target, context, findings);
    if list.is_empty() {
        return list;
    }
    let is_settled = |list: &Vec<Replacement>| {
        let after = encoded_word::apply(value, list);
        let read = parse(&after, rewriting.then, &mut Vec::new());
        is_same(&read, &before, target.form)
            && plan(&after, &read, target, rewriting.then, &mut Vec::new()).is_empty()
    };
    let separated = with_separators(value, &list, context).filter(is_settled);
    if let Some(list) = separated.or_else(|| Some(list).filter(is_settled)) {
        return list;
    }
    findings.add(
        0..value.len(),
        EventKind::ParamRfc2047,
        Reason::WouldReadDifferently,
    );
    Vec::new()
}

/// Returns the edits of a field together with its missing semicolons; None if it has all of them.
fn with_separators(
    value: &[u8],
    list: &[Replacement],
    context: &HeaderContext,
) -> Option<Vec<Replacement>> {
    let separators = separators(value, context);
    if separators.is_empty() {
        return None;
    }
    let mut all = [list, &separators].concat();
    all.sort_by_key(|r| (r.at.start, r.at.end));
    all.is_sorted_by(|a, b| a.at.end <= b.at.start)
        .then_some(all)
}

/// Returns true if parameters are equal. For ISO-2022-JP output, compares the characters that it writes.
fn is_same(one: &Params, other: &Params, form: Form) -> bool {
    let folded = |params: &Params| -> Vec<Param> {
        let mut list = params.list.clone();
        for param in &mut list {
            param.text = japanese::folded(&param.text).0.into_owned();
        }
        list
    };
    one.value == other.value
        && (one.list == other.list || form == Form::Iso2022Jp && folded(one) == folded(other))
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
        column = lexer::column_after(column, gap);
        let (before, blanks) = value[..job.at.start].split_at(lexer::trim_end(gap).len() + at);
        let may_fold = before.ends_with(b";") && !lexer::is_fold(blanks);
        let folded = may_fold
            .then(|| job.write_on_new_line(column, target.eol))
            .flatten();
        let start = folded.as_ref().map_or(job.at.start, |_| before.len());
        let with = folded.unwrap_or_else(|| job.write(column, target.eol));
        column = with.len() - with.rfind('\n').map_or(0, |n| n + 1);
        at = job.at.end;
        list.push(Replacement {
            at: start..job.at.end,
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

/// Returns true if a name occurs in one form only.
fn is_single(group: &Group<'_>) -> bool {
    group.left_out.is_empty() && group.forms() == 1
}

#[cfg(test)]
mod tests {
    use super::super::encode::LINE;
    use super::*;
    use crate::encoded_word::{Repairs, RewriteTarget};
    use crate::field_kind::FieldKind;
    use crate::header;

    fn rewriting<'a>(value: &'a [u8], form: Form, context: &'a HeaderContext) -> Rewriting<'a> {
        Rewriting {
            value,
            kind: FieldKind::Parameters,
            target: RewriteTarget {
                form,
                column: 20,
                eol: "\r\n",
            },
            context,
            then: context,
        }
    }

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
    fn several_quoted_strings_become_one() {
        let value = "a; f=\"=?utf-8?Q?=C3=BC?=\" \"=?utf-8?Q?=C3=A4?=\"; g=h";
        let joined = after(value, Form::Words);
        assert_eq!(joined, "a; f=\"=?UTF-8?B?w7zDpA==?=\"; g=h");
        assert_eq!(after(&joined, Form::Words), joined);
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
                let list = rewrite(&rewriting(value, form, &context), &mut findings);
                let after = encoded_word::apply(value, &list);
                assert_eq!(String::from_utf8_lossy(&after), want, "{findings:?}");
                assert_eq!(
                    rewrite(&rewriting(&after, form, &context), &mut Vec::new()),
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
            // Other readers end a value at an equals sign.
            (
                "a; f==?utf-8?Q?=C3=A4?=; g=h",
                "a; f=\"=?UTF-8?B?w6Q=?=\"; g=h",
            ),
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
                let list = rewrite(&rewriting(value, form, &context), &mut Vec::new());
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
                    rewrite(&rewriting(&once, form, &context), &mut Vec::new()),
                    []
                );
            }
        }
    }

    #[test]
    fn a_rewritten_field_gets_its_semicolons() {
        for (value, want) in [
            ("a f=\"\u{e4}\"", "a; f*=utf-8''%C3%A4"),
            ("a, f=\"\u{e4}\"", "a; f*=utf-8''%C3%A4"),
            ("a (c)\r\n f=\"\u{e4}\"", "a (c);\r\n f*=utf-8''%C3%A4"),
            ("a; f=\"\u{e4}\" size=1", "a; f*=utf-8''%C3%A4; size=1"),
            ("a; f=\"\u{e4}\", size=1", "a; f*=utf-8''%C3%A4; size=1"),
            ("a b=\"c\", f=\"\u{e4}\"", "a; b=\"c\"; f*=utf-8''%C3%A4"),
            // The comma is part of the media type, and of a value without quotes.
            ("a/b, f=\"\u{e4}\"", "a/b,; f*=utf-8''%C3%A4"),
            ("a; b=c, name=\"\u{e4}\"", "a; b=c,; name*=utf-8''%C3%A4"),
            // The charset is changed with the body.
            (
                "a/b charset=x name=\"\u{e4}\"",
                "a/b charset=x; name*=utf-8''%C3%A4",
            ),
            ("filename=\"\u{e4}\"; a", "filename*=utf-8''%C3%A4; a"),
            // Nothing else changes.
            ("a f=\"b\" size=1", "a f=\"b\" size=1"),
            ("a, f*=utf-8''%C3%A4", "a, f*=utf-8''%C3%A4"),
        ] {
            let once = after(value, Form::Words);
            assert_eq!(once, want, "{value}");
            assert_eq!(after(&once, Form::Words), once, "{value}");
        }
    }

    #[test]
    fn a_short_name_stays_in_one_piece_on_a_line_of_its_own() {
        let name = |count: usize| "\u{41f}".repeat(count);
        let escaped = |count: usize| "%D0%9F".repeat(count);
        for (value, want) in [
            (
                format!("attachment; filename=\"{}.pdf\"", name(6)),
                format!("attachment;\r\n filename*=utf-8''{}.pdf", escaped(6)),
            ),
            (
                format!("attachment;f=\"{}\"; size=1", name(8)),
                format!("attachment;\r\n f*=utf-8''{}; size=1", escaped(8)),
            ),
            // It fits behind the name of the field.
            (
                format!("a; f=\"{}\"", name(7)),
                format!("a; f*=utf-8''{}", escaped(7)),
            ),
            // Its line has a fold already.
            (
                format!("attachment;\r\n\tf=\"{}\"", name(10)),
                format!("attachment;\r\n\tf*=utf-8''{}", escaped(10)),
            ),
        ] {
            let once = after(&value, Form::Words);
            assert_eq!(once, want, "{value}");
            assert_eq!(after(&once, Form::Words), once, "{value}");
        }
        for (count, is_one) in [(11, true), (12, false)] {
            let once = after(&format!("a; b=c; f=\"{}\"", name(count)), Form::Words);
            assert_eq!(once.contains("f*="), is_one, "{once}");
            let lengths = once.split("\r\n").map(str::len);
            assert!(lengths.max() <= Some(78), "{once}");
        }
        let once = after(
            "a; b=c; filename=\"\u{65e5}\u{672c}\u{8a9e}\u{306e}\u{8acb}\u{6c42}\u{66f8}\"",
            Form::Iso2022Jp,
        );
        assert!(
            once.starts_with("a; b=c;\r\n filename*=iso-2022-jp''"),
            "{once}"
        );
    }

    #[test]
    fn entities_are_repaired_on_request() {
        let value = b"a; f=\"&#1054;&uuml; &amp;.doc\"";
        for (repairs, form, want) in [
            (
                Repairs::ALL,
                Form::Words,
                "a; f*=utf-8''%D0%9E%C3%BC%20&amp%3B.doc",
            ),
            (Repairs::ALL, Form::RawUtf8, "a; f=\"О\u{fc} &amp;.doc\""),
            (
                Repairs::default(),
                Form::Words,
                "a; f=\"&#1054;&uuml; &amp;.doc\"",
            ),
        ] {
            let context = HeaderContext {
                repairs,
                ..HeaderContext::default()
            };
            let mut findings = Vec::new();
            let list = rewrite(&rewriting(value, form, &context), &mut findings);
            let after = encoded_word::apply(value, &list);
            assert_eq!(String::from_utf8_lossy(&after), want);
            let kind = if repairs.any() {
                EventKind::EwEntity
            } else {
                EventKind::EwRepairable
            };
            let found: Vec<_> = findings.iter().map(|f| (f.kind, f.count)).collect();
            assert_eq!(found, [(kind, 2)]);
            let twice = rewrite(&rewriting(&after, form, &context), &mut Vec::new());
            assert_eq!(twice, []);
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
                &rewriting(value.as_bytes(), Form::Words, &context),
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
                &rewriting(value.as_bytes(), Form::Words, &context),
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
