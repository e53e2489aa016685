//! Reads messages whose files are compressed, as Dovecot's plugin mail_compress stores them.
//!
//! A file of usual size is read whole and decompressed from memory. A larger one is decompressed while it is read, and its content is
//! an oversized message if it exceeds the limit.
//!
//! # Limits
//! One thread decompresses a file. A compressed file without mail stays as it is, and so does a small message with other bytes behind its compressed data. Behind
//! a large one, they are left out.

use std::fs::File;
use std::io::{Cursor, Read, Seek};
use std::mem;
use std::path::Path;

use super::files::{CompressedOrigin, Files, MessageFile, OpenMessageFile};
use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind};
use crate::compressed_message::{self, CompressedFile, expected_size, missing_end};
use crate::error::{Error, Operation, at};
use crate::source::{Batch, EntryKind, Format};
use crate::tree_file::TreeFile;

/// Size of content that nothing declares: it is read to its end.
const UNKNOWN: u64 = u64::MAX;
/// Largest content that is read to its end before it is decided that its file is a message. No smaller than a group of files.
const LARGEST_READ_AHEAD: u64 = 4 << 20;

impl Files {
    /// Returns true if a file in the place of a message begins like a compressed one.
    pub(super) fn is_compressed(&self, start: &[u8]) -> bool {
        self.format != Format::Eml && compressed_message::is_compressed(start)
    }

    /// Adds the entry of a message file whose bytes are in memory, and begin like a compressed file.
    pub(super) fn read_stored(
        &mut self,
        mut message: MessageFile,
        stored: &[u8],
        batch: &mut Batch,
    ) -> Result<(), Error> {
        let path = self.path(&message.name);
        let defects = match self.inside(&path, Cursor::new(stored.to_vec()))? {
            CompressedFile::Message(inside) => {
                let compressed = CompressedOrigin {
                    disk: None,
                    size: stored.len() as u64,
                    expected: expected_size(&message.name, stored),
                };
                message.size = UNKNOWN;
                let reading = OpenMessageFile {
                    file: TreeFile::Stream(inside, UNKNOWN),
                    path,
                    message,
                    compressed: Some(compressed),
                };
                self.read_on(reading, batch)?;
                self.decompressed += 1;
                return Ok(());
            }
            CompressedFile::Other => Vec::new(),
            CompressedFile::Unreadable(defects) => defects,
        };
        let start = batch.bytes.len();
        batch.bytes.extend_from_slice(stored);
        self.report(&mut message, false, start, batch);
        add_defects(&message.name, defects, batch);
        self.push_pieces(&message, stored.len(), false, batch);
        self.ordinal += u64::from(message.kind != EntryKind::Other);
        Ok(())
    }

    /// Reads the content of a large message file from now on, if that is mail. `start` has the first bytes of the file.
    pub(super) fn open_inside(
        &mut self,
        reading: &mut OpenMessageFile,
        start: &[u8],
        batch: &mut Batch,
    ) -> Result<(), Error> {
        let failed = at(&reading.path, Operation::Read);
        let file = match &reading.file {
            TreeFile::Disk(file) => TreeFile::Disk(file.try_clone().map_err(&failed)?),
            _ => self.tree.open(&reading.path).map_err(&failed)?,
        };
        let message = &mut reading.message;
        let defects = match self.inside(&reading.path, file)? {
            CompressedFile::Message(inside) => {
                let file = mem::replace(&mut reading.file, TreeFile::Stream(inside, UNKNOWN));
                reading.compressed = Some(CompressedOrigin {
                    disk: on_disk(file),
                    size: message.size,
                    expected: expected_size(&message.name, start),
                });
                message.size = UNKNOWN;
                self.decompressed += 1;
                return Ok(());
            }
            CompressedFile::Other => Vec::new(),
            CompressedFile::Unreadable(defects) => defects,
        };
        add_defects(&message.name, defects, batch);
        if let TreeFile::Disk(file) = &mut reading.file {
            file.rewind().map_err(failed)?;
        }
        Ok(())
    }

    fn inside(
        &self,
        path: &Path,
        file: impl Read + Send + 'static,
    ) -> Result<CompressedFile, Error> {
        let ratio = self.options.max_expansion;
        let inside = self.tree.through_message(path, file, ratio)?;
        let file = CompressedFile::of(inside, self.decompression());
        let file = file.and_then(|file| file.unless_bytes_follow(LARGEST_READ_AHEAD));
        file.map_err(at(path, Operation::Read))
    }

    /// Adds the event that counts the decompressed messages, after the last file.
    pub(super) fn report_decompressed(&mut self, events: &mut Vec<BoxEvent>) {
        let is_at_end = self.end.is_none() && self.failed.is_none() && !self.has_more();
        if is_at_end && self.decompressed > 0 {
            let messages = mem::take(&mut self.decompressed);
            let detail = BoxDetail::Decompressed { messages };
            events.push(BoxEvent::new(BoxEventKind::Decompressed, 0, detail));
        }
    }
}

fn on_disk(file: TreeFile) -> Option<File> {
    match file {
        TreeFile::Disk(file) => Some(file),
        TreeFile::Range(_) | TreeFile::Stream(..) => None,
    }
}

/// Adds the defects of a file to a batch.
pub(super) fn add_defects(name: &[u8], defects: Vec<BoxEvent>, batch: &mut Batch) {
    batch.events.extend(defects.into_iter().map(|mut event| {
        event.name = name.to_vec();
        event
    }));
}

/// Adds the defects that were found so far while a file was decompressed.
pub(super) fn report_defects(reading: &OpenMessageFile, batch: &mut Batch) {
    if let TreeFile::Stream(stream, _) = &reading.file {
        add_defects(&reading.message.name, stream.defects.take(), batch);
    }
}

/// Adds the event for a compressed file that ended before the size that its name declares. `read` is the number of bytes of its last piece.
pub(super) fn report_missing_end(reading: &OpenMessageFile, read: u64, batch: &mut Batch) {
    let Some(compressed) = &reading.compressed else {
        return;
    };
    let name = &reading.message.name;
    let is_of = |event: &&BoxEvent| event.name == *name;
    let events: Vec<_> = batch.events.iter().filter(is_of).cloned().collect();
    let given = reading.message.offset + read;
    let missing = missing_end(compressed.expected, given, compressed.size, &events);
    add_defects(name, missing.into_iter().collect(), batch);
}
