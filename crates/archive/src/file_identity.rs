//! Notices that a file changed while it was read.
//!
//! # Limits
//! Compares size and modification time only.

use crate::file_range::FileRange;
use std::fs::File;
use std::io;
use std::time::SystemTime;

/// A file and its metadata when reading began.
pub(crate) struct FileIdentity {
    pub(crate) file: File,
    /// Offset of the archive in the file.
    pub(crate) start: u64,
    /// Size of the archive.
    pub(crate) size: u64,
    modified: Option<SystemTime>,
}

impl FileIdentity {
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Self {
            file: file.try_clone()?,
            start: 0,
            size: metadata.len(),
            modified: metadata.modified().ok(),
        })
    }

    /// Takes an archive that is a range of a file. Its container notices changes.
    pub(crate) fn of_range(range: &FileRange) -> io::Result<Self> {
        Ok(Self {
            start: range.range().start,
            size: range.len(),
            ..Self::of(range.file())?
        })
    }

    /// Returns true if size or modification time changed.
    pub(crate) fn changed(&self) -> io::Result<bool> {
        let now = self.file.metadata()?;
        Ok(now.len() != self.size || now.modified().ok() != self.modified)
    }
}
