//! Finds damaged parameters that readers read differently: charsets, boundaries and file names.
//!
//! ```text
//! Content-Type: text/plain; charset="utf-8              ambiguous-charset
//! Content-Disposition: attachment; filename=a.exe b.txt ambiguous-filename
//! Content-Type: text/plain; format=flowed flowed        no finding
//! ```
//!
//! Parses the fields again, since an event does not name its parameter and a report keeps a limited number of events.

use crate::policy::{Finding, Findings};
use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::header::{FieldKind, kind_of_field};
use mailglot_mime::params::{self, RawParam};
use mailglot_mime::{EventKind, Message, Report};

/// Damage that readers repair differently.
const DAMAGE: [EventKind; 5] = [
    EventKind::ParamDuplicate,
    EventKind::ParamGap,
    EventKind::ParamUnquoted,
    EventKind::ParamUnclosedQuote,
    EventKind::ParamJunk,
];

/// Adds a finding for each damaged parameter of every part. Linear in the header fields, if the report has such damage.
pub(super) fn find(message: &Message<'_>, report: &Report, findings: &mut Findings) {
    let is_reported = DAMAGE.iter().any(|kind| report.has(*kind));
    if !is_reported {
        return;
    }
    let raw = message.raw();
    for (id, _) in message.numbered_parts() {
        for field in message.fields(id) {
            let value = field.value.of(raw);
            if kind_of_field(field.name.of(raw), value) == FieldKind::Parameters {
                for finding in in_field(value) {
                    findings.add(finding, || message.section(id));
                }
            }
        }
    }
}

/// Returns the findings in a field value, in order.
fn in_field(value: &[u8]) -> Vec<Finding> {
    let mut found = Vec::new();
    params::parse(value, &HeaderContext::default(), &mut found);
    found.retain(|finding| DAMAGE.contains(&finding.kind));
    if found.is_empty() {
        return Vec::new();
    }
    let (_, list) = params::scan(value);
    let findings = found.iter().filter_map(|finding| {
        // Damage behind a value, up to the next semicolon, is that of its parameter.
        let behind = list.partition_point(|param| param.range.start <= finding.at.end);
        finding_of(&list[behind.checked_sub(1)?])
    });
    findings.collect()
}

/// Returns the finding for damage of a parameter; None if it only affects the layout of the text.
fn finding_of(param: &RawParam<'_>) -> Option<Finding> {
    let is_named = |name: &str| {
        let start = param.name.get(..name.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
    };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_that_of_its_parameter() {
        use Finding::{AmbiguousBoundary, AmbiguousCharset, AmbiguousFilename};
        let far = " ".repeat(200);
        let comment = format!("({})", "x".repeat(200));
        for between in ["", " ", &far, &comment] {
            for (value, expected) in [
                (
                    format!("text/plain; charset={between}\"utf-8"),
                    &[AmbiguousCharset][..],
                ),
                (
                    format!("text/plain; charset={between}utf-8; charset=koi8-r"),
                    &[AmbiguousCharset],
                ),
                (
                    format!("text/plain; CHARSET={between}utf-8 x; format=flowed"),
                    &[AmbiguousCharset],
                ),
                (
                    format!("multipart/mixed; boundary={between}\"a"),
                    &[AmbiguousBoundary],
                ),
                (
                    format!("attachment; filename={between}\"a.exe"),
                    &[AmbiguousFilename],
                ),
                (
                    format!("attachment; filename={between}a.exe b.txt"),
                    &[AmbiguousFilename],
                ),
                (
                    format!("attachment; filename*0={between}a; filename*2=b"),
                    &[AmbiguousFilename],
                ),
                (
                    format!("a/b; name={between}\"a\" b; charset={between}\"utf-8"),
                    &[AmbiguousFilename, AmbiguousCharset],
                ),
                (format!("text/plain; format={between}\"flowed"), &[]),
                (
                    format!("text/plain; format={between}a b; charset=utf-8"),
                    &[],
                ),
                (format!("text/plain; charset={between}\"utf-8\""), &[]),
            ] {
                assert_eq!(in_field(value.as_bytes()), expected, "{value}");
            }
        }
    }
}
