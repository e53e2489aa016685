//! public-inbox: a mailing list in git repositories.
//!
//! ```text
//! inbox/git/0.git, inbox/git/1.git, …     version 2: bare repositories (epochs), the oldest first
//!     commit 1   m                        the tree of each commit has one file: m is a new message,
//!     commit 2   m
//!     commit 3   d                        and d is a message to delete, with the content that it had
//! inbox.git                               version 1: one bare repository
//!     commit 1   ab/cdef…                 a message at the SHA-1 of its Message-ID; deleted by removing the file
//! ```
//!
//! Messages come in the order of their commits. A message that was deleted later is left out, since lists delete spam and private
//! messages. The event `box.left-out` names the object, which `git cat-file blob` still shows. One epoch of version 2 can be read
//! alone. Source: public-inbox-v1-format(5), public-inbox-v2-format(5).
//!
//! # Limits
//! Needs the program `git`. Rejects a repository that borrows objects from other folders (alternates). `git` reads a file that is
//! stored as a difference in memory.

mod blobs;
mod damaged_objects;
mod deletions;
mod epoch;
mod file_changes;
mod fuzz;
mod git;
mod history;
mod object_id;
mod packed_repository;
mod parts;
mod recognition;
mod repository;

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use self::blobs::{AHEAD, Blobs};
use self::deletions::{Deletions, InboxVersion};
use self::epoch::Epoch;
use self::file_changes::FileChanges;
pub use self::fuzz::read_git_output;
use self::history::CommitLists;
use super::stored_messages::{NextMessage, OpenedStore, PAUSE, StoredMessage, StoredMessages};
use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind, StoreDetail};
use crate::error::{Error, ErrorKind, Operation, at};
use crate::expansion::FREE;
use crate::file_tree::{FileTree, TreeEntry};
use crate::repository_kind::RepositoryKind;
use crate::source::Flags;

/// Bytes that a change of a file, and a message, count as beside its own.
const WEIGHT: u64 = 512;

/// Returns true for an inbox in a folder of a disk. False for a part of another one in `root` or below it.
pub(super) fn is_inbox(tree: &FileTree, root: &Path, path: &Path) -> Result<bool, Error> {
    Ok(!parts::is_repository_of_inbox(tree, root, path) && recognition::is_store(tree, path)?)
}

/// Returns true for a folder of a container that may be an inbox, and is not read there.
pub(super) fn must_be_unpacked(tree: &FileTree, path: &Path) -> bool {
    packed_repository::is_repository(tree, path)
}

/// Returns true if a folder has the files of the inbox alone, so that no other mail is searched in it.
pub(super) fn fills_folder(tree: &FileTree, path: &Path) -> bool {
    if tree.is_container() {
        return packed_repository::fills_folder(tree, path);
    }
    // Objects alone may lie beside mail.
    repository::has_most_parts(path)
        && repository::epochs(path).is_empty()
        && parts::has_git_alone(tree, path)
}

/// Returns true for an entry of `folder` that belongs to an inbox, whose folder is `root` or lies below it.
pub(super) fn owns(tree: &FileTree, root: &Path, folder: &Path, entry: &TreeEntry) -> bool {
    if tree.is_container() {
        return packed_repository::owns(tree, folder, entry);
    }
    parts::owns(tree, root, folder, entry)
}

/// Opens an inbox. `max_expansion` limits the ratio of its messages to its size.
pub(super) fn open(path: &Path, tree: &FileTree, max_expansion: u64) -> Result<OpenedStore, Error> {
    Inbox::open(path, tree, max_expansion)
}

/// An opened inbox.
struct Inbox {
    version: InboxVersion,
    epochs: Vec<Arc<Epoch>>,
    deletions: Deletions,
    /// The repositories that were not begun.
    waiting: VecDeque<Arc<Epoch>>,
    current: Option<(FileChanges, Blobs)>,
    /// Number of changes so far.
    position: u64,
    /// Bytes of messages that may still be read.
    budget: u64,
    limit: u64,
    /// Bytes of messages that were read.
    bytes_read: u64,
}

