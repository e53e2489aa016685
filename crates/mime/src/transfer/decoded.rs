//! What the decoders of transfer encodings give and report.

use super::encoding::TransferEncoding;
use crate::event::{Detail, EventKind, Finding};
use std::borrow::Cow;
use std::ops::Range;

/// A body without its transfer encoding.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Decoded<'a> {
    /// The decoded bytes.
    pub bytes: Cow<'a, [u8]>,
    /// Plain text that a list or scanner appended after base64, in the body's coordinates; it is not in `bytes`.
    pub footer: Option<Range<usize>>,
    /// What was really used; differs from the label for a body that is not in it (`cte.wrong-label` is in the findings).
    pub used: TransferEncoding,
}

impl<'a> Decoded<'a> {
    pub(super) fn identity(body: &'a [u8]) -> Self {
        Self {
            bytes: Cow::Borrowed(body),
            footer: None,
            used: TransferEncoding::Identity,
        }
    }
}

/// Takes decoded bytes, each with the range of the body that it came from.
pub(super) trait Sink {
    /// Bytes of the body that stand for themselves.
    fn run(&mut self, from: Range<usize>);
    /// One byte.
    fn byte(&mut self, byte: u8, from: Range<usize>);
}

/// Things of one kind in a body: how many, and the range that holds them all.
#[derive(Clone, Debug, Default)]
pub(super) struct RangeCount {
    pub(super) at: Option<Range<usize>>,
    pub(super) count: u64,
}

impl RangeCount {
    pub(super) fn add(&mut self, at: Range<usize>, count: u64) {
        let start = self.at.as_ref().map_or(at.start, |first| first.start);
        self.at = Some(start..at.end);
        self.count += count;
    }

    pub(super) fn report(
        self,
        kind: EventKind,
        detail: impl Into<Detail>,
        findings: &mut Vec<Finding>,
    ) {
        if let Some(at) = self.at {
            findings.push(Finding::counted(at, kind, detail, self.count));
        }
    }
}
