//! Message stores: files and folders whose messages are rebuilt, since no run of their bytes is a message.
//!
//! To add one, write a file that implements [`StoreFormat`], and add its line to [`STORES`]. `store_reader` does the rest: names, batches,
//! pieces of large messages. A store is read like a folder with one file for each message. `restore` rebuilds these files, but not
//! the store.
//!
//! # Limits
//! Recognizes a file by its first bytes, and folders on a disk only. Does not look into compressed files.

mod dbx;
mod public_inbox;
mod store_format;
mod store_reader;

use std::fmt;
use std::path::Path;

pub use self::public_inbox::read_git_output;
use self::store_format::StoreFormat;
use self::store_reader::StoreReader;
use crate::error::Error;
use crate::file_tree::{FileTree, TreeEntry};
use crate::source::{ReadOptions, Source};

/// Every format, in the order in which they are tried.
const STORES: &[&dyn StoreFormat] = &[
    &public_inbox::PublicInbox, //
    &dbx::OutlookExpress,
];

/// A format of files or folders whose messages are rebuilt: public-inbox, dbx of Outlook Express.
#[derive(Clone, Copy)]
pub struct MessageStore(&'static dyn StoreFormat);

impl MessageStore {
    /// Returns the format of a file that begins with `start`, at least 512 bytes of it if it is that long.
    pub(crate) fn of_file(start: &[u8]) -> Option<Self> {
        Self::find(|store| store.recognizes_file(start))
    }

    /// Returns the format of a folder. `None` for a part of a store in `root` or below it, which is read with that store.
    pub(crate) fn of_folder(
        tree: &FileTree,
        root: &Path,
        path: &Path,
    ) -> Result<Option<Self>, Error> {
        if tree.is_container() {
            return Ok(None);
        }
        for store in STORES {
            if store.recognizes_folder(tree, root, path)? {
                return Ok(Some(Self(*store)));
            }
        }
        Ok(None)
    }

    /// Returns true for a folder of a container that may be a store, and is not read there.
    pub(crate) fn must_be_unpacked(tree: &FileTree, path: &Path) -> bool {
        let must = |store: &&dyn StoreFormat| store.must_be_unpacked(tree, path);
        tree.is_container() && STORES.iter().any(must)
    }

    /// Returns true if the folder of a store has its files alone, so that no other mail is searched in it.
    pub(crate) fn fills_folder(tree: &FileTree, path: &Path) -> bool {
        STORES.iter().any(|store| store.fills_folder(tree, path))
    }

    /// Returns true for an entry of `folder` that belongs to a store, whose folder is `root` or lies below it.
    pub(crate) fn owns(tree: &FileTree, root: &Path, folder: &Path, entry: &TreeEntry) -> bool {
        let mut stores = STORES.iter();
        stores.any(|store| store.owns(tree, root, folder, entry))
    }

    /// Opens a store.
    pub(crate) fn open(
        self,
        path: &Path,
        tree: &FileTree,
        options: &ReadOptions,
    ) -> Result<Box<dyn Source>, Error> {
        let opened = self.0.open(path, tree, options.max_expansion)?;
        Ok(Box::new(StoreReader::new(
            path,
            opened,
            self.name(),
            options,
        )))
    }

    /// Returns the name of the format for display.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    fn find(fits: impl Fn(&dyn StoreFormat) -> bool) -> Option<Self> {
        let mut stores = STORES.iter().copied();
        stores.find(|store| fits(*store)).map(Self)
    }
}

impl fmt::Debug for MessageStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl PartialEq for MessageStore {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for MessageStore {}
