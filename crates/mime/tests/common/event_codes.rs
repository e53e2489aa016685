//! The codes of events, which tests compare.

use mailglot_mime::Report;

/// Returns the codes of all events of a report, in its order: `["charset.detected", "ew.raw8bit"]`.
pub(crate) fn codes(report: &Report) -> Vec<&'static str> {
    let events = report.events.iter();
    events.map(|event| event.kind.code()).collect()
}
