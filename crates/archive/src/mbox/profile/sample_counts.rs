//! Counts separators, quoted lines, lengths and line ends in samples of a mailbox.
//!
//! # Limits
//! Examines at most 4096 lengths and 100,000 line ends of a sample.

use std::io;

use super::content_length::{CONFIRM, HEADER, confirms, declared_end};
use super::sniff_input::SniffInput;
use crate::following_line::FollowingLine;
use crate::mbox::division::Division;
use crate::mbox::from_line::{
    FROM, FromLine, KINDS, Shape, Shapes, UNDATED_WORD, has_no_words, is_dated, is_git, starts_line,
};
use crate::mbox::split::{ACCEPT, BEHIND, LineEvidence, NEAR, is_quoted_by_mailbox, quoted};
use crate::source::Quoting;

/// Largest number of lengths examined in the head of a file, and in each sample.
const MOST_LENGTHS: u32 = 4096;
/// Separators of a second program are rare if there are this many others for each.
const RARE: u32 = 10;

/// Returns true for the kinds with a date that are not those of patches.
fn is_dated_mail(index: usize) -> bool {
    is_dated(index) && !is_git(index)
}

/// Counts for a profile.
#[derive(Clone, Debug, Default)]
pub(super) struct SampleCounts {
    /// True if the first line of the file was examined.
    pub(super) looked: bool,
    pub(super) begins: bool,
    pub(super) first: Option<FromLine>,
    /// True if the first separator is a plain line.
    pub(super) first_is_plain: bool,
    /// Number of plain lines among the strong candidates.
    plain: u32,
    /// Candidates with a blank line before and a known field after, by kind.
    pub(super) strong: [u32; KINDS],
    /// Those without a date that stand before a full header, by kind.
    full: [u32; KINDS],
    /// Candidates with a date and a known field after, but no blank line before, except patches.
    unspaced: u32,
    /// Number of separators with a date that the head of the file lets expect in this sample.
    expected: u32,
    /// Number of `>From ` lines.
    pub(super) quoted: u32,
    /// Number of lines with more than one `>`.
    pub(super) requoted: u32,
    /// Number of both that the mailbox quoted: in a body, and not in a quoted passage of a reply.
    pub(super) quoted_by_mailbox: u32,
    /// Number of unquoted `From ` lines after a blank line that are text.
    pub(super) prose: u32,
    /// Offset of the first strong candidate.
    pub(super) first_strong: Option<u64>,
    pub(super) good_lengths: u32,
    pub(super) bad_lengths: u32,
    /// Messages without a Content-Length.
    pub(super) without_length: u32,
    /// Number of unquoted `From ` lines inside a declared length.
    pub(super) embedded: u32,
    pub(super) takeout: u32,
    pub(super) mozilla: u32,
    pub(super) lf: u32,
    pub(super) crlf: u32,
    pub(super) bare_cr: u32,
}

impl SampleCounts {
    /// Counts the lines that start in `from..to`.
    pub(super) fn count(
        &mut self,
        look: &SniffInput<'_>,
        buffer: &mut Vec<u8>,
        from: u64,
        to: u64,
        prelude: u64,
    ) -> io::Result<()> {
        let base = from.saturating_sub(BEHIND as u64);
        look.read(base, to + NEAR as u64, buffer)?;
        let data = buffer.as_slice();
        if from == 0 {
            self.count_line_ends(&data[..data.len().min(to as usize)]);
        }
        let whole = look.is_whole() && base + data.len() as u64 >= look.size();
        let mut at = (from - base) as usize;
        let limit = data.len().min((to - base) as usize + 4);
        let mut declared = 0;
        while let Some(found) = data.get(at..limit).and_then(|part| FROM.find(part)) {
            let start = at + found;
            at = start + 5;
            if let Some(depth) = quoted(data, start) {
                self.quoted += u32::from(depth == 1);
                self.requoted += u32::from(depth > 1);
                self.quoted_by_mailbox += u32::from(is_quoted_by_mailbox(data, start - depth));
                continue;
            }
            let offset = base + start as u64;
            if offset != prelude && !starts_line(data, start, base == 0) {
                continue;
            }
            if offset < declared {
                self.embedded += 1;
                continue;
            }
            let near = &data[..data.len().min(start + NEAR)];
            let Some(evidence) = LineEvidence::gather(
                near,
                start,
                offset == prelude,
                whole && near.len() == data.len(),
            ) else {
                continue;
            };
            self.bare_cr += u32::from(start > 0 && data[start - 1] == b'\r');
            let strong = evidence.blank_before && evidence.follower == FollowingLine::Known;
            self.count_weak(&evidence, offset == prelude, strong);
            if !strong && offset != prelude {
                continue;
            }
            if strong {
                let kind = evidence.line.index();
                self.strong[kind] += 1;
                let is_full = !evidence.line.dated && evidence.has_full_header(near, start);
                self.full[kind] += u32::from(is_full);
                self.first_strong = self.first_strong.or(Some(offset));
                self.plain += u32::from(evidence.is_plain);
                self.note_first(&evidence);
            }
            let message = &data[evidence.end..data.len().min(evidence.end + HEADER)];
            self.takeout += u32::from(message.starts_with(b"X-GM-THRID:"));
            self.mozilla += u32::from(message.starts_with(b"X-Mozilla-Status:"));
            if self.good_lengths + self.bad_lengths < MOST_LENGTHS {
                let start = base + evidence.end as u64;
                declared = self.count_length(look, message, start)?.unwrap_or(declared);
            }
        }
        Ok(())
    }

