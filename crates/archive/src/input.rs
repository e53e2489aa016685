//! A recognized input.
//!
//! # Limits
//! None.

use crate::file_tree::FileTree;
use crate::folder_range::FolderRange;
use crate::maildir;
use crate::mbox::MailboxRange;
use crate::message_stores::MessageStore;
use crate::packing::Packing;
use crate::source::Format;
use std::path::{Path, PathBuf};

/// A file or folder that is one archive, on a disk or in a zip or tar archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The path as given, or found in a given folder. `-` is standard input. The path of a member begins with that of its container:
    /// `takeout.zip/Takeout/Mail/All mail.mbox`.
    pub path: PathBuf,
    /// The format.
    pub format: Format,
    /// The compression of the mailbox. None for a stream, whose compression is recognized when it is opened.
    pub packed: Option<Packing>,
    /// The disk, or the zip or tar archive, that has the path.
    pub tree: FileTree,
    /// The messages to read. None for the whole archive.
    pub range: Option<InputRange>,
    /// The format of a message store, whose messages are rebuilt. Its format is [`Format::EmlTree`].
    pub store: Option<MessageStore>,
    /// True for one folder of a Maildir. The folders below it are inputs of their own.
    pub is_one_folder: bool,
}

/// A share of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputRange {
    /// Messages of a mailbox.
    Mailbox(MailboxRange),
    /// Files of a folder.
    Folder(FolderRange),
}

impl InputRange {
    /// Returns true if the range includes the start of the archive.
    pub fn is_at_start(&self) -> bool {
        match self {
            Self::Mailbox(range) => range.is_at_start(),
            Self::Folder(range) => range.start.is_none(),
        }
    }

    /// Returns true if the range includes the end of the archive.
    pub fn is_at_end(&self) -> bool {
        match self {
            Self::Mailbox(range) => range.is_at_end(),
            Self::Folder(range) => range.end.is_none(),
        }
    }
}

impl Input {
    /// Builds an uncompressed input on a disk.
    pub fn on_disk(path: impl Into<PathBuf>, format: Format) -> Self {
        Self {
            path: path.into(),
            format,
            packed: None,
            tree: FileTree::default(),
            range: None,
            store: None,
            is_one_folder: false,
        }
    }

    /// Returns true if each message is a file in a folder.
    pub fn is_folder(&self) -> bool {
        if self.store.is_some() {
            return true;
        }
        if self.tree.is_container() {
            return matches!(self.format, Format::Maildir | Format::EmlTree);
        }
        self.path != Path::new("-") && self.path.is_dir()
    }

    /// Returns the display name of a Maildir folder below the Maildir at `root`: `Archive/2004` for `.Archive.2004`.
    ///
    /// `decode` decodes each level. Empty for the Maildir itself.
    pub fn maildir_folder(&self, root: &Path, decode: fn(&[u8]) -> String) -> String {
        let below = self.path.strip_prefix(root).unwrap_or(Path::new(""));
        maildir::folder_name(below.as_os_str().as_encoded_bytes(), decode)
    }

    /// Returns the format of an output unless the caller chooses one.
    pub fn default_output(&self) -> Format {
        match self.store {
            Some(_) => Format::Mbox,
            None => self.format,
        }
    }

    /// Returns the size of the file in bytes, if known without opening it. A member has the size that its container declares.
    pub fn size(&self) -> Option<u64> {
        self.tree.size_of(&self.path)
    }
}
