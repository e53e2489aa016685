//! The folder of parts beside the output: names of parts, attempts, and how they appear and disappear.
//!
//! ```text
//! OUTPUT.parts/000017.3f2a9c01d4e5b678/                      the part of split 17
//! OUTPUT.parts/000017.3f2a9c01d4e5b678.9c41….tmp/            an attempt, running or killed
//! OUTPUT.parts/output.json                                   how far the outputs are, see `output_mark`
//! OUTPUT.parts/plan.json, inputs.json                        plan and state of the inputs of `resume`
//! ```
//!
//! # Limits
//!
//! An attempt that was killed stays until the parts are joined.

use super::output_mark::OutputMark;
use super::plan::PartsPlan;
use super::write_file::failed;
use crate::error::Error;
use crate::job::with_suffix;
use crate::path_checks::{followed, is_empty};
use crate::staged_ledger::exists;
use mailglot_archive::{FileMode, Operation};
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};

/// Name of the data of a part.
pub(super) const DATA: &str = "part";
/// Name of the manifest of a part.
pub(super) const MANIFEST: &str = "manifest.json";
/// Name of the plan that `resume` keeps.
pub(super) const PLAN: &str = "plan.json";

/// Name of the state of the inputs that `resume` keeps.
pub(super) const INPUTS: &str = "inputs.json";
/// The folder with parts of a job that did not finish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnfinishedParts {
    /// Its path, `OUTPUT.parts`.
    pub folder: PathBuf,
    /// True if [`resume`](crate::resume) made the parts, false if [`run_part`](crate::run_part) did.
    pub is_resumable: bool,
}

/// Returns the folder with the parts of an unfinished job for an output, if there is one.
pub fn unfinished_parts(output: &Path) -> Option<UnfinishedParts> {
    let folder = with_suffix(output, ".parts");
    let is_resumable = folder.join(PLAN).is_file();
    let is_part = |entry: fs::DirEntry| {
        let name = entry.file_name();
        let (number, rest) = name.as_encoded_bytes().split_at_checked(6)?;
        Some(number.iter().all(u8::is_ascii_digit) && rest.starts_with(b"."))
    };
    let has_part = || {
        let mut entries = fs::read_dir(&folder).ok()?.flatten();
        Some(entries.any(|entry| is_part(entry) == Some(true)))
    };
    (is_resumable || has_part() == Some(true)).then_some(UnfinishedParts {
        folder,
        is_resumable,
    })
}

/// Name of the mark that says how far the outputs are.
const MARK: &str = "output.json";

/// The folder of the parts of one job.
#[derive(Clone, Debug)]
pub(super) struct PartsFolder {
    path: PathBuf,
    output: PathBuf,
    /// The job's digest.
    job: String,
}

impl PartsFolder {
    /// Returns the folder for an output. `job` is the digest of the job.
    pub(super) fn new(output: &Path, job: &str) -> Self {
        Self {
            path: with_suffix(output, ".parts"),
            output: output.to_owned(),
            job: job.to_owned(),
        }
    }

    /// Returns the path of the folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the part of a split.
    pub(super) fn part(&self, split: usize) -> PathBuf {
        self.path.join(format!("{split:06}.{}", self.short_job()))
    }

    /// Removes the part of a split.
    pub(super) fn remove(&self, split: usize) {
        remove_part(&self.part(split));
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
        let name = format!("{split:06}.{}.{number:016x}.tmp", self.short_job());
        let path = self.path.join(name);
        let created = mode.create_dir(&path);
        created.map_err(failed(&path, Operation::Create))?;
        Ok(Attempt {
            path,
            part: self.part(split),
        })
    }

    /// Returns the mark of this job if it belongs to what is at the path of the output.
    pub(super) fn mark(&self) -> Option<OutputMark> {
        OutputMark::read(&self.path.join(MARK), &self.job, &self.output)
    }

    /// Returns a mark for an output that is about to be put into place. It may replace the output of the present mark.
    pub(super) fn new_mark(&self, output: u64) -> OutputMark {
        let replaced = self.mark().and_then(|mark| mark.placed(&self.output));
        OutputMark::new(&self.job, output, replaced)
    }