impl Inbox {
    fn open(path: &Path, tree: &FileTree, max_expansion: u64) -> Result<OpenedStore, Error> {
        let mut events = Vec::new();
        let found = recognition::epochs(tree, path)?;
        let (version, repositories) = if found.is_empty() {
            let kind = recognition::kind_of(tree, path)?;
            let kind = kind.unwrap_or(RepositoryKind::NoHead);
            (version_of(kind), vec![(path.to_owned(), kind)])
        } else {
            (InboxVersion::V2, found)
        };
        let mut epochs = Vec::new();
        let mut lists = CommitLists::new().map_err(at(path, Operation::Read))?;
        for (repository, kind) in repositories {
            let name = repository.strip_prefix(path).unwrap_or(&repository);
            let name = name.to_string_lossy().into_owned();
            let opened = match kind {
                RepositoryKind::NoHead | RepositoryKind::Empty => None,
                _ => Epoch::open(&repository, &mut lists)?,
            };
            if let Some(epoch) = opened {
                events.extend(broken(&epoch, &name));
                events.extend(merges(&epoch));
                epochs.push(Arc::new(epoch));
            } else {
                events.push(without_commit(kind, name));
            }
        }
        let size = epochs.iter().map(|epoch| epoch.size).sum::<u64>();
        let mut inbox = Self {
            version,
            waiting: epochs.iter().cloned().collect(),
            epochs,
            deletions: Deletions::default(),
            current: None,
            position: 0,
            budget: size.saturating_mul(max_expansion).max(FREE),
            limit: max_expansion,
            bytes_read: 0,
        };
        inbox.find_deletions()?;
        Ok(OpenedStore {
            messages: Box::new(inbox),
            events,
        })
    }

    /// Lists the changes of all repositories once, to know what will be deleted.
    ///
    /// # Errors
    /// There are more changes than `max_expansion` allows. A message would be given out that one of the others deletes.
    fn find_deletions(&mut self) -> Result<(), Error> {
        let mut position = 0;
        let is_deep = self.version.has_folders();
        let most = self.budget / WEIGHT;
        for epoch in &self.epochs {
            let failed = at(epoch.path(), Operation::Read);
            let mut changes = FileChanges::of(epoch, is_deep);
            // They are reported when the messages are read.
            let mut events = Vec::new();
            while let Some(change) = changes.next(&mut events).map_err(&failed)? {
                events.clear();
                if let Some(key) = self.version.effect(&change).deleted {
                    self.deletions.add(key, position).map_err(&failed)?;
                }
                position += 1;
                if position > most {
                    return Err(failed(ErrorKind::InboxExpansion { most }));
                }
            }
        }
        self.deletions.sort();
        Ok(())
    }

    /// Requests the next messages. Returns false if all of the current repository were requested.
    fn request(&mut self, events: &mut Vec<BoxEvent>) -> Result<bool, ErrorKind> {
        let Some((changes, blobs)) = &mut self.current else {
            return Ok(false);
        };
        // The number of changes is bounded: `find_deletions` counted them.
        while blobs.pending() < AHEAD && events.len() < PAUSE {
            let Some(change) = changes.next(events)? else {
                return Ok(blobs.pending() > 0);
            };
            let position = self.position;
            self.position += 1;
            let Some((key, id)) = self.version.effect(&change).added else {
                continue;
            };
            if self.deletions.is_deleted(key, position) {
                let detail = BoxDetail::Store(StoreDetail::Deleted(id.to_string()));
                events.push(BoxEvent::new(BoxEventKind::LeftOut, 0, detail));
            } else {
                blobs.request(id)?;
            }
        }
        Ok(true)
    }