    /// Counts a possible separator. `begins` means that only a prelude precedes it; `strong` means that its surroundings prove it.
    fn count_weak(&mut self, evidence: &LineEvidence, begins: bool, strong: bool) {
        if begins && !self.looked {
            self.looked = true;
            let mut own = Shapes::default();
            own.insert(evidence.line);
            self.begins = evidence.points_of_form(own) >= ACCEPT;
            if self.begins {
                self.note_first(evidence);
            }
        } else if !strong {
            let text = evidence.blank_before
                && evidence.follower == FollowingLine::Other
                && !evidence.line.dated
                && evidence.line.shape == Shape::Word;
            self.prose += u32::from(text);
            let is_unspaced = evidence.follower == FollowingLine::Known
                && !evidence.base64
                && is_dated_mail(evidence.line.index());
            self.unspaced += u32::from(is_unspaced);
        }
    }

    /// Keeps the form of the first separator.
    fn note_first(&mut self, evidence: &LineEvidence) {
        if self.first.is_none() {
            self.first = Some(evidence.line);
            self.first_is_plain = evidence.is_plain;
        }
    }

    /// Checks the Content-Length of a message that begins at `start`. Returns the declared end if a separator follows there.
    fn count_length(
        &mut self,
        look: &SniffInput<'_>,
        message: &[u8],
        start: u64,
    ) -> io::Result<Option<u64>> {
        let Some(length) = declared_end(message) else {
            self.without_length += 1;
            return Ok(None);
        };
        let end = start.saturating_add(length);
        if end > look.size() {
            self.bad_lengths += u32::from(look.is_whole());
            return Ok(None);
        }
        let mut near = Vec::new();
        let last = end - 1;
        look.read(last, last.saturating_add(CONFIRM), &mut near)?;
        let is_file_end = look.is_whole() && last + near.len() as u64 == look.size();
        if confirms(&near, is_file_end).is_some() {
            self.good_lengths += 1;
            return Ok(Some(end));
        }
        self.bad_lengths += 1;
        Ok(None)
    }

