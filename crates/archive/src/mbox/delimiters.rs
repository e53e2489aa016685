//! Tests whether a `From ` line stands inside an open multipart of the current message.
//!
//! Only a boundary declared by the Content-Type field of a multipart opens anything. The field is in the header of the message, of
//! one of its parts, or of an embedded message. Other lines that look like delimiters (signatures, quoted reports) are text. A row
//! of signs that matches a boundary without a letter or digit is also text, unless the header of a part follows. A base64 data part
//! contains no `From ` line: a message that was truncated in an attachment ends there, whatever follows.
//!
//! A recurring delimiter only counts if it closes the multipart, or if a part can begin after it. A part can begin if an
//! empty line or a field `Content-…:` follows. A delimiter does not count after another declaration of the same boundary: it
//! then belongs to the message that declares it.
//!
//! # Limits
//! Ignores boundaries above 70 bytes, in pieces (RFC 2231), with quoted pairs or after comments, and more than 256 at once. Ignores
//! parts of a digest that have no header. Base64 text is no evidence although it contains no separator: normalizing a mailbox turns
//! it into plain lines. A mailbox written by this crate marks the messages that leave a multipart open (see `separator_mark`), so these
//! tests do not apply to it. A lone CR ends a line only if nothing else does. In a mailbox with a single LF, multiparts whose lines
//! end in CR are not followed.

mod boundary;
mod header_state;
mod line;
mod line_search;
mod marks;

use std::collections::hash_map::Entry as Slot;
use std::collections::{BTreeSet, HashMap, VecDeque};

use self::boundary::{Boundary, Mark, MarkKind};
use self::header_state::{DeclaredType, HeaderState};
use self::line::{DelimiterLine, REACH, line_end, next_end};
use self::line_search::LineSearch;
pub(super) use self::marks::{DelimiterMarks, delimiter_marks};
use super::from_line::starts_line;

/// Bytes before and after a candidate that the open-multipart test examines.
pub(super) const FAR: u64 = 1 << 20;
/// Largest number of boundaries of one message that are followed at once.
const MOST: usize = 256;

/// Delimiters of the open message before the current candidate, and apparent delimiters after it.
///
/// `advance_to` walks over each message once. Marks ahead of the candidate wait in a queue until the candidate passes them. Each
/// key (hash of a boundary) knows whether it is open and what comes next for it, so a query needs no search.
pub(super) struct Delimiters {
    search: LineSearch,
    /// Offset up to which the message was read.
    read: u64,
    /// Position in the message at `read`.
    place: Position,
    /// True if a line starts at `read`, for when the bytes before are no longer in memory.
    line_start: bool,
    /// True if the current part is base64 data.
    in_base64: bool,
    /// Number of headers read in this message.
    level: u32,
    /// Declared boundaries of the message, outer ones first.
    declared: Vec<u64>,
    /// Opened delimiters in order of offset, to drop old ones.
    opened: VecDeque<(u64, u64)>,
    /// Lines up to this offset are in `ahead`, or before the candidate.
    seen: u64,
    ahead: VecDeque<Mark>,
    keys: HashMap<u64, Boundary>,
    /// Number of open keys.
    open: usize,
    /// Open keys that recur, with the offset of the recurrence.
    live: BTreeSet<(u64, u64)>,
    /// Open keys with an apparent delimiter after the candidate, with the offset of that line.
    similar: BTreeSet<(u64, u64)>,
    /// True if the header of the current part names a mailbox.
    mailbox_part: bool,
    /// Offset of the body of the current part.
    part_start: u64,
}

/// An open multipart around a candidate, by the offsets of two lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Enclosing {
    /// The last delimiter before the candidate.
    pub opened: u64,
    /// The line after the candidate that is its delimiter, or looks like one.
    pub again: u64,
}

#[derive(Clone, Copy)]
enum Position {
    Header(HeaderState),
    Body,
}

impl Delimiters {
    pub(super) fn new(bare_cr: bool) -> Self {
        Self {
            search: LineSearch::new(bare_cr),
            read: 0,
            place: Position::Header(HeaderState::default()),
            line_start: true,
            in_base64: false,
            level: 0,
            declared: Vec::new(),
            opened: VecDeque::new(),
            seen: 0,
            ahead: VecDeque::new(),
            keys: HashMap::new(),
            open: 0,
            live: BTreeSet::new(),
            similar: BTreeSet::new(),
            mailbox_part: false,
            part_start: 0,
        }
    }

    /// Returns the number of bytes needed after the offset given to [`Self::advance_to`] or [`Self::look_ahead`].
    pub(super) const fn reach() -> u64 {
        REACH as u64
    }

    /// Begins a message at this offset, and closes the multiparts of the previous one.
    pub(super) fn begin(&mut self, message: u64) {
        self.forget_from(0);
        self.opened.clear();
        self.in_base64 = false;
        self.mailbox_part = false;
        self.part_start = message;
        self.level = 0;
        self.place = Position::Header(HeaderState::default());
        self.read = message;
        self.line_start = true;
    }

