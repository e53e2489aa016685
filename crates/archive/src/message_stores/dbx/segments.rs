//! Joins the segments of a message.
//!
//! ```text
//! own offset (4)   bytes of the segment (4)   bytes used (4)   next segment (4)   up to 0x200 bytes of the message
//! ```
//!
//! # Limits
//! A segment belongs to one message. The second message that leads to it ends there.

use std::io;

use super::numbers::number;
use crate::box_event::DbxDefect;
use crate::file_range::FileRange;

/// Bytes before the text.
const HEAD: usize = 0x10;
/// Bytes of text in a segment.
const TEXT: usize = 0x200;
/// Bytes of a segment.
const SEGMENT: u64 = (HEAD + TEXT) as u64;
/// Two segments that do not overlap never begin in the same run of so many bytes.
const RUN: u64 = 16;

/// The segments that were read.
pub(super) struct Segments {
    /// A bit for each [`RUN`] bytes of the file, up to the last segment that was read.
    used: Vec<u64>,
    /// Number of segments that may still be read.
    left: u64,
}

impl Segments {
    pub(super) fn new(size: u64) -> Self {
        Self {
            used: Vec::new(),
            // The last one may be cut off.
            left: size / SEGMENT + 1,
        }
    }

    /// Marks a segment as read. Returns false if it was read before, or overlaps others.
    fn mark_read(&mut self, place: u32) -> bool {
        let run = u64::from(place) / RUN;
        let (word, bit) = ((run / 64) as usize, 1 << (run % 64));
        if self.used.len() <= word {
            self.used.resize(word + 1, 0);
        }
        if self.used[word] & bit != 0 || self.left == 0 {
            return false;
        }
        self.used[word] |= bit;
        self.left -= 1;
        true
    }
}

/// The rest of a message.
pub(super) struct Chain {
    /// The next segment. 0 at the end.
    next: u32,
    /// Text that was read, and not given out.
    text: Vec<u8>,
}

impl Chain {
    /// Begins at a segment.
    pub(super) fn new(first: u32) -> Self {
        Self {
            next: first,
            text: Vec::new(),
        }
    }

    /// Appends the next `wanted` bytes of the message. Returns the place and the defect at which it ends early.
    pub(super) fn read(
        &mut self,
        file: &FileRange,
        segments: &mut Segments,
        wanted: usize,
        bytes: &mut Vec<u8>,
    ) -> io::Result<Option<(u32, DbxDefect)>> {
        let mut left = wanted;
        let mut found = None;
        while left > 0 && !(self.text.is_empty() && self.next == 0) {
            if self.text.is_empty() {
                let place = self.next;
                found = self.segment(file, segments)?.map(|defect| (place, defect));
            }
            let given = left.min(self.text.len());
            bytes.extend(self.text.drain(..given));
            left -= given;
            if found.is_some() {
                // The text of a damaged segment is the last one.
                self.next = 0;
            }
        }
        Ok(found)
    }

    /// Reads the next segment. Returns its defect; what it has is text all the same.
    fn segment(
        &mut self,
        file: &FileRange,
        segments: &mut Segments,
    ) -> io::Result<Option<DbxDefect>> {
        let place = std::mem::take(&mut self.next);
        let mut bytes = [0; SEGMENT as usize];
        let filled = file.read_at(u64::from(place), &mut bytes)?;
        if filled < HEAD || number(&bytes, 0) != place {
            return Ok(Some(DbxDefect::Segment));
        }
        if !segments.mark_read(place) {
            return Ok(Some(DbxDefect::SegmentAgain));
        }
        let used = number(&bytes, 8) as usize;
        let text = &bytes[HEAD..filled];
        self.text = text[..used.min(text.len())].to_vec();
        if used > text.len() {
            return Ok(Some(DbxDefect::Segment));
        }
        self.next = number(&bytes, 12);
        Ok(None)
    }
}
