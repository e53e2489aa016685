//! Finds the end of a message: the next separator, the end by its Content-Length, or an MMDF delimiter.
//!
//! # Limits
//! Reads only as far as the evidence of one line requires.

use std::io::{self, Read};

use super::mailbox::{Current, GUARD, Mailbox, MessageEnd};
use super::open_multipart::OpenMultipart;
use crate::box_event::{BoxDetail, BoxEventKind};
use crate::following_line::FollowingLine;
use crate::line_ends::{MOST_RETURNS, split_line};
use crate::mbox::division::{Division, mmdf_line};
use crate::mbox::from_line::starts_line;
use crate::mbox::profile::{CONFIRM, HEADER, confirms, declared_end, read_at};
use crate::mbox::separator_mark::{is_marked, is_written};
use crate::mbox::split::{ACCEPT, DOUBTFUL, LineEvidence, NEAR, quoted};

impl<R: Read> Mailbox<R> {
    /// Searches for the end of the current message.
    pub(super) fn find_end(&mut self, current: &Current) -> io::Result<MessageEnd> {
        let whole = current.pieces_to == 0;
        // A message exceeds the limit if it does so without the longest trailer.
        let ceiling = current.message + if whole { self.limit } else { self.piece() };
        let ceiling = ceiling.saturating_add(GUARD);
        if let Some((message, next)) = current.declared {
            let to = next.saturating_add(NEAR as u64);
            if next > ceiling {
                self.window.reach(ceiling + 1)?;
                // A file that was truncated meanwhile ends earlier.
                if self.window.end() > ceiling {
                    return Ok(MessageEnd::Beyond(ceiling + 1));
                }
            }
            self.window.reach(to)?;
            self.scan = next;
            if self.window.end() <= next {
                return Ok(MessageEnd::File {
                    message: Some(message.min(self.window.end())),
                });
            }
            let near = self.window.data();
            let at = self.window.index(next);
            let near = &near[..near.len().min(at + NEAR)];
            let whole = self.window.ended() && near.len() == self.window.data().len();
            if let Some(evidence) = LineEvidence::gather(near, at, false, whole) {
                let end = self.window.base() + evidence.end as u64;
                return Ok(MessageEnd::Separator {
                    message: Some(message),
                    start: next,
                    end,
                });
            }
        }
        loop {
            let data = self.window.data();
            let from = if self.is_undivided() {
                data.len()
            } else {
                self.window.index(self.scan)
            };
            if let Some(found) = self.finder.find(&data[from..]) {
                let at = from + found;
                self.scan = self.window.base() + at as u64;
                if self.scan > ceiling {
                    return Ok(MessageEnd::Beyond(ceiling + 1));
                }
                if let Some(end) = self.judge(at)? {
                    return Ok(end);
                }
                continue;
            }
            if !self.is_undivided() {
                let keep = self.finder.text().len() - 1;
                self.scan = self
                    .scan
                    .max(self.window.base() + data.len().saturating_sub(keep) as u64);
            }
            let known = self.scan.min(self.window.end());
            if known > ceiling {
                return Ok(MessageEnd::Beyond(ceiling + 1));
            }
            if self.window.ended() {
                return Ok(MessageEnd::File { message: None });
            }
            self.window.fill()?;
        }
    }