    /// Ends the inbox, since it has too many bytes of messages.
    fn cut_off(&mut self, events: &mut Vec<BoxEvent>) {
        let detail = BoxDetail::Store(StoreDetail::Expansion {
            limit: self.limit,
            given: self.bytes_read,
        });
        events.push(BoxEvent::new(BoxEventKind::Expansion, 0, detail));
        self.current = None;
        self.waiting.clear();
    }
}

/// Returns the event for a repository whose older commits cannot be read.
fn broken(epoch: &Epoch, name: &str) -> Option<BoxEvent> {
    let (commit, message) = epoch.history.broken.as_ref()?;
    let colon = if name.is_empty() { "" } else { ": " };
    let detail = BoxDetail::Store(StoreDetail::DamagedObject {
        object: format!("{name}{colon}commit {commit}"),
        reason: format!("it and older commits are missing: {message}"),
    });
    Some(BoxEvent::new(BoxEventKind::Damaged, 0, detail))
}

/// Returns the event for a repository without a newest commit. One without objects has no messages.
fn without_commit(kind: RepositoryKind, name: String) -> BoxEvent {
    let (kind, detail) = match kind {
        RepositoryKind::Empty => (BoxEventKind::LeftOut, StoreDetail::NoCommits { name }),
        _ => (BoxEventKind::Damaged, StoreDetail::NoHead { name }),
    };
    BoxEvent::new(kind, 0, BoxDetail::Store(detail))
}

/// Returns the events for commits with more than one parent. The last one has the number of those that are not named.
fn merges(epoch: &Epoch) -> impl Iterator<Item = BoxEvent> {
    let history = &epoch.history;
    let named = history.merges.iter();
    let named = named.map(|commit| StoreDetail::Merge(commit.to_string()));
    let more = (history.more_merges > 0).then_some(StoreDetail::MoreMerges(history.more_merges));
    let details = named.chain(more).map(BoxDetail::Store);
    details.map(|detail| BoxEvent::new(BoxEventKind::LeftOut, 0, detail))
}

/// Returns the version of an inbox that is one repository.
fn version_of(kind: RepositoryKind) -> InboxVersion {
    match kind {
        RepositoryKind::InboxV1 => InboxVersion::V1,
        RepositoryKind::DamagedCommit | RepositoryKind::Emptied => InboxVersion::Unknown,
        _ => InboxVersion::V2,
    }
}

impl StoredMessages for Inbox {
    fn next(&mut self, events: &mut Vec<BoxEvent>) -> Result<NextMessage, ErrorKind> {
        loop {
            if self.current.is_none() {
                let Some(epoch) = self.waiting.pop_front() else {
                    return Ok(NextMessage::End);
                };
                let is_deep = self.version.has_folders();
                self.current = Some((FileChanges::of(&epoch, is_deep), Blobs::of(&epoch)));
            }
            let is_more = self.request(events)?;
            let next = match &mut self.current {
                Some((_, blobs)) => blobs.next(events)?,
                None => None,
            };
            match next {
                Some((_, size)) if size.saturating_add(WEIGHT) > self.budget => {
                    self.cut_off(events);
                    return Ok(NextMessage::End);
                }
                Some((id, size)) => {
                    self.budget -= size + WEIGHT;
                    self.bytes_read += size;
                    return Ok(NextMessage::Found(StoredMessage {
                        id: id.to_string(),
                        size: Some(size),
                        flags: Flags::default(),
                    }));
                }
                None if is_more && events.len() >= PAUSE => return Ok(NextMessage::EventsFirst),
                None if is_more => {}
                None => self.current = None,
            }
        }
    }

    fn read(
        &mut self,
        wanted: usize,
        bytes: &mut Vec<u8>,
        events: &mut Vec<BoxEvent>,
    ) -> Result<(), ErrorKind> {
        let Some((_, blobs)) = &mut self.current else {
            return Ok(());
        };
        blobs.read(wanted, bytes, events)
    }

    fn changed(&self) -> Result<bool, Error> {
        for epoch in &self.epochs {
            if epoch.changed()? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
