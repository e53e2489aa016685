//! Reads files whole, or in pieces above the size limit, and builds their entries.
//!
//! # Limits
//! Owners and permissions of files are not kept, and times only of messages.

use super::apple_mail::apple_name;
use super::compressed::{add_defects, report_defects, report_missing_end};
use super::files::{Files, MessageFile, Name, OpenMessageFile, PIECE, last};
use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind};
use crate::compressed_message::FileContent;
use crate::error::{Error, Operation, at};
use crate::file_names::is_written_message;
use crate::files_ahead::FileAhead;
use crate::mbox::looks_like_message;
use crate::mh::{self, MhSequences};
use crate::packing::Packing;
use crate::source::{Batch, Entry, EntryKind, Flags, Format};
use crate::tree_file::TreeFile;
use crate::{mail_check, maildir};
use std::io::{Seek, SeekFrom};
use std::time::SystemTime;

/// Bytes of a batch that become an entry.
pub(super) struct FilePiece<'a> {
    pub(super) kind: EntryKind,
    /// Path of the file below the root.
    pub(super) name: &'a [u8],
    /// Offset in the file.
    pub(super) offset: u64,
    pub(super) length: usize,
    /// Bytes of the batch after it.
    pub(super) after: usize,
    /// Modification time of the file.
    pub(super) modified: Option<SystemTime>,
    /// True if the next piece of the file follows.
    pub(super) more: bool,
}

impl FilePiece<'_> {
    /// Returns the piece for a folder.
    pub(super) fn folder(name: &[u8]) -> FilePiece<'_> {
        FilePiece {
            kind: EntryKind::Directory,
            name,
            offset: 0,
            length: 0,
            after: 0,
            modified: None,
            more: false,
        }
    }
}

/// Result of reading a file.
struct ReadBytes {
    bytes: usize,
    /// True if the file ended before its size.
    shrunk: bool,
    more: bool,
}

impl Files {
    /// Adds the entry of a file that another thread has read, as [`Self::read_on`] does for a file that it reads whole.
    pub(super) fn take_ahead(
        &mut self,
        name: Name,
        kind: EntryKind,
        ahead: FileAhead,
        batch: &mut Batch,
    ) -> Result<(), Error> {
        let file = match ahead {
            FileAhead::Read(file) => file,
            FileAhead::NotRead(error) => {
                return Err(at(&self.path(&name), Operation::Read)(error));
            }
            FileAhead::NotOpened(error) => {
                let path = self.path(&name);
                return self.not_opened(error, &name, &path, &mut batch.events);
            }
            // The caller reads it.
            FileAhead::Left(_) => return Ok(()),
        };
        let start = batch.bytes.len();
        self.changed |= file.changed;
        let mut message = MessageFile {
            name,
            kind,
            offset: 0,
            size: file.size,
            modified: file.modified,
        };
        let defects = match file.content {
            FileContent::Compressed => {
                let stored = self.ahead.bytes(file.bytes).to_vec();
                return self.read_stored(message, &stored, batch);
            }
            FileContent::Stored => Vec::new(),
            FileContent::Unreadable(defects) => defects,
            FileContent::Decompressed(defects) => {
                self.decompressed += 1;
                defects
            }
        };
        batch
            .bytes
            .extend_from_slice(self.ahead.bytes(file.bytes.clone()));
        self.report(&mut message, false, start, batch);
        add_defects(&message.name, defects, batch);
        self.push_pieces(&message, file.bytes.len(), false, batch);
        if let Some(entry) = batch.entries.last_mut() {
            entry.digest = file.digest;
        }
        self.ordinal += u64::from(message.kind != EntryKind::Other);
        Ok(())
    }

    /// Reads a file, or the next piece of it.
    pub(super) fn read_on(
        &mut self,
        mut reading: OpenMessageFile,
        batch: &mut Batch,
    ) -> Result<(), Error> {
        self.examine_large(&mut reading, batch)?;
        let limit = self.options.message_limit.max(1) as u64;
        let may_be_too_large =
            reading.message.kind == EntryKind::Message && reading.message.size > limit;
        // What a container declares may be wrong: the content counts.
        let is_declared = matches!(reading.file, TreeFile::Stream(..));
        if may_be_too_large && !is_declared {
            reading.message.kind = EntryKind::Oversize;
        }
        let whole = reading.message.kind == EntryKind::Message;
        let left = reading.message.size - reading.message.offset;
        let wanted = if whole {
            left.min(limit.saturating_add(1))
        } else {
            left.min(PIECE.min(limit))
        };
        let start = batch.bytes.len();
        let read = read_bytes(&mut reading, wanted, &mut batch.bytes)?;
        let is_too_large = may_be_too_large && (!is_declared || read.bytes as u64 > limit);
        if is_too_large {
            reading.message.kind = EntryKind::Oversize;
        }
        let shrunk = read.shrunk;
        let more = read.more;
        let read = read.bytes;
        if whole && reading.compressed.is_none() && self.is_compressed(&batch.bytes[start..]) {
            self.check_changed(&reading, shrunk)?;
            report_defects(&reading, batch);
            let stored = batch.bytes.split_off(start);
            return self.read_stored(reading.message, &stored, batch);
        }
        self.report(&mut reading.message, is_too_large, start, batch);
        self.check_changed(&reading, shrunk)?;
        report_defects(&reading, batch);
        if !more {
            report_missing_end(&reading, read as u64, batch);
        }
        self.push_pieces(&reading.message, read, more, batch);
        if more {
            reading.message.offset += read as u64;
            self.reading = Some(reading);
        } else if reading.message.kind != EntryKind::Other {
            self.ordinal += 1;
        }
        Ok(())
    }

