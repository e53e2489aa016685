//! Lists the files that each commit added, changed and removed, as `git diff-tree` finds them.
//!
//! # Limits
//! A commit whose files cannot be compared is skipped. After a thousand of them the list ends with an error.

use std::collections::VecDeque;
use std::io::{self, BufRead};
use std::sync::Arc;

use super::damaged_objects::DamagedObjects;
use super::epoch::Epoch;
use super::git::{GitProcess, read_field};
use super::history::Commit;
use super::object_id::ObjectId;
use crate::box_event::BoxEvent;
use crate::error::ErrorKind;

/// Number of commits that `git` compares at once. Their names fit into a pipe.
const AT_ONCE: u64 = 32;
/// A line that `git` sends back after them.
const MARK: &[u8] = b"end";
/// Largest number of bytes of a path, and of a line.
const LONGEST: usize = 64 << 10;

/// A change of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileChange {
    pub(super) path: Vec<u8>,
    /// The content before. `None` for what is not a file, such as a symbolic link.
    pub(super) old: Option<ObjectId>,
    /// The content after. `None` like `old`.
    pub(super) new: Option<ObjectId>,
}

/// What `git diff-tree` writes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DiffOutput {
    /// The changes from one tree to another follow.
    Trees(ObjectId, ObjectId),
    FileChange(FileChange),
    /// All requests have an answer.
    Mark,
    /// `git` has ended.
    End,
}

/// The changes of a branch, the oldest first.
pub(super) struct FileChanges {
    epoch: Arc<Epoch>,
    process: Option<GitProcess>,
    /// Files in folders are listed, too.
    is_deep: bool,
    /// Number of commits that were requested.
    requested: u64,
    /// The tree of the last one.
    tree: ObjectId,
    /// Requests without an answer: the tree before, and the commit.
    pending: VecDeque<(ObjectId, Commit)>,
    /// The request whose answer is being read.
    current: Option<(ObjectId, Commit)>,
    damaged: DamagedObjects,
}

impl FileChanges {
    /// Lists changes of files, with those in folders if `is_deep`.
    pub(super) fn of(epoch: &Arc<Epoch>, is_deep: bool) -> Self {
        Self {
            is_deep,
            epoch: epoch.clone(),
            process: None,
            requested: 0,
            tree: epoch.head.empty_tree(),
            pending: VecDeque::new(),
            current: None,
            damaged: DamagedObjects::new("commit"),
        }
    }

    /// Returns the next change, or `None` after the last one.
    pub(super) fn next(
        &mut self,
        events: &mut Vec<BoxEvent>,
    ) -> Result<Option<FileChange>, ErrorKind> {
        loop {
            if self.pending.is_empty() && self.current.is_none() && !self.request()? {
                return Ok(None);
            }
            let Some(process) = &mut self.process else {
                return Ok(None);
            };
            match read_output(process)? {
                DiffOutput::FileChange(change) => return Ok(Some(change)),
                DiffOutput::Trees(before, after) => self.begin(before, after, events)?,
                DiffOutput::Mark => {
                    self.current = None;
                    while let Some((_, commit)) = self.pending.pop_front() {
                        self.damaged
                            .report(commit.id, "git cannot read its files", events)?;
                    }
                }
                DiffOutput::End => self.restart(events)?,
            }
        }
    }

    /// Requests the changes of the next commits. Returns false after the last commit.
    fn request(&mut self) -> Result<bool, ErrorKind> {
        let count = self.epoch.history.count();
        let until = count.min(self.requested + AT_ONCE);
        for number in self.requested..until {
            let commit = self.epoch.history.commit(number)?;
            self.pending.push_back((self.tree, commit));
            self.tree = commit.tree;
        }
        self.requested = until;
        if self.pending.is_empty() {
            self.process = None;
            return Ok(false);
        }
        self.send()?;
        Ok(true)
    }

    /// Sends all requests that have no answer.
    fn send(&mut self) -> Result<(), ErrorKind> {
        if self.process.is_none() {
            self.process = Some(self.start()?);
        }
        if let Some(process) = &mut self.process {
            process.send(&requests(&self.pending))?;
        }
        Ok(())
    }

    fn start(&self) -> Result<GitProcess, ErrorKind> {
        let mut arguments = vec!["diff-tree", "--stdin", "--raw", "-z", "--no-renames"];
        arguments.extend(self.is_deep.then_some("-r"));
        self.epoch.git.start(&arguments)
    }

    /// Finds the request that an answer belongs to. Those before it have none.
    fn begin(
        &mut self,
        before: ObjectId,
        after: ObjectId,
        events: &mut Vec<BoxEvent>,
    ) -> Result<(), ErrorKind> {
        while let Some((tree, commit)) = self.pending.pop_front() {
            if (tree, commit.tree) == (before, after) {
                self.current = Some((tree, commit));
                return Ok(());
            }
            self.damaged
                .report(commit.id, "git cannot read its files", events)?;
        }
        Err(unknown_output())
    }

