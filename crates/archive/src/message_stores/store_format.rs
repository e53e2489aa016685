//! Defines what a message store must know: how to recognize it, and how to give out its messages.
//!
//! # Limits
//! A store gives its messages out once, from first to last.

use std::path::Path;

use crate::Flags;
use crate::box_event::BoxEvent;
use crate::error::{Error, ErrorKind};
use crate::file_tree::{FileTree, TreeEntry};

/// A format of message stores.
pub(crate) trait StoreFormat: Sync {
    /// Returns the name of the format for display, such as `public-inbox`.
    fn name(&self) -> &'static str;
    /// Returns true for the first bytes of such a file: 512 of them, or fewer if the file is shorter.
    fn recognizes_file(&self, _start: &[u8]) -> bool {
        false
    }
    /// Returns true for such a folder on a disk. False for a part of another store in `root` or below it.
    fn recognizes_folder(
        &self,
        _tree: &FileTree,
        _root: &Path,
        _path: &Path,
    ) -> Result<bool, Error> {
        Ok(false)
    }
    /// Returns true for a folder of a container that may be such a store, and is not read there.
    fn must_be_unpacked(&self, _tree: &FileTree, _path: &Path) -> bool {
        false
    }
    /// Returns true if such a folder has the files of the store alone, so that no other mail is searched in it.
    fn fills_folder(&self, _tree: &FileTree, _path: &Path) -> bool {
        false
    }
    /// Returns true for an entry of `folder` that belongs to a store, whose folder is `root` or lies below it.
    fn owns(&self, _tree: &FileTree, _root: &Path, _folder: &Path, _entry: &TreeEntry) -> bool {
        false
    }
    /// Opens a store. `max_expansion` limits the ratio of its messages to its size.
    fn open(&self, path: &Path, tree: &FileTree, max_expansion: u64) -> Result<OpenedStore, Error>;
}

/// An opened store.
pub(crate) struct OpenedStore {
    pub(crate) messages: Box<dyn StoredMessages>,
    /// Events that were found when the store was opened.
    pub(crate) events: Vec<BoxEvent>,
}

/// The messages of an opened store, in order. The caller adds the path of the store to errors.
pub(crate) trait StoredMessages: Send {
    /// Goes to the next message. An error ends the store.
    fn next(&mut self, events: &mut Vec<BoxEvent>) -> Result<NextMessage, ErrorKind>;

    /// Appends the next `wanted` bytes of the current message to `bytes`. Fewer bytes mean that the message ends there.
    fn read(
        &mut self,
        wanted: usize,
        bytes: &mut Vec<u8>,
        events: &mut Vec<BoxEvent>,
    ) -> Result<(), ErrorKind>;

    /// Returns the size of the store in bytes if it is about that of its messages.
    fn size_hint(&self) -> Option<u64> {
        None
    }

    /// Returns true if the store changed since it was opened.
    fn changed(&self) -> Result<bool, Error>;
}

/// Result of going to the next message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NextMessage {
    /// A message.
    Found(StoredMessage),
    /// Events were added, and the search for the message continues with the next call.
    EventsFirst,
    /// There are no more messages.
    End,
}

/// Number of events after which a search for a message pauses.
pub(crate) const PAUSE: usize = 1000;

/// A message of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredMessage {
    /// What identifies the message in its store: letters and digits.
    pub(crate) id: String,
    /// Its size in bytes, if it is known beforehand.
    pub(crate) size: Option<u64>,
    /// Its flags.
    pub(crate) flags: Flags,
}
