//! Hands groups of files to other threads, and takes them back in the order of the folder.
//!
//! # Limits
//! Only files of a folder that is listed. Files of containers, and files with a layout such as emlx, are left to the reader.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::files::{Files, Work};
use crate::compressed_message::DecompressionOptions;
use crate::files_ahead::{FileAhead, FilesAhead, ReadFiles, ReadLimits, UnreadFile, UnreadFiles};
use crate::folder_range::ENTRY_WEIGHT;
use crate::layouts;
use crate::source::{EntryKind, Format};

/// Largest number of files of a group.
const MOST_FILES: u64 = 64;
/// Weight of a group of files of usual size.
const GROUP: u64 = 128 << 10;
/// Bytes of the largest group. A file above is left to the reader: opening it is a small part of the time that it takes.
const LARGEST_GROUP: u64 = 4 * GROUP;

impl Files {
    /// Removes the next item of the work, and returns its result if it is a file that was read.
    pub(super) fn pop_work(&mut self) -> Option<(Work, Option<FileAhead>)> {
        let work = self.work.pop()?;
        let is_file = matches!(work, Work::File(..));
        let file = self.ahead.reach(self.work.len(), is_file);
        Some((work, file))
    }

    /// Returns what is missing for `batches` batches that `threads` threads want.
    pub(super) fn missing_files(&mut self, batches: usize, threads: usize) -> FilesAhead {
        if self.opener.is_none() {
            return FilesAhead::Enough;
        }
        self.ahead.drop_passed();
        let batch = self.options.batch.max(1) as u64;
        let (batches, threads) = (batches as u64, threads as u64);
        if self.ahead.ready() >= batches * batch {
            return FilesAhead::Enough;
        }
        // A slow file at the front must not fill the memory behind it.
        if self.ahead.weight() < (batches + threads) * batch
            && let Some(files) = self.take_files()
        {
            return FilesAhead::Unread(files);
        }
        if self.ahead.is_waiting() {
            FilesAhead::Waiting
        } else {
            FilesAhead::Enough
        }
    }

    /// Takes back files that another thread has read.
    pub(super) fn take_back(&mut self, files: ReadFiles) {
        self.ahead.give(files);
    }

    /// Takes the next files of the work, up to the next folder or the end of the range.
    fn take_files(&mut self) -> Option<UnreadFiles> {
        let opener = self.opener.clone()?;
        let usual = self.ahead.usual.max(ENTRY_WEIGHT);
        let most = (GROUP / usual).clamp(1, MOST_FILES) as usize;
        let mut files = Vec::new();
        while files.len() < most && self.ahead.taken > 0 {
            let ahead = (self.work.len() - self.ahead.taken) as u64;
            if self.end.is_some_and(|end| self.entries + ahead >= end) {
                break;
            }
            match &self.work[self.ahead.taken - 1] {
                Work::Folder(_) => break,
                Work::FolderAlone(_) => {}
                Work::File(name, kind) => {
                    let is_left = *kind == EntryKind::Message && self.may_have_layout(name);
                    files.push((!is_left).then(|| UnreadFile {
                        name: name.clone(),
                        is_message: *kind == EntryKind::Message,
                    }));
                }
            }
            self.ahead.taken -= 1;
        }
        if files.is_empty() {
            return None;
        }
        let (number, buffer) = self.ahead.add(files.len());
        let limit = self.options.message_limit.max(1) as u64;
        Some(UnreadFiles {
            number,
            opener,
            files,
            limits: ReadLimits {
                file: LARGEST_GROUP.min(limit),
                group: LARGEST_GROUP,
            },
            decompression: self.decompression(),
            buffer,
        })
    }

    /// Returns how messages are decompressed.
    pub(super) fn decompression(&self) -> DecompressionOptions {
        DecompressionOptions {
            max_expansion: self.options.max_expansion,
            force_format: self.options.force_format,
        }
    }

    /// Returns true if the name of a message is that of a file with more than the message.
    pub(super) fn may_have_layout(&self, name: &[u8]) -> bool {
        self.format != Format::Maildir && layouts::is_named(Path::new(OsStr::from_bytes(name)))
    }
}
