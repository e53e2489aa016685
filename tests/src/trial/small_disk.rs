//! A separate disk that can be filled and emptied.
//!
//! # Limits
//! It is in memory (tmpfs): a full disk is like any other, but a sync costs nothing. Mounting needs root and CAP_SYS_ADMIN.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A mounted disk. Dropping it removes the disk with its content.
#[derive(Debug)]
pub struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Creates the folder `folder`, and mounts a disk of this many MiB there.
    ///
    /// # Panics
    /// If it cannot be mounted.
    pub fn mount(folder: &Path, mebibytes: u32) -> Self {
        fs::create_dir(folder).expect("a folder");
        let options = format!("size={mebibytes}m,mode=755");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "scratch"])
            .arg(folder)
            .status();
        assert!(
            mounted.is_ok_and(|status| status.success()),
            "{}: a tmpfs cannot be mounted; it takes root and CAP_SYS_ADMIN",
            folder.display()
        );
        Self(folder.to_owned())
    }

    /// Writes a file until the disk is full.
    ///
    /// # Panics
    /// If a write fails for another reason.
    pub fn fill(&self) {
        let mut file = File::create(self.filler()).expect("a file");
        for size in [1 << 20, 1 << 12] {
            loop {
                match file.write_all(&vec![b'x'; size]) {
                    Ok(()) => (),
                    Err(error) if error.kind() == ErrorKind::StorageFull => break,
                    Err(error) => panic!("{}: {error}", self.0.display()),
                }
            }
        }
    }

    /// Removes that file.
    ///
    /// # Panics
    /// If it cannot be removed.
    pub fn empty(&self) {
        fs::remove_file(self.filler()).expect("the file is there");
    }

    fn filler(&self) -> PathBuf {
        self.0.join("filler")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // If unmounting fails, the disk remains until the machine stops.
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}
