//! The splitting rule: evidence for and against a `From ` line.
//!
//! A decision depends only on the profile of the file, on the boundaries that the open message declares, and on the bytes within 1
//! MiB. So it is independent of how the file is read.
//!
//! # Limits
//! A `From ` line above 4 KiB is never a separator.

use super::from_line::{FromLine, Shape, Shapes, is_plain_or_marked};
use super::separator_header::{
    MOST_FROM_LINES, ends_in_text, has_usual_fields, introduces_pasted_mail,
};
use crate::following_line::{FollowingLine, is_from_line};
use crate::line_ends::{open_line, quote_depth, split_line, without_line_end};
use crate::mailbox_options::{LineDecision, MailboxOptions, MboxRule};

/// Number of bytes after the start of a candidate that contain all other evidence.
pub(super) const NEAR: usize = 16 << 10;
/// Number of bytes before a candidate that may contain evidence.
pub(super) const BEHIND: usize = 1 << 10;
/// Points required to accept a candidate.
pub(super) const ACCEPT: i32 = 6;
/// Number of points from which on a line may be a separator, and is reported if it is not clearly one.
pub(super) const DOUBTFUL: i32 = 4;

/// Longest line that can be a separator.
pub(super) const LONGEST_LINE: usize = 4 << 10;

/// Evidence for and against a candidate from its neighborhood.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineEvidence {
    /// The line itself.
    pub line: FromLine,
    /// True for a plain line, which every reader knows, marked or not.
    pub is_plain: bool,
    /// Index after its line end.
    pub end: usize,
    /// True if a blank line precedes it, or only the prelude.
    pub blank_before: bool,
    /// The first following line that is not a `From ` line, quoted or not.
    pub follower: FollowingLine,
    /// True if a line of text follows it, and neither a field nor an empty line.
    pub text_after: bool,
    /// True if the lines around it are base64.
    pub base64: bool,
}

/// Number of usual fields that make an unusual line a separator.
pub(super) const FULL_HEADER: u32 = 3;

impl LineEvidence {
    /// Examines a `From ` line that starts at `at`. Returns `None` if the line is too long.
    ///
    /// `data` starts up to [`BEHIND`] bytes before the candidate, or at the start of the entry. It ends [`NEAR`] bytes after `at`
    /// or at the end of the file (`whole`).
    pub(super) fn gather(data: &[u8], at: usize, first: bool, whole: bool) -> Option<Self> {
        let (line, step) = split_line(&data[at..]);
        if line.len() > LONGEST_LINE || (step == line.len() && !whole) {
            return None;
        }
        let end = at + step;
        let before = line_before(data, at);
        let mut follower = &data[end..];
        let mut after = None;
        for _ in 0..MOST_FROM_LINES {
            let (line, step) = split_line(follower);
            after = Some(line);
            if !is_from_line(line) || step == line.len() {
                break;
            }
            follower = &follower[step..];
        }
        let after = after.unwrap_or_default();
        let follower = FollowingLine::of(after);
        Some(Self {
            line: FromLine::classify(line),
            is_plain: is_plain_or_marked(line),
            end,
            blank_before: first || before.is_some_and(<[u8]>::is_empty),
            follower,
            text_after: follower == FollowingLine::Other
                && !after.is_empty()
                && !is_from_line(after),
            base64: before.is_some_and(is_base64_line)
                && is_base64_line(split_line(&data[end..]).0),
        })
    }

    /// Returns the points of the line at `at`, regardless of any open multipart. `data` is that of [`Self::gather`].
    ///
    /// A single separator of unusual form, with a full header, gets the point that it lacks:
    ///
    /// ```text
    /// From ann@example.org Di Mär  4 10:11:12 2003
    /// ```
    pub(super) fn points(&self, data: &[u8], at: usize, dominant: Shapes) -> i32 {
        let points = self.points_of_form(dominant);
        points + i32::from(points == ACCEPT - 1 && self.has_full_header(data, at))
    }

    /// Returns true if the line may be a separator of any form, and a full header follows that no text introduces. `data` is that of
    /// [`Self::gather`].
    pub(super) fn has_full_header(&self, data: &[u8], at: usize) -> bool {
        self.blank_before
            && self.follower == FollowingLine::Known
            && self.line.shape != Shape::Git
            && may_be_unusual_separator(self.line.shape, split_line(&data[at..]).0)
            && has_usual_fields(&data[self.end..], FULL_HEADER)
            && !is_introduced(data, at)
    }

