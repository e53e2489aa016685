//! Recognizes whether a file on a disk is still the one that was read before.
//!
//! # Limits
//! Does not notice a change that keeps size and modification time.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::error::{Error, Operation, at};

/// Path, device, inode, size and modification time of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DiskIdentity {
    path: PathBuf,
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl DiskIdentity {
    /// Takes the identity of an opened file.
    pub(crate) fn of(path: &Path, metadata: &Metadata) -> Self {
        Self {
            path: path.to_owned(),
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }

    /// Returns the path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the size in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Returns true if the path leads to another file, or to one that was changed.
    pub(crate) fn is_changed(&self) -> Result<bool, Error> {
        let metadata = fs::metadata(&self.path).map_err(at(&self.path, Operation::Open))?;
        Ok(Self::of(&self.path, &metadata) != *self)
    }
}
