//! The type of an entry of a folder.
//!
//! # Limits
//! None.

use std::fs;

/// Type of a file. A link that is followed has the type of its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryType {
    Folder,
    File,
    /// A link that is not followed.
    Link,
    /// A link to nothing, where links are followed.
    Dangling,
    /// A folder that is read at another path, or a link to one, where links are followed.
    Repeated,
    /// A device, a pipe or a socket.
    Special,
}

impl EntryType {
    /// Returns the type of a file on a disk.
    pub(crate) fn of(kind: fs::FileType) -> Self {
        match () {
            () if kind.is_dir() => Self::Folder,
            () if kind.is_file() => Self::File,
            () if kind.is_symlink() => Self::Link,
            () => Self::Special,
        }
    }
}
