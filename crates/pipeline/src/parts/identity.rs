//! Identifies inputs by size and modification time, so that parts of different states of an input are never joined.
//!
//! # Limits
//!
//! Does not read contents. A copy has another modification time, unless it is kept (`cp -p`).

use crate::path_checks::on_disk;
use mailglot_archive::{Error as FileError, Operation};
use serde::{Deserialize, Serialize};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The identity of an input when it was planned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SourceIdentity {
    /// Size of the file, or of all files of a folder, in bytes.
    pub(crate) size: u64,
    /// Modification time of the file: seconds and nanoseconds since 1970. That of the last change in a folder.
    pub(crate) modified: (i64, i64),
    /// Number of files and folders in a folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) entries: Option<u64>,
    /// BLAKE3 of names, sizes and modification times of all files of a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) listing: Option<String>,
}

impl SourceIdentity {
    /// Identifies the file, or the folder, that contains the input at `path`.
    ///
    /// # Errors
    /// It cannot be inspected.
    pub(crate) fn of(path: &Path) -> Result<Self, FileError> {
        let path = on_disk(path);
        let identity = Self::identify(path);
        identity.map_err(|error| FileError::new(path, Operation::Open, error))
    }

    fn identify(path: &Path) -> io::Result<Self> {
        let metadata = fs::metadata(path)?;
        if !metadata.is_dir() {
            return Ok(Self {
                size: metadata.len(),
                modified: modified(&metadata),
                entries: None,
                listing: None,
            });
        }
        let mut identity = Self {
            size: 0,
            modified: (0, 0),
            entries: Some(0),
            listing: None,
        };
        let mut hasher = blake3::Hasher::new();
        identity.add_folder(path, path, &mut hasher)?;
        identity.listing = Some(hasher.finalize().to_hex().to_string());
        Ok(identity)
    }

    /// Returns a digest of inode numbers and times of change (ctime) of the files: unlike the identity, it also differs after
    /// an edit that keeps size and modification time, and on every copy.
    ///
    /// # Errors
    /// It cannot be inspected.
    pub(crate) fn state(path: &Path) -> Result<String, FileError> {
        let path = on_disk(path);
        let mut hasher = blake3::Hasher::new();
        let added = fs::metadata(path).and_then(|there| add_state(path, &there, &mut hasher));
        added.map_err(|error| FileError::new(path, Operation::Open, error))?;
        Ok(hasher.finalize().to_hex().to_string())
    }

    fn add_folder(
        &mut self,
        root: &Path,
        folder: &Path,
        hasher: &mut blake3::Hasher,
    ) -> io::Result<()> {
        let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            self.entries = self.entries.map(|entries| entries + 1);
            // Does not follow links.
            let metadata = entry.metadata()?;
            let name = path.strip_prefix(root).unwrap_or(&path);
            let name = name.as_os_str().as_bytes();
            let time = modified(&metadata);
            hasher.update(&(name.len() as u64).to_le_bytes());
            hasher.update(name);
            if metadata.is_dir() {
                hasher.update(b"D");
                self.add_folder(root, &path, hasher)?;
                continue;
            }
            self.size += metadata.len();
            self.modified = self.modified.max(time);
            hasher.update(b"F").update(&metadata.len().to_le_bytes());
            hasher.update(&time.0.to_le_bytes());
            hasher.update(&time.1.to_le_bytes());
        }
        Ok(())
    }
}

/// Adds the state of a file, or of all files in a folder.
fn add_state(path: &Path, metadata: &Metadata, hasher: &mut blake3::Hasher) -> io::Result<()> {
    if metadata.is_dir() {
        let mut entries = fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            add_state(&entry.path(), &entry.metadata()?, hasher)?;
        }
        return Ok(());
    }
    hasher.update(&metadata.ino().to_le_bytes());
    hasher.update(&metadata.ctime().to_le_bytes());
    hasher.update(&metadata.ctime_nsec().to_le_bytes());
    Ok(())
}

fn modified(metadata: &Metadata) -> (i64, i64) {
    (metadata.mtime(), metadata.mtime_nsec())
}
