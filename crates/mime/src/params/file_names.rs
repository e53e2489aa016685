//! Checks file names in parameters: reports dangerous ones, and removes ambiguous ones.
//!
//! # Rules
//!
//! - A name with `/` or `\\` gives `param.path`. It stays: the program that saves the file decides about it.
//! - If several parameters give one name different values, only the one that counts stays, since other readers may use the others.
//!   They may be another form, a duplicate, or a segment that cannot be joined.
//! - A plain ASCII form beside a non-ASCII one stays as its fallback for old readers if both have the same extension.
//!
//! # Limits
//!
//! Handles only `name` and `filename`. Different names in two fields are reported (`mime.ambiguous-name`) and stay.

use super::form::{FORMS, preferred};
use super::group::{Group, note_mark};
use super::misplaced_marks::lacks_asterisk;
use super::scan::{Item, LIMIT, Scanner};
use crate::encoded_word::HeaderContext;
use crate::event::{Detail, EventKind, Finding, FindingList};
use crate::lexer::{self, NameForm, is_file_name, split_name};
use std::ops::Range;

/// Reports syntax errors in a field of plain values, without decoding the values.
///
/// Returns true if the values must be decoded: a name occurs twice, or a value lacks the asterisk of an extended one.
pub(crate) fn survey(value: &[u8], findings: &mut Vec<Finding>) -> bool {
    let (_, mut scanner) = Scanner::new(value);
    let mut names: Vec<&[u8]> = Vec::new();
    let mut is_encoded = false;
    for item in scanner.by_ref().take(LIMIT) {
        note_mark(&item, split_name(item.raw.name).1, findings);
        if is_file_name(item.raw.name) && item.raw.value.iter().any(|b| matches!(b, b'/' | b'\\')) {
            findings.add(item.extent(), EventKind::ParamPath, Detail::None);
        }
        is_encoded |= lacks_asterisk(item.raw.name, &item.raw.value);
        names.push(item.raw.name);
    }
    scanner.note_rest();
    findings.append(&mut scanner.tolerated);
    findings.sort_by_key(|f| f.at.start);
    repeats(&mut names) || is_encoded
}

/// Returns true if a name occurs twice in a field of plain values.
pub(super) fn has_repeats(value: &[u8]) -> bool {
    let (_, scanner) = Scanner::new(value);
    repeats(&mut scanner.take(LIMIT).map(|item| item.raw.name).collect())
}

fn repeats(names: &mut Vec<&[u8]>) -> bool {
    let lower = |name: &[u8]| name.iter().map(u8::to_ascii_lowercase).collect::<Vec<_>>();
    match &names[..] {
        [] | [_] => false,
        [one, other] => one.eq_ignore_ascii_case(other),
        _ => {
            names.sort_by_cached_key(|name| lower(name));
            names
                .windows(2)
                .any(|pair| pair[0].eq_ignore_ascii_case(pair[1]))
        }
    }
}

impl Group<'_> {
    /// Removes forms whose text differs from that of the form that counts.
    ///
    /// Returns their ranges in the value, each including its semicolon.
    pub(super) fn remove_ambiguous(
        &mut self,
        value: &[u8],
        context: &HeaderContext,
    ) -> Vec<Range<usize>> {
        let left_out = self.left_out.iter().any(|item| !self.has(item));
        if !is_file_name(self.name.as_bytes()) || self.forms() < 2 && !left_out {
            return Vec::new();
        }
        let read = self.read(context);
        let Some(first) = preferred(&read) else {
            return Vec::new();
        };
        let text = |index: usize| read[index].as_ref().map(|read| read.decoded.text.as_str());
        let counts = text(first).unwrap_or_default();
        let fallback = FORMS[first] != NameForm::Plain
            && text(2).is_some_and(|plain| plain == counts || is_fallback(plain, counts));
        let removed =
            || (0..FORMS.len()).filter(|index| *index != first && !(*index == 2 && fallback));
        let differs = |index: usize| text(index).is_some_and(|text| text != counts);
        if !left_out && !removed().any(differs) {
            return Vec::new();
        }
        // Without a semicolon before it, other readers may not see the form that counts. Then both names stay.
        let place = |item| with_semicolon(value, item);
        if !self
            .items_of(FORMS[first])
            .all(|item| place(item).is_some())
        {
            return Vec::new();
        }
        let forms = removed().flat_map(|index| self.items_of(FORMS[index]));
        let Some(places) = self.left_out.iter().chain(forms).map(place).collect() else {
            return Vec::new();
        };
        for index in removed() {
            match FORMS[index] {
                NameForm::Plain => self.plain = None,
                NameForm::Extended => self.extended = None,
                NameForm::Segment { .. } => self.segments.clear(),
            }
        }
        self.left_out.clear();
        self.whole = true;
        places
    }

    /// Returns true if a kept parameter has the same name and value as `item`.
    fn has(&self, item: &Item<'_>) -> bool {
        let same = |kept: &Item<'_>| {
            kept.raw.name.eq_ignore_ascii_case(item.raw.name) && kept.raw.value == item.raw.value
        };
        self.items().any(same)
    }
}

/// Returns true if an ASCII name may be the fallback of a non-ASCII one: both have the same extension.
pub(super) fn is_fallback(plain: &str, counts: &str) -> bool {
    let extension = |name: &str| {
        name.rsplit_once('.')
            .map_or("", |(_, extension)| extension)
            .to_lowercase()
    };
    !counts.is_ascii() && plain.is_ascii() && extension(plain) == extension(counts)
}

