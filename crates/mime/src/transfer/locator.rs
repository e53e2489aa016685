//! Maps decoded offsets back to the body.

use super::decoded::Sink;
use std::ops::Range;

/// Receives decoded bytes and records the origin of the wanted ranges.
pub(super) struct Locator<'a> {
    wanted: &'a [Range<usize>],
    found: Vec<Range<usize>>,
    /// Number of ranges whose start is found; then of those whose end is found.
    starts: usize,
    ends: usize,
    /// Number of decoded bytes so far.
    at: usize,
}

impl<'a> Locator<'a> {
    pub(super) fn new(wanted: &'a [Range<usize>]) -> Self {
        Self {
            wanted,
            found: vec![0..0; wanted.len()],
            starts: 0,
            ends: 0,
            at: 0,
        }
    }

    /// Returns the ranges. Offsets after the last decoded byte become `length`.
    pub(super) fn finish(mut self, length: usize) -> Vec<Range<usize>> {
        for range in self.found.iter_mut().skip(self.starts) {
            range.start = length;
        }
        for range in self.found.iter_mut().skip(self.ends) {
            range.end = length;
        }
        for range in &mut self.found {
            // An empty range ends with the byte before it and starts with the byte after it.
            range.end = range.end.max(range.start);
        }
        self.found
    }

    /// Advances by `count` decoded bytes. `start` and `end` map a decoded offset to the start and the end of a range.
    fn advance(
        &mut self,
        count: usize,
        start: impl Fn(usize) -> usize,
        end: impl Fn(usize) -> usize,
    ) {
        let next = self.at + count;
        while let Some(range) = self
            .wanted
            .get(self.starts)
            .filter(|range| range.start < next)
        {
            self.found[self.starts].start = start(range.start.saturating_sub(self.at));
            self.starts += 1;
        }
        while let Some(range) = self.wanted.get(self.ends).filter(|range| range.end <= next) {
            self.found[self.ends].end = end(range.end.saturating_sub(self.at));
            self.ends += 1;
        }
        self.at = next;
    }
}

impl Sink for Locator<'_> {
    fn run(&mut self, from: Range<usize>) {
        self.advance(
            from.len(),
            |offset| from.start + offset,
            |offset| from.start + offset,
        );
    }

    fn byte(&mut self, _: u8, from: Range<usize>) {
        self.advance(
            1,
            |_| from.start,
            |offset| if offset == 0 { from.start } else { from.end },
        );
    }
}