    /// Judges the match at an index, and moves on if it is not a separator.
    fn judge(&mut self, at: usize) -> io::Result<Option<MessageEnd>> {
        let offset = self.scan;
        let data = self.window.data();
        let line_start = starts_line(data, at, self.window.base() == 0);
        if self.profile.division == Division::Mmdf {
            if line_start {
                let run = self.mmdf_run(offset)?;
                if run.lines > 0 {
                    let message = Some(offset);
                    if run.ends_file {
                        return Ok(Some(MessageEnd::File { message }));
                    }
                    return Ok(Some(MessageEnd::Separator {
                        message,
                        start: run.first,
                        end: run.end,
                    }));
                }
            }
            self.scan = offset + 1;
            return Ok(None);
        }
        if line_start {
            if let Some(end) = self.accept(offset)? {
                return Ok(Some(MessageEnd::Separator {
                    message: None,
                    start: offset,
                    end,
                }));
            }
        } else if quoted(data, at).is_none() {
            if let Some(end) = self.accept_inside_line(offset)? {
                return Ok(Some(MessageEnd::Separator {
                    message: None,
                    start: offset,
                    end,
                }));
            }
        } else if std::mem::take(&mut self.guess_open) {
            self.event(
                BoxEventKind::QuotingGuess,
                offset,
                BoxDetail::UnknownQuoting,
            );
        }
        self.froms = true;
        self.scan = offset + self.finder.text().len() as u64;
        Ok(None)
    }

    /// Applies the splitting rule to the line at an offset. Returns the offset after the line if it is a separator.
    pub(super) fn accept(&mut self, offset: u64) -> io::Result<Option<u64>> {
        self.window.reach(offset + NEAR as u64)?;
        let at = self.window.index(offset);
        let data = self.window.data();
        if !data[at..].starts_with(b"From ") {
            return Ok(None);
        }
        let near = &data[..data.len().min(at + NEAR)];
        let whole = self.window.ended() && near.len() == data.len();
        let first = offset == self.profile.prelude;
        let Some(evidence) = LineEvidence::gather(near, at, first, whole) else {
            return Ok(None);
        };
        let end = self.window.base() + evidence.end as u64;
        let dominant = self.profile.dominant(offset);
        let points = evidence.points(near, at, dominant);
        let accepted = points >= ACCEPT;
        let may_be_pasted = accepted && !first && evidence.may_be_pasted(near, at);
        let is_after_mark =
            self.is_marked && evidence.blank_before && is_written(&data[at..evidence.end]);
        if let Some(accepted) = self.decided(offset, &evidence) {
            return Ok(accepted.then_some(end));
        }
        if is_after_mark {
            return Ok(Some(end));
        }
        let is_patch = evidence.is_pasted_patch(dominant);
        // A line with fewer points is not a separator, inside a multipart or not.
        let multipart = if points >= DOUBTFUL || is_patch {
            self.open_multipart(offset)?
        } else {
            None
        };
        let accepted = match multipart {
            Some(multipart) if accepted => {
                self.accept_inside(offset, &evidence, points, multipart)?
            }
            Some(OpenMultipart::Continued(_) | OpenMultipart::Similar(_)) => false,
            multipart => {
                let is_patch = is_patch && multipart.is_none();
                if (DOUBTFUL..=ACCEPT).contains(&points) || may_be_pasted || is_patch {
                    let detail = BoxDetail::Points { points, accepted };
                    self.event(BoxEventKind::AmbiguousFrom, offset, detail);
                }
                accepted
            }
        };
        Ok(accepted.then_some(end))
    }

    /// Like [`LineEvidence::decided`]. Notes an override that is used.
    fn decided(&mut self, offset: u64, evidence: &LineEvidence) -> Option<bool> {
        if self.options.overrides.contains_key(&offset) {
            self.used_overrides.insert(offset);
        }
        evidence.decided(offset, &self.options)
    }

    /// Opens the message after a separator line.
    pub(super) fn open_message(&mut self, start: u64, message: u64) -> io::Result<Current> {
        let mut current = Current {
            start,
            message,
            declared: None,
            pieces_to: 0,
        };
        self.scan = message;
        self.froms = false;
        let separator = self.window.index(start)..self.window.index(message);
        self.is_marked = is_marked(&self.window.data()[separator]);
        self.delimiters.begin(message);
        if !self.profile.trust_length {
            return Ok(current);
        }
        self.window.reach(message + HEADER as u64)?;
        let header = &self.window.data()[self.window.index(message)..];
        let Some(length) = declared_end(header) else {
            return Ok(current);
        };
        let end = message.saturating_add(length);
        match self.confirm(message, end)? {
            Some(gap) => current.declared = Some((end, end + gap)),
            None => self.event(BoxEventKind::BadLength, start, BoxDetail::WrongLength),
        }
        Ok(current)
    }

