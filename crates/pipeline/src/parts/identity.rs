//! Identifies inputs by size and modification time, so that parts of different states of an input are never joined.
//!
//! # Limits
//!
//! Does not read contents. A copy has another modification time, unless it is kept (`cp -p`).

use crate::hash::hex;
use crate::path_checks::on_disk;
use mailglot_archive::{Error as FileError, FileTree, Input, Operation};
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
    /// Identifies the file, or the folder with the targets of followed links, that contains an input.
    ///
    /// # Errors
    /// It cannot be inspected.
    pub(crate) fn of(input: &Input) -> Result<Self, FileError> {
        let path = on_disk(&input.path);
        let identity = Self::identify(path, &input.tree);
        identity.map_err(|error| FileError::new(path, Operation::Open, error))
    }

    fn identify(path: &Path, tree: &FileTree) -> io::Result<Self> {
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
        identity.add_folder(tree, (path, path), &mut hasher)?;
        identity.listing = Some(hex(hasher.finalize().as_bytes()));
        Ok(identity)
    }

    /// Returns a digest of inode numbers and times of change (ctime) of the files. Unlike the identity, it also differs after
    /// an edit that keeps size and modification time, and on every copy.
    ///
    /// # Errors
    /// It cannot be inspected.
    pub(crate) fn state(input: &Input) -> Result<String, FileError> {
        let path = on_disk(&input.path);
        let mut hasher = blake3::Hasher::new();
        let added = fs::metadata(path)
            .and_then(|there| add_state(&input.tree, (path, &there), &mut hasher));
        added.map_err(|error| FileError::new(path, Operation::Open, error))?;
        Ok(hex(hasher.finalize().as_bytes()))
    }

    fn add_folder(
        &mut self,
        tree: &FileTree,
        (root, folder): (&Path, &Path),
        hasher: &mut blake3::Hasher,
    ) -> io::Result<()> {
        let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            self.entries = self.entries.map(|entries| entries + 1);
            let metadata = tree.metadata(&path)?;
            let name = path.strip_prefix(root).unwrap_or(&path);
            let name = name.as_os_str().as_bytes();
            hasher.update(&(name.len() as u64).to_le_bytes());
            hasher.update(name);
            let Some(metadata) = metadata else {
                hasher.update(b"R");
                continue;
            };
            let time = modified(&metadata);
            if metadata.is_dir() {
                hasher.update(b"D");
                self.add_folder(tree, (root, &path), hasher)?;
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
fn add_state(
    tree: &FileTree,
    (path, metadata): (&Path, &Metadata),
    hasher: &mut blake3::Hasher,
) -> io::Result<()> {
    if metadata.is_dir() {
        let mut entries = fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            if let Some(metadata) = tree.metadata(&path)? {
                add_state(tree, (&path, &metadata), hasher)?;
            }
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