    /// Writes the mark.
    pub(super) fn set_mark(&self, mark: &OutputMark, mode: FileMode) -> Result<(), Error> {
        mark.write(&self.path.join(MARK), mode)
    }

    /// Removes the mark.
    pub(super) fn unmark(&self) {
        let _ = fs::remove_file(self.path.join(MARK));
    }

    /// Returns true if the output exists and the folder has nothing to join to another one. Then it has no part or attempt of
    /// the job, or an output that is complete.
    pub(super) fn is_joined(&self) -> Result<bool, Error> {
        let output = followed(&self.output)?;
        if !exists(&output) || is_empty(&output) {
            return Ok(false);
        }
        let is_complete = self.mark().is_some_and(|mark| mark.is_complete());
        let names = entries(&self.path);
        Ok(is_complete || !names.iter().any(|name| self.is_part(name)))
    }

    /// Removes the parts and attempts of the job, and the folder if nothing else is in it. Returns what stays.
    ///
    /// The mark is removed after all parts, so that a killed process leaves it.
    pub(super) fn sweep(&self) -> Vec<PathBuf> {
        self.remove_parts(&self.path);
        let has_own_plan = self.has_own_plan();
        let (own, stays): (Vec<_>, Vec<_>) = entries(&self.path)
            .into_iter()
            .partition(|name| self.is_part(name) || is_record(name, has_own_plan));
        // With one rename, nobody sees a folder without its mark.
        let swept = with_suffix(&self.path, ".swept.tmp");
        if stays.is_empty() && fs::rename(&self.path, &swept).is_ok() {
            self.sweep_rest();
        } else {
            remove_records(&self.path, &own);
            let _ = fs::remove_dir(&self.path);
        }
        stays.iter().map(|name| self.path.join(name)).collect()
    }

    /// Removes what a process left that was killed after it had swept the folder.
    pub(super) fn sweep_rest(&self) {
        let swept = with_suffix(&self.path, ".swept.tmp");
        let names = entries(&swept);
        self.remove_parts(&swept);
        remove_records(&swept, &names);
        let _ = fs::remove_dir(&swept);
    }

    /// Removes parts and attempts of the job from a folder.
    fn remove_parts(&self, folder: &Path) {
        for name in entries(folder) {
            if self.is_part(&name) {
                remove_part(&folder.join(name));
            }
        }
    }

    /// Returns true for the name of a part or an attempt of the job.
    fn is_part(&self, name: &str) -> bool {
        name.split('.').nth(1) == Some(self.short_job())
            && name.starts_with(|first: char| first.is_ascii_digit())
    }

    /// Returns true if the folder has a plan of this job.
    fn has_own_plan(&self) -> bool {
        let place = self.path.join(PLAN);
        let plan = fs::read(&place)
            .ok()
            .and_then(|text| PartsPlan::parse(&place, &text).ok());
        plan.is_some_and(|plan| plan.job == self.job)
    }

    /// Returns the first digits of the job's digest.
    fn short_job(&self) -> &str {
        self.job.get(..16).unwrap_or(&self.job)
    }
}

/// Removes the records among the names from a folder, the mark at last.
fn remove_records(folder: &Path, names: &[String]) {
    let is_other = |name: &&String| *name != MARK && is_record(name, true);
    for name in names.iter().filter(is_other) {
        let _ = fs::remove_file(folder.join(name));
    }
    let _ = fs::remove_file(folder.join(MARK));
}

/// Returns true for the name of a file about the job, or of one that was being written.
fn is_record(name: &str, has_own_plan: bool) -> bool {
    let is = |record: &str| {
        let rest = name.strip_prefix(record);
        rest.is_some_and(|rest| {
            let written = rest.strip_prefix('.');
            rest.is_empty() || written.is_some_and(|rest| rest.strip_suffix(".tmp").is_some())
        })
    };
    is(MARK) || is(INPUTS) || (has_own_plan && is(PLAN))
}

/// Returns the names in a folder. Bytes that are not UTF-8 are replaced: all our names are ASCII.
fn entries(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    entries.flatten().map(name).collect()
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
    pub(super) fn publish(&self) -> Result<bool, Error> {
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
