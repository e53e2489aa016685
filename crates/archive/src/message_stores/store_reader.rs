//! Reads a message store of any format like a folder with one file for each message.
//!
//! The files are named by ordinal and by what identifies the message: `00000017-<object>.eml`.
//!
//! # Limits
//! The files do not exist. An error ends the store.

use std::path::{Path, PathBuf};

use super::stored_messages::{NextMessage, OpenedStore, PAUSE, StoredMessage, StoredMessages};
use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind};
use crate::error::{Error, ErrorKind, Operation, at};
use crate::source::{Batch, Entry, EntryKind, Flags, Profile, ReadOptions, Source};

/// Bytes per piece of a message above the limit, or fewer if the limit is smaller.
const PIECE: usize = 1 << 20;
/// Largest number of entries in a batch.
const ENTRIES: usize = 1024;

/// A message store as a [`Source`].
pub(crate) struct StoreReader {
    path: PathBuf,
    messages: Box<dyn StoredMessages>,
    profile: Profile,
    batch: usize,
    limit: usize,
    ordinal: u64,
    /// A message above the limit, which is read in pieces. Some were read.
    large: Option<EntryFile>,
    is_done: bool,
    /// Events of the next batch: those of opening the store, and the one that says that reading stopped after a whole message.
    events: Vec<BoxEvent>,
    /// An error that is returned after the entries before it.
    failed: Option<Error>,
}

/// The file that stands for a message.
struct EntryFile {
    name: Vec<u8>,
    flags: Flags,
    /// Number of bytes in earlier entries.
    offset: u64,
    /// Bytes that were read, and belong to the next entry.
    ahead: Vec<u8>,
}

impl StoreReader {
    /// Reads the messages of a store. `format` is its name.
    pub(super) fn new(
        path: &Path,
        opened: OpenedStore,
        format: &str,
        options: &ReadOptions,
    ) -> Self {
        Self {
            path: path.to_owned(),
            messages: opened.messages,
            profile: Profile {
                dialect: format.to_owned(),
                line_end: "",
            },
            batch: options.batch.max(1),
            limit: options.message_limit.max(1),
            ordinal: 0,
            large: None,
            is_done: false,
            events: opened.events,
            failed: None,
        }
    }

    fn step(&mut self, batch: &mut Batch) -> Result<(), ErrorKind> {
        if let Some(large) = self.large.take() {
            return self.piece(large, batch);
        }
        match self.messages.next(&mut batch.events)? {
            NextMessage::Found(message) => self.message(&message, batch),
            NextMessage::EventsFirst => Ok(()),
            NextMessage::End => {
                self.is_done = true;
                if !batch.entries.is_empty() {
                    let stops = |event: &mut BoxEvent| event.kind == BoxEventKind::Expansion;
                    self.events.extend(batch.events.extract_if(.., stops));
                }
                Ok(())
            }
        }
    }

    /// Reads a message, or begins to read one above the limit.
    fn message(&mut self, message: &StoredMessage, batch: &mut Batch) -> Result<(), ErrorKind> {
        let name = format!("{:08}-{}.eml", self.ordinal, message.id).into_bytes();
        let mut file = EntryFile {
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
                self.push(EntryKind::Message, &file, length, false, batch);
                self.ordinal += 1;
                return Ok(());
            }
            file.ahead = batch.bytes.split_off(start);
        }
        let (kind, detail) = (
            BoxEventKind::TooLarge,
            BoxDetail::LongerThan(self.limit as u64),
        );
        let event = BoxEvent::of_file(kind, &file.name, detail);
        batch.events.push(event);
        self.piece(file, batch)
    }

    /// Reads the next piece of a message above the limit. It ends with a line if possible.
    fn piece(&mut self, mut large: EntryFile, batch: &mut Batch) -> Result<(), ErrorKind> {
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
        file: &EntryFile,
        length: usize,
        more: bool,
        batch: &mut Batch,
    ) {
        let end = batch.bytes.len();
        let span = end - length..end;
        batch.entries.push(Entry {
            more,
            flags: file.flags,
            name: file.name.clone(),
            ..Entry::new(kind, self.ordinal, file.offset, span)
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
        batch.events.append(&mut self.events);
        let most = self.batch;
        let is_full = |batch: &Batch| {
            batch.bytes.len() >= most
                || batch.entries.len() >= ENTRIES
                || batch.events.len() >= PAUSE
        };
        while !self.is_done && !is_full(batch) {
            let step = self.step(batch);
            if let Err(error) = step.map_err(at(&self.path, Operation::Read)) {
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
