//! Finds the first message at or after an offset of a mailbox, as the reader of the whole file finds it.
//!
//! The decision about a `From ` line depends on the message before it, and so on back to the start of the file. `certain` finds lines that
//! are separators whatever precedes them. From such a line on, a reader decides as one that read the whole file. Where lengths are
//! trusted, and in MMDF, no line is certain: the file is read from the last known message.
//!
//! # Limits
//! Reads backwards in steps of 1 MiB, at most [`MOST_BACK`] of them, and from there forward to the message.

mod certain;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::certain::{Stretch, is_possible, last_certain};
use super::range::{MailboxProfile, MailboxRange, MessageStart, RangeBorder};
use crate::error::{Error, Operation, at};
use crate::mbox::delimiters::{Delimiters, FAR};
use crate::mbox::profile::{FileProfile, SniffInput, read_at};
use crate::mbox::read::Mailbox;
use crate::mbox::split::NEAR;
use crate::open_input::open_input;
use crate::source::{Batch, EntryKind, ReadOptions, Source};

/// Bytes of a step backwards.
const STEP: u64 = 1 << 20;
/// Largest number of steps backwards before the file is read from the last known message.
const MOST_BACK: u64 = 8;

/// A mailbox in which borders of ranges are searched.
#[derive(Debug)]
pub struct MailboxStarts {
    path: PathBuf,
    file: File,
    size: u64,
    profile: Arc<MailboxProfile>,
    options: ReadOptions,
}

impl MailboxStarts {
    /// Opens and sniffs a mailbox.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self, Error> {
        let file = open_input(path)?;
        let size = file.metadata().map_err(at(path, Operation::Open))?.len();
        let sniffed = FileProfile::sniff(&SniffInput::File(&file, 0, size));
        let mut profile = sniffed.map_err(at(path, Operation::Read))?;
        profile.apply(options.mailbox.rule);
        Ok(Self {
            path: path.to_owned(),
            file,
            size,
            profile: Arc::new(MailboxProfile(profile)),
            options: options.clone(),
        })
    }

    /// Returns the profile.
    pub fn profile(&self) -> &Arc<MailboxProfile> {
        &self.profile
    }

    /// Returns the size of the file in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns true if bytes near a border usually show the first message after it. Otherwise the file is read up to there.
    pub fn is_local(&self) -> bool {
        is_possible(&self.profile.0)
    }

    /// Returns the whole mailbox as a range.
    pub fn whole(&self) -> MailboxRange {
        MailboxRange {
            profile: Arc::clone(&self.profile),
            start: None,
            ordinal: 0,
            end: None,
            size: self.size,
        }
    }

    /// Returns the messages whose separators start in `from..to`. The ordinal of the first is 0.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn range(&self, from: u64, to: u64) -> Result<Option<MailboxRange>, Error> {
        if from >= to {
            return Ok(None);
        }
        let (start, known) = if from == 0 {
            (None, None)
        } else {
            match self.first_at(from, None)?.start {
                Some(start) => (Some(start), Some(start)),
                None => return Ok(None),
            }
        };
        let next = if to < self.size {
            self.first_at(to, known)?.start
        } else {
            None
        };
        let is_empty = next.is_some_and(|next| Some(next) == start);
        let range = MailboxRange {
            start,
            end: next.map(|next| next.offset),
            ..self.whole()
        };
        Ok((!is_empty && !range.is_empty()).then_some(range))
    }

    /// Returns the first message whose separator starts at or after `border`. `known` is a message before it, or the start of the file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn first_at(&self, border: u64, known: Option<MessageStart>) -> Result<RangeBorder, Error> {
        let lowest = known.map_or(self.profile.0.prelude, |known| known.offset);
        let certain = if self.is_local() {
            self.certain_before(border.min(self.size), lowest)?
        } else {
            None
        };
        let mut borders = self.walk(certain.or(known), 0, &[border])?;
        let start = borders.pop().and_then(|border| border.start);
        Ok(RangeBorder {
            start,
            ordinal: None,
        })
    }

    /// Returns the first message at or after each of the ascending `borders`, with its ordinal. Reads the whole file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn count_to(&self, borders: &[u64]) -> Result<Vec<RangeBorder>, Error> {
        self.walk(None, 0, borders)
    }

    /// Reads forward from a message, or from the start of the file, until the last border is reached.
    fn walk(
        &self,
        from: Option<MessageStart>,
        ordinal: u64,
        borders: &[u64],
    ) -> Result<Vec<RangeBorder>, Error> {
        let file = self.file.try_clone();
        let file = file.map_err(at(&self.path, Operation::Open))?;
        let range = MailboxRange {
            start: from,
            ordinal,
            ..self.whole()
        };
        let source = Mailbox::of_range(&self.path, file, &range, &self.options);
        let mut source = source.map_err(at(&self.path, Operation::Read))?;
        let (mut found, mut batch, mut more) = (Vec::new(), Batch::default(), false);
        while found.len() < borders.len() && source.next(&mut batch)? {
            for entry in &batch.entries {
                let is_message = matches!(entry.kind, EntryKind::Message | EntryKind::Oversize);
                let begins = is_message && !more;
                more = entry.more;
                let due = borders[found.len()..]
                    .iter()
                    .take_while(|border| begins && **border <= entry.offset);
                let border = RangeBorder {
                    start: Some(MessageStart {
                        offset: entry.offset,
                        message: entry.offset + (entry.message.start - entry.span.start) as u64,
                    }),
                    ordinal: Some(entry.ordinal),
                };
                let due = due.count();
                found.extend(std::iter::repeat_n(border, due));
            }
        }
        let none = RangeBorder {
            start: None,
            ordinal: None,
        };
        found.resize(borders.len(), none);
        Ok(found)
    }

    /// Returns the last certain message at or before `border` that lies after `lowest`. Looks back only so far.
    pub(super) fn certain_before(
        &self,
        border: u64,
        lowest: u64,
    ) -> Result<Option<MessageStart>, Error> {
        let mut to = border;
        for _ in 0..MOST_BACK {
            if to <= lowest {
                break;
            }
            let from = to.saturating_sub(STEP).max(lowest + 1);
            let stretch = self.stretch(from, to);
            let (data, base) = stretch.map_err(at(&self.path, Operation::Read))?;
            let is_at_end = base + data.len() as u64 >= self.size;
            let stretch = Stretch {
                data: &data,
                base,
                is_at_end,
            };
            let (profile, options) = (&self.profile.0, &self.options.mailbox);
            if let Some((offset, message)) = last_certain(&stretch, (from, to), profile, options) {
                return Ok(Some(MessageStart { offset, message }));
            }
            to = from - 1;
        }
        Ok(None)
    }

    /// Reads the bytes on which lines that start in `from..=to` depend. Returns them with their offset.
    fn stretch(&self, from: u64, to: u64) -> std::io::Result<(Vec<u8>, u64)> {
        // A line before the first delimiter shows where that begins.
        let base = from.saturating_sub(FAR + Delimiters::reach());
        let end = (to + FAR + NEAR as u64).min(self.size);
        let mut data = vec![0; end.saturating_sub(base) as usize];
        let read = read_at(&self.file, base, &mut data)?;
        data.truncate(read);
        Ok((data, base))
    }
}
