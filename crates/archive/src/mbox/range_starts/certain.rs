//! Finds `From ` lines that are separators whatever precedes them.
//!
//! A line with enough points is rejected only inside an open multipart whose delimiter recurs (see `read::open_multipart`). The
//! multipart is open only if a delimiter of it stands in the 1 MiB before the line. A recurrence counts only within the 1 MiB after
//! the line. So a line is certain if no boundary has a delimiter on both sides, declared or not.
//!
//! ```text
//! --b1            before, possibly declared 10 MiB earlier
//! From a@b.example Mon Jan  1 00:00:00 2001       certain, if no line `--b1` follows within 1 MiB
//! ```
//!
//! # Limits
//! Treats lines of dashes with words, such as `--- Forwarded message ---`, as delimiters. Then the line before or after is tried.

use std::collections::HashMap;

use crate::mailbox_options::MailboxOptions;
use crate::mbox::delimiters::{DelimiterMarks, FAR, delimiter_marks};
use crate::mbox::from_line::{FROM, starts_line};
use crate::mbox::profile::FileProfile;
use crate::mbox::split::{ACCEPT, BEHIND, LineEvidence, NEAR};

/// Largest number of lines that are tested in one stretch of a file.
const MOST: usize = 256;

/// A stretch of a file in memory.
pub(super) struct Stretch<'a> {
    /// The bytes.
    pub(super) data: &'a [u8],
    /// Offset of the first byte.
    pub(super) base: u64,
    /// True if the bytes end with the file.
    pub(super) is_at_end: bool,
}

/// Returns true if lines can be certain in a mailbox with this profile.
pub(super) fn is_possible(profile: &FileProfile) -> bool {
    profile.is_split_by_lines() && !profile.trust_length
}

/// Returns the start and the end of the last certain separator line that starts in `from..=to`.
///
/// The stretch reaches from 1 MiB before `from` to 1 MiB and 16 KiB after `to`, or to the borders of the file.
pub(super) fn last_certain(
    stretch: &Stretch<'_>,
    (from, to): (u64, u64),
    profile: &FileProfile,
    options: &MailboxOptions,
) -> Option<(u64, u64)> {
    let marks = Marks::of(stretch, profile.bare_cr);
    let (from, to) = ((from - stretch.base) as usize, (to - stretch.base) as usize);
    let end = (to + b"From ".len()).min(stretch.data.len());
    let found: Vec<usize> = FROM
        .find_iter(&stretch.data[from..end])
        .map(|at| from + at)
        .filter(|at| starts_line(stretch.data, *at, false))
        .collect();
    found.into_iter().rev().take(MOST).find_map(|at| {
        let offset = stretch.base + at as u64;
        let (evidence, points) = evidence(stretch, at, profile)?;
        let is_certain = is_certain(offset, &evidence, points, options)
            .unwrap_or_else(|| !marks.are_around(offset));
        is_certain.then_some((offset, stretch.base + evidence.end as u64))
    })
}

/// Returns the evidence that the reader of a whole file has, and its points.
fn evidence(
    stretch: &Stretch<'_>,
    at: usize,
    profile: &FileProfile,
) -> Option<(LineEvidence, i32)> {
    let start = at.saturating_sub(BEHIND);
    let end = stretch.data.len().min(at + NEAR);
    let whole = stretch.is_at_end && end == stretch.data.len();
    let (near, place) = (&stretch.data[start..end], at - start);
    let mut evidence = LineEvidence::gather(near, place, false, whole)?;
    let dominant = profile.dominant(stretch.base + at as u64);
    let points = evidence.points(near, place, dominant);
    evidence.end += start;
    Some((evidence, points))
}

/// Returns whether the line is a separator, or None if the multiparts around it decide.
fn is_certain(
    offset: u64,
    evidence: &LineEvidence,
    points: i32,
    options: &MailboxOptions,
) -> Option<bool> {
    let refused = || (points < ACCEPT).then_some(false);
    evidence.decided(offset, options).or_else(refused)
}

/// The lines of a stretch that may open a multipart, and those that may continue or close it, by their boundaries.
struct Marks {
    opening: Vec<(u64, u64)>,
    again: HashMap<u64, Vec<u64>>,
}

impl Marks {
    fn of(stretch: &Stretch<'_>, bare_cr: bool) -> Self {
        let mut marks = Self {
            opening: Vec::new(),
            again: HashMap::new(),
        };
        delimiter_marks(stretch.data, bare_cr, |at, line: DelimiterMarks| {
            let offset = stretch.base + at as u64;
            marks.opening.extend(line.opening.map(|key| (offset, key)));
            for key in line.again.into_iter().flatten() {
                marks.again.entry(key).or_default().push(offset);
            }
        });
        marks
    }

    /// Returns true if a boundary has lines on both sides of an offset, within 1 MiB.
    fn are_around(&self, offset: u64) -> bool {
        let first = self.opening.partition_point(|(at, _)| *at + FAR < offset);
        self.opening[first..]
            .iter()
            .take_while(|(at, _)| *at < offset)
            .any(|(_, key)| {
                let after = self.again.get(key).map(Vec::as_slice).unwrap_or_default();
                let next = after.partition_point(|at| *at < offset);
                after.get(next).is_some_and(|at| *at < offset + FAR)
            })
    }
}
