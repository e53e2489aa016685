//! Reads all records of a segment, and finds the next one after damage.
//!
//! # Limits
//! Skips a record whose ledger ends beyond the file, and everything after it.

use super::open_segment::{LocatedRecord, Parsed, Segment, SegmentWindow, WINDOW};
use super::write::MAX_ENTRY;
use crate::ledger::record_bytes::{CHECK, DIGEST, RECORD, RECORD_HEADER};
use crate::ledger::segment_index;
use crate::ledger::{END_MAGIC, LedgerError};
use std::io;
use std::os::unix::fs::FileExt;

impl Segment {
    /// Returns all intact index entries in order, from the records.
    pub fn records(&self) -> SegmentRecords<'_> {
        SegmentRecords {
            segment: self,
            window: SegmentWindow::default(),
            at: self.start,
            skipped: 0,
            behind: 0,
            in_damage: false,
            refuted: 0,
            tail: Tail::Unread,
        }
    }
}

/// Iterator over the intact index entries of a segment in order.
#[derive(Debug)]
pub struct SegmentRecords<'a> {
    segment: &'a Segment,
    window: SegmentWindow,
    at: u64,
    pub(super) skipped: u64,
    pub(super) behind: u64,
    /// True once a search has found a record after damaged lengths. From there on, apparent records may lie in the ledger of
    /// another one.
    in_damage: bool,
    /// Bytes of forged ledgers, whose digests were wrong.
    refuted: u64,
    pub(super) tail: Tail,
}

/// What follows the last record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tail {
    /// Nothing, or it has not been read yet.
    Unread,
    /// An index, which may be truncated.
    Index,
    /// A truncated record. No client was told that it is stored.
    Torn,
    /// Anything else, possibly a damaged record.
    Damaged,
}

