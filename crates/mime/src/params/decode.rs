//! Decodes parameters: joins continuations, decodes extended values and encoded words (RFC 2231, sections 3 and 4).

use super::file_names::is_fallback;
use super::form::{FORMS, preferred};
use super::group::{Group, group};
use super::param::{Param, Params};
use super::scan::note_path;
use crate::encoded_word::{self, HeaderContext};
use crate::event::{EventKind, Finding, FindingList, Reason};
use crate::lexer::NameForm;

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
    let (no_evidence, no_events) = (HeaderContext::default(), &mut Vec::new());
    let (decoded, ..) = encoded_word::bytes_to_text(None, false, &main, &no_evidence, no_events);
    encoded_word::push_clean(&decoded, &mut text);
    let mut list: Vec<_> = groups
        .iter()
        .filter_map(|group| group.decode(context, findings))
        .collect();
    list.sort_by_key(|(place, _)| *place);
    findings.sort_by_key(|f| f.at.start);
    Params {
        value: text.trim().trim_end_matches(',').to_lowercase(),
        list: list.into_iter().map(|(_, param)| param).collect(),
    }
}

impl Group<'_> {
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
            let counts = forms[preferred].as_ref();
            let text = counts.map_or("", |counts| counts.decoded.text.as_str());
            let (kind, detail) = if index == preferred {
                (EventKind::ParamDuplicate, Reason::OtherFormDamaged)
            } else if read.decoded.text == text {
                continue;
            } else if FORMS[index] == NameForm::Plain && is_fallback(&read.decoded.text, text) {
                (EventKind::ParamFallback, Reason::OtherFormCounts)
            } else {
                (EventKind::ParamDuplicate, Reason::OtherFormCounts)
            };
            findings.add(read.extent.clone(), kind, detail);
        }
        let form = forms[preferred].take()?;
        findings.extend(form.found);
        let place = form.extent.start;
        note_path(&self.name, &form.decoded.text, form.extent, findings);
        Some((place, self.param(form.decoded)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::group::NAMES;
    use super::super::scan::LIMIT;
    use super::super::value::VALUE;
    use super::*;
    use crate::lexer::{NameForm, split_name};

    fn show(value: &str) -> String {
        parse(value.as_bytes(), &HeaderContext::default(), &mut Vec::new()).to_string()
    }

    #[test]
    fn words_in_an_extended_value_are_decoded_unless_a_letter_is_escaped() {
        let words = "%3D%3Futf-8%3FQ%3F%3DC3%3DBC%3F%3D";
        let literal = "%3D%3F%75tf-8%3FQ%3F%3DC3%3DBC%3F%3D";
        for (charset, words, text) in [
            ("us-ascii", words, "ü"),
            ("", words, "ü"),
            ("utf-8", words, "ü"),
            ("iso-8859-1", words, "ü"),
            ("utf-8", literal, "=?utf-8?Q?=C3=BC?="),
            ("us-ascii", literal, "ü"),
            // No word, and a word that is only a part of the name.
            ("utf-8", "%3D%3Futf-8%3F%3D", "=?utf-8?="),
            ("utf-8", "a%20%3D%3Futf-8%3FQ%3Fb%3F%3D", "a =?utf-8?Q?b?="),
        ] {
            let value = format!("a/b; name*={charset}''{words}");
            let params = parse(value.as_bytes(), &HeaderContext::default(), &mut Vec::new());
            assert_eq!(params.get("name"), Some(text), "{value}");
        }
    }

    #[test]
    fn quoted_strings_of_words_are_joined() {
        let (first, last) = ("=?utf-8?B?S2/FoWljZSBo?=", "=?utf-8?B?bGF2bsOhLnBkZg==?=");
        for (value, name, want) in [
            (
                format!("\"{first}\"\r\n \"{last}\""),
                "Košice hlavná.pdf",
                vec!["param.junk", "param.rfc2047"],
            ),
            (
                format!("\"{first}\" \"{last}\"; x=y"),
                "Košice hlavná.pdf",
                vec!["param.junk", "param.rfc2047"],
            ),
            // Other text is junk: it may be anything.
            (
                format!("\"{first}\" \"b.pdf\""),
                "Košice h",
                vec!["param.rfc2047", "param.junk"],
            ),
            (
                format!("\"{first}\" {last}"),
                "Košice h",
                vec!["param.rfc2047", "param.junk"],
            ),
            ("\"a\" \"b\"".to_owned(), "a", vec!["param.junk"]),
            (
                "\"=?a?=\" \"=?b?=\"".to_owned(),
                "=?a?=",
                vec!["param.junk"],
            ),
        ] {
            let value = format!("a; filename={value}");
            let params = parse(value.as_bytes(), &HeaderContext::default(), &mut Vec::new());
            assert_eq!(params.get("filename"), Some(name), "{value}");
            assert_eq!(kinds(&value), want, "{value}");
        }
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
            ("a/b; name*x=c", vec!["param.bad-mark"]),
            ("a/b; name*01=c", vec!["param.bad-mark", "param.gap"]),
            ("a/b; name=utf-8''%41", vec!["param.bad-mark"]),
            ("filename=c", vec!["param.no-semicolon"]),
            ("a/b; name*=\"utf-8''c\"", vec!["param.quoted-extended"]),
            ("a/b; name; x=y", vec!["param.no-value"]),
            ("a/b; name=; x=y", vec!["param.no-value"]),
            ("a/b;; x=y", vec!["param.empty"]),
            ("a/b; name = c", vec!["param.blank"]),
            ("a/b; name *=utf-8''c", vec!["param.blank"]),
            ("a/b; name *0=c; name *1=d", vec!["param.blank"; 2]),
            (
                "a/b; other *=utf-8''c",
                vec!["param.no-value", "param.bad-mark", "param.no-semicolon"],
            ),
            ("a/b; name*0=c; name*2=d", vec!["param.gap"]),
            ("a/b; name=c; NAME=d", vec!["param.duplicate"]),
            ("a/b; name*=utf-8''%4", vec!["param.bad-percent"]),
            ("a/b; name=\"=?utf-8?Q?c?=\"", vec!["param.rfc2047"]),
            (
                "a/b; filename=\"%D0%94%D0%BE.doc\"",
                vec!["param.url-encoded"],
            ),
            ("a/b; name=%E2%82%AC.doc", vec!["param.url-encoded"]),
            ("a/b; name=%C2%85.doc", vec![]),
            (
                "a/b; name*=utf-8''%3D%3Futf-8%3FQ%3F%3DC3%3DBC%3F%3D",
                vec!["param.rfc2047"],
            ),
            (
                "a/b; name*=us-ascii''%3D%3Futf-8%3FQ%3F%3DC3%3DBC%3F%3D",
                vec!["param.rfc2047"],
            ),
            ("a/b; name=100%.doc", vec![]),
            ("a/b; name=a%20b.doc", vec![]),
            ("a/b; name=%C4.doc", vec![]),
            ("a/b; title=%D0%94.doc", vec![]),
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
                "url-encoded",
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
    fn a_name_for_old_readers_is_no_repair() {
        for (value, want) in [
            (
                "a; filename=\"EURO.pdf\"; filename*=utf-8''%E2%82%AC.pdf",
                vec!["param.fallback"],
            ),
            (
                "a; filename*=utf-8''foo-%C3%A4.html; filename=foo-ae.html",
                vec!["param.fallback"],
            ),
            ("a; f=EURO; f*=utf-8''%E2%82%AC", vec!["param.fallback"]),
            // The same text twice.
            ("a; filename=a.txt; filename*=utf-8''a.txt", vec![]),
            // Another extension, two ASCII names, a name in another charset, segments.
            (
                "a; filename=a.exe; filename*=utf-8''%C3%A4.txt",
                vec!["param.duplicate"],
            ),
            (
                "a; filename=a.txt; filename*=utf-8''b.txt",
                vec!["param.duplicate"],
            ),
            (
                "a; filename=\"\u{fc}.txt\"; filename*=utf-8''%C3%A4.txt",
                vec!["param.duplicate"],
            ),
            (
                "a; filename*0=a.txt; filename*=utf-8''%C3%A4.txt",
                vec!["param.duplicate"],
            ),
            (
                "a; filename=a.txt; filename*=utf-8''%FF.txt",
                vec!["param.duplicate"],
            ),
        ] {
            assert_eq!(kinds(value), want, "{value}");
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
            (
                "name*01",
                (
                    "name",
                    NameForm::Segment {
                        number: 1,
                        encoded: false,
                    },
                ),
            ),
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
            ("filename=x; attachment; y=z", "attachment; filename=x; y=z"),
            ("filename=x; other", "; filename=x"),
            ("attachment, filename=x", "attachment; filename=x"),
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
            // A file may have this name.
            (
                "a; filename=\"%D0%94%D0%BE.doc\"",
                "a; filename=%D0%94%D0%BE.doc",
            ),
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