    /// Notes if a file on a disk changed while it was read. `shrunk` is true if it ended before its size. A container is checked as a whole.
    fn check_changed(&mut self, reading: &OpenMessageFile, shrunk: bool) -> Result<(), Error> {
        let (file, size, shrunk) = match (&reading.file, &reading.compressed) {
            (TreeFile::Disk(file), _) => (file, reading.message.size, shrunk),
            (_, Some(compressed)) if let Some(file) = &compressed.disk => {
                (file, compressed.size, false)
            }
            _ => return Ok(()),
        };
        let now = file.metadata();
        let now = now.map_err(at(&reading.path, Operation::Read))?;
        if shrunk || now.len() != size || now.modified().ok() != reading.message.modified {
            self.changed = true;
        }
        Ok(())
    }

    /// Examines the beginning of a large file: of a compressed message, the content is read. What does not begin like a message becomes
    /// another file, so that it is read in pieces.
    fn examine_large(
        &mut self,
        reading: &mut OpenMessageFile,
        batch: &mut Batch,
    ) -> Result<(), Error> {
        let limit = self.options.message_limit.max(1) as u64;
        if reading.message.kind != EntryKind::Message
            || reading.compressed.is_some()
            || reading.message.offset > 0
            || reading.message.size <= PIECE.min(limit)
        {
            return Ok(());
        }
        let start = self.beginning_of(&reading.path, &reading.file);
        let start = start.map_err(at(&reading.path, Operation::Read))?;
        if self.is_compressed(&start) {
            return self.open_inside(reading, &start, batch);
        }
        if reading.message.size > PIECE && self.is_no_mail(&reading.message.name, &start) {
            reject(&mut reading.message, batch);
        }
        Ok(())
    }

    /// Adds entries for the last `read` bytes of the batch: one, or several pieces of a message above the limit.
    pub(super) fn push_pieces(
        &mut self,
        file: &MessageFile,
        read: usize,
        more: bool,
        batch: &mut Batch,
    ) {
        let most = if file.kind == EntryKind::Oversize {
            PIECE.min(self.options.message_limit.max(1) as u64) as usize
        } else {
            read
        };
        let mut at = 0;
        loop {
            let length = most.min(read - at);
            let after = read - at - length;
            let piece = FilePiece {
                kind: file.kind,
                name: &file.name,
                offset: file.offset + at as u64,
                length,
                after,
                modified: file.modified,
                more: more || after > 0,
            };
            self.push(batch, &piece);
            at += length;
            if after == 0 {
                break;
            }
        }
    }

    /// Returns true if the beginning of a file in the place of a message is not that of a message.
    pub(super) fn is_no_mail(&self, name: &[u8], start: &[u8]) -> bool {
        self.format != Format::Eml
            && !is_written_message(name)
            && !self.options.force_format
            && Packing::of(start).is_none()
            && !mail_check::is_mail(start)
    }

    /// Adds the events of a file whose bytes begin at `start`. Turns a message file that is not mail into another file.
    pub(super) fn report(
        &self,
        file: &mut MessageFile,
        is_too_large: bool,
        start: usize,
        batch: &mut Batch,
    ) {
        if self.format == Format::Eml
            && file.offset == 0
            && !looks_like_message(&batch.bytes[start..])
            && file.size > 0
        {
            let (kind, detail) = (BoxEventKind::Single, BoxDetail::NotLikeMessage);
            batch.events.push(BoxEvent::new(kind, 0, detail));
        }
        if file.offset == 0
            && file.kind != EntryKind::Other
            && self.is_no_mail(&file.name, &batch.bytes[start..])
        {
            reject(file, batch);
        } else if is_too_large {
            let limit = self.options.message_limit.max(1) as u64;
            let (kind, detail) = (BoxEventKind::TooLarge, BoxDetail::LongerThan(limit));
            let event = BoxEvent::of_file(kind, &file.name, detail);
            batch.events.push(event);
        }
    }

