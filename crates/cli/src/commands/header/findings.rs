//! Prints and counts the findings in header values.

use crate::output::{Console, visible};
use mailglot_mime::header::FieldKind;
use mailglot_mime::{EventKind, Finding, Reason, Severity};
use mailglot_pipeline::with_thousands;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::ops::Range;

/// Adds a finding for bytes of parameter names that were replaced by U+FFFD. `text` is the decoded name, or the whole decoded field.
pub(super) fn note_names(kind: FieldKind, value: &[u8], text: &str, findings: &mut Vec<Finding>) {
    let has_loss = || {
        findings
            .iter()
            .any(|finding| finding.kind.severity() == Severity::Loss)
    };
    if kind != FieldKind::Parameters || !text.contains('\u{fffd}') || has_loss() {
        return;
    }
    let (mut at, mut count, mut first) = (0, 0, None);
    for chunk in value.utf8_chunks() {
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            count += 1;
            first.get_or_insert(at..at + chunk.invalid().len());
        }
        at += chunk.invalid().len();
    }
    if let Some(at) = first {
        let kind = EventKind::CharsetInvalidBytes;
        findings.push(Finding::counted(at, kind, Reason::ParameterName, count));
    }
}

/// Prints findings. Repairs and losses of `typed` values, which are arguments, are always printed; all others only with `-v`.
pub(super) fn print_findings(findings: &[Finding], typed: bool, console: Console) {
    for finding in findings {
        if typed && finding.kind.severity() > Severity::Info {
            console.say(Line(finding));
        } else {
            console.explain(Line(finding));
        }
    }
}

/// Formats a finding as a line, only if it is printed.
struct Line<'f>(&'f Finding);

impl Display for Line<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let kind = self.0.kind;
        let severity = kind.severity().name();
        let Range { start, end } = &self.0.at;
        let detail = self.0.detail.to_string();
        let colon = if detail.is_empty() { "" } else { ": " };
        let detail = visible(&detail);
        write!(
            out,
            "{severity} {} at {start}..{end}{colon}{detail}",
            kind.code()
        )
    }
}

/// Counts repairs, losses and lines that are not fields, for values whose findings are not printed one by one.
#[derive(Debug, Default)]
pub(super) struct FindingCounts(BTreeMap<&'static str, Count>);

#[derive(Debug)]
struct Count {
    severity: Severity,
    times: u64,
    /// Byte range of the first one, in its value or in the stream.
    first: Range<usize>,
}

impl FindingCounts {
    pub(super) fn add(&mut self, findings: &[Finding]) {
        // A line that is not a field is only an info, but matters to programs that filter headers.
        let is_counted =
            |kind: EventKind| kind.severity() > Severity::Info || kind == EventKind::HdrNoColon;
        for finding in findings.iter().filter(|finding| is_counted(finding.kind)) {
            let new = || Count {
                severity: finding.kind.severity(),
                times: 0,
                first: finding.at.clone(),
            };
            self.0.entry(finding.kind.code()).or_insert_with(new).times += finding.count;
        }
    }

    pub(super) fn print(&self, console: Console) {
        for (code, count) in &self.0 {
            let (severity, times) = (count.severity.name(), with_thousands(count.times));
            let Range { start, end } = &count.first;
            console.say(format_args!(
                "{severity} {code}: {times}, the first at {start}..{end} (-v lists each)"
            ));
        }
    }
}
