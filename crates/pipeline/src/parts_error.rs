//! The errors of a job in parts.
//!
//! # Limits
//!
//! Errors of files and of counts are those of every job.

use std::fmt;
use std::path::PathBuf;

/// A plan, a part or a set of parts that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartsError {
    /// The plan, the part, or the folder of parts.
    pub path: PathBuf,
    /// The reason.
    pub fault: PartsFault,
}

/// The reason why a plan or its parts cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartsFault {
    /// The file is not a plan, or of another version of the program.
    NotAPlan(String),
    /// Inputs, options or program differ from those of the plan.
    OtherJob(String),
    /// A plan would replace this file, which is not a plan.
    Taken,
    /// The plan has only so many splits.
    NoSplit {
        /// The split that was asked for.
        split: usize,
        /// Number of splits in the plan.
        splits: usize,
    },
    /// These splits have no part yet.
    Missing {
        /// The first of them.
        first: Vec<usize>,
        /// Their number.
        missing: usize,
        /// Number of splits in the plan.
        splits: usize,
        /// True if an output exists, so that only a forced run makes a part.
        has_output: bool,
    },
    /// The data of the part have another length than its manifest says.
    Cut {
        /// The number of the split.
        split: usize,
        /// Length of the data in bytes.
        bytes: u64,
        /// Length in the manifest.
        complete: u64,
    },
    /// The part is damaged, or does not belong to the plan.
    Damaged(String),
    /// The parts of a killed job cannot be continued.
    NotContinued(String),
    /// A file is in the place of the folder of parts.
    NotAFolder,
}

impl PartsError {
    /// Returns true if another command line would help, rather than another part.
    pub fn is_wrong_call(&self) -> bool {
        !matches!(
            self.fault,
            PartsFault::Missing { .. }
                | PartsFault::Damaged(_)
                | PartsFault::Cut { .. }
                | PartsFault::NotAFolder
                | PartsFault::Taken
        )
    }

    /// Returns true if the part is shorter or longer than its manifest says.
    pub(super) fn is_cut(&self) -> bool {
        matches!(self.fault, PartsFault::Cut { .. })
    }

    pub(super) fn new(path: impl Into<PathBuf>, fault: PartsFault) -> Self {
        let path = path.into();
        Self { path, fault }
    }
}

impl std::error::Error for PartsError {}

impl fmt::Display for PartsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        match &self.fault {
            PartsFault::NotAPlan(reason) => write!(f, "not a plan of this program: {reason}"),
            PartsFault::OtherJob(reason) => write!(f, "belongs to another job: {reason}"),
            PartsFault::Taken => f.write_str("already exists, and is not a plan"),
            PartsFault::NoSplit { split, splits: 1 } => {
                write!(f, "has no split {split}; the plan has 1 split, number 0")
            }
            PartsFault::NoSplit { split, splits } => write!(
                f,
                "has no split {split}; the plan has {splits} splits, numbers 0 to {}",
                splits.saturating_sub(1)
            ),
            PartsFault::Missing {
                first,
                missing,
                splits,
                ..
            } => {
                let names: Vec<String> = first.iter().map(ToString::to_string).collect();
                let names = names.join(", ");
                let more = if first.len() < *missing { ", …" } else { "" };
                match missing {
                    1 => write!(f, "split {names} of {splits} has not finished"),
                    _ => write!(
                        f,
                        "{missing} of {splits} splits have not finished: {names}{more}"
                    ),
                }
            }
            PartsFault::Cut {
                split,
                bytes,
                complete,
            } if bytes < complete => write!(
                f,
                "the part of split {split} is cut off: it has {bytes} of {complete} bytes"
            ),
            PartsFault::Cut {
                split,
                bytes,
                complete,
            } => write!(
                f,
                "the part of split {split} has {bytes} bytes instead of {complete}"
            ),
            PartsFault::Damaged(reason) => write!(f, "the part cannot be used: {reason}"),
            PartsFault::NotContinued(reason) => write!(f, "cannot be continued: {reason}"),
            PartsFault::NotAFolder => write!(f, "a file, but the parts need a folder of this name"),
        }
    }
}
