//! Notices that a file changed while it was read.
//!
//! # Limits
//! Compares size and modification time only.

use std::fs::File;
use std::io;
use std::time::SystemTime;

/// A file and its metadata when reading began.
pub(crate) struct FileIdentity {
    pub(crate) file: File,
    pub(crate) size: u64,
    modified: Option<SystemTime>,
}

impl FileIdentity {
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Self {
            file: file.try_clone()?,
            size: metadata.len(),
            modified: metadata.modified().ok(),
        })
    }

    /// Returns true if size or modification time changed.
    pub(crate) fn changed(&self) -> io::Result<bool> {
        let now = self.file.metadata()?;
        Ok(now.len() != self.size || now.modified().ok() != self.modified)
    }
}
