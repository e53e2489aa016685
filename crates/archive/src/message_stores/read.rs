//! Reads a message store of any format like a folder with one file for each message.
//!
//! The files are named by ordinal and by what identifies the message: `00000017-<object>.eml`.
//!
//! # Limits
//! The files do not exist. An error ends the store.

use super::format::{NextMessage, PAUSE, StoredMessage, StoredMessages};
use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind};
use crate::error::Error;
use crate::{Batch, Entry, EntryKind, Flags, Profile, Quoting, ReadOptions, Source};

/// Bytes per piece of a message above the limit, or fewer if the limit is smaller.
const PIECE: usize = 1 << 20;
/// Largest number of entries in a batch.
const ENTRIES: usize = 1024;

/// A message store as a [`Source`].
pub(crate) struct StoreReader {
    messages: Box<dyn StoredMessages>,
    profile: Profile,
    batch: usize,
    limit: usize,
    ordinal: u64,
    /// A message that is given out in pieces.
    large: Option<LargeMessage>,
    is_done: bool,
    /// The event that says that reading stopped, for a batch of its own: the last message is whole.
    stopped: Vec<BoxEvent>,
    /// An error that is returned after the entries before it.
    failed: Option<Error>,
}

/// A message above the limit of which pieces were given out.
struct LargeMessage {
    name: Vec<u8>,
    flags: Flags,
    offset: u64,
    /// Bytes that were read, and belong to the next piece.
    ahead: Vec<u8>,
}

impl StoreReader {
    /// Reads the messages of a store. `format` is its name.
    pub(super) fn new(
        messages: Box<dyn StoredMessages>,
        format: &str,
        options: &ReadOptions,
    ) -> Self {
        Self {
            messages,
            profile: Profile {
                dialect: format.to_owned(),
                line_end: "as in each message",
            },
            batch: options.batch.max(1),
            limit: options.message_limit.max(1),
            ordinal: 0,
            large: None,
            is_done: false,
            stopped: Vec::new(),
            failed: None,
        }
    }

    fn step(&mut self, batch: &mut Batch) -> Result<(), Error> {
        if let Some(large) = self.large.take() {
            return self.piece(large, batch);
        }
        match self.messages.next(&mut batch.events)? {
            NextMessage::Found(message) => self.message(&message, batch),
            NextMessage::Later => Ok(()),
            NextMessage::End => {
                self.is_done = true;
                if !batch.entries.is_empty() {
                    let stops = |event: &mut BoxEvent| event.kind == BoxEventKind::Expansion;
                    self.stopped.extend(batch.events.extract_if(.., stops));
                }
                Ok(())
            }
        }
    }

    /// Reads a message, or begins to read one above the limit.
    fn message(&mut self, message: &StoredMessage, batch: &mut Batch) -> Result<(), Error> {
        let name = format!("{:08}-{}.eml", self.ordinal, message.id).into_bytes();
        let mut large = LargeMessage {
            name,
            flags: message.flags,
            offset: 0,
            ahead: Vec::new(),
        };
        if message.size.is_none_or(|size| size <= self.limit as u64) {
            let start = batch.bytes.len();
            let wanted = self.limit.saturating_add(1);
            self.messages
                .read(wanted, &mut batch.bytes, &mut batch.events)?;
            let length = batch.bytes.len() - start;
            if length <= self.limit {
                self.push(EntryKind::Message, &large, length, false, batch);
                self.ordinal += 1;
                return Ok(());
            }
            large.ahead = batch.bytes.split_off(start);
        }
        let (kind, detail) = (
            BoxEventKind::TooLarge,
            BoxDetail::LongerThan(self.limit as u64),
        );
        let event = BoxEvent::of_file(kind, &large.name, detail);
        batch.events.push(event);
        self.piece(large, batch)
    }

    /// Reads the next piece of a message above the limit. It ends with a line if possible.
    fn piece(&mut self, mut large: LargeMessage, batch: &mut Batch) -> Result<(), Error> {
        let most = PIECE.min(self.limit);
        let missing = (most + 1).saturating_sub(large.ahead.len());
        if missing > 0 {
            self.messages
                .read(missing, &mut large.ahead, &mut batch.events)?;
        }
        let more = large.ahead.len() > most;
        let length = if more {
            let line_end = memchr::memrchr(b'\n', &large.ahead[..most]);
            line_end.map_or(most, |at| at + 1)
        } else {
            large.ahead.len()
        };
        batch.bytes.extend(large.ahead.drain(..length));
        self.push(EntryKind::Oversize, &large, length, more, batch);
        large.offset += length as u64;
        if more {
            self.large = Some(large);
        } else {
            self.ordinal += 1;
        }
        Ok(())
    }

    /// Adds an entry for the last bytes of the batch.
    fn push(
        &self,
        kind: EntryKind,
        file: &LargeMessage,
        length: usize,
        more: bool,
        batch: &mut Batch,
    ) {
        let end = batch.bytes.len();
        let span = end - length..end;
        batch.entries.push(Entry {
            kind,
            more,
            ordinal: self.ordinal,
            offset: file.offset,
            message: span.clone(),
            omitted: 0..0,
            span,
            quoting: Quoting::None,
            froms: None,
            flags: file.flags,
            name: file.name.clone(),
            folder: String::new(),
        });
    }
}

impl Source for StoreReader {
    fn next(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        batch.bytes.clear();
        batch.entries.clear();
        batch.events.clear();
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        batch.events.append(&mut self.stopped);
        let most = self.batch;
        let is_full = |batch: &Batch| {
            batch.bytes.len() >= most
                || batch.entries.len() >= ENTRIES
                || batch.events.len() >= PAUSE
        };
        while !self.is_done && !is_full(batch) {
            if let Err(error) = self.step(batch) {
                self.is_done = true;
                if batch.entries.is_empty() && batch.events.is_empty() {
                    return Err(error);
                }
                self.failed = Some(error);
            }
        }
        Ok(!batch.entries.is_empty() || !batch.events.is_empty())
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn size_hint(&self) -> Option<u64> {
        self.messages.size_hint()
    }

    fn changed(&self) -> Result<bool, Error> {
        self.messages.changed()
    }
}
