//! Describes findings in a message and changes of it: kind, place, and typed details.
//!
//! [`Detail`] contains data. Only its `Display` writes an English sentence; no code compares that text.

mod detail;
mod file_kind;
mod kind;
mod reason;

use crate::part_id::PartId;
use crate::span::Span;
pub use detail::{BlockCheck, ChosenBy, Detail, EncodingMeaning, NonText};
pub use file_kind::FileKind;
pub use kind::{EventKind, Severity};
pub use reason::Reason;
use std::fmt;
use std::ops::Range;

/// A finding in a message, or a change of it, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The part whose header or body contains it.
    pub part: PartId,
    /// The place in the raw message.
    pub at: Span,
    /// The kind, with code and severity.
    pub kind: EventKind,
    /// Details, such as `iso-8859-1 read as windows-1252`.
    pub detail: Detail,
    /// The number of bytes, characters or words that the event stands for; usually 1.
    pub count: u64,
}

/// Writes code, place, details and count: `charset.invalid-bytes at 49..50: invalid-byte in UTF-8`.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.kind, self.at)?;
        if !self.detail.is_none() {
            write!(f, ": {}", self.detail)?;
        }
        if self.count > 1 {
            write!(f, " ({} times)", self.count)?;
        }
        Ok(())
    }
}

impl Event {
    /// Creates an event with a count of 1.
    pub fn new(part: PartId, at: Span, kind: EventKind, detail: impl Into<Detail>) -> Self {
        Self {
            part,
            at,
            kind,
            detail: detail.into(),
            count: 1,
        }
    }

    /// Sets [`Self::count`].
    #[must_use]
    pub fn counted(self, count: u64) -> Self {
        Self { count, ..self }
    }
}

/// A finding in a header value or a body: an [`Event`] before its place in the message is known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The range, relative to the value or body.
    pub at: Range<usize>,
    /// The kind of event.
    pub kind: EventKind,
    /// Details.
    pub detail: Detail,
    /// The number of occurrences.
    pub count: u64,
}

impl Finding {
    /// Builds a finding with one occurrence.
    pub fn new(at: Range<usize>, kind: EventKind, detail: impl Into<Detail>) -> Self {
        Self::counted(at, kind, detail, 1)
    }

    /// Builds a finding with `count` occurrences.
    pub fn counted(
        at: Range<usize>,
        kind: EventKind,
        detail: impl Into<Detail>,
        count: u64,
    ) -> Self {
        Self {
            at,
            kind,
            detail: detail.into(),
            count,
        }
    }

    /// Returns the finding for a value that contains the read bytes from offset `by` on.
    pub(crate) fn shifted(self, by: usize) -> Self {
        let at = by + self.at.start..by + self.at.end;
        Self { at, ..self }
    }

    /// Returns the event for a finding in a value of `part` that stands at `value` in the message.
    pub fn into_event(self, part: PartId, value: Span) -> Event {
        Event {
            part,
            at: value.at(&self.at),
            kind: self.kind,
            detail: self.detail,
            count: self.count,
        }
    }
}

/// Adds findings to a list.
pub(crate) trait FindingList {
    /// Adds a finding for each of these events.
    fn add_all(&mut self, at: &Range<usize>, events: Vec<(EventKind, Detail)>) {
        for (kind, detail) in events {
            self.add(at.clone(), kind, detail);
        }
    }

    /// Adds a finding with one occurrence.
    fn add(&mut self, at: Range<usize>, kind: EventKind, detail: impl Into<Detail>) {
        self.add_counted(at, kind, detail, 1);
    }

    /// Adds a finding with `count` occurrences.
    fn add_counted(
        &mut self,
        at: Range<usize>,
        kind: EventKind,
        detail: impl Into<Detail>,
        count: u64,
    );
}

impl FindingList for Vec<Finding> {
    fn add_counted(
        &mut self,
        at: Range<usize>,
        kind: EventKind,
        detail: impl Into<Detail>,
        count: u64,
    ) {
        self.push(Finding::counted(at, kind, detail, count));
    }
}
