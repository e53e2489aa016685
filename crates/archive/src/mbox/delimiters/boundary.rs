//! Keeps the delimiters and declarations of one boundary.
//!
//! # Limits
//! Knows boundaries by their hash.

use std::collections::VecDeque;

#[derive(Clone, Copy)]
pub(super) struct Mark {
    pub(super) at: u64,
    pub(super) key: u64,
    pub(super) kind: MarkKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkKind {
    /// `--X` before the start of a part
    Delimiter,
    /// `--X--`
    Closing,
    /// `--X` before text
    Similar,
    /// `boundary="X"`
    Declare,
}

#[derive(Default)]
pub(super) struct Boundary {
    /// Level of the header that declared it in the open message.
    pub(super) level: Option<u32>,
    /// Offset of its last delimiter before the candidate, unless that closes it.
    pub(super) opened: Option<u64>,
    /// Its delimiters and declarations after the candidate.
    pub(super) ahead: VecDeque<(u64, MarkKind)>,
    /// Those that close it.
    pub(super) closing: VecDeque<u64>,
    /// Those that declare it.
    pub(super) declaring: VecDeque<u64>,
    /// Lines after the candidate that only look like its delimiters.
    pub(super) similar: VecDeque<u64>,
}

impl Boundary {
    /// Returns the offset where its delimiter recurs, if it is open and not declared again before.
    pub(super) fn live_at(&self) -> Option<u64> {
        let &(at, kind) = self.ahead.front()?;
        (self.opened.is_some() && kind != MarkKind::Declare).then_some(at)
    }

    /// Adds a mark after the candidate.
    pub(super) fn push(&mut self, mark: Mark) {
        match mark.kind {
            MarkKind::Similar => return self.similar.push_back(mark.at),
            MarkKind::Closing => self.closing.push_back(mark.at),
            MarkKind::Declare => self.declaring.push_back(mark.at),
            MarkKind::Delimiter => {}
        }
        self.ahead.push_back((mark.at, mark.kind));
    }

    /// Drops the first mark of this kind, which the candidate has passed.
    pub(super) fn pop(&mut self, kind: MarkKind) {
        let of_kind = match kind {
            MarkKind::Similar => &mut self.similar,
            MarkKind::Closing => &mut self.closing,
            MarkKind::Declare => &mut self.declaring,
            MarkKind::Delimiter => {
                self.ahead.pop_front();
                return;
            }
        };
        of_kind.pop_front();
        if kind != MarkKind::Similar {
            self.ahead.pop_front();
        }
    }

    /// Returns true if a line after the candidate closes the multipart before its boundary is declared again.
    pub(super) fn is_closed_ahead(&self) -> bool {
        let is_first = |at: &u64| self.declaring.front().is_none_or(|declared| at < declared);
        self.closing.front().is_some_and(is_first)
    }

    /// Returns the offset of the next apparent delimiter, if it is open.
    pub(super) fn similar_at(&self) -> Option<u64> {
        let &again = self.similar.front().filter(|_| self.opened.is_some())?;
        self.ahead
            .front()
            .is_none_or(|(at, _)| again < *at)
            .then_some(again)
    }
}
