//! Finds messages of a Maildir again that another program renamed after their folder was listed.
//!
//! A mail reader renames `new/1.host` to `cur/1.host:2,` when it sees a message, and to `cur/1.host:2,S` when a person reads it. The
//! name before `:2,` stays and is unique (<https://cr.yp.to/proto/maildir.html>).
//!
//! # Limits
//! A message that was moved to another folder counts as removed. So does one that is renamed after a hundred searches in its folder.
//! If a list has the old and the new name of a message, and other names stand between them, the message is read twice.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::files::{Files, ListedAgain, MaildirNames, Name, Work, last};
use crate::entry_type::EntryType;
use crate::maildir;
use crate::source::Batch;

/// Largest number of times that a folder is listed again to find renamed messages, so that the time stays linear.
const MOST_LISTS: usize = 100;
/// Largest number of times that a folder is listed again because it changed while it was listed.
const MOST_TRIES: usize = 4;

/// What became of a message.
pub(super) enum Renamed {
    /// It has this name now.
    To(Name),
    /// It has another name, under which it is read, too.
    Listed,
    /// It was removed.
    Gone,
}

impl MaildirNames {
    /// Notes the messages of `cur` and `new`.
    pub(super) fn of(folders: Vec<(PathBuf, Option<SystemTime>)>, messages: &[Name]) -> Self {
        let digests = messages.iter().map(|name| digest(last(name)));
        Self {
            folders,
            sum: sum_of_different(digests.collect()),
        }
    }
}

impl Files {
    /// Returns true if a message came to a Maildir folder, or left it, since the folder was listed. Ignores changes of flags.
    pub(super) fn has_other_messages(&self, listed: &MaildirNames) -> bool {
        let is_touched = |(path, then): &(PathBuf, Option<SystemTime>)| {
            // A container is checked as a whole.
            self.tree.modified(path) != *then
        };
        let has_same_sum = || {
            let sum = self.sum_of_names(&listed.folders);
            sum.is_ok_and(|sum| sum == listed.sum)
        };
        // A list that is made while files are renamed may lack some.
        listed.folders.iter().any(is_touched) && !(0..MOST_TRIES).any(|_| has_same_sum())
    }

    /// Adds messages that were renamed while `cur` and `new` were listed, so that no list had them. Messages from `first` on are those of
    /// the folders.
    pub(super) fn add_missed(
        &self,
        listed: &[(PathBuf, Option<SystemTime>)],
        messages: &mut Vec<Name>,
        first: usize,
    ) {
        let times = || listed.iter().map(|(path, _)| self.tree.modified(path));
        let mut before: Vec<_> = listed.iter().map(|(_, modified)| *modified).collect();
        for _ in 0..MOST_TRIES {
            let now: Vec<_> = times().collect();
            if now == before {
                return;
            }
            before = now;
            let unique = |name: &Name| maildir::unique_name(last(name)).to_vec();
            let mut known: HashSet<_> = messages[first..].iter().map(unique).collect();
            for (folder, _) in listed.iter().rev() {
                for name in self.message_names(folder).unwrap_or_default() {
                    if known.insert(unique(&name)) {
                        messages.push(self.name_below(folder, &name));
                    }
                }
            }
        }
    }

    /// Returns the path of a file in a folder, below the root.
    fn name_below(&self, folder: &Path, name: &[u8]) -> Name {
        let below = folder.strip_prefix(&self.root).unwrap_or(folder);
        below
            .join(OsStr::from_bytes(name))
            .into_os_string()
            .into_vec()
    }

    fn sum_of_names(&self, folders: &[(PathBuf, Option<SystemTime>)]) -> io::Result<u128> {
        let mut digests = Vec::new();
        // A message goes from `new` to `cur`.
        for (path, _) in folders.iter().rev() {
            let names = self.message_names(path)?;
            digests.extend(names.iter().map(|name| digest(name)));
        }
        Ok(sum_of_different(digests))
    }

    /// Returns the names of the messages in `cur` or `new`, in any order.
    fn message_names(&self, folder: &Path) -> io::Result<Vec<Name>> {
        let mut names = Vec::new();
        for entry in self.tree.entries(folder)? {
            let entry = entry?;
            if entry.kind == EntryType::File && !entry.name.as_bytes().starts_with(b".") {
                names.push(entry.name.as_bytes().to_vec());
            }
        }
        Ok(names)
    }

    /// Searches the message that had a path when its folder was listed. `batch` has the files before it.
    ///
    /// May return a name that has changed again. Then search from that name.
    pub(super) fn renamed(&mut self, path: &Path, batch: &Batch) -> Renamed {
        let Some((folder, old)) = path.parent().zip(path.file_name()) else {
            return Renamed::Gone;
        };
        let (cur, old) = (folder.with_file_name("cur"), old.as_bytes());
        if self.listed_again.folder != cur {
            self.listed_again = ListedAgain {
                folder: cur,
                ..ListedAgain::default()
            };
        }
        loop {
            let found = self.listed_again.names.get(maildir::unique_name(old));
            if let Some(name) = found.filter(|name| last(name) != old) {
                // A list may have both names of a file that is just renamed. They are neighbors in the order of names.
                let next = self.work.last().map(Work::name);
                let before = batch.entries.last().map(|entry| &*entry.name);
                return if [next, before].contains(&Some(name)) {
                    Renamed::Listed
                } else {
                    Renamed::To(name.clone())
                };
            }
            if self.listed_again.lists == MOST_LISTS || self.list_again().is_err() {
                return Renamed::Gone;
            }
        }
    }

    /// Lists the folder in which renamed messages are searched.
    fn list_again(&mut self) -> io::Result<()> {
        let folder = &self.listed_again.folder;
        let names = self.message_names(folder)?.into_iter();
        let named = names.map(|name| {
            let below = self.name_below(folder, &name);
            (maildir::unique_name(&name).to_vec(), below)
        });
        let named = named.collect();
        self.listed_again.names = named;
        self.listed_again.lists += 1;
        Ok(())
    }
}

/// Adds up digests. A list may have two names of a message that is just renamed, whose digests are equal.
fn sum_of_different(mut digests: Vec<u128>) -> u128 {
    digests.sort_unstable();
    digests.dedup();
    digests.into_iter().fold(0, u128::wrapping_add)
}

/// Returns a digest of the unique name of a message.
fn digest(name: &[u8]) -> u128 {
    let digest = blake3::hash(maildir::unique_name(name));
    let first = digest.as_bytes().first_chunk();
    first.map_or(0, |first| u128::from_le_bytes(*first))
}
