//! Reports bytes that the declared charset lacks and its superset has.

use crate::event::{Detail, EventKind, Finding};
use mailglot_codec::Charset;
use std::ops::Range;

/// Reports bytes that only the superset of the label has.
pub(super) fn report_superset(
    charset: Charset,
    bytes: &[u8],
    range: Range<usize>,
    findings: &mut Vec<Finding>,
) {
    if uses_superset(charset, bytes) {
        findings.push(superset_finding(charset, range));
    }
}

/// Returns true if some bytes are only in the superset of the charset.
pub(super) fn uses_superset(charset: Charset, bytes: &[u8]) -> bool {
    if charset.superset() == charset || bytes.is_ascii() && !charset.is_stateful() {
        return false;
    }
    if charset.is_single_byte() {
        // Without an early exit, so that the compiler vectorizes the loop.
        bytes
            .iter()
            .fold(false, |any, b| any | (0x80..0xA0).contains(b))
    } else {
        !charset.covers(bytes)
    }
}

/// Builds the finding for such bytes.
pub(super) fn superset_finding(charset: Charset, at: Range<usize>) -> Finding {
    let detail = Detail::read_as(Some(charset), charset.superset());
    Finding::new(at, EventKind::CharsetSuperset, detail)
}
