//! Searches for lines that begin with `--`, and for declarations of boundaries.
//!
//! # Limits
//! Finds `boundary` in small letters and in capitals. Mail has no other spellings.

use super::line::{REACH, declared_key};
use crate::mbox::from_line::starts_line;
use mailglot_kernel::TextFinder;
use memchr::memmem::Finder;

static DASHES: TextFinder = TextFinder::new(b"--", [0, 1]);
static DASHES_AFTER_LF: TextFinder = TextFinder::new(b"\n--", [0, 2]);

/// What the search looks for.
pub(super) struct LineSearch {
    lines: TextFinder,
    /// Finders for `oundary` in both spellings.
    declarations: [Finder<'static>; 2],
    /// True if lone CRs end lines.
    pub(super) bare_cr: bool,
}

impl LineSearch {
    pub(super) fn new(bare_cr: bool) -> Self {
        Self {
            lines: if bare_cr { DASHES } else { DASHES_AFTER_LF },
            declarations: ["oundary", "OUNDARY"].map(Finder::new),
            bare_cr,
        }
    }

    /// Returns the next line in `from..to` that begins with `--`. `first` says whether index 0 starts a line.
    pub(super) fn next_line(
        &self,
        data: &[u8],
        from: usize,
        to: usize,
        first: bool,
    ) -> Option<usize> {
        if from == 0 && first && to > 0 && data.starts_with(b"--") {
            return Some(0);
        }
        let limit = (to + 2).min(data.len());
        // The search includes a line end before the first line, and the whole of a line that starts before `to`.
        let mut at = from.saturating_sub(1);
        let skip = usize::from(!self.bare_cr);
        loop {
            let start = at + self.lines.find(data.get(at..limit)?)? + skip;
            if start >= to {
                return None;
            }
            if start >= from && (!self.bare_cr || starts_line(data, start, false)) {
                return Some(start);
            }
            // The rest of a row of dashes starts no line.
            at = start
                + data[start..limit]
                    .iter()
                    .take_while(|&&byte| byte == b'-')
                    .count()
                    .max(1);
        }
    }

    /// Calls `found` with the index and the key of each `boundary=` that starts in `from..to`.
    pub(super) fn find_declarations(
        &self,
        data: &[u8],
        from: usize,
        to: usize,
        mut found: impl FnMut(usize, u64),
    ) {
        let part = data.get(from..(to + 6).min(data.len())).unwrap_or_default();
        for next in self
            .declarations
            .iter()
            .flat_map(|name| name.find_iter(part))
        {
            let start = from + next;
            let value = &data[(start + 7).min(data.len())..data.len().min(start + REACH)];
            if let Some(key) = declared_key(value) {
                found(start, key);
            }
        }
    }
}
