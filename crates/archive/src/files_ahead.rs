//! Opens, reads and hashes small files of a folder on any thread, before the reader of the folder needs them.
//!
//! The reader of a folder decides in order what a file is and which batch has it. Most of its time is opening, reading and closing.
//! This module does these three for a group of files. The reader then takes the results in order, as if it had read the files itself.
//!
//! # Limits
//! Files on a disk only. A file above [`ReadLimits::file`], and all that would not fit into [`ReadLimits::group`], are left to the reader.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::compressed_message::{DecompressionOptions, FileContent, decompress_small};
use crate::open_input;

/// What can be done before the next batch of a [`Source`](crate::Source).
#[derive(Debug)]
pub enum FilesAhead {
    /// The next batch needs no file that is not read.
    Enough,
    /// The next batch needs these files, which no thread reads yet.
    Unread(UnreadFiles),
    /// The next batch needs files that another thread reads.
    Waiting,
}

/// Opens files of a folder by their names.
#[derive(Clone, Debug)]
pub(crate) enum FileOpener {
    /// Follows no link below this folder.
    Below(Arc<File>),
    /// Follows the links below this path.
    Following(PathBuf),
}

impl FileOpener {
    /// Opens a file, and returns its metadata, too.
    pub(crate) fn open(&self, name: &[u8]) -> io::Result<(File, Metadata)> {
        let name = Path::new(OsStr::from_bytes(name));
        match self {
            Self::Below(folder) => open_input::open_below(folder, name),
            Self::Following(root) => {
                let file = open_input::open(&root.join(name))?;
                let metadata = file.metadata()?;
                Ok((file, metadata))
            }
        }
    }
}

/// Sizes in bytes up to which files are read ahead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadLimits {
    /// Of one file.
    pub(crate) file: u64,
    /// Of a group.
    pub(crate) group: u64,
}

/// A file of a folder.
#[derive(Debug)]
pub(crate) struct UnreadFile {
    /// Its path below the folder.
    pub(crate) name: Vec<u8>,
    /// True if it is in the place of a message.
    pub(crate) is_message: bool,
}

/// A group of files of a folder that one thread opens and reads.
#[derive(Debug)]
pub struct UnreadFiles {
    pub(crate) number: u64,
    pub(crate) opener: FileOpener,
    /// The files, in order. None for a file that is left to the reader.
    pub(crate) files: Vec<Option<UnreadFile>>,
    pub(crate) limits: ReadLimits,
    /// How messages are decompressed.
    pub(crate) decompression: DecompressionOptions,
    /// A buffer to reuse.
    pub(crate) buffer: Vec<u8>,
}

impl UnreadFiles {
    /// Opens, reads and closes the files. Errors are part of the result. With `hashes`, computes the digest of each file, too.
    pub fn read(self, hashes: bool) -> ReadFiles {
        let mut bytes = self.buffer;
        bytes.clear();
        let read = |unread: Option<UnreadFile>| {
            let Some(UnreadFile { name, is_message }) = unread else {
                return FileAhead::Left(0);
            };
            let mut file = read_one(&self.opener, &name, self.limits, &mut bytes);
            if let FileAhead::Read(file) = &mut file
                && is_message
            {
                file.decompress(&name, &mut bytes, self.limits, self.decompression);
            }
            file
        };
        let mut files: VecDeque<_> = self.files.into_iter().map(read).collect();
        if hashes {
            for file in &mut files {
                if let FileAhead::Read(file) = file
                    && !matches!(file.content, FileContent::Compressed)
                {
                    file.digest = Some(*blake3::hash(&bytes[file.bytes.clone()]).as_bytes());
                }
            }
        }
        ReadFiles {
            number: self.number,
            bytes,
            files,
        }
    }
}

/// A group of files that were read. Give it back to the [`Source`](crate::Source).
#[derive(Debug)]
pub struct ReadFiles {
    pub(crate) number: u64,
    /// The bytes of all files.
    pub(crate) bytes: Vec<u8>,
    pub(crate) files: VecDeque<FileAhead>,
}

/// The result of opening and reading one file.
#[derive(Debug)]
pub(crate) enum FileAhead {
    /// It was read to its end.
    Read(WholeFile),
    /// It could not be opened.
    NotOpened(io::Error),
    /// It could not be read.
    NotRead(io::Error),
    /// It is left to the reader. Its size, if known.
    Left(u64),
}

/// A file that was read to its end.
#[derive(Clone, Debug)]
pub(crate) struct WholeFile {
    /// Its bytes in [`ReadFiles::bytes`].
    pub(crate) bytes: Range<usize>,
    /// Its size when it was opened.
    pub(crate) size: u64,
    /// Its modification time when it was opened.
    pub(crate) modified: Option<SystemTime>,
    /// True if it changed while it was read.
    pub(crate) changed: bool,
    /// BLAKE3 of its bytes, if requested.
    pub(crate) digest: Option<[u8; 32]>,
    /// What its bytes are.
    pub(crate) content: FileContent,
}

impl WholeFile {
    /// Decompresses the last file in `bytes`, if it is a compressed message that fits into the group.
    fn decompress(
        &mut self,
        name: &[u8],
        bytes: &mut Vec<u8>,
        limits: ReadLimits,
        options: DecompressionOptions,
    ) {
        let start = self.bytes.start;
        let limit = limits.file.min(limits.group.saturating_sub(start as u64));
        let name = Path::new(OsStr::from_bytes(name));
        self.content = decompress_small(name, bytes, start, limit, options);
        self.bytes.end = bytes.len();
    }
}

impl FileAhead {
    /// Returns the size of the file in bytes, as far as known.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::Read(file) => file.bytes.len() as u64,
            Self::Left(size) => *size,
            Self::NotOpened(_) | Self::NotRead(_) => 0,
        }
    }
}

fn read_one(
    opener: &FileOpener,
    name: &[u8],
    limits: ReadLimits,
    bytes: &mut Vec<u8>,
) -> FileAhead {
    let (mut file, metadata) = match opener.open(name) {
        Ok(opened) => opened,
        Err(error) => return FileAhead::NotOpened(error),
    };
    let size = metadata.len();
    if size > limits.file || bytes.len() as u64 + size > limits.group {
        return FileAhead::Left(size);
    }
    let start = bytes.len();
    match read_whole(&mut file, &metadata, bytes) {
        Ok(changed) => FileAhead::Read(WholeFile {
            bytes: start..bytes.len(),
            size,
            modified: metadata.modified().ok(),
            changed,
            digest: None,
            content: FileContent::Stored,
        }),
        Err(error) => {
            bytes.truncate(start);
            FileAhead::NotRead(error)
        }
    }
}

/// Appends the bytes of a file up to its size when it was opened. Returns true if it changed since then.
fn read_whole(file: &mut File, opened: &Metadata, bytes: &mut Vec<u8>) -> io::Result<bool> {
    bytes.reserve(opened.len() as usize + 1);
    let read = file.take(opened.len()).read_to_end(bytes)?;
    let now = file.metadata()?;
    let is_same = now.len() == opened.len() && now.modified().ok() == opened.modified().ok();
    Ok((read as u64) < opened.len() || !is_same)
}
