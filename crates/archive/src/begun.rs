//! Knows the temporary folders and the processes of this process, to end them before it exits.
//!
//! # Limits
//! A process that is killed by `SIGKILL` leaves its temporary folders behind.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// What is to be ended.
static BEGUN: Mutex<Begun> = Mutex::new(Begun {
    folders: BTreeSet::new(),
    processes: BTreeSet::new(),
    is_abandoned: false,
});

struct Begun {
    folders: BTreeSet<PathBuf>,
    /// The numbers of processes that run, or that nobody has waited for. The system gives none of them to another process.
    processes: BTreeSet<u32>,
    /// The program exits, so nothing may begin.
    is_abandoned: bool,
}

fn begun() -> MutexGuard<'static, Begun> {
    BEGUN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary folder. Removed if it is dropped, and by [`end_all`].
pub(crate) struct TemporaryFolder(TempDir);

impl TemporaryFolder {
    /// Creates a folder whose name begins with `prefix` in the folder of temporary files.
    pub(crate) fn create(prefix: &str) -> io::Result<Self> {
        let mut begun = begun();
        check(&begun)?;
        let folder = tempfile::Builder::new().prefix(prefix).tempdir()?;
        begun.folders.insert(folder.path().to_owned());
        Ok(Self(folder))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let mut begun = begun();
        let _ = fs::remove_dir_all(self.0.path());
        begun.folders.remove(self.0.path());
    }
}

/// Starts a process that [`end_all`] kills. [`forget`] it before anyone waits for it.
pub(crate) fn start(spawn: impl FnOnce() -> io::Result<Child>) -> io::Result<Child> {
    let mut begun = begun();
    check(&begun)?;
    let child = spawn()?;
    begun.processes.insert(child.id());
    Ok(child)
}

/// Forgets a process, since its number may belong to another one after it was waited for.
pub(crate) fn forget(child: &Child) {
    begun().processes.remove(&child.id());
}

/// Kills all processes and removes all temporary folders. No other ones begin after it.
pub(crate) fn end_all() {
    let mut begun = begun();
    begun.is_abandoned = true;
    for process in &begun.processes {
        if let Some(process) = i32::try_from(*process).ok().and_then(Pid::from_raw) {
            let _ = kill_process(process, Signal::KILL);
        }
    }
    for folder in &begun.folders {
        let _ = fs::remove_dir_all(folder);
    }
}

fn check(begun: &Begun) -> io::Result<()> {
    if begun.is_abandoned {
        return Err(io::Error::other("the program is ending"));
    }
    Ok(())
}
