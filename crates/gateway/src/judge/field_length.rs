//! Reverts edits of fields that would become longer than servers accept.
//!
//! A server truncates a longer field silently. Text and addresses would be lost behind the gateway without a report.
//!
//! # Limits
//! A field that is longer on arrival stays unchanged, even if rewriting would make it shorter. A field is never rewritten in part.

use super::kept_spans::KeptSpans;
use crate::limits::LONGEST_FIELD;
use crate::policy::{Finding, Findings};
use mailglot_mime::{Edit, Message, PartId, header};

/// Removes the edits that would make a field longer than [`LONGEST_FIELD`], and adds a finding for each.
pub(super) fn take_back(message: &Message<'_>, findings: &mut Findings, edits: &mut Vec<Edit>) {
    for id in hold_fields(message, edits) {
        findings.add(Finding::HeaderTooLong, || message.section(id));
    }
}

/// Removes the edits that would make a header field longer than [`LONGEST_FIELD`]. If such a field says how its part is decoded, the whole part stays
/// unchanged. Returns the parts of these fields. Linear in the fields and edits, which are sorted and do not overlap.
pub(crate) fn hold_fields(message: &Message<'_>, edits: &mut Vec<Edit>) -> Vec<PartId> {
    let grown: usize = edits.iter().map(|edit| edit.with.len()).sum();
    if message.raw().len() + grown <= LONGEST_FIELD {
        return Vec::new();
    }
    let (mut kept, mut parts) = (KeptSpans::default(), Vec::new());
    let mut rest = &edits[..];
    for (id, part) in message.numbered_parts() {
        let (first, last) = (part.fields.0 as usize, part.fields.1 as usize);
        for index in first..last {
            let Some(field) = message.all_fields().get(index) else {
                break;
            };
            let before = rest.partition_point(|edit| edit.span.end <= field.full.start);
            rest = &rest[before..];
            if !rest.is_empty() && length(field, rest) > LONGEST_FIELD {
                parts.push(id);
                let says = [part.content_type, part.content_transfer_encoding];
                if says.contains(&Some(index as u32)) {
                    kept.part(message, id);
                } else {
                    kept.field(field);
                }
            }
        }
    }
    kept.sorted().hold(edits);
    parts
}

/// Returns the length of a field after the edits in it; 0 if no edit changes it.
fn length(field: &header::Field, edits: &[Edit]) -> usize {
    let span = field.full;
    let inside = edits.iter().take_while(|edit| edit.span.start < span.end);
    let (mut grown, mut shrunk) = (0, 0);
    // An edit that ends at the start of the field belongs to the field before.
    for edit in inside.filter(|edit| edit.span.end > span.start) {
        grown += edit.with.len();
        shrunk += edit.span.end.min(span.end) - edit.span.start.max(span.start);
    }
    if (grown, shrunk) == (0, 0) {
        0
    } else {
        (span.len() + grown).saturating_sub(shrunk)
    }
}
