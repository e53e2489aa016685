//! Lists the lines of a stretch of a mailbox that could be delimiters, whatever boundaries are declared.
//!
//! # Limits
//! Includes lines of text that look like delimiters.

use super::boundary::MarkKind;
use super::line::{Behind, DelimiterLine};
use super::line_search::LineSearch;

/// The hashes of the boundaries that a line may belong to, as a delimiter.
pub(in crate::mbox) struct DelimiterMarks {
    /// The hash of the boundary if the line opens a part: the line without `--`.
    pub(in crate::mbox) opening: Option<u64>,
    /// The boundaries that it could continue or close, seen from a line before it.
    pub(in crate::mbox) again: [Option<u64>; 2],
}

/// Calls `found` with the index and the boundaries of each line that begins with `--`.
pub(in crate::mbox) fn delimiter_marks(
    data: &[u8],
    bare_cr: bool,
    mut found: impl FnMut(usize, DelimiterMarks),
) {
    let search = LineSearch::new(bare_cr);
    let mut at = 0;
    while let Some(start) = search.next_line(data, at, data.len(), true) {
        at = start + 2;
        let Some(line) = DelimiterLine::read(data, start, bare_cr) else {
            continue;
        };
        let mut again = [None; 2];
        let counts = line
            .marks(data, start, bare_cr)
            .filter(|(_, kind)| *kind != MarkKind::Similar);
        for (slot, (key, _)) in again.iter_mut().zip(counts) {
            *slot = Some(key);
        }
        let [opening, _] = line.keys();
        found(start, DelimiterMarks { opening, again });
    }
}

impl DelimiterLine<'_> {
    /// Returns the boundaries that the line at `start` of `data` could continue or close, seen from a line before it.
    pub(super) fn marks(
        &self,
        data: &[u8],
        start: usize,
        bare_cr: bool,
    ) -> impl Iterator<Item = (u64, MarkKind)> + use<> {
        let behind = Behind::of(&data[start + self.step..], bare_cr);
        let [open, close] = if self.has_word() || behind == Behind::Field {
            self.keys()
        } else {
            [None, None]
        };
        let kind = if behind == Behind::Text {
            MarkKind::Similar
        } else {
            MarkKind::Delimiter
        };
        let open = open.map(|key| (key, kind));
        let close = close.map(|key| (key, MarkKind::Closing));
        open.into_iter().chain(close)
    }
}