    fn count_line_ends(&mut self, data: &[u8]) {
        for at in memchr::memchr2_iter(b'\n', b'\r', data).take(100_000) {
            if data[at] == b'\n' {
                *(if at > 0 && data[at - 1] == b'\r' {
                    &mut self.crlf
                } else {
                    &mut self.lf
                }) += 1;
            } else if data.get(at + 1).is_some_and(|&next| next != b'\n') || at + 1 == data.len() {
                self.bare_cr += 1;
            }
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (sum, more) in self.strong.iter_mut().zip(other.strong) {
            *sum += more;
        }
        for (sum, more) in [
            (&mut self.quoted, other.quoted),
            (&mut self.requoted, other.requoted),
            (&mut self.quoted_by_mailbox, other.quoted_by_mailbox),
            (&mut self.prose, other.prose),
            (&mut self.good_lengths, other.good_lengths),
            (&mut self.bad_lengths, other.bad_lengths),
            (&mut self.without_length, other.without_length),
            (&mut self.embedded, other.embedded),
            (&mut self.bare_cr, other.bare_cr),
        ] {
            *sum += more;
        }
        self.first_strong = self.first_strong.or(other.first_strong);
    }

    /// Returns empty counts for a sample of one part in `parts` of the bytes that these counts cover.
    pub(super) fn for_sample(&self, parts: u32) -> Self {
        Self {
            looked: self.looked,
            expected: self.dated_mail() / parts,
            ..Self::default()
        }
    }

    /// Returns the kinds of at least two strong candidates, except those that others outnumber.
    pub(super) fn dominant(&self) -> Shapes {
        self.kinds(|index| index != UNDATED_WORD)
    }

    pub(super) fn dominant_without_git(&self) -> Shapes {
        self.kinds(|index| index != UNDATED_WORD && !is_git(index))
    }

    fn kinds(&self, may_be: impl Fn(usize) -> bool) -> Shapes {
        let mut shapes = Shapes::default();
        for index in (0..KINDS).filter(|index| may_be(*index)) {
            if self.strong[index] >= 2 && !self.is_outnumbered(index) {
                shapes.insert_index(index);
            }
        }
        if self.plain >= 2 {
            shapes.insert_plain();
        }
        shapes
    }

    /// Returns true for a kind of lines that people paste into mail, if separators of another kind show that these are no separators.
    ///
    /// - Patches, if they are fewer than all others.
    /// - Lines without a date beside as many separators with a date. They are separators of a second program if most of them stand
    ///   before a full header, and if they are not rare. An address without a date stands in prose, too; the line `From ` does not:
    ///
    /// ```text
    /// From ann@example.org
    /// Subject: the trip
    /// ```
    pub(super) fn is_outnumbered(&self, index: usize) -> bool {
        let (count, full) = (self.strong[index], self.full[index]);
        let dated = self.dated_mail();
        if is_git(index) {
            let git = count + self.strong[index ^ 1];
            return git < self.strong.iter().sum::<u32>() + self.unspaced - git;
        }
        if is_dated(index) || dated < count.max(1) {
            return false;
        }
        let are_enough = if has_no_words(index) {
            full >= 2
        } else {
            full >= 3 && full.saturating_mul(RARE) >= dated
        };
        !are_enough || full * 2 < count
    }

    /// Returns the number of separators with a date, except patches.
    fn dated_mail(&self) -> u32 {
        self.expected.max(self.strong_dated_mail() + self.unspaced)
    }

    /// Returns the number of strong candidates with a date, except patches.
    pub(super) fn strong_dated_mail(&self) -> u32 {
        let dated = (0..KINDS).filter(|index| is_dated_mail(*index));
        dated.map(|index| self.strong[index]).sum()
    }

    /// Returns name, quoting, and whether the quoting is a guess. If so, an event reports each `>From ` line, unquoted or not.
    pub(super) fn dialect(
        &self,
        division: Division,
        trust_length: bool,
    ) -> (&'static str, Quoting, bool) {
        let first = self.first.map(|line| line.shape);
        let any_quoted = self.quoted + self.requoted > 0;
        if division == Division::Mmdf {
            ("MMDF", Quoting::None, false)
        } else if first.is_none() && self.strong.iter().sum::<u32>() == 0 {
            ("single message", Quoting::None, false)
        } else if trust_length && (self.embedded > 0 || !any_quoted) {
            ("mboxcl2", Quoting::None, true)
        } else if trust_length {
            ("mboxcl", Quoting::Mboxo, true)
        } else if self.takeout > 0 {
            ("Takeout", Quoting::Mboxrd, false)
        } else {
            let name = match first {
                Some(Shape::Dash | Shape::Bare) => "Thunderbird",
                Some(Shape::At) => "pipermail",
                _ if self.mozilla > 0 => "Thunderbird",
                _ if self.requoted > 0 => "mboxrd",
                _ if self.quoted > 0 && self.prose > 0 => "mboxo",
                _ => "mbox",
            };
            match (self.requoted > 0, any_quoted, self.prose > 0) {
                (false, true, true) => (name, Quoting::Mboxo, true),
                (false, false, true) => (name, Quoting::None, true),
                (true, _, _) => (name, Quoting::Mboxrd, false),
                (false, guess, false) => (name, Quoting::Mboxrd, guess),
            }
        }
    }

    pub(super) fn line_end(&self) -> &'static str {
        match (self.lf > 0, self.crlf > 0, self.bare_cr > 0) {
            (false, true, false) => "CRLF",
            (false, false, true) => "CR",
            (true, true, _) | (true, _, true) | (_, true, true) => "mixed",
            _ => "LF",
        }
    }
}