    /// Checks the end of a declared body. Returns the number of bytes between it and the next separator or the end of the file.
    ///
    /// `end` lies behind `message`, since a header precedes the body.
    fn confirm(&mut self, message: u64, end: u64) -> io::Result<Option<u64>> {
        let last = end - 1;
        if self.window.end() < last.saturating_add(CONFIRM) && !self.window.ended() {
            if let Some(identity) = &self.file {
                if end > identity.size {
                    return Ok(None);
                }
                let mut bytes = [0; CONFIRM as usize];
                let most = CONFIRM.min(identity.size - last) as usize;
                let read = read_at(&identity.file, identity.start + last, &mut bytes[..most])?;
                return Ok(confirms(&bytes[..read], read < bytes.len()).map(|gap| gap as u64));
            }
            if end - message > self.limit {
                return Ok(None);
            }
            self.window.reach(last + CONFIRM)?;
        }
        if end > self.window.end() {
            return Ok(None);
        }
        let near = &self.window.data()[self.window.index(last)..];
        let whole = self.window.ended() && near.len() < CONFIRM as usize;
        Ok(confirms(&near[..near.len().min(CONFIRM as usize)], whole).map(|gap| gap as u64))
    }

    /// Reads a run of MMDF delimiter lines, which is no longer than a message.
    pub(super) fn mmdf_run(&mut self, start: u64) -> io::Result<DelimiterRun> {
        // A shorter piece of a line decides nothing, unless the file ends there.
        const LINE: usize = b"\x01\x01\x01\x01\n".len() + MOST_RETURNS;
        let (mut at, mut lines, mut first) = (0, 0, 0);
        loop {
            self.window.reach(start + (at + NEAR) as u64)?;
            let data = &self.window.data()[self.window.index(start)..];
            let known = if self.window.ended() {
                data.len()
            } else {
                data.len().saturating_sub(LINE)
            };
            let most = known.min(usize::try_from(self.limit).unwrap_or(usize::MAX));
            while at < most
                && let Some(length) = mmdf_line(&data[at..])
            {
                at += length;
                lines += 1;
                if lines == 1 {
                    first = at;
                }
            }
            if at < most || most < known || self.window.ended() {
                break;
            }
        }
        self.window.reach(start + (at + NEAR) as u64)?;
        let data = &self.window.data()[self.window.index(start)..];
        let near = &data[..data.len().min(at + NEAR)];
        let whole = self.window.ended() && near.len() == data.len();
        let blank = near[at..].iter().all(|byte| matches!(byte, b'\n' | b'\r'));
        let ends_file = lines > 0 && whole && blank;
        let from_line = if lines > 0 {
            from_line_length(&near[at..])
        } else {
            0
        };
        let end = if ends_file {
            near.len()
        } else {
            at + from_line
        };
        Ok(DelimiterRun {
            lines,
            first: start + first as u64,
            end: start + end as u64,
            ends_file,
        })
    }
}

/// Returns the length of a `From ` line before the header of an MMDF message, or 0. Mutt and Python write one.
fn from_line_length(near: &[u8]) -> usize {
    let (line, length) = split_line(near);
    let is_separator = line.starts_with(b"From ") && line.len() < length;
    let next = split_line(&near[length..]).0;
    if is_separator && FollowingLine::of(next) != FollowingLine::Other {
        length
    } else {
        0
    }
}

/// A run of delimiter lines, with a `From ` line behind it.
pub(super) struct DelimiterRun {
    pub(super) lines: usize,
    /// Offset after the first one.
    pub(super) first: u64,
    pub(super) end: u64,
    /// True if only blank lines follow.
    pub(super) ends_file: bool,
}
