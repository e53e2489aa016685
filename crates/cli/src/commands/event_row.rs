//! The JSON object of an event, for `header` and `inspect`.

use mailglot_mime::{Detail, EventKind, Finding};
use serde::Serialize;
use std::ops::Range;

/// An event. The offset is in bytes of the value or message.
#[derive(Serialize)]
pub(super) struct EventRow {
    pub(super) code: &'static str,
    pub(super) severity: &'static str,
    pub(super) offset: usize,
    pub(super) length: usize,
    pub(super) count: u64,
    pub(super) detail: String,
}

impl EventRow {
    /// Returns the object of a finding in a value.
    pub(super) fn of_finding(finding: &Finding) -> Self {
        let (at, detail) = (finding.at.clone(), &finding.detail);
        Self::new(finding.kind, at, finding.count, detail)
    }

    pub(super) fn new(kind: EventKind, at: Range<usize>, count: u64, detail: &Detail) -> Self {
        Self {
            code: kind.code(),
            severity: kind.severity().name(),
            offset: at.start,
            length: at.len(),
            count,
            detail: detail.to_string(),
        }
    }
}
