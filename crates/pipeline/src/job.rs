//! Options of a normalization and of a dry run.
//!
//! # Limits
//! Nothing is checked here.

use crate::discover::Opening;
use crate::selection::Selection;
use mailglot_archive::Format;
use mailglot_mime::Policy;
use std::path::{Path, PathBuf};

/// Where the ledger is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LedgerPlace {
    /// `OUTPUT.ledger`
    Beside,
    /// This file.
    File(PathBuf),
    /// No ledger.
    Nowhere,
}

/// A normalization.
#[derive(Clone, Debug)]
pub struct NormalizeJob {
    /// Files and folders. `-` is standard input.
    pub inputs: Vec<PathBuf>,
    /// The file or folder to write.
    pub output: PathBuf,
    /// Format of the output. None keeps the input's format.
    pub to: Option<Format>,
    /// The policy for each message.
    pub policy: Policy,
    /// Where the ledger is written.
    pub ledger: LedgerPlace,
    /// Path of a JSON report: a file that appears with the output, or a device or pipe that is written afterwards.
    pub report: Option<PathBuf>,
    /// Leaves the folders above inputs and outputs out of the report, so that equal jobs in different folders have equal reports.
    pub deterministic: bool,
    /// Number of worker threads, at least 1. Does not affect the output.
    pub threads: usize,
    /// Replaces an existing output, ledger and report.
    pub force: bool,
    /// How inputs are opened.
    pub opening: Opening,
    /// The messages to write. The ledger keeps the bytes of the others.
    pub selection: Selection,
    /// Verifies each rewritten message with a second reader, and sets it aside on a mismatch ([`crate::verify`]).
    pub verify: bool,
}

impl NormalizeJob {
    /// Returns the path of the ledger, if one is written.
    pub fn ledger_place(&self) -> Option<PathBuf> {
        match &self.ledger {
            LedgerPlace::Beside => Some(with_suffix(&self.output, ".ledger")),
            LedgerPlace::File(path) => Some(path.clone()),
            LedgerPlace::Nowhere => None,
        }
    }
}

/// A dry run.
#[derive(Clone, Debug)]
pub struct CheckJob {
    /// Files and folders. `-` is standard input.
    pub inputs: Vec<PathBuf>,
    /// The policy for each message.
    pub policy: Policy,
    /// Number of worker threads.
    pub threads: usize,
    /// How inputs are opened.
    pub opening: Opening,
    /// The messages to check. Reading stops at its limit.
    pub selection: Selection,
    /// Verifies the would-be output with a second reader, like [`NormalizeJob::verify`].
    pub verify: bool,
}

/// Returns `path` with `suffix` appended to its last component.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}
