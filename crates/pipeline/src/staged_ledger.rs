//! Puts an output and its ledger into place so that a matching pair exists at every moment.
//!
//! ```text
//! old output, old ledger                   1. stage: the new ledger gets the name LEDGER.<process>-<inode>.next.tmp
//! old output, old ledger, staged ledger    2. the output is renamed to its path, which decides
//! new output, old ledger, staged ledger    3. the staged ledger is renamed to its path
//! new output, new ledger
//! ```
//!
//! The name of the staged ledger has the inode number of the new output. If the output at its path has that number, the staged ledger
//! belongs to it. [`recover`] then does step 3, else it removes the staged ledger. If there is no old ledger, the staged one gets its
//! final name, too, as a hard link. So a new output never stands without its ledger.
//!
//! # Limits
//!
//! A folder with content is exchanged for the new one (renameat2(2), `RENAME_EXCHANGE`). On a file system without that, the old folder
//! is missing between two renames; [`recover`] puts it back.

use mailglot_archive::replace::{Replacement, moved_away, temporary_stem};
use mailglot_archive::{Error as FileError, Operation, WriterProcess};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A new ledger beside its final path. Removed on drop, unless it was put into place.
#[derive(Debug)]
pub(crate) struct StagedLedger {
    place: PathBuf,
    staged: PathBuf,
    is_kept: bool,
}

impl StagedLedger {
    /// Syncs a new ledger and gives it the name that belongs to the output with this inode number (step 1).
    pub(crate) fn new(ledger: Replacement, output: u64) -> Result<Self, FileError> {
        let place = ledger.path().to_owned();
        let name = place.file_name().unwrap_or_default();
        let mut staged = temporary_stem(name);
        staged.push(format!(".{}-{output}.next.tmp", WriterProcess::own()));
        let staged = place.with_file_name(staged);
        ledger.commit_as(&staged)?;
        if !exists(&place) {
            // Without hard links, step 3 gives the ledger its name.
            let _ = fs::hard_link(&staged, &place);
        }
        Ok(Self {
            place,
            staged,
            is_kept: false,
        })
    }

    /// Keeps the staged ledger from now on, since the output is in place (after step 2).
    pub(crate) fn keep(&mut self) {
        self.is_kept = true;
    }

    /// Renames the ledger to its final path (step 3).
    pub(crate) fn commit(self) -> Result<(), FileError> {
        let renamed = put(&self.staged, &self.place);
        renamed.map_err(|error| FileError::new(&self.place, Operation::Rename, error))
    }
}

impl Drop for StagedLedger {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = discard(&self.staged, &self.place);
        }
    }
}

/// Completes or undoes what a killed job did to an output and its ledger. Call it while holding a turn.
///
/// Ignores failures: a file that stays is reported later, because it is in the way.
pub(crate) fn recover(output: &Path, ledger: Option<&Path>) {
    for old in moved_away(output) {
        if exists(output) {
            let _ = remove(&old);
        } else {
            let _ = fs::rename(&old, output);
        }
    }
    let Some(ledger) = ledger else { return };
    for (staged, wanted) in staged(ledger) {
        let _ = if inode(output) == Some(wanted) {
            put(&staged, ledger)
        } else {
            discard(&staged, ledger)
        };
    }
}

/// Returns the ledger of an output. It is the one that a killed job left staged if that belongs to the output, else the one at
/// its path.
///
/// For folders that cannot be written, where [`recover`] changes nothing.
pub(crate) fn ledger_of(output: &Path, ledger: PathBuf) -> PathBuf {
    let inode = inode(output);
    let is_wanted = |(_, wanted): &(PathBuf, u64)| Some(*wanted) == inode;
    let found = staged(&ledger).into_iter().find(is_wanted);
    found.map_or(ledger, |(staged, _)| staged)
}

/// Returns the staged ledgers of dead processes beside `ledger`, and the inode numbers of their outputs.
fn staged(ledger: &Path) -> Vec<(PathBuf, u64)> {
    let folder = ledger
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let (Some(name), Ok(entries)) = (ledger.file_name(), fs::read_dir(folder)) else {
        return Vec::new();
    };
    let stem = temporary_stem(name);
    let parse = |staged: &OsStr| {
        let rest = staged
            .as_encoded_bytes()
            .strip_prefix(stem.as_encoded_bytes())?;
        let rest = rest.strip_prefix(b".")?.strip_suffix(b".next.tmp")?;
        let (process, inode) = std::str::from_utf8(rest).ok()?.rsplit_once('-')?;
        let process = WriterProcess::parse(process)?;
        // This process holds a turn, so none of its jobs is between two steps: the name is of a dead process with the same number.
        let is_dead = process.has_own_number() || !process.is_alive();
        is_dead.then_some(inode.parse().ok()?)
    };
    entries
        .flatten()
        .filter_map(|entry| {
            Some((
                ledger.with_file_name(entry.file_name()),
                parse(&entry.file_name())?,
            ))
        })
        .collect()
}