    /// Reads the lines of the message that start before `to`.
    ///
    /// `data` starts at offset `base` and reaches [`Self::reach`] beyond `to` or to the end of the file.
    pub(super) fn advance_to(&mut self, data: &[u8], base: u64, to: u64) {
        while let Some(mark) = self.ahead.front().copied().filter(|mark| mark.at < to) {
            self.ahead.pop_front();
            self.change(mark.key, |key| key.pop(mark.kind));
        }
        self.seen = self.seen.max(to);
        while self.read < to {
            match self.place {
                Position::Header(header) => self.read_header(header, data, base, to),
                Position::Body if self.declared.is_empty() => self.read = to,
                Position::Body => self.read_body(data, base, to),
            }
        }
        self.line_start = starts_line(
            data,
            ((self.read - base) as usize).min(data.len()),
            self.line_start,
        );
        while let Some(&(at, key)) = self.opened.front().filter(|(at, _)| at + FAR < to) {
            self.opened.pop_front();
            self.change(key, |key| {
                if key.opened == Some(at) {
                    key.opened = None;
                }
            });
        }
    }

    /// Returns true if no open multipart could contain a `From ` line, whatever follows.
    pub(super) fn is_empty(&self) -> bool {
        self.open == 0 || self.in_base64
    }

    /// Reads the lines that start before `to`, without passing them.
    pub(super) fn look_ahead(&mut self, data: &[u8], base: u64, to: u64) {
        if self.seen >= to {
            return;
        }
        let (from, end) = (
            (self.seen - base) as usize,
            ((to - base) as usize).min(data.len()),
        );
        let mut marks = Vec::new();
        let mut at = from;
        while let Some(start) = self.search.next_line(data, at, end, false) {
            at = start + 2;
            let Some(line) = DelimiterLine::read(data, start, self.search.bare_cr) else {
                continue;
            };
            let at = base + start as u64;
            let kinds = line.marks(data, start, self.search.bare_cr);
            marks.extend(kinds.map(|(key, kind)| Mark { at, key, kind }));
        }
        self.search.find_declarations(data, from, end, |at, key| {
            marks.push(Mark {
                at: base + at as u64,
                key,
                kind: MarkKind::Declare,
            });
        });
        marks.sort_by_key(|mark| mark.at);
        for mark in marks {
            self.change(mark.key, |key| key.push(mark));
            self.ahead.push_back(mark);
        }
        self.seen = to;
    }

    /// Returns the offset up to which [`Self::look_ahead`] has read.
    pub(super) fn seen(&self) -> u64 {
        self.seen
    }

    /// Returns the multipart whose delimiter recurs first.
    pub(super) fn enclosing(&self) -> Option<Enclosing> {
        self.enclosed_by(*self.live.first()?)
    }

    /// Returns the open multipart with the first apparent delimiter.
    pub(super) fn similar(&self) -> Option<Enclosing> {
        self.enclosed_by(*self.similar.first()?)
    }

    /// Returns true if no line in the look-ahead closes the multipart of [`Self::enclosing`], and others open parts of it.
    pub(super) fn never_closes(&self) -> bool {
        let enclosing = self.live.first().and_then(|(_, key)| self.keys.get(key));
        enclosing.is_some_and(|key| !key.is_closed_ahead())
    }

    fn enclosed_by(&self, (again, key): (u64, u64)) -> Option<Enclosing> {
        Some(Enclosing {
            opened: self.keys.get(&key)?.opened?,
            again,
        })
    }

    /// Returns the offset of the last delimiter of an open multipart.
    pub(super) fn last_opened(&self) -> Option<u64> {
        let is_open = |(at, key): &&(u64, u64)| {
            self.keys
                .get(key)
                .is_some_and(|key| key.opened == Some(*at))
        };
        self.opened.iter().rev().find(is_open).map(|(at, _)| *at)
    }

    /// Returns true if the header of the current part names a mailbox.
    pub(super) fn is_in_mailbox_part(&self) -> bool {
        self.mailbox_part
    }

    /// Returns the offset of the body of the current part.
    pub(super) fn part_start(&self) -> u64 {
        self.part_start
    }

