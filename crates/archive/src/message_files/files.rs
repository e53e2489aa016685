//! Defines the state of a folder, or of one file, that is being read.
//!
//! # Limits
//! The modules beside this one list folders and read files.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::SystemTime;

use super::file_groups::FileGroups;
use crate::box_event::BoxEvent;
use crate::error::Error;
use crate::file_tree::FileTree;
use crate::files_ahead::FileOpener;
use crate::layouts::LayoutReader;
use crate::mh::MhSequences;
use crate::source::{EntryKind, Format, Profile, ReadOptions};
use crate::tree_file::TreeFile;

/// Bytes per piece of a large file.
pub(super) const PIECE: u64 = 1 << 20;

/// The messages of a Maildir folder when it was listed.
pub(super) struct MaildirNames {
    /// `cur` and `new`, with their modification times.
    pub(super) folders: Vec<(PathBuf, Option<SystemTime>)>,
    /// Sum of the digests of their unique names, in any order.
    pub(super) sum: u128,
}

/// The messages in a `cur` that was listed again: the unique name and the name of each.
#[derive(Default)]
pub(super) struct ListedAgain {
    pub(super) folder: PathBuf,
    pub(super) names: HashMap<Vec<u8>, Name>,
    /// Number of times that it was listed.
    pub(super) lists: usize,
}

/// A folder, or one file, as a [`Source`].
pub(crate) struct Files {
    pub(super) root: PathBuf,
    /// Where the root is.
    pub(super) tree: FileTree,
    /// True for one folder of a Maildir. The folders below it are not read.
    pub(super) is_one_folder: bool,
    pub(super) format: Format,
    pub(super) profile: Profile,
    pub(super) size: Option<u64>,
    pub(super) options: ReadOptions,
    /// Files and folders still to be read, last first.
    pub(super) work: Vec<Work>,
    pub(super) reading: Option<OpenMessageFile>,
    /// A file of a format that has more than the message, such as emlx.
    pub(super) layout: Option<OpenLayout>,
    /// Opens the files of a folder on a disk. None for one file, and in a container.
    pub(super) opener: Option<FileOpener>,
    /// Files that other threads open and read.
    pub(super) ahead: FileGroups,
    pub(super) ordinal: u64,
    pub(super) changed: bool,
    /// Folders that were listed, with their modification times. Without `cur` and `new` of a Maildir.
    pub(super) listed: Vec<(PathBuf, Option<SystemTime>)>,
    /// The messages of Maildir folders that were listed.
    pub(super) maildirs: Vec<MaildirNames>,
    /// The folder that was listed again last, to find renamed messages.
    pub(super) listed_again: ListedAgain,
    /// Events found when the root was listed.
    pub(super) events: Vec<BoxEvent>,
    /// Sequences of the folder that was listed last, whose files come next.
    pub(super) sequences: Option<MhSequences>,
    /// Folders of messages, with their display names.
    pub(super) folders: HashMap<Name, String>,
    /// Their names in the output, with the folder.
    pub(super) written: HashMap<String, Name>,
    /// An error that is returned after the entries before it.
    pub(super) failed: Option<Error>,
    /// Number of files and folders begun.
    pub(super) entries: u64,
    /// Number of messages that were decompressed.
    pub(super) decompressed: u64,
    /// Weight of the entries read (`folder_starts`).
    pub(super) weight: u64,
    /// Number of files and folders before the end of the range. None for the end of the folder.
    pub(super) end: Option<u64>,
}

/// A path below the root, with `/`. Empty for the root.
pub(super) type Name = Vec<u8>;

pub(super) enum Work {
    /// A folder to return as an entry and to list.
    Folder(Name),
    /// A folder to return as an entry only.
    FolderAlone(Name),
    File(Name, EntryKind),
}

impl Work {
    /// Returns the path.
    pub(super) fn name(&self) -> &[u8] {
        match self {
            Self::Folder(name) | Self::FolderAlone(name) | Self::File(name, _) => name,
        }
    }
}

/// A file that is being read.
pub(super) struct OpenMessageFile {
    pub(super) file: TreeFile,
    pub(super) path: PathBuf,
    pub(super) message: MessageFile,
    /// The compressed file whose content `file` is.
    pub(super) compressed: Option<CompressedOrigin>,
}

/// The compressed file of a message.
pub(super) struct CompressedOrigin {
    /// The file, if it is on a disk and was not read whole before.
    pub(super) disk: Option<File>,
    /// Its size when it was opened.
    pub(super) size: u64,
    /// The size of the content, if the name declares it and nothing else does.
    pub(super) expected: Option<u64>,
}

/// A file, and how far it was read.
pub(super) struct MessageFile {
    pub(super) name: Name,
    pub(super) kind: EntryKind,
    pub(super) offset: u64,
    /// Size in bytes when it was opened.
    pub(super) size: u64,
    /// Modification time when it was opened.
    pub(super) modified: Option<SystemTime>,
}

/// A file that was opened.
pub(super) struct OpenedFile {
    pub(super) file: TreeFile,
    pub(super) size: u64,
    pub(super) modified: Option<SystemTime>,
}

impl OpenedFile {
    /// Takes a file, and its size and modification time.
    pub(super) fn of(file: TreeFile) -> io::Result<Self> {
        let (size, modified) = match &file {
            TreeFile::Disk(file) => {
                let metadata = file.metadata()?;
                (metadata.len(), metadata.modified().ok())
            }
            TreeFile::Range(range) => (range.len(), None),
            TreeFile::Stream(_, size) => (*size, None),
        };
        Ok(Self {
            file,
            size,
            modified,
        })
    }

    /// Takes a file on a disk, whose metadata are known.
    pub(super) fn on_disk(file: File, metadata: &Metadata) -> Self {
        Self {
            file: TreeFile::Disk(file),
            size: metadata.len(),
            modified: metadata.modified().ok(),
        }
    }
}

/// A file of another layout that is being read.
pub(super) struct OpenLayout {
    pub(super) reader: LayoutReader,
    pub(super) name: Name,
    /// Modification time of the file when it was opened.
    pub(super) modified: Option<SystemTime>,
}

/// Returns the last component of a path.
pub(super) fn last(name: &[u8]) -> &[u8] {
    name.iter()
        .rposition(|&byte| byte == b'/')
        .map_or(name, |at| &name[at + 1..])
}

impl Files {
    pub(super) fn path(&self, name: &[u8]) -> PathBuf {
        if name.is_empty() {
            self.root.clone()
        } else {
            self.root.join(OsStr::from_bytes(name))
        }
    }
}
