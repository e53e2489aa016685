//! Moves old outputs away for new ones, and back if the job fails.
//!
//! # Limits
//!
//! A job that is killed between its renames leaves the old output under `NAME.<process>.old.tmp`. The next job that writes there
//! recovers it.

use mailglot_archive::replace::{is_alive, leftovers, temporary_stem};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Cleans up after a job that was killed while it put outputs into place.
///
/// If its output exists, removes the old files. Otherwise it moves them back, and removes a ledger without output. Ignores
/// failures: a file that stays is reported later, because it is in the way.
pub(crate) fn recover(output: &Path, ledger: Option<&Path>, aside: &Path) {
    let done = exists(output);
    let orphan = !done && ledger.is_some_and(|ledger| is_orphan(ledger, &leftovers(output)));
    for place in ledger.into_iter().chain([aside, output]) {
        let old = moved_away(place);
        if done {
            for old in &old {
                let _ = remove(old);
            }
        } else if let Some(old) = old.first() {
            let _ = remove(place);
            let _ = fs::rename(old, place);
        } else if orphan {
            let _ = remove(place);
        }
    }
}

/// Returns true if a ledger was finished after the output of a dead process, which was never renamed.
///
/// A ledger whose output is elsewhere is older than the leftovers here, or there are no leftovers.
fn is_orphan(ledger: &Path, outputs: &[PathBuf]) -> bool {
    let time = |path: &Path| {
        fs::symlink_metadata(path)
            .and_then(|metadata| metadata.modified())
            .ok()
    };
    let Some(finished) = time(ledger) else {
        return false;
    };
    !outputs.is_empty()
        && outputs
            .iter()
            .all(|output| time(output).is_some_and(|started| started <= finished))
}

/// Returns the files that dead processes moved away from a path.
fn moved_away(place: &Path) -> Vec<PathBuf> {
    let folder = place
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let (Some(name), Ok(entries)) = (place.file_name(), fs::read_dir(folder)) else {
        return Vec::new();
    };
    let stem = temporary_stem(name);
    let dead = |old: &std::ffi::OsStr| {
        let process = old.as_encoded_bytes().strip_prefix(stem.as_encoded_bytes());
        let process = process.and_then(|rest| rest.strip_prefix(b".")?.strip_suffix(b".old.tmp"));
        let process = process.and_then(|number| std::str::from_utf8(number).ok()?.parse().ok());
        process.is_some_and(|process: u32| !is_alive(process))
    };
    let names = entries
        .flatten()
        .map(|entry| entry.file_name())
        .filter(|name| dead(name));
    names.map(|name| place.with_file_name(name)).collect()
}

/// A file or folder renamed to make room for a new one. Removed on drop, unless it was moved back.
#[derive(Debug)]
pub(crate) struct Backup {
    place: PathBuf,
    old: PathBuf,
    done: bool,
}

impl Backup {
    /// Renames the file or folder at `place`. Returns None if there is none.
    pub(crate) fn new(place: &Path) -> io::Result<Option<Self>> {
        if !exists(place) {
            return Ok(None);
        }
        let old = beside(place, "old.tmp")?;
        fs::rename(place, &old)?;
        Ok(Some(Self {
            place: place.to_owned(),
            old,
            done: false,
        }))
    }

    /// Removes the old file or folder.
    pub(crate) fn discard(mut self) -> io::Result<()> {
        self.done = true;
        remove(&self.old)
    }
}

impl Drop for Backup {
    fn drop(&mut self) {
        if !self.done {
            let _ = fs::rename(&self.old, &self.place);
        }
    }
}

/// A new file or folder that is removed unless the whole job succeeds. Drop it before the old one is moved back.
#[derive(Debug)]
pub(crate) struct RollbackGuard(Option<PathBuf>);

impl RollbackGuard {
    /// Guards the new file or folder at `place`.
    pub(crate) fn new(place: &Path) -> Self {
        Self(Some(place.to_owned()))
    }

