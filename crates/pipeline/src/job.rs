//! What a normalization and a dry run are asked to do.
//!
//! # Limits
//! Nothing is checked here.

use mailglot_archive::Format;
use mailglot_mime::Policy;
use std::path::{Path, PathBuf};

/// Where the ledger goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LedgerPlace {
    /// `OUTPUT.ledger`
    Beside,
    /// This file.
    File(PathBuf),
    /// None is written.
    Nowhere,
}

/// A normalization.
#[derive(Clone, Debug)]
pub struct NormalizeJob {
    /// Files and folders; `-` is standard input.
    pub inputs: Vec<PathBuf>,
    /// The file or folder to make.
    pub output: PathBuf,
    /// Form of the output; None: as the input.
    pub to: Option<Format>,
    /// What to do with each message.
    pub policy: Policy,
    /// Where the ledger goes.
    pub ledger: LedgerPlace,
    /// Where a JSON report goes: a file that appears with the output, or a device or pipe that it is written to afterwards.
    pub report: Option<PathBuf>,
    /// Worker threads, at least 1. Output does not depend on it.
    pub threads: usize,
    /// Replace an existing output, ledger and report.
    pub force: bool,
    /// Read files as messages that have no header field, which are refused otherwise.
    pub force_format: bool,
    /// How many times their own size compressed inputs may become.
    pub max_expansion: u64,
    /// Read each rewritten message with a second reader, and set it aside where that reads something else ([`crate::verify`]).
    pub verify: bool,
}

impl NormalizeJob {
    /// Path of the ledger, where one is written.
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
    /// Files and folders; `-` is standard input.
    pub inputs: Vec<PathBuf>,
    /// What would be done with each message.
    pub policy: Policy,
    /// Worker threads.
    pub threads: usize,
    /// Read files as messages that have no header field, which are refused otherwise.
    pub force_format: bool,
    /// How many times their own size compressed inputs may become.
    pub max_expansion: u64,
    /// Read what would be written with a second reader, as [`NormalizeJob::verify`] does.
    pub verify: bool,
}

/// Returns `path` with `suffix` behind its last component.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}
