//! Notices that a file changed, or was replaced, while it was read.
//!
//! # Limits
//! Compares size, modification time and number of links only. So a replaced file that has another hard link counts as unchanged.

use crate::file_range::FileRange;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::time::SystemTime;

/// A file and its metadata when reading began.
pub(crate) struct FileIdentity {
    pub(crate) file: File,
    /// Offset of the archive in the file.
    pub(crate) start: u64,
    /// Size of the archive.
    pub(crate) size: u64,
    modified: Option<SystemTime>,
    /// True if the file had a name. A shell may give one that has none on standard input.
    has_name: bool,
}

impl FileIdentity {
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Self {
            file: file.try_clone()?,
            start: 0,
            size: metadata.len(),
            modified: metadata.modified().ok(),
            has_name: metadata.nlink() > 0,
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

    /// Returns true if size or modification time changed, or if the file lost its last name, as when another file replaces it.
    pub(crate) fn changed(&self) -> io::Result<bool> {
        let now = self.file.metadata()?;
        let is_replaced = self.has_name && now.nlink() == 0;
        Ok(is_replaced || now.len() != self.size || now.modified().ok() != self.modified)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_replaced_file_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a"), "old").unwrap();
        let before = FileIdentity::of(&File::open(at("a")).unwrap()).unwrap();
        fs::rename(at("a"), at("b")).unwrap();
        assert!(!before.changed().unwrap());
        fs::write(at("c"), "new").unwrap();
        fs::rename(at("c"), at("b")).unwrap();
        assert!(before.changed().unwrap());
        // Never had a name.
        let unnamed = FileIdentity::of(&tempfile::tempfile().unwrap()).unwrap();
        assert!(!unnamed.changed().unwrap());
    }
}