impl SegmentRecords<'_> {
    /// Returns the number of bytes outside intact records and before one.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Returns the number of bytes after the last intact record, once all were read: a torn write, or one in progress.
    pub fn behind(&self) -> u64 {
        self.behind
    }

    /// Reads the next record. Skips a damaged one by its lengths if what follows confirms them, and searches otherwise.
    fn advance(&mut self) -> io::Result<Option<LocatedRecord>> {
        let begin = self.at;
        // A record or an index is expected at `expected`. The sender may have chosen the bytes elsewhere.
        let (mut at, mut expected, mut tail) = (begin, begin, None);
        while at < self.segment.end {
            match self.segment.parse(&mut self.window, at)? {
                Parsed::Whole(located) => {
                    self.in_damage |= at != expected;
                    // A forged record may claim the records after it as its ledger, but cannot know their digest.
                    let certain = !self.in_damage || self.verify(&located)?;
                    if certain || self.refuted > self.segment.end {
                        self.skipped += at - begin;
                        self.at = if certain {
                            located.ledger.end
                        } else {
                            located.ledger.start
                        };
                        return Ok(Some(located));
                    }
                }
                // Nothing follows a truncated record, and its sender chose its content: it may look like a record.
                Parsed::Torn if at == begin && !self.in_damage => {
                    tail = Some(Tail::Torn);
                    break;
                }
                // The damaged records before it must stay.
                Parsed::Torn if at == expected && !self.in_damage => {
                    tail = Some(Tail::Damaged);
                    break;
                }
                // Inside a damaged record.
                Parsed::Torn | Parsed::Nothing => (),
            }
            // A daemon was killed while it wrote the index, which contains text chosen by senders.
            if at == expected && !self.in_damage && self.begins_index(at)? {
                tail = Some(if at == begin {
                    Tail::Index
                } else {
                    Tail::Damaged
                });
                break;
            }
            if at == expected
                && !self.in_damage
                && let Some(next) = self.behind_damaged(at)?
            {
                (at, expected) = (next, next);
                continue;
            }
            at = self.next_magic(at + 1)?;
        }
        if begin < self.segment.end {
            self.behind += self.segment.end - begin;
            self.tail = match tail {
                Some(tail) => tail,
                None if !self.in_damage && self.is_torn_head(begin)? => Tail::Torn,
                None => Tail::Damaged,
            };
        }
        self.at = self.segment.end;
        Ok(None)
    }

    /// Returns the offset of the next record magic from `at` on, or the end of the segment.
    fn next_magic(&mut self, mut at: u64) -> io::Result<u64> {
        loop {
            let bytes = self.window.rest(self.segment, at)?;
            let found = memchr::memmem::find(bytes, &RECORD);
            match (found, bytes.len()) {
                (Some(found), _) => return Ok(at + found as u64),
                (None, read) if read < RECORD.len() => return Ok(self.segment.end),
                (None, read) => at += (read - RECORD.len() + 1) as u64,
            }
        }
    }

    /// Returns true if the digest of the record's ledger is right.
    ///
    /// Reads at most as many bytes of wrong ledgers as the segment has, because a sender can forge thousands of heads.
    fn verify(&mut self, located: &LocatedRecord) -> io::Result<bool> {
        if self.refuted > self.segment.end {
            return Ok(false);
        }
        match self.segment.ledger(located) {
            Ok(_) => Ok(true),
            Err(LedgerError::Io(error)) => Err(error),
            Err(_) => {
                self.refuted += located.ledger.end - located.ledger.start;
                Ok(false)
            }
        }
    }

    fn begins_index(&mut self, offset: u64) -> io::Result<bool> {
        let length = segment_index::MAGIC.len();
        Ok(self.window.bytes(self.segment, offset, length)? == segment_index::MAGIC)
    }

    /// Returns true if records end at `offset`, or an intact head of a record or an index begins there.
    fn begins_record(&mut self, offset: u64) -> io::Result<bool> {
        Ok(offset == self.segment.end
            || !matches!(
                self.segment.parse(&mut self.window, offset)?,
                Parsed::Nothing
            )
            || self.begins_index(offset)?)
    }

    /// Returns the end of a record whose damaged head is at `offset`, or None if nothing confirms its lengths.
    ///
    /// The digest of its ledger confirms them, or the head of the record that follows. Damaged lengths can lead to a later record;
    /// then intact records fill the bytes up to it.
    fn behind_damaged(&mut self, offset: u64) -> io::Result<Option<u64>> {
        let head = self.window.bytes(self.segment, offset, RECORD_HEADER)?;
        if head.len() < RECORD_HEADER {
            return Ok(None);
        }
        let (mut small, mut large, mut digest) = ([0; 4], [0; 8], [0; DIGEST]);
        small.copy_from_slice(&head[4..8]);
        large.copy_from_slice(&head[8..16]);
        digest.copy_from_slice(&head[16..]);
        let fields = u32::from_le_bytes(small) as usize;
        let start = offset + (RECORD_HEADER + fields + CHECK) as u64;
        let end = start.checked_add(u64::from_le_bytes(large));
        let Some(end) = end.filter(|end| fields <= MAX_ENTRY && *end <= self.segment.end) else {
            return Ok(None);
        };
        let mut ledger = vec![0; (end - start) as usize];
        self.segment.file.read_exact_at(&mut ledger, start)?;
        if blake3::hash(&ledger).as_bytes()[..DIGEST] == digest {
            return Ok(Some(end));
        }
        if !self.begins_record(end)? {
            return Ok(None);
        }
        let mut at = self.next_magic(offset + 1)?;
        while at < end {
            let mut behind = at;
            while behind < end
                && let Parsed::Whole(located) = self.segment.parse(&mut self.window, behind)?
                && located.ledger.end <= end
                && self.verify(&located)?
            {
                behind = located.ledger.end;
            }
            if behind == end {
                return Ok(Some(at));
            }
            at = self.next_magic(behind.max(at + 1))?;
        }
        Ok(Some(end))
    }

    /// Returns true if only an incomplete record head follows `begin`, and zeros, which a file system may add after a crash.
    fn is_torn_head(&mut self, begin: u64) -> io::Result<bool> {
        let (mut at, mut written) = (begin, begin);
        while at < self.segment.end {
            let bytes = self.window.bytes(self.segment, at, WINDOW)?;
            if let Some(last) = bytes.iter().rposition(|byte| *byte != 0) {
                written = at + last as u64 + 1;
            }
            if bytes.is_empty() || written - begin > (RECORD_HEADER + MAX_ENTRY + CHECK) as u64 {
                break;
            }
            at += bytes.len() as u64;
        }
        let written = (written - begin) as usize;
        if written < RECORD_HEADER {
            return Ok(true);
        }
        // A whole record ends as its ledger does. Then the length of its entry is damaged.
        let last = begin + (written - END_MAGIC.len()) as u64;
        if self.window.bytes(self.segment, last, END_MAGIC.len())? == END_MAGIC {
            return Ok(false);
        }
        let head = self.window.bytes(self.segment, begin, RECORD_HEADER)?;
        let length = head
            .get(4..8)
            .and_then(|bytes| bytes.try_into().ok())
            .map_or(0, u32::from_le_bytes);
        let fields = length as usize;
        Ok(head.starts_with(&RECORD)
            && fields <= MAX_ENTRY
            && written < RECORD_HEADER + fields + CHECK)
    }
}

impl Iterator for SegmentRecords<'_> {
    type Item = Result<LocatedRecord, LedgerError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.advance();
        if next.is_err() {
            self.at = self.segment.end;
        }
        next.map_err(LedgerError::Io).transpose()
    }
}