    /// Returns true if the line may be a separator that was pasted into a text, or one before a message without a header.
    pub(super) fn may_be_pasted(&self, data: &[u8], at: usize) -> bool {
        let is_before_text = match self.follower {
            FollowingLine::Known => false,
            FollowingLine::Field => ends_in_text(&data[self.end..]),
            FollowingLine::Other => self.text_after,
        };
        is_before_text || is_introduced(data, at)
    }

    /// Returns the decision about a line at `offset` that an override or the rule makes without the evidence of its neighborhood.
    pub(super) fn decided(&self, offset: u64, options: &MailboxOptions) -> Option<bool> {
        if let Some(decision) = options.overrides.get(&offset) {
            return Some(*decision == LineDecision::Cut);
        }
        match options.rule {
            MboxRule::Loose => Some(true),
            MboxRule::Strict => Some(self.blank_before && self.line.dated),
            _ => None,
        }
    }

    /// Returns true for the first line of `git format-patch` with a header, in a mailbox that is not one of patches.
    pub(super) fn is_pasted_patch(&self, dominant: Shapes) -> bool {
        self.line.shape == Shape::Git
            && self.blank_before
            && self.follower == FollowingLine::Known
            && !dominant.contains(self.line)
    }

    /// Returns the points without those of the whole header.
    pub(super) fn points_of_form(&self, dominant: Shapes) -> i32 {
        let mut points = 0;
        if self.blank_before {
            points += 2;
        }
        if self.line.dated {
            points += 2;
        }
        points += match self.follower {
            FollowingLine::Known => 3,
            FollowingLine::Field => 2,
            FollowingLine::Other => 0,
        };
        if dominant.contains(self.line) || self.is_plain && dominant.contains_plain() {
            points += 3;
        } else if self.line.shape == Shape::Git {
            points -= 6;
        }
        if self.base64 {
            points -= 2;
        }
        points
    }
}

/// Returns true for a line that some program may have written as a separator. Words without an address need a time of day with seconds.
pub(super) fn may_be_unusual_separator(shape: Shape, line: &[u8]) -> bool {
    let is_time = |part: &[u8]| {
        let is_mark = |(at, byte): (usize, &u8)| match at {
            2 | 5 => *byte == b':',
            _ => byte.is_ascii_digit(),
        };
        part.iter().enumerate().all(is_mark)
    };
    shape != Shape::Word || line.windows(b"10:11:12".len()).any(is_time)
}

/// Returns true if the text before the blank lines before `at` introduces a pasted message. Looks back [`BEHIND`] bytes.
fn is_introduced(data: &[u8], at: usize) -> bool {
    let text = data[at.saturating_sub(BEHIND)..at].trim_ascii_end();
    introduces_pasted_mail(open_line(text))
}

/// Returns true if the mailbox quoted the `>From ` line at `at`, judging by its neighbors.
///
/// After a `From ` line it belongs to a header. Beside another line that begins with `>`, a reply quotes it:
///
/// ```text
/// > Who can come?
/// >From what I heard, everybody.
/// ```
pub(super) fn is_quoted_by_mailbox(data: &[u8], at: usize) -> bool {
    let after = split_line(&data[at..]).1;
    let is_quotation = |line: &[u8]| line.starts_with(b">");
    line_before(data, at).is_some_and(|line| !is_from_line(line) && !is_quotation(line))
        && !is_quotation(&data[at + after..])
}

/// Returns the line before `at` without its end, as far as it lies within [`BEHIND`].
fn line_before(data: &[u8], at: usize) -> Option<&[u8]> {
    let before = &data[at.saturating_sub(BEHIND)..at];
    without_line_end(before).map(open_line)
}

/// Returns true for a full-width base64 line, as in the middle of a body.
fn is_base64_line(line: &[u8]) -> bool {
    (60..=76).contains(&line.len())
        && line
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
}

/// Returns the number of `>` before a `From ` at `at`, if the line has nothing else before it.
pub(super) fn quoted(data: &[u8], at: usize) -> Option<usize> {
    quote_depth(data, at).filter(|depth| *depth > 0)
}