    /// Reads a header up to its end or to `to`.
    fn read_header(&mut self, mut header: HeaderState, data: &[u8], base: u64, to: u64) {
        let end = ((to - base) as usize).min(data.len());
        let mut at = (self.read - base) as usize;
        while at < end {
            if !header.in_line {
                header.in_line = true;
                if let Some(step) = line_end(&data[at..], self.search.bare_cr) {
                    self.read = base + (at + step) as u64;
                    self.level += 1;
                    self.in_base64 = header.is_data == Some(true) && header.is_base64 == Some(true);
                    self.mailbox_part |= header.names_mailbox;
                    self.part_start = self.read;
                    self.place = if header.embeds {
                        Position::Header(HeaderState::default())
                    } else {
                        Position::Body
                    };
                    return;
                }
                match &data[at..] {
                    [b' ' | b'\t', rest @ ..] => {
                        let rest = &rest[..rest.len().min(REACH)];
                        if header.content_type == DeclaredType::Awaited {
                            header.take_type(rest.trim_ascii_start());
                        }
                        if self.level > 0 {
                            header.take_name(rest);
                        }
                    }
                    // A part may begin without an empty line before it.
                    [b'-', b'-', ..]
                        if DelimiterLine::read(data, at, self.search.bare_cr)
                            .is_some_and(|line| self.declared_by(&line).is_some()) =>
                    {
                        self.read = base + at as u64;
                        self.level += 1;
                        self.read_delimiter(data, at, base);
                        return;
                    }
                    line @ [b'C' | b'c', ..] => {
                        let line = &line[..line.len().min(REACH)];
                        header.take_field(line, self.level > 0);
                    }
                    // Other fields are irrelevant here.
                    _ => {
                        header.content_type = DeclaredType::Other;
                        header.may_name = false;
                    }
                }
            }
            let stop = next_end(data, at, end, self.search.bare_cr);
            if header.content_type == DeclaredType::Multipart {
                let mut found = Vec::new();
                self.search
                    .find_declarations(data, at, stop.unwrap_or(end), |_, key| found.push(key));
                for key in found {
                    self.declare(key);
                }
            }
            at = match stop {
                Some(stop) => {
                    header.in_line = false;
                    stop + line_end(&data[stop..], self.search.bare_cr).unwrap_or(1)
                }
                None => end,
            };
        }
        self.read = base + at as u64;
        // At the end of the file, `to` may lie beyond all bytes.
        self.read = if at >= data.len() {
            self.read.max(to)
        } else {
            self.read
        };
        self.place = Position::Header(header);
    }

    /// Reads a body up to its next delimiter or to `to`.
    fn read_body(&mut self, data: &[u8], base: u64, to: u64) {
        let end = ((to - base) as usize).min(data.len());
        let mut at = (self.read - base) as usize;
        while let Some(start) = self.search.next_line(data, at, end, self.line_start) {
            if self.read_delimiter(data, start, base) {
                return;
            }
            at = start + 2;
        }
        self.read = to;
    }

    /// Opens or closes a multipart if the line at `at` is a delimiter of the message.
    fn read_delimiter(&mut self, data: &[u8], at: usize, base: u64) -> bool {
        let Some(line) = DelimiterLine::read(data, at, self.search.bare_cr) else {
            return false;
        };
        let Some((key, level, closing)) = self.declared_by(&line) else {
            return false;
        };
        // An outer delimiter closes all multiparts in its part.
        let keep = if closing { level } else { level + 1 };
        self.forget_from(keep);
        self.read = base + (at + line.step) as u64;
        self.in_base64 = false;
        self.mailbox_part = false;
        self.place = Position::Body;
        if !closing {
            let offset = base + at as u64;
            self.change(key, |key| key.opened = Some(offset));
            self.opened.push_back((offset, key));
            self.place = Position::Header(HeaderState::default());
        }
        true
    }

    /// Returns the declared boundary of a delimiter line, the level of its header, and whether the line closes it.
    fn declared_by(&self, line: &DelimiterLine<'_>) -> Option<(u64, u32, bool)> {
        let level = |key: u64| self.keys.get(&key).and_then(|key| key.level);
        let [open, close] = line.keys();
        let found =
            |key: Option<u64>, closing| key.and_then(|key| Some((key, level(key)?, closing)));
        found(open, false).or_else(|| found(close, true))
    }

    fn declare(&mut self, key: u64) {
        let known = self.keys.get(&key).is_some_and(|key| key.level.is_some());
        if !known && self.declared.len() < MOST {
            let level = self.level;
            self.change(key, |key| key.level = Some(level));
            self.declared.push(key);
        }
    }

    /// Drops the boundaries that headers declared from this level on.
    fn forget_from(&mut self, level: u32) {
        while let Some(&key) = self.declared.last() {
            if self
                .keys
                .get(&key)
                .and_then(|key| key.level)
                .is_some_and(|own| own < level)
            {
                break;
            }
            self.declared.pop();
            self.change(key, |key| {
                key.level = None;
                key.opened = None;
            });
        }
    }

    /// Changes a key and updates the counts. Drops keys without content.
    fn change(&mut self, key: u64, change: impl FnOnce(&mut Boundary)) {
        let mut slot = match self.keys.entry(key) {
            Slot::Occupied(slot) => slot,
            Slot::Vacant(slot) => slot.insert_entry(Boundary::default()),
        };
        let state = |key: &Boundary| (key.opened.is_some(), key.live_at(), key.similar_at());
        let before = state(slot.get());
        change(slot.get_mut());
        let (hash, key) = (*slot.key(), slot.get());
        let after = state(key);
        self.open = self.open + usize::from(after.0) - usize::from(before.0);
        for (set, before, after) in [
            (&mut self.live, before.1, after.1),
            (&mut self.similar, before.2, after.2),
        ] {
            if before != after {
                before.map(|at| set.remove(&(at, hash)));
                after.map(|at| set.insert((at, hash)));
            }
        }
        if key.level.is_none() && key.ahead.is_empty() && key.similar.is_empty() {
            slot.remove();
        }
    }
}

#[cfg(test)]
mod tests;