    /// Keeps the new file or folder.
    pub(crate) fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for RollbackGuard {
    fn drop(&mut self) {
        if let Some(place) = &self.0 {
            let _ = remove(place);
        }
    }
}

/// Returns true if anything exists at the path, including a dangling link.
pub(crate) fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn remove(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}

/// Returns `NAME.<process>.<suffix>` in the same folder, so that renaming stays within one file system.
fn beside(place: &Path, suffix: &str) -> io::Result<PathBuf> {
    let name = place
        .file_name()
        .ok_or_else(|| io::Error::other("a file name is expected"))?;
    let mut name = temporary_stem(name);
    name.push(format!(".{}.{suffix}", std::process::id()));
    Ok(place.with_file_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns names and contents in a folder after recovering `out` and `out.ledger`. Each file is newer than the one before.
    fn recovered(files: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for (second, file) in files.iter().enumerate() {
            let path = folder.path().join(file);
            fs::write(&path, file).unwrap();
            let time = std::time::UNIX_EPOCH
                + std::time::Duration::from_secs(1_000_000_000 + second as u64);
            fs::File::options()
                .append(true)
                .open(&path)
                .unwrap()
                .set_modified(time)
                .unwrap();
        }
        let path = |name: &str| folder.path().join(name);
        recover(
            &path("out"),
            Some(&path("out.ledger")),
            &path("out.set-aside"),
        );
        let entries = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let line = |path: PathBuf| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            format!("{name}: {}", fs::read_to_string(&path).unwrap())
        };
        let mut lines: Vec<_> = entries.map(line).collect();
        lines.sort();
        lines
    }

    #[test]
    fn killed_job_is_rolled_back() {
        // No process has these numbers: the kernel's limit is 2^22.
        for (files, left) in [
            // Killed before the output was renamed: the new ledger is removed.
            (
                &["out.4194999-0.tmp", "out.ledger"][..],
                &["out.4194999-0.tmp: out.4194999-0.tmp"][..],
            ),
            (
                &["out.ledger", "out.4194999-0.tmp"],
                &[
                    "out.4194999-0.tmp: out.4194999-0.tmp",
                    "out.ledger: out.ledger",
                ],
            ),
            // Like above with --force: the old pair comes back.
            (
                &[
                    "out.ledger",
                    "out.ledger.4194999.old.tmp",
                    "out.4194999.old.tmp",
                ],
                &[
                    "out.ledger: out.ledger.4194999.old.tmp",
                    "out: out.4194999.old.tmp",
                ],
            ),
            (
                &["out.4194999.old.tmp", "out.ledger"],
                &["out.ledger: out.ledger", "out: out.4194999.old.tmp"],
            ),
            // Killed after the output was renamed: the old pair is removed.
            (
                &[
                    "out",
                    "out.ledger",
                    "out.ledger.4194999.old.tmp",
                    "out.4194999.old.tmp",
                ],
                &["out.ledger: out.ledger", "out: out"],
            ),
            // A ledger whose output is elsewhere, and files of running processes, stay.
            (&["out.ledger"], &["out.ledger: out.ledger"]),
            (
                &["out.ledger", "out.1-0.tmp", "out.1.old.tmp"],
                &[
                    "out.1-0.tmp: out.1-0.tmp",
                    "out.1.old.tmp: out.1.old.tmp",
                    "out.ledger: out.ledger",
                ],
            ),
        ] {
            assert_eq!(recovered(files), left, "{files:?}");
        }
    }

    #[test]
    fn new_output_is_removed_unless_kept() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("x");
        fs::write(&place, b"old").unwrap();
        let backup = Backup::new(&place).unwrap();
        fs::write(&place, b"new").unwrap();
        drop(RollbackGuard::new(&place));
        drop(backup);
        assert_eq!(fs::read(&place).unwrap(), b"old");
        RollbackGuard::new(&place).keep();
        assert!(exists(&place));
    }

    #[test]
    fn old_output_is_restored_unless_discarded() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("x");
        assert!(Backup::new(&place).unwrap().is_none());
        fs::create_dir(&place).unwrap();
        fs::write(place.join("a"), b"old").unwrap();
        drop(Backup::new(&place).unwrap());
        assert_eq!(fs::read(place.join("a")).unwrap(), b"old");
        let backup = Backup::new(&place).unwrap().unwrap();
        assert!(!exists(&place));
        fs::write(&place, b"new").unwrap();
        backup.discard().unwrap();
        assert_eq!(fs::read(&place).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
