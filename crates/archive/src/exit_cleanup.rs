//! Removes temporary folders and kills child processes before the program exits.
//!
//! # Limits
//! A process that is killed by `SIGKILL` leaves its temporary folders behind.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// The folders and child processes that exist now.
static CLEANUP: Mutex<Cleanup> = Mutex::new(Cleanup {
    folders: BTreeSet::new(),
    processes: BTreeSet::new(),
    is_ending: false,
});

/// True if no output file or folder may be created any more. [`creating`] holds it for reading.
static IS_CLOSED: RwLock<bool> = RwLock::new(false);

struct Cleanup {
    folders: BTreeSet<PathBuf>,
    /// Ids of children that nobody has waited for. The system does not reuse such an id.
    processes: BTreeSet<u32>,
    /// True if the program exits. Then no folder is created and no process is started.
    is_ending: bool,
}

fn cleanup() -> MutexGuard<'static, Cleanup> {
    CLEANUP.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary folder. Removed if it is dropped, and by [`end_all`].
pub(crate) struct TemporaryFolder(TempDir);

impl TemporaryFolder {
    /// Creates a folder whose name begins with `prefix` in the folder of temporary files.
    pub(crate) fn create(prefix: &str) -> io::Result<Self> {
        let mut cleanup = cleanup();
        check(&cleanup)?;
        let folder = tempfile::Builder::new().prefix(prefix).tempdir()?;
        cleanup.folders.insert(folder.path().to_owned());
        Ok(Self(folder))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let mut cleanup = cleanup();
        let _ = fs::remove_dir_all(self.0.path());
        cleanup.folders.remove(self.0.path());
    }
}

/// Starts a process that [`end_all`] kills. The caller must call [`forget`] before it waits for the process.
pub(crate) fn start(spawn: impl FnOnce() -> io::Result<Child>) -> io::Result<Child> {
    let mut cleanup = cleanup();
    check(&cleanup)?;
    let child = spawn()?;
    cleanup.processes.insert(child.id());
    Ok(child)
}

/// Forgets a process. The system may reuse its id after somebody has waited for it.
pub(crate) fn forget(child: &Child) {
    cleanup().processes.remove(&child.id());
}

/// Kills all children and removes all temporary folders. Later calls of [`start`] and [`TemporaryFolder::create`] fail.
pub(crate) fn end_all() {
    let mut cleanup = cleanup();
    cleanup.is_ending = true;
    for process in &cleanup.processes {
        if let Some(process) = i32::try_from(*process).ok().and_then(Pid::from_raw) {
            let _ = kill_process(process, Signal::KILL);
        }
    }
    for folder in &cleanup.folders {
        let _ = fs::remove_dir_all(folder);
    }
}

/// Creates a file or folder of an output, unless [`close`] was called.
pub(crate) fn creating<T>(create: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let is_closed = IS_CLOSED.read().unwrap_or_else(PoisonError::into_inner);
    if *is_closed {
        return Err(is_ending());
    }
    create()
}

/// Makes later calls of [`creating`] fail, and waits for those in progress. So nothing appears in a folder that is being removed.
pub(crate) fn close() {
    *IS_CLOSED.write().unwrap_or_else(PoisonError::into_inner) = true;
}

fn check(cleanup: &Cleanup) -> io::Result<()> {
    if cleanup.is_ending {
        return Err(is_ending());
    }
    Ok(())
}

fn is_ending() -> io::Error {
    io::Error::other("the program is ending")
}
