//! Claims output paths, so that of two jobs for one path the later one fails before it works.
//!
//! # Limits
//! A claim is a locked file beside the path. Without locks on the file system, only processes of this machine are seen.

use crate::error::{Error, ErrorKind, Operation, at};
use crate::file_mode::FileMode;
use crate::replace::{parent, register, temporary_name, unregister, writer_of};
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// A claim on an output path. It ends when it is dropped, or with the process.
#[derive(Debug)]
pub struct Claim {
    file: PathBuf,
    /// Holds the lock.
    _lock: File,
}

impl Claim {
    /// Claims `path`. Call it while holding a [`turn`](crate::replace::turn), so that only one of two jobs succeeds.
    ///
    /// # Errors
    /// Another job writes the path ([`ErrorKind::Busy`]).
    pub fn take(path: &Path) -> Result<Self, Error> {
        let Some(name) = path.file_name() else {
            return Err(Error::new(path, Operation::Create, ErrorKind::NoFileName));
        };
        if let Some(process) = writer(path) {
            return Err(Error::new(
                path,
                Operation::Create,
                ErrorKind::Busy(process),
            ));
        }
        let file = path.with_file_name(temporary_name(name));
        register(&file);
        let created = FileMode::OPEN.create_file(&file);
        let lock = created.map_err(|error| {
            unregister(&file);
            at(path, Operation::Create)(error)
        })?;
        let _ = flock(&lock, FlockOperation::NonBlockingLockExclusive);
        Ok(Self { file, _lock: lock })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // The next writer of the path removes what stays.
        let _ = fs::remove_file(&self.file);
        unregister(&self.file);
    }
}

/// Returns the process that writes `path`, by the temporary files beside it.
fn writer(path: &Path) -> Option<u32> {
    let name = path.file_name()?;
    let entries = fs::read_dir(parent(path)).ok()?;
    entries.flatten().find_map(|entry| {
        let process = writer_of(&entry.file_name(), name)?;
        // Opening a pipe would wait for a writer.
        let kind = entry.file_type().ok()?;
        if !kind.is_file() && !kind.is_dir() {
            return None;
        }
        let file = File::open(entry.path()).ok()?;
        let is_busy = match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => false,
            Err(rustix::io::Errno::WOULDBLOCK) => true,
            Err(_) => !process.has_own_number() && process.is_alive(),
        };
        is_busy.then_some(process.id())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replace::{Replacement, WriteOptions};

    #[test]
    fn a_path_is_claimed_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let claim = Claim::take(&path).unwrap();
        let busy = Claim::take(&path).unwrap_err();
        assert!(matches!(busy.kind(), ErrorKind::Busy(process) if *process == std::process::id()));
        let other = Claim::take(&folder.path().join("out.ledger")).unwrap();
        drop((claim, other));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        // A job that does not claim its output is seen, too.
        let file = Replacement::create(&path, WriteOptions::NEW).unwrap();
        assert!(Claim::take(&path).is_err());
        drop(file);
        // Neither a file of a dead process nor a pipe is a claim.
        let pipe = folder.path().join("out.1-1.tmp");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        fs::write(folder.path().join("out.4194999-0.tmp"), b"").unwrap();
        assert!(Claim::take(&path).is_ok());
        assert!(Claim::take(&folder.path().join("no/out")).is_err());
    }
}
