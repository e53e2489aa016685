//! The results of decoding a transfer encoding.

use super::encoding::TransferEncoding;
use crate::event::{Detail, EventKind, Finding, FindingList, Reason};
use std::borrow::Cow;
use std::ops::Range;

/// A body without its transfer encoding.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Decoded<'a> {
    /// The decoded bytes.
    pub bytes: Cow<'a, [u8]>,
    /// Range in the body of plain text that a list or scanner appended after base64. It is not in `bytes`.
    pub footer: Option<Range<usize>>,
    /// Range in the body of plain text that a gateway wrote before base64. It is at the start of `bytes`, too.
    pub banner: Option<Range<usize>>,
    /// The encoding that was decoded. Differs from the label if the body is not in that encoding, which gives `cte.wrong-label`.
    pub used: TransferEncoding,
}

impl<'a> Decoded<'a> {
    /// Returns bytes that an encoding gave, without text after it.
    pub(super) fn new(used: TransferEncoding, bytes: impl Into<Cow<'a, [u8]>>) -> Self {
        Self {
            bytes: bytes.into(),
            footer: None,
            banner: None,
            used,
        }
    }

    pub(super) fn identity(body: &'a [u8]) -> Self {
        Self::new(TransferEncoding::Identity, body)
    }

    /// Returns a body that is not in the encoding that its label names, and reports that.
    pub(super) fn wrongly_labelled(
        body: &'a [u8],
        reason: Reason,
        findings: &mut Vec<Finding>,
    ) -> Self {
        findings.add(0..body.len(), EventKind::CteWrongLabel, reason);
        Self::identity(body)
    }
}

/// Receives decoded bytes, each with the range of the body that it came from.
pub(super) trait Sink {
    /// Receives bytes of the body that are not encoded.
    fn run(&mut self, from: Range<usize>);
    /// Receives one decoded byte.
    fn byte(&mut self, byte: u8, from: Range<usize>);
}

/// Number and total range of findings of one kind in a body.
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
            findings.add_counted(at, kind, detail, self.count);
        }
    }
}
