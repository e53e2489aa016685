//! Message stores: files and folders whose messages are rebuilt, since no run of their bytes is a message.
//!
//! To add one, write a file that recognizes the store and opens it as [`StoredMessages`](stored_messages::StoredMessages), and add a variant
//! to [`MessageStore`]. `store_reader` does the rest: names, batches, pieces of large messages. A store is read like a folder with one
//! file for each message. `restore` rebuilds these files, but not the store.
//!
//! # Limits
//! Recognizes a file by its first bytes, and folders on a disk only. Does not look into compressed files.

mod dbx;
mod public_inbox;
mod store_reader;
mod stored_messages;

use std::path::Path;

pub use self::public_inbox::read_git_output;
use self::store_reader::StoreReader;
use crate::error::Error;
use crate::file_tree::{FileTree, TreeEntry};
use crate::named_enum::named;
use crate::source::{ReadOptions, Source};

named! {
    /// A format of files or folders whose messages are rebuilt.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum MessageStore {
        /// Git repositories of a mailing list.
        PublicInbox = "public-inbox",
        /// A mail folder of Outlook Express (dbx).
        OutlookExpress = "Outlook Express",
    }

    /// Returns the name of the format for display.
    pub fn name;
}

impl MessageStore {
    /// Returns the format of a file that begins with `start`, at least 512 bytes of it if it is that long.
    pub(crate) fn of_file(start: &[u8]) -> Option<Self> {
        dbx::is_file(start).then_some(Self::OutlookExpress)
    }

    /// Returns the format of a folder. `None` for a part of a store in `root` or below it, which is read with that store.
    pub(crate) fn of_folder(
        tree: &FileTree,
        root: &Path,
        path: &Path,
    ) -> Result<Option<Self>, Error> {
        let is_inbox = !tree.is_container() && public_inbox::is_inbox(tree, root, path)?;
        Ok(is_inbox.then_some(Self::PublicInbox))
    }

    /// Returns true for a folder of a container that may be a store, and is not read there.
    pub(crate) fn must_be_unpacked(tree: &FileTree, path: &Path) -> bool {
        tree.is_container() && public_inbox::must_be_unpacked(tree, path)
    }

    /// Returns true if the folder of a store has its files alone, so that no other mail is searched in it.
    pub(crate) fn fills_folder(tree: &FileTree, path: &Path) -> bool {
        public_inbox::fills_folder(tree, path)
    }

    /// Returns true for an entry of `folder` that belongs to a store, whose folder is `root` or lies below it.
    pub(crate) fn owns(tree: &FileTree, root: &Path, folder: &Path, entry: &TreeEntry) -> bool {
        public_inbox::owns(tree, root, folder, entry)
    }

    /// Opens a store.
    pub(crate) fn open(
        self,
        path: &Path,
        tree: &FileTree,
        options: &ReadOptions,
    ) -> Result<Box<dyn Source>, Error> {
        let opened = match self {
            Self::PublicInbox => public_inbox::open(path, tree, options.max_expansion)?,
            Self::OutlookExpress => dbx::open(path, tree)?,
        };
        let reader = StoreReader::new(path, opened, self.name(), options);
        Ok(Box::new(reader))
    }
}
