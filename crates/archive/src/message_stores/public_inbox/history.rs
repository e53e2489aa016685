//! Lists the commits of a branch, from the oldest to the newest.
//!
//! `git` lists the newest first, so the list is kept in a temporary file without a name. The lists of all repositories share one
//! file, since the number of open files is limited. A commit that cannot be read ends the list: its descendants are known, its
//! ancestors are not.
//!
//! # Limits
//! Follows the first parent of a merge only. Names a thousand merges, and counts the others.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use super::git::{GitObjects, read_field};
use super::object_id::ObjectId;
use crate::error::ErrorKind;
use crate::free_space::FreeSpace;
use crate::temporary_file::{TemporaryFile, unusable};

/// Bytes of a commit in the list: its name and that of its tree.
const RECORD: usize = 64;
/// Largest number of bytes of a line of the list of `git`.
const LINE: usize = 64 << 10;

/// Number of merges that are named.
const MOST_MERGES: usize = 1000;

/// A commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Commit {
    pub(super) id: ObjectId,
    pub(super) tree: ObjectId,
}

/// The file with the lists of all repositories, one after the other.
pub(super) struct CommitLists {
    file: Arc<File>,
    /// Number of commits in it.
    count: u64,
    space: FreeSpace,
}

impl CommitLists {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            file: Arc::new(TemporaryFile::create()?.into_file()),
            count: 0,
            space: FreeSpace::new(),
        })
    }
}

/// The commits of a branch.
pub(super) struct History {
    file: Arc<File>,
    /// Number of commits before its own in the file.
    start: u64,
    count: u64,
    head: ObjectId,
    /// Why older commits are unknown: the commit, and a message of `git`.
    pub(super) broken: Option<(ObjectId, String)>,
    /// The first commits with more than one parent.
    pub(super) merges: Vec<ObjectId>,
    /// Number of the other ones.
    pub(super) more_merges: u64,
}

impl History {
    /// Lists the commits from `head` back to the first one. After an error, `lists` cannot be used.
    pub(super) fn list(
        git: &GitObjects,
        head: ObjectId,
        lists: &mut CommitLists,
    ) -> Result<Self, ErrorKind> {
        let start = lists.count;
        let mut list = ListWriter::new(lists);
        let failure = list.add(git, false, head)?;
        let mut broken = None;
        if let Some(failure) = failure {
            // The oldest commit that `git` knows is not listed if its parent is missing.
            let oldest = list.parent.unwrap_or(head);
            let is_listed = list.count > 0 && list.parent.is_none();
            if !is_listed {
                list.add(git, true, oldest)?;
            }
            broken = Some((list.parent.unwrap_or(oldest), failure));
        }
        let file = list.file.into_inner();
        Ok(Self {
            file: file.map_err(|error| unusable(error.into_error()))?,
            start,
            count: list.count,
            head,
            broken,
            merges: list.merges,
            more_merges: list.more_merges,
        })
    }

    /// Returns the number of commits.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Returns a commit by its age. The oldest is 0.
    pub(super) fn commit(&self, number: u64) -> io::Result<Commit> {
        let mut record = [0; RECORD];
        let at = (self.start + self.count - 1 - number) * RECORD as u64;
        self.file.read_exact_at(&mut record, at)?;
        let half = |from: usize| {
            let mut bytes = [0; RECORD / 2];
            bytes.copy_from_slice(&record[from..from + RECORD / 2]);
            self.head.with_bytes(bytes)
        };
        Ok(Commit {
            id: half(0),
            tree: half(RECORD / 2),
        })
    }
}

/// Writes the list.
struct ListWriter<'a> {
    lists: &'a mut CommitLists,
    file: BufWriter<Arc<File>>,
    count: u64,
    /// The parent of the last commit in the list.
    parent: Option<ObjectId>,
    merges: Vec<ObjectId>,
    more_merges: u64,
}

impl<'a> ListWriter<'a> {
    fn new(lists: &'a mut CommitLists) -> Self {
        Self {
            file: BufWriter::new(lists.file.clone()),
            lists,
            count: 0,
            parent: None,
            merges: Vec::new(),
            more_merges: 0,
        }
    }

    /// Writes a record.
    fn write(&mut self, id: ObjectId, tree: ObjectId) -> io::Result<()> {
        self.file.write_all(&id.bytes())?;
        self.file.write_all(&tree.bytes())?;
        let space = &mut self.lists.space;
        space.wrote(RECORD as u64, self.file.get_ref())
    }

    /// Adds the commits from `head` on, or only that one. Returns a message of `git` if it does not list all.
    fn add(
        &mut self,
        git: &GitObjects,
        is_one: bool,
        head: ObjectId,
    ) -> Result<Option<String>, ErrorKind> {
        let option = if is_one {
            "--no-walk"
        } else {
            "--first-parent"
        };
        let head = head.to_string();
        let arguments = ["rev-list", "--format=%T %P", option, &head, "--"];
        let mut process = git.start(&arguments)?;
        process.end_requests();
        while let Some(line) = read_field(&mut process, b'\n', LINE)? {
            let id = line.strip_prefix(b"commit ").and_then(ObjectId::parse);
            let Some(trees) = read_field(&mut process, b'\n', LINE)? else {
                break;
            };
            let mut names = trees.split(|&byte| byte == b' ').map(ObjectId::parse);
            let (Some(id), Some(Some(tree))) = (id, names.next()) else {
                return Err(ErrorKind::Git(
                    "git wrote an unknown list of commits".to_owned(),
                ));
            };
            self.parent = names.next().flatten();
            match names.next() {
                Some(_) if self.merges.len() < MOST_MERGES => self.merges.push(id),
                Some(_) => self.more_merges += 1,
                None => {}
            }
            self.write(id, tree).map_err(unusable)?;
            self.lists.count += 1;
            self.count += 1;
        }
        let end = process.end()?;
        // A list that lacks its end is broken, whatever `git` says.
        if end.is_success() && self.count > 0 && (is_one || self.parent.is_none()) {
            return Ok(None);
        }
        end.failure().map(Some)
    }
}