/// Returns the range of a parameter and the semicolon before it; None without a semicolon.
pub(super) fn with_semicolon(value: &[u8], item: &Item<'_>) -> Option<Range<usize>> {
    let before = lexer::trim_end(&value[..item.name.start]);
    before
        .ends_with(b";")
        .then(|| before.len() - 1..item.extent().end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoded_word::{self, Form as HeaderForm, RewriteTarget};
    use crate::field_kind::FieldKind;
    use crate::header;

    fn after(value: &str) -> (String, Vec<&'static str>) {
        let mut findings = Vec::new();
        let list = header::rewrite(
            value.as_bytes(),
            FieldKind::Parameters,
            RewriteTarget {
                form: HeaderForm::Words,
                column: 20,
                eol: "\r\n",
            },
            &HeaderContext::default(),
            &mut findings,
        );
        let new = encoded_word::apply(value.as_bytes(), &list);
        (
            String::from_utf8(new).unwrap(),
            findings.iter().map(|finding| finding.kind.code()).collect(),
        )
    }

    #[test]
    fn one_name_remains() {
        for (value, want) in [
            // Two forms with different text, in both orders, and in folded lines.
            (
                "a; filename=\"x.txt\"; filename*=utf-8''y.exe",
                "a; filename*=utf-8''y.exe",
            ),
            (
                "a; filename*=utf-8''y.exe; filename=x.txt; size=1",
                "a; filename*=utf-8''y.exe; size=1",
            ),
            (
                "a;\r\n filename=x;\r\n filename*0=y;\r\n filename*1=z",
                "a;\r\n filename*0=y;\r\n filename*1=z",
            ),
            // A duplicate, a gap, a repeated segment.
            ("a; name=x; NAME=y", "a; name=x"),
            ("a; name*=utf-8''x; name*=utf-8''y", "a; name*=utf-8''x"),
            ("a; name*0=x; name*2=y", "a; name*0=x"),
            ("a; name*0=x; name*1=y; name*0=z", "a; name*0=x; name*1=y"),
            // The damaged form is removed.
            (
                "a; name=x.txt; name*=iso-2022-jp''%1B$B%FF%1B(B",
                "a; name=x.txt",
            ),
            // The remaining form becomes UTF-8.
            (
                "a; name=x; name*=koi8-r''%F0",
                "a; name=x; name*=utf-8''%D0%9F",
            ),
            (
                "a; name=x.exe; name*=koi8-r''%F0.txt",
                "a; name*=utf-8''%D0%9F.txt",
            ),
            // Two forms with one name stay, and so does a fallback for old readers.
            ("a; name=x; name=x", "a; name=x; name=x"),
            (
                "a; name=\"x\"; name*=utf-8''x",
                "a; name=\"x\"; name*=utf-8''x",
            ),
            (
                "a; name=\"Gr__e.PDF\"; name*=utf-8''Gr%C3%B6.pdf",
                "a; name=\"Gr__e.PDF\"; name*=utf-8''Gr%C3%B6.pdf",
            ),
            // Without a semicolon; and a parameter that is not a file name.
            ("a; name=\"x\" name=y", "a; name=\"x\" name=y"),
            // Other readers may not see the parameter that counts, and read the other name.
            ("a filename=x; filename=y", "a filename=x; filename=y"),
            (
                "a\u{e} filename=x; filename=y",
                "a\u{e} filename=x; filename=y",
            ),
            (
                "a (b) name=x; name*=utf-8''y",
                "a (b) name=x; name*=utf-8''y",
            ),
            (
                "a name*0=x; name*1=y; name*0=z",
                "a name*0=x; name*1=y; name*0=z",
            ),
            ("a; (b) name=x; name=y", "a; (b) name=x; name=y"),
            (
                "a; format=flowed; format=fixed",
                "a; format=flowed; format=fixed",
            ),
            ("a; charset=utf-8; charset=x", "a; charset=utf-8; charset=x"),
        ] {
            assert_eq!(after(value).0, want, "{value}");
            assert_eq!(after(want).0, want, "a second pass over {want}");
        }
    }

    #[test]
    fn paths_are_reported() {
        for (value, want) in [
            ("a; name=x", false),
            ("a/b; path=\"x/y\"", false),
            ("a; name=\"x/y\"", true),
            ("a; filename=\"..\\\\x\"", true),
            ("a; filename*=utf-8''..%2Fx", true),
            ("a; filename=\"=?utf-8?Q?x=2Fy?=\"", true),
        ] {
            let mut findings = Vec::new();
            let _ =
                crate::params::parse(value.as_bytes(), &HeaderContext::default(), &mut findings);
            let path_codes =
                |findings: &[Finding]| findings.iter().any(|f| f.kind == EventKind::ParamPath);
            assert_eq!(path_codes(&findings), want, "{value}");
            if !value.contains(['*', '?']) {
                let mut surveyed = Vec::new();
                survey(value.as_bytes(), &mut surveyed);
                assert_eq!(path_codes(&surveyed), want, "{value}, surveyed");
            }
        }
    }

    #[test]
    fn a_survey_finds_every_repeated_name() {
        for (value, want) in [
            ("a", false),
            ("a; b=c", false),
            ("a; b=c; B=d", true),
            ("a; b=c; d=e; f=g; D=h", true),
            ("a; b=c; d=e; f=g", false),
        ] {
            assert_eq!(survey(value.as_bytes(), &mut Vec::new()), want, "{value}");
            assert_eq!(has_repeats(value.as_bytes()), want, "{value}");
        }
    }
}