    /// Returns a display name for a folder of messages that is unique, also as a name in the output.
    ///
    /// `is_apple` is true for a folder of Apple Mail, whose name ends in `.mbox`.
    pub(super) fn display(
        &mut self,
        folder: &[u8],
        is_apple: bool,
        events: &mut Vec<BoxEvent>,
    ) -> String {
        if let Some(known) = self.folders.get(folder) {
            return known.clone();
        }
        let own = match self.format {
            Format::Maildir => maildir::folder_name(folder, self.options.decode_name),
            _ if is_apple => apple_name(folder),
            _ => String::from_utf8_lossy(folder).into_owned(),
        };
        let mut display = own.clone();
        if let Some(written) = self.options.written_folder {
            let mut number = 1u64;
            while self.written.contains_key(&written(&display)) {
                number += 1;
                display = format!("{own}-{number}");
            }
            let name = || folder.escape_ascii().to_string();
            let detail = if number > 1 {
                let (display, name) = (display.clone(), name());
                Some(BoxDetail::RenamedFolder { display, name })
            } else if std::str::from_utf8(folder).is_err() {
                let (display, name) = (display.clone(), name());
                Some(BoxDetail::FolderNotUtf8 { display, name })
            } else {
                None
            };
            if let Some(detail) = detail {
                events.push(BoxEvent::new(BoxEventKind::FolderName, 0, detail));
            }
            self.written.insert(written(&display), folder.to_owned());
        }
        self.folders.insert(folder.to_owned(), display.clone());
        display
    }

    /// Returns the flags of a message in an MH folder.
    fn sequence_flags(&self, name: &[u8]) -> Flags {
        let flags = |(sequences, number): (&MhSequences, u64)| sequences.flags(number);
        self.sequences
            .as_ref()
            .zip(mh::number(last(name)))
            .map(flags)
            .unwrap_or_default()
    }

    /// Adds an entry for bytes of the batch.
    pub(super) fn push(&mut self, batch: &mut Batch, piece: &FilePiece<'_>) {
        let (kind, name) = (piece.kind, piece.name);
        let end = batch.bytes.len() - piece.after;
        let span = end - piece.length..end;
        let is_message = matches!(kind, EntryKind::Message | EntryKind::Oversize);
        let folder = self.folder_of(name, is_message);
        let folder = if is_message {
            self.display(folder, false, &mut batch.events)
        } else {
            String::from_utf8_lossy(folder).into_owned()
        };
        let flags = match self.format {
            Format::Maildir if is_message => maildir::flags(last(name)),
            _ if is_message => self.sequence_flags(name),
            _ => Flags::default(),
        };
        batch.entries.push(Entry {
            more: piece.more,
            flags,
            name: name.to_vec(),
            folder,
            modified: piece.modified.filter(|_| is_message),
            ..Entry::new(kind, self.ordinal, piece.offset, span)
        });
    }

    /// Returns the folder of a file. For a message of a Maildir, that is the folder with `cur` and `new`.
    pub(super) fn folder_of<'n>(&self, name: &'n [u8], is_message: bool) -> &'n [u8] {
        let folder = name
            .iter()
            .rposition(|&byte| byte == b'/')
            .map(|at| &name[..at])
            .unwrap_or_default();
        if self.format != Format::Maildir || !is_message || !maildir::is_part(last(folder)) {
            return folder;
        }
        let above = &folder[..folder.len() - last(folder).len()];
        above.strip_suffix(b"/").unwrap_or(above)
    }
}

/// Turns a message file that is not mail into another file, and reports it.
fn reject(file: &mut MessageFile, batch: &mut Batch) {
    file.kind = EntryKind::Other;
    let (kind, detail) = (BoxEventKind::NoHeader, BoxDetail::NoHeader);
    let event = BoxEvent::of_file(kind, &file.name, detail);
    batch.events.push(event);
}

/// Appends up to `wanted` bytes of a file. A piece of a message ends with a line if possible.
fn read_bytes(
    reading: &mut OpenMessageFile,
    wanted: u64,
    bytes: &mut Vec<u8>,
) -> Result<ReadBytes, Error> {
    let start = bytes.len();
    if reading.compressed.is_none() {
        bytes.reserve(wanted as usize + 1);
    }
    let failed = at(&reading.path, Operation::Read);
    let read = reading.file.append(wanted, bytes);
    let mut read = read.map_err(|error| {
        bytes.truncate(start);
        failed(error)
    })?;
    let shrunk = (read as u64) < wanted;
    let more = !shrunk && reading.message.offset + (read as u64) < reading.message.size;
    if more
        && reading.message.kind == EntryKind::Oversize
        && let Some(line_end) = memchr::memrchr(b'\n', &bytes[start..])
        && line_end + 1 < read
    {
        let next = line_end + 1;
        let is_back = match &mut reading.file {
            TreeFile::Disk(file) => {
                let back = SeekFrom::Current(next as i64 - read as i64);
                file.seek(back).map_err(&failed)?;
                true
            }
            TreeFile::Range(range) => {
                range.go_to(reading.message.offset + next as u64);
                true
            }
            // A stream cannot go back: the piece ends inside a line.
            TreeFile::Stream(..) => false,
        };
        if is_back {
            read = next;
            bytes.truncate(start + read);
        }
    }
    Ok(ReadBytes {
        bytes: read,
        shrunk,
        more,
    })
}
