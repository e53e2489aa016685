//! The folder of parts beside the output: names of parts, attempts, and how they appear and disappear.
//!
//! ```text
//! OUTPUT.parts/000017.3f2a9c01d4e5b678/                      the part of split 17
//! OUTPUT.parts/000017.3f2a9c01d4e5b678.9c41….tmp/            an attempt, running or killed
//! ```
//!
//! # Limits
//!
//! An attempt that was killed stays until the parts are joined.

use crate::Error;
use crate::job::with_suffix;
use mailglot_archive::{Error as FileError, FileMode, Operation};
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

/// Name of the data of a part.
pub(super) const DATA: &str = "part";
/// Name of the manifest of a part.
pub(super) const MANIFEST: &str = "manifest.json";
/// Name of the plan that `resume` keeps.
pub(super) const PLAN: &str = "plan.json";

/// Name of the file that says that the output is being put into place.
const MARK: &str = "placing";

/// The folder of the parts of one job.
#[derive(Clone, Debug)]
pub(super) struct PartsFolder {
    path: PathBuf,
    /// The first digits of the job's digest.
    job: String,
}

impl PartsFolder {
    /// Returns the folder for an output. `job` is the digest of the job.
    pub(super) fn new(output: &Path, job: &str) -> Self {
        Self {
            path: with_suffix(output, ".parts"),
            job: job.chars().take(16).collect(),
        }
    }

    /// Returns the path of the folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the part of a split.
    pub(super) fn part(&self, split: usize) -> PathBuf {
        self.path.join(format!("{split:06}.{}", self.job))
    }

    /// Creates the folder unless it exists.
    pub(super) fn create(&self, mode: FileMode) -> Result<(), Error> {
        let created = mode.create_dir_all(&self.path);
        created.map_err(failed(&self.path, Operation::Create))
    }

    /// Creates the folder of a new attempt at a split.
    pub(super) fn attempt(&self, split: usize, mode: FileMode) -> Result<Attempt, Error> {
        // Unique over all machines, and in no output.
        let number = RandomState::new().build_hasher().finish();
        let name = format!("{split:06}.{}.{number:016x}.tmp", self.job);
        let path = self.path.join(name);
        let created = mode.create_dir(&path);
        created.map_err(failed(&path, Operation::Create))?;
        Ok(Attempt {
            path,
            part: self.part(split),
        })
    }

    /// Notes that the output is being put into place: from now on it may be that of this job.
    pub(super) fn mark(&self) -> Result<(), Error> {
        let place = self.path.join(MARK);
        let created = File::create(&place).and_then(|file| file.sync_all());
        created.map_err(failed(&place, Operation::Create))
    }

    /// Returns true if a killed process was putting the output into place.
    pub(super) fn is_marked(&self) -> bool {
        self.path.join(MARK).exists()
    }

    /// Removes the parts and attempts of the job, and the folder if nothing else is in it.
    pub(super) fn sweep(&self) {
        let Ok(entries) = fs::read_dir(&self.path) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_ours = name.split('.').nth(1) == Some(&self.job);
            if is_ours && name.starts_with(|first: char| first.is_ascii_digit()) {
                remove_part(&entry.path());
            }
        }
        // Without the plan, nothing would be resumed. So it stays until the parts are gone.
        for name in [PLAN, MARK] {
            let _ = fs::remove_file(self.path.join(name));
        }
        let _ = fs::remove_dir(&self.path);
    }
}

/// Removes a part or an attempt. A process that is killed here leaves no half part under the name of a part.
fn remove_part(part: &Path) {
    let mut swept = part.as_os_str().to_owned();
    swept.push(".swept.tmp");
    // What a killed process left of this.
    let _ = fs::remove_dir_all(&swept);
    let _ = fs::rename(part, &swept).and_then(|()| fs::remove_dir_all(&swept));
}

/// An attempt at a split. Its folder is removed on drop, unless it became the part.
#[derive(Debug)]
pub(super) struct Attempt {
    path: PathBuf,
    part: PathBuf,
}

impl Attempt {
    /// Returns the temporary folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the folder the part of its split. Returns false if another attempt was faster.
    pub(super) fn publish(self) -> Result<bool, Error> {
        let folder = File::open(&self.path).and_then(|folder| folder.sync_all());
        folder.map_err(failed(&self.path, Operation::Sync))?;
        match fs::rename(&self.path, &self.part) {
            Ok(()) => {
                let parent = self.part.parent().unwrap_or(Path::new("."));
                let synced = File::open(parent).and_then(|folder| folder.sync_all());
                synced.map_err(failed(parent, Operation::Sync))?;
                Ok(true)
            }
            // The folder of a part is never empty, so a rename does not replace it.
            Err(_) if self.part.join(MANIFEST).exists() => Ok(false),
            Err(error) => Err(failed(&self.part, Operation::Rename)(error)),
        }
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Returns a function that adds path and operation to an error of an output.
pub(super) fn failed(path: &Path, operation: Operation) -> impl Fn(io::Error) -> Error + use<> {
    let path = path.to_owned();
    move |error| Error::Output(FileError::new(&path, operation, error))
}