/// Gives a staged ledger its final name alone.
fn put(staged: &Path, ledger: &Path) -> io::Result<()> {
    if is_same(staged, ledger) {
        // Renaming would keep both names of one file.
        fs::remove_file(staged)
    } else {
        fs::rename(staged, ledger)
    }
}

/// Removes a staged ledger, also under its final name.
fn discard(staged: &Path, ledger: &Path) -> io::Result<()> {
    if is_same(staged, ledger) {
        fs::remove_file(ledger)?;
    }
    fs::remove_file(staged)
}

/// Returns true if two names are hard links to one file.
fn is_same(one: &Path, other: &Path) -> bool {
    let file = |path: &Path| {
        let there = fs::symlink_metadata(path).ok()?;
        Some((there.dev(), there.ino()))
    };
    file(one).is_some_and(|there| file(other) == Some(there))
}

/// Returns true if the file or folder at a path has this inode number.
pub(crate) fn has_inode(path: &Path, wanted: u64) -> bool {
    inode(path) == Some(wanted)
}

fn inode(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|there| there.ino())
}

/// Returns true if anything exists at the path, including a dangling link.
pub(crate) fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Removes a file, or a folder with its content.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_archive::WriteOptions;
    use std::io::Write;

    /// Returns names and contents in a folder, sorted.
    fn files(folder: &Path) -> Vec<String> {
        let line = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().unwrap();
            format!("{name}: {}", fs::read_to_string(entry.path()).unwrap())
        };
        let mut lines: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| line(entry.unwrap()))
            .collect();
        lines.sort();
        lines
    }

    #[test]
    fn what_a_killed_job_left_is_mended() {
        // No process has this number: the kernel's limit is 2^22.
        for (output, matches, old, expected) in [
            // Killed before the output was renamed.
            (
                Some("old"),
                false,
                false,
                &["out.ledger: old", "out: old"][..],
            ),
            (None, false, false, &["out.ledger: old"]),
            // Killed after that.
            (Some("new"), true, false, &["out.ledger: new", "out: new"]),
            // Killed between the two renames of a folder on a file system without an exchange.
            (None, false, true, &["out.ledger: old", "out: old"]),
            (Some("new"), true, true, &["out.ledger: new", "out: new"]),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            fs::write(at("out.ledger"), "old").unwrap();
            if let Some(output) = output {
                fs::write(at("out"), output).unwrap();
            }
            if old {
                fs::write(at("out.4194999.old.tmp"), "old").unwrap();
            }
            let number = inode(&at("out")).filter(|_| matches).unwrap_or(1);
            fs::write(at(&format!("out.ledger.4194999-{number}.next.tmp")), "new").unwrap();
            let right = if matches { "new" } else { "old" };
            let ledger = ledger_of(&at("out"), at("out.ledger"));
            assert_eq!(fs::read_to_string(ledger).unwrap(), right);
            recover(&at("out"), Some(&at("out.ledger")));
            assert_eq!(files(folder.path()), expected);
        }
    }

    #[test]
    fn a_ledger_without_its_output_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("out.ledger"), "new").unwrap();
        let staged = at("out.ledger.4194999-1.next.tmp");
        fs::hard_link(at("out.ledger"), &staged).unwrap();
        recover(&at("out"), Some(&at("out.ledger")));
        assert!(files(folder.path()).is_empty());
        // One whose output was moved elsewhere stays.
        fs::write(at("out.ledger"), "new").unwrap();
        recover(&at("out"), Some(&at("out.ledger")));
        assert_eq!(files(folder.path()), ["out.ledger: new"]);
    }

    #[test]
    fn files_of_running_jobs_stay() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in [
            "out",
            "out.ledger",
            "out.1.old.tmp",
            "out.ledger.1-1.next.tmp",
            "out.ledger.x.next.tmp",
        ] {
            fs::write(at(name), "x").unwrap();
        }
        let before = files(folder.path());
        recover(&at("out"), Some(&at("out.ledger")));
        assert_eq!(files(folder.path()), before);
    }

    #[test]
    fn a_staged_ledger_is_removed_unless_it_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.ledger");
        let staged = || {
            let mut file = Replacement::create(&path, WriteOptions::FORCE).unwrap();
            file.write_all(b"new").unwrap();
            StagedLedger::new(file, 5).unwrap()
        };
        let name = format!("out.ledger.{}-5.next.tmp: new", WriterProcess::own());
        // Where no ledger is, it has both names.
        let dropped = staged();
        let last = "out.ledger: new".to_owned();
        assert_eq!(files(folder.path()), [name.clone(), last.clone()]);
        drop(dropped);
        assert!(files(folder.path()).is_empty());
        for old in [false, true] {
            if old {
                fs::write(&path, "old").unwrap();
            }
            let mut kept = staged();
            let first = if old { "out.ledger: old" } else { &last };
            assert_eq!(files(folder.path()), [&name, first]);
            kept.keep();
            kept.commit().unwrap();
            assert_eq!(files(folder.path()), std::slice::from_ref(&last));
        }
    }
}
