//! A run of files in a folder, which one process of a job in parts reads.
//!
//! # Limits
//! Valid only while the files of the folder and their names stay as they are.

use serde::{Deserialize, Serialize};

/// The first file of a run, and what was counted before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderStart {
    /// Number of files and folders before it, in the order in which they are read.
    pub entries: u64,
    /// Its path below the folder. Bytes that are not UTF-8 are replaced.
    pub name: String,
    /// The sum of [`ENTRY_WEIGHT`] and of the bytes of each entry before it.
    pub weight: u64,
    /// The ordinal of the next message.
    pub ordinal: u64,
    /// Number of messages before it that were decompressed.
    #[serde(default)]
    pub decompressed: u64,
}

/// A run of files in a folder, in the order in which they are read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderRange {
    /// The first file. None for the start of the folder.
    pub start: Option<FolderStart>,
    /// Number of files and folders before the first file after the range. None for the end of the folder.
    pub end: Option<u64>,
}

/// Bytes that an entry of a folder counts besides its own, so that many empty files are divided, too.
pub const ENTRY_WEIGHT: u64 = 512;
