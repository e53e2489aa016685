//! Decides whether a candidate begins a message although a multipart of the previous message is open.
//!
//! Does not apply to a message after a marked separator: each `From ` line in it is quoted (see `separator_mark`).
//!
//! A truncated multipart and an attached, unquoted mailbox look alike up to the next delimiter. The rule:
//!
//! 1. A later delimiter counts if it closes the multipart or a part can begin after it. The boundary must not be declared again before
//!    it (see `delimiters`).
//! 2. In a part whose header names a mailbox (`application/mbox`, `filename="list.mbox"`), the candidate is not a separator.
//! 3. In a mailbox that quotes `From ` lines in bodies, an unquoted one is a separator. It needs a complete header, or an empty
//!    line before it and the shape of the file's first separator. The second condition covers a message that is truncated, too.
//! 4. Elsewhere a candidate without a complete header is part of the multipart.
//! 5. Any other is a separator if it has the shape of the file's first separator. One of these must hold, too:
//!    - It follows an empty line and text of a part. No later line closes the multipart. An attached message may have its
//!      separator at the start of a part.
//!    - Another line of this shape with a complete header precedes the delimiter. Two such lines are needed if no empty line precedes
//!      the candidate.
//!
//! Each decision is an event with the offsets of both lines. Users notice a message too many, but not a swallowed one.
//!
//! # Limits
//! Looks 1 MiB ahead, and reads each byte there once, whatever the number of candidates. If no delimiter follows within this 1 MiB,
//! the points of the candidate decide. An accepted one is an event with the offset of the opening delimiter. A multipart whose last
//! delimiter is more than 1 MiB before the candidate counts as closed, without an event.

use std::io::{self, Read};

use super::mailbox::Mailbox;
use crate::box_event::{BoxDetail, BoxEventKind, MultipartDecision};
use crate::following_line::FollowingLine;
use crate::mbox::delimiters::{Delimiters, Enclosing, FAR};
use crate::mbox::from_line::starts_line;
use crate::mbox::separator_header::is_mail_header;
use crate::mbox::split::{LineEvidence, NEAR};

/// An open multipart around a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpenMultipart {
    /// Its delimiter recurs.
    Continued(Enclosing),
    /// A later line looks like its delimiter, but no part follows.
    Similar(Enclosing),
    /// Its delimiter does not recur in the next 1 MiB, and more bytes follow.
    Unknown,
}

impl<R: Read> Mailbox<R> {
    /// Searches for an open multipart around a candidate.
    ///
    /// Prefers one whose delimiter recurs, then one with an apparent delimiter, then one whose delimiter may lie beyond the
    /// look-ahead.
    pub(super) fn open_multipart(&mut self, offset: u64) -> io::Result<Option<OpenMultipart>> {
        self.delimiters
            .advance_to(self.window.data(), self.window.base(), offset);
        if self.delimiters.is_empty() {
            return Ok(None);
        }
        let far = offset + FAR;
        loop {
            if let Some(lines) = self.delimiters.enclosing() {
                return Ok(Some(OpenMultipart::Continued(lines)));
            }
            let is_at_end = self.window.ended() && self.delimiters.seen() >= self.window.end();
            if is_at_end || self.delimiters.seen() >= far {
                let similar = self.delimiters.similar().map(OpenMultipart::Similar);
                return Ok(similar.or((!is_at_end).then_some(OpenMultipart::Unknown)));
            }
            let known = if self.window.ended() {
                self.window.end()
            } else {
                self.window.end().saturating_sub(Delimiters::reach())
            };
            if known > self.delimiters.seen() {
                let to = known.min(far);
                self.delimiters
                    .look_ahead(self.window.data(), self.window.base(), to);
            } else {
                self.window.fill()?;
            }
        }
    }