    /// Continues after the commit at which `git` ended.
    fn restart(&mut self, events: &mut Vec<BoxEvent>) -> Result<(), ErrorKind> {
        let Some(process) = self.process.take() else {
            return Ok(());
        };
        let message = process.end()?.failure()?;
        match self.current.take() {
            // `git` failed in its answer, or in the next one.
            Some(request) if self.fails(request)? => {
                self.damaged.report(request.1.id, &message, events)?;
            }
            Some(_) if !self.pending.is_empty() => {}
            _ => match self.pending.pop_front() {
                Some((_, commit)) => self.damaged.report(commit.id, &message, events)?,
                None => return Err(ErrorKind::Git(message)),
            },
        }
        if self.pending.is_empty() {
            return Ok(());
        }
        self.send()
    }

    /// Returns true if `git` fails on a request alone.
    fn fails(&self, request: (ObjectId, Commit)) -> Result<bool, ErrorKind> {
        let mut process = self.start()?;
        process.send(&requests(&[request].into()))?;
        loop {
            match read_output(&mut process)? {
                DiffOutput::Mark => return Ok(false),
                DiffOutput::End => return Ok(true),
                DiffOutput::Trees(..) | DiffOutput::FileChange(_) => {}
            }
        }
    }
}

/// Returns requests as lines, and the mark behind them.
fn requests(pending: &VecDeque<(ObjectId, Commit)>) -> Vec<u8> {
    let mut lines = Vec::new();
    for (before, commit) in pending {
        lines.extend_from_slice(format!("{before} {}\n", commit.tree).as_bytes());
    }
    lines.extend_from_slice(MARK);
    lines.push(b'\n');
    lines
}

/// Reads what `git diff-tree` writes next.
pub(super) fn read_output(output: &mut impl BufRead) -> Result<DiffOutput, ErrorKind> {
    let first = match output.fill_buf() {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => return read_output(output),
        buffer => buffer?.first().copied(),
    };
    if first == Some(b':') {
        let status = read_field(output, 0, LONGEST)?;
        let path = read_field(output, 0, LONGEST)?;
        let (Some(status), Some(path)) = (status, path) else {
            return Ok(DiffOutput::End);
        };
        let change = parse_change(&status, path).ok_or_else(unknown_output)?;
        return Ok(DiffOutput::FileChange(change));
    }
    let Some(line) = read_field(output, b'\n', LONGEST)? else {
        return Ok(DiffOutput::End);
    };
    if line == MARK {
        return Ok(DiffOutput::Mark);
    }
    let mut names = line.split(|&byte| byte == b' ').map(ObjectId::parse);
    match (names.next(), names.next(), names.next()) {
        (Some(Some(before)), Some(Some(after)), None) => Ok(DiffOutput::Trees(before, after)),
        _ => Err(unknown_output()),
    }
}

/// Parses a line such as `:100644 100644 <old> <new> M`.
fn parse_change(status: &[u8], path: Vec<u8>) -> Option<FileChange> {
    let mut words = status.strip_prefix(b":")?.split(|&byte| byte == b' ');
    let modes = [words.next()?, words.next()?];
    let names = [
        ObjectId::parse(words.next()?)?,
        ObjectId::parse(words.next()?)?,
    ];
    words.next().filter(|letter| !letter.is_empty())?;
    let file = |index: usize| modes[index].starts_with(b"100").then_some(names[index]);
    Some(FileChange {
        path,
        old: file(0),
        new: file(1),
    })
}

fn unknown_output() -> ErrorKind {
    ErrorKind::Git("git wrote an unknown list of changes".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `git diff-tree --stdin -r --raw -z` of git 2.47 wrote, and a link, which is no file.
    #[test]
    fn output_of_git_is_read() {
        let id = |digit: &str| ObjectId::parse(digit.repeat(40).as_bytes());
        let (a, b) = ("a".repeat(40), "b".repeat(40));
        let text = format!(
            "{a} {b}\n:000000 100644 {} {a} A\0m\0:100644 000000 {a} {} D\0ab/c\nd\0\
             :100755 120000 {a} {b} T\0x\0end\n:100644 100644 {a}",
            "0".repeat(40),
            "0".repeat(40)
        );
        let mut output = text.as_bytes();
        let change = |path: &[u8], old, new| {
            let path = path.to_vec();
            DiffOutput::FileChange(FileChange { path, old, new })
        };
        for expected in [
            DiffOutput::Trees(id("a").unwrap(), id("b").unwrap()),
            change(b"m", None, id("a")),
            change(b"ab/c\nd", id("a"), None),
            change(b"x", id("a"), None),
            DiffOutput::Mark,
            DiffOutput::End,
        ] {
            assert_eq!(read_output(&mut output).unwrap(), expected);
        }
        for other in [
            "x\n",
            ":1 2\0m\0",
            &format!("{a}\n"),
            &format!("{a} {b} {a}\n"),
            "\n",
        ] {
            let read = read_output(&mut other.as_bytes());
            assert!(matches!(read, Err(ErrorKind::Git(_))), "{other:?}");
        }
        // A line that does not end is read in bounds.
        let long = "a".repeat(LONGEST + 10);
        assert!(read_output(&mut long.as_bytes()).is_err());
    }
}
