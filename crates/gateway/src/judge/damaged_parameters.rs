//! Finds damaged parameters that readers read differently: charsets, boundaries and file names.
//!
//! ```text
//! Content-Type: text/plain; charset="utf-8              ambiguous-charset
//! Content-Disposition: attachment; filename=a.exe b.txt ambiguous-filename
//! Content-Type: text/plain; format=flowed flowed        no finding
//! ```
//!
//! An event does not name its parameter, so its field is read again. A report keeps a limited number of events: if it does not have all of this
//! kind, every field is parsed again.
//!
//! # Limits
//! Such a parse has no evidence of the message, so it counts every name that occurs twice as damage.

use crate::policy::{Finding, Findings};
use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::header::{Field, FieldKind, kind_of_field};
use mailglot_mime::params::{self, RawParam};
use mailglot_mime::{Event, EventKind, Message, Report, Span};
use std::collections::HashSet;

/// Damage that readers repair differently.
const DAMAGE: [EventKind; 5] = [
    EventKind::ParamDuplicate,
    EventKind::ParamGap,
    EventKind::ParamUnquoted,
    EventKind::ParamUnclosedQuote,
    EventKind::ParamJunk,
];

/// Adds a finding for each damaged parameter of every part. Linear in the header fields and events.
pub(super) fn find(message: &Message<'_>, report: &Report, findings: &mut Findings) {
    let is_damage = |event: &&Event| DAMAGE.contains(&event.kind);
    let mut last: Option<(Span, Vec<RawParam<'_>>)> = None;
    for event in report
        .events
        .iter()
        .chain(&report.withdrawn)
        .filter(is_damage)
    {
        let Some(field) = field_around(message, event) else {
            continue;
        };
        if last.as_ref().is_none_or(|(value, _)| *value != field.value) {
            last = Some((field.value, params::scan(field.value.of(message.raw())).1));
        }
        if let Some((value, list)) = &last {
            let end = event.at.end - value.start;
            for finding in of_damage(list, end, event.count) {
                findings.add(finding, || message.section(event.part));
            }
        }
    }
    let are_some_unkept = report.unkept().any(|(kind, _)| DAMAGE.contains(&kind));
    if are_some_unkept || report.withdrawn_dropped > 0 {
        find_in_all_fields(message, findings);
    }
}

/// Returns the field of an event.
fn field_around<'m>(message: &'m Message<'_>, event: &Event) -> Option<&'m Field> {
    let fields = message.fields(event.part);
    let behind = fields.partition_point(|field| field.value.start <= event.at.start);
    let field = &fields[behind.checked_sub(1)?];
    (event.at.end <= field.value.end).then_some(field)
}

/// Returns the findings for damage that ends at the offset `end` of a field value, `count` times from there on.
///
/// Damage behind a value, up to the next semicolon, is that of its parameter. Without all places of damage, each parameter from the first
/// place on counts.
fn of_damage(list: &[RawParam<'_>], end: usize, count: u64) -> Vec<Finding> {
    let behind = list.partition_point(|param| param.range.start <= end);
    let first = behind.saturating_sub(1);
    let last = if count > 1 { list.len() } else { behind };
    let mut found: Vec<Finding> = list[first..last].iter().filter_map(finding_of).collect();
    found.dedup();
    found
}

/// Adds the findings of all fields that were not found yet.
fn find_in_all_fields(message: &Message<'_>, findings: &mut Findings) {
    let raw = message.raw();
    for (id, _) in message.numbered_parts() {
        for field in message.fields(id) {
            let value = field.value.of(raw);
            if kind_of_field(field.name.of(raw), value) != FieldKind::Parameters {
                continue;
            }
            for finding in in_field(value) {
                if !findings.has(finding) {
                    findings.add(finding, || message.section(id));
                }
            }
        }
    }
}

/// Returns the findings in a field value.
fn in_field(value: &[u8]) -> Vec<Finding> {
    let (_, list) = params::scan(value);
    let mut found = Vec::new();
    params::parse(value, &HeaderContext::default(), &mut found);
    let damage = found.iter().filter(|one| DAMAGE.contains(&one.kind));
    let mut findings: Vec<Finding> = damage
        .flat_map(|one| of_damage(&list, one.at.end, one.count))
        .collect();
    let mut names = HashSet::new();
    let forms = list.iter().filter(|param| {
        let is_first = names.insert(base_name(param.name).to_ascii_lowercase());
        !is_first
    });
    findings.extend(forms.filter_map(finding_of));
    findings
}

/// Returns the finding for damage of a parameter; None if it only affects the layout of the text.
fn finding_of(param: &RawParam<'_>) -> Option<Finding> {
    let name = base_name(param.name);
    let is_named = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
    Some(if is_named("charset") {
        Finding::AmbiguousCharset
    } else if is_named("boundary") {
        Finding::AmbiguousBoundary
    } else if is_named("name") || is_named("filename") {
        Finding::AmbiguousFilename
    } else {
        return None;
    })
}

/// Returns a name without the marks of RFC 2231: `filename` of `filename*0*`.
fn base_name(name: &[u8]) -> &[u8] {
    let mark = memchr::memchr(b'*', name);
    name[..mark.unwrap_or(name.len())].trim_ascii_end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_mime::{Limits, Policy, process};

    /// Returns the findings of a field, as the events of the planner and as a parse without evidence have them.
    fn found(field: &str) -> [Vec<Finding>; 2] {
        let raw = format!("Content-Type: {field}\n\nx\n");
        let message = Message::parse(raw.as_bytes(), &Limits::default());
        let report = process(raw.as_bytes(), &Policy::default()).report;
        let mut findings = Findings::default();
        find(&message, &report, &mut findings);
        let of_report = findings.counted().map(|(finding, _)| finding).collect();
        let mut of_field = in_field(field.as_bytes());
        of_field.sort_unstable();
        of_field.dedup();
        [of_report, of_field]
    }

    #[test]
    fn damage_is_that_of_its_parameter() {
        use Finding::{AmbiguousBoundary, AmbiguousCharset, AmbiguousFilename};
        let far = " ".repeat(200);
        let comment = format!("({})", "x".repeat(200));
        let harmless: String = (0..120)
            .map(|n| format!("; p{n}=a b"))
            .collect::<Vec<_>>()
            .concat();
        for between in ["", " ", &far, &comment] {
            for (value, expected) in [
                (
                    format!("text/plain; charset={between}\"utf-8"),
                    &[AmbiguousCharset][..],
                ),
                (
                    format!("text/plain; charset={between}utf-8; x=y; charset=koi8-r"),
                    &[AmbiguousCharset],
                ),
                (
                    format!("text/plain; CHARSET={between}utf-8 x; format=flowed"),
                    &[AmbiguousCharset],
                ),
                (
                    format!("text/plain{harmless}; charset={between}utf-8 x"),
                    &[AmbiguousCharset],
                ),
                (format!("a/b; boundary={between}\"a"), &[AmbiguousBoundary]),
                (format!("a/b; name={between}\"a.exe"), &[AmbiguousFilename]),
                (
                    format!("a/b; name={between}a.exe b.txt"),
                    &[AmbiguousFilename],
                ),
                (
                    format!("a/b; name*0={between}a; x=y; name*2=b"),
                    &[AmbiguousFilename],
                ),
                (format!("text/plain; format={between}\"flowed"), &[]),
                (
                    format!("text/plain; format={between}a b; charset=utf-8"),
                    &[],
                ),
                (
                    format!("text/plain; charset=utf-8; format={between}a b"),
                    &[],
                ),
                (format!("text/plain; x={between}1; charset=utf-8; x=2"), &[]),
                (
                    format!("text/plain; namespace={between}a b; boundary-hint=a b"),
                    &[],
                ),
                (format!("text/plain; charset={between}\"utf-8\""), &[]),
            ] {
                assert_eq!(found(&value), [expected, expected], "{value}");
            }
        }
    }

    /// The raw name is in the charset of the message, where both forms are alike or not.
    #[test]
    fn forms_of_a_name_are_compared_in_the_charset_of_the_message() {
        for (name, expected) in [(&b"\xE9"[..], 0), (b"\xFE", 1)] {
            let mut raw = b"Subject: \xCF\xF0\xE8\xE2\xE5\xF2, \xEC\xE8\xF0\n\
                Content-Type: text/plain; charset=windows-1251\n\
                Content-Disposition: attachment; filename=\""
                .to_vec();
            raw.extend_from_slice(name);
            raw.extend_from_slice(
                b".txt\"; filename*=windows-1251''%E9.txt\n\n\xCF\xF0\xE8\xE2\xE5\xF2\n",
            );
            let message = Message::parse(&raw, &Limits::default());
            let report = process(&raw, &Policy::default()).report;
            let mut findings = Findings::default();
            find(&message, &report, &mut findings);
            assert_eq!(findings.counted().count(), expected, "{name:?}");
        }
    }
}
