//! A repository of a public-inbox: its objects and its commits.
//!
//! # Limits
//! Its commits are those that it had when it was opened.

use std::path::{Path, PathBuf};

use super::git::GitObjects;
use super::history::{CommitLists, History};
use super::object_id::ObjectId;
use super::repository;
use crate::error::{Error, ErrorKind, Operation, at};

/// A repository of a public-inbox.
pub(super) struct Epoch {
    path: PathBuf,
    pub(super) git: GitObjects,
    pub(super) history: History,
    /// The newest commit.
    pub(super) head: ObjectId,
    /// Bytes of its objects.
    pub(super) size: u64,
}

impl Epoch {
    /// Opens a repository and lists its commits. Returns `None` for a repository without commits.
    ///
    /// # Errors
    /// Its objects lie in other folders, or are no files. `git` is not installed, or `git` fails.
    pub(super) fn open(path: &Path, lists: &mut CommitLists) -> Result<Option<Self>, Error> {
        let Some(head) = repository::head(path).map_err(at(path, Operation::Read))? else {
            return Ok(None);
        };
        let (git, size) = objects(path, head)?;
        let history = History::list(&git, head, lists).map_err(at(path, Operation::Read))?;
        Ok(Some(Self {
            size,
            path: path.to_owned(),
            git,
            history,
            head,
        }))
    }

    /// Returns the path of the repository.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if the branch has another newest commit now.
    pub(super) fn changed(&self) -> Result<bool, Error> {
        let now = repository::head(&self.path).map_err(at(&self.path, Operation::Read))?;
        Ok(now != Some(self.head))
    }
}

/// Prepares to read the objects of a repository, and returns their size in bytes, too.
pub(super) fn objects(path: &Path, head: ObjectId) -> Result<(GitObjects, u64), Error> {
    if repository::borrows_objects(path) {
        return Err(Error::new(
            path,
            Operation::Open,
            ErrorKind::BorrowedObjects,
        ));
    }
    let size = repository::size_of_objects(path).map_err(at(path, Operation::Open))?;
    let git = GitObjects::of(path, head).map_err(at(path, Operation::Open))?;
    Ok((git, size))
}
