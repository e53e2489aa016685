//! Finds the files that belong to a public-inbox, and so are not searched for mail.
//!
//! A folder belongs to an inbox if all its entries are named like what `git` or public-inbox writes there. Otherwise only these
//! entries do, and the others are searched: `git/0.git/b.eml` is a message.
//!
//! # Limits
//! Tells the entries of a folder by their names. Mail in a folder that `git` writes, such as `hooks`, is not searched for.

use std::path::Path;

use super::{recognition, repository};
use crate::entry_type::EntryType;
use crate::file_tree::{FileTree, TreeEntry};
use crate::repository_kind::RepositoryKind;

/// Returns true for an entry of `folder` that belongs to an inbox in `root` or below it.
pub(super) fn owns(tree: &FileTree, root: &Path, folder: &Path, entry: &TreeEntry) -> bool {
    let path = folder.join(&entry.name);
    if entry.kind == EntryType::Folder
        && let Some(is_own) = own_entries(tree, root, &path)
        && has_only(tree, &path, is_own)
    {
        return true;
    }
    let is_index = entry.kind == EntryType::File
        && INDEX_FILES.iter().any(|name| entry.name == *name)
        && is_inbox_below(tree, root, folder);
    if is_index || is_of_git(entry) && is_store_alone(tree, folder) {
        return true;
    }
    let may_be_own = is_of_git(entry) || is_of_xapian(entry);
    may_be_own && own_entries(tree, root, folder).is_some_and(|is_own| is_own(entry))
}

/// Returns true for a repository that an inbox in `root` or below it reads, or that shows the objects of its repositories.
pub(super) fn is_repository_of_inbox(tree: &FileTree, root: &Path, path: &Path) -> bool {
    let (Some(name), Some(folder)) = (
        path.file_name().and_then(|name| name.to_str()),
        path.parent(),
    ) else {
        return false;
    };
    if repository::epoch_number(name).is_some() {
        let inbox = folder.parent().filter(|_| folder.ends_with("git"));
        return inbox.is_some_and(|inbox| is_inbox_below(tree, root, inbox))
            && is_epoch(tree, path);
    }
    name == "all.git" && is_union(path) && is_inbox_below(tree, root, folder)
}

/// Returns true if a folder has no entries but those of a bare repository.
pub(super) fn has_git_alone(tree: &FileTree, path: &Path) -> bool {
    has_only(tree, path, is_of_git)
}

/// Returns true for an entry that `git`, or public-inbox of version 1, writes into a bare repository.
pub(super) fn is_of_git(entry: &TreeEntry) -> bool {
    let Some(name) = entry.name.to_str() else {
        return false;
    };
    let is_file = || {
        let name = name.strip_suffix(".lock").unwrap_or(name);
        GIT_FILES.contains(&name)
    };
    match entry.kind {
        EntryType::Folder => GIT_FOLDERS.contains(&name),
        EntryType::File => is_file(),
        _ => GIT_FOLDERS.contains(&name) || is_file(),
    }
}

/// Tells whether an entry of a folder belongs to an inbox.
type IsOwn = fn(&TreeEntry) -> bool;

/// Returns the test for the entries of a folder that belong to an inbox in `root` or below it. In `git/0.git`, these are the files
/// that `git` writes. Returns `None` for a folder outside all inboxes.
fn own_entries(tree: &FileTree, root: &Path, path: &Path) -> Option<IsOwn> {
    if is_repository_of_inbox(tree, root, path) {
        return Some(is_of_git);
    }
    let is_xapian = is_xapian(path.file_name()?.to_str()?)
        && tree.is_own_file(&path.join(OVERVIEW))
        && is_inbox_below(tree, root, path.parent()?);
    is_xapian.then_some(is_of_xapian)
}

/// Returns true if `is_own` holds for all entries of a folder. The search reports a folder that cannot be listed.
fn has_only(tree: &FileTree, path: &Path, is_own: IsOwn) -> bool {
    let entries = tree.entries(path);
    entries.is_ok_and(|mut entries| entries.all(|entry| entry.is_ok_and(|entry| is_own(&entry))))
}

/// Returns true for a repository that is a store of its own. The search reports one that cannot be read.
fn is_store_alone(tree: &FileTree, path: &Path) -> bool {
    repository::has_most_parts(path)
        && repository::epochs(path).is_empty()
        && recognition::is_store(tree, path).unwrap_or(true)
}

/// Returns true for an inbox in `root` or below it. True for one that cannot be read, too: its files are not mail, and the search
/// reports the error.
fn is_inbox_below(tree: &FileTree, root: &Path, inbox: &Path) -> bool {
    if !inbox.starts_with(root) {
        return false;
    }
    if let Some(known) = tree.inboxes.get(inbox) {
        return known;
    }
    let found = recognition::is_inbox(tree, inbox).unwrap_or(true);
    tree.inboxes.insert(inbox, found);
    found
}

/// Returns true for a repository that an inbox reads as its epoch, or cannot read. A symbolic link does not count.
fn is_epoch(tree: &FileTree, path: &Path) -> bool {
    let is_own = path.symlink_metadata().is_ok_and(|there| there.is_dir());
    let kind = || match tree.repositories.get(path) {
        // `kind_of` would start `git` again for a repository that cannot be read.
        Some(kind) => Ok(Some(kind)),
        None => recognition::kind_of(tree, path),
    };
    is_own && !matches!(kind(), Ok(None | Some(RepositoryKind::InboxV1)))
}

/// Returns true for a repository without objects of its own. public-inbox writes one that borrows the objects of all epochs.
fn is_union(path: &Path) -> bool {
    repository::is_whole(path) && repository::has_objects(path).is_ok_and(|has| !has)
}

/// Folders of a bare repository. `public-inbox` has the indexes of an inbox of version 1.
const GIT_FOLDERS: [&str; 12] = [
    "branches",
    "hooks",
    "info",
    "lfs",
    "logs",
    "modules",
    "objects",
    "public-inbox",
    "refs",
    "reftable",
    "rr-cache",
    "worktrees",
];

/// Files of a bare repository. Each may have a lock beside it: `HEAD.lock`.
const GIT_FILES: [&str; 15] = [
    "FETCH_HEAD",
    "HEAD",
    "ORIG_HEAD",
    "cloneurl",
    "config",
    "config.worktree",
    "description",
    "gc.log",
    "gc.pid",
    "git-daemon-export-ok",
    "index",
    "packed-refs",
    "shallow",
    "ssoma",
    "ssoma.index",
];

/// The file that each folder with an index of Xapian has.
const OVERVIEW: &str = "over.sqlite3";

/// Names of files with which public-inbox searches an inbox.
const INDEX_FILES: [&str; 5] = [
    "inbox.lock",
    "msgmap.sqlite3",
    "msgmap.sqlite3-journal",
    "msgmap.sqlite3-shm",
    "msgmap.sqlite3-wal",
];

/// Returns true for the name of a folder with an index of Xapian: `xap15`. Its digits are the version of the index.
fn is_xapian(name: &str) -> bool {
    name.strip_prefix("xap").is_some_and(is_number)
}

/// Returns true for an entry of such a folder: the folders `0`, `1`, …, and `over.sqlite3` with its journals.
fn is_of_xapian(entry: &TreeEntry) -> bool {
    let Some(name) = entry.name.to_str() else {
        return false;
    };
    match entry.kind {
        EntryType::Folder => is_number(name),
        _ => name
            .strip_prefix(OVERVIEW)
            .is_some_and(|end| matches!(end, "" | "-journal" | "-shm" | "-wal")),
    }
}

fn is_number(digits: &str) -> bool {
    !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
}