    /// Decides whether a candidate with enough points is a separator although a multipart is open, and reports the decision.
    pub(super) fn accept_inside(
        &mut self,
        offset: u64,
        evidence: &LineEvidence,
        points: i32,
        multipart: OpenMultipart,
    ) -> io::Result<bool> {
        let (opened, decision) = match multipart {
            OpenMultipart::Unknown => {
                let opened = self.delimiters.last_opened().unwrap_or(offset);
                (opened, MultipartDecision::NotWithin(FAR))
            }
            OpenMultipart::Similar(lines) => {
                (lines.opened, MultipartDecision::NoDelimiter(lines.again))
            }
            OpenMultipart::Continued(lines) => {
                (lines.opened, self.decide_inside(offset, evidence, lines)?)
            }
        };
        let detail = BoxDetail::OpenMultipart {
            points,
            opened,
            decision,
        };
        self.event(BoxEventKind::AmbiguousFrom, offset, detail);
        Ok(decision.accepts())
    }

    fn decide_inside(
        &mut self,
        offset: u64,
        evidence: &LineEvidence,
        lines: Enclosing,
    ) -> io::Result<MultipartDecision> {
        if self.delimiters.is_in_mailbox_part() {
            return Ok(MultipartDecision::InsideMailbox(lines.again));
        }
        let has_header = self.has_mail_header(offset, evidence);
        let is_like_first = self.profile.first == Some(evidence.line);
        if self.profile.quotes && (has_header || evidence.blank_before && is_like_first) {
            return Ok(MultipartDecision::Unquoted(lines.again));
        }
        if !has_header || !is_like_first {
            return Ok(MultipartDecision::Inside(lines.again));
        }
        let begins_part = self.delimiters.part_start() == offset;
        if evidence.blank_before && !begins_part && self.delimiters.never_closes() {
            return Ok(MultipartDecision::NeverClosed(lines.again));
        }
        // A truncated message may end without an empty line: then the line before it does not count.
        let others = if evidence.blank_before { 1 } else { 2 };
        let several = self.separators_between(offset, lines.again, others)? >= others;
        Ok(if several {
            MultipartDecision::OneOfSeveral(lines.again)
        } else {
            MultipartDecision::Inside(lines.again)
        })
    }

    /// Returns true for a candidate with the header of a message, if it is dated or has the form of this file's separators.
    fn has_mail_header(&self, offset: u64, evidence: &LineEvidence) -> bool {
        let is_separator_line =
            evidence.line.dated || self.profile.dominant(offset).contains(evidence.line);
        let at = self.window.index(offset);
        let data = self.window.data();
        let header = &data[at..data.len().min(at + NEAR)];
        is_separator_line && evidence.follower != FollowingLine::Other && is_mail_header(header)
    }

    /// Returns the number of separators after `offset` and before `to`, up to `most`.
    ///
    /// They have a blank line before, the shape of the file's first separator, and the header of a message.
    fn separators_between(&mut self, offset: u64, to: u64, most: usize) -> io::Result<usize> {
        let ahead = &mut self.separators_ahead;
        ahead
            .at
            .drain(..ahead.at.partition_point(|at| *at <= offset));
        ahead.seen = ahead.seen.max(offset + 1);
        self.window.reach(to + NEAR as u64)?;
        while self.separators_ahead.seen < to && self.separators_ahead.at.len() < most {
            let from = self.window.index(self.separators_ahead.seen);
            let end = self.window.index(to).min(self.window.data().len());
            let Some(found) = self.finder.find(&self.window.data()[from.min(end)..end]) else {
                self.separators_ahead.seen = to;
                break;
            };
            let at = from + found;
            let candidate = self.window.base() + at as u64;
            self.separators_ahead.seen = candidate + 1;
            if self.is_separator_ahead(at) {
                self.separators_ahead.at.push_back(candidate);
            }
        }
        Ok(self
            .separators_ahead
            .at
            .iter()
            .take_while(|at| **at < to)
            .count())
    }

    fn is_separator_ahead(&self, at: usize) -> bool {
        let data = self.window.data();
        if !starts_line(data, at, false) {
            return false;
        }
        let near = &data[..data.len().min(at + NEAR)];
        let whole = self.window.ended() && near.len() == data.len();
        let evidence = LineEvidence::gather(near, at, false, whole);
        evidence.is_some_and(|evidence| {
            evidence.blank_before
                && self.profile.first == Some(evidence.line)
                && self.has_mail_header(self.window.base() + at as u64, &evidence)
        })
    }
}
