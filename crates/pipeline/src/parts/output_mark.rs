//! The mark in the folder of parts that says how far the outputs are, so that a killed `commit` can be repeated.
//!
//! | mark | state | `commit`, when it is repeated |
//! |---|---|---|
//! | none | the outputs are not in place | joins the parts |
//! | without a summary | the outputs are being put into place | joins the parts, and replaces the output that the mark names |
//! | with a summary | the outputs are in place | removes the parts that are left |
//!
//! A repeated `commit` writes its mark before it replaces the output that the killed process left. So the mark names both outputs: the new
//! one, and the one that it replaces.
//!
//! # Limits
//!
//! Recognizes the output by its inode number. It stays when the output is renamed to its path.

use super::counts::{JoinedSource, PieceCounts};
use super::write_file::{failed, write_file};
use crate::error::Error;
use crate::normalize::empty_summary;
use crate::staged_ledger::has_inode;
use crate::summary::{SourceSummary, Summary};
use mailglot_archive::{FileMode, Operation, WriteOptions};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

/// How far the outputs of a job are.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct OutputMark {
    /// Digest of the job.
    job: String,
    /// Inode number of the output.
    output: u64,
    /// Inode number of the output of the same job that this output replaces. A killed process put it into place.
    replaced: Option<u64>,
    /// The results. None until the outputs are in place.
    results: Option<Results>,
}

/// A [`Summary`] that can be read back.
#[derive(Debug, Serialize, Deserialize)]
struct Results {
    counts: PieceCounts,
    sources: Vec<SourceSummary>,
    messages_in: u64,
    bytes_in: u64,
    bytes_out: Option<u64>,
    ledger_bytes: Option<u64>,
}

impl OutputMark {
    /// Returns the mark of a job whose output is about to be renamed to its path, where it replaces the output `replaced`.
    pub(super) fn new(job: &str, output: u64, replaced: Option<u64>) -> Self {
        Self {
            job: job.to_owned(),
            output,
            replaced,
            results: None,
        }
    }

    /// Adds the results, since all outputs are in place.
    pub(super) fn complete(&mut self, summary: &Summary) {
        self.replaced = None;
        self.results = Some(Results {
            sources: summary.sources.clone(),
            messages_in: summary.messages_in,
            bytes_in: summary.bytes_in,
            bytes_out: summary.bytes_out,
            ledger_bytes: summary.ledger_bytes,
            counts: PieceCounts::of(summary.clone()),
        });
    }

    /// Reads the mark at `place`. Returns `None` unless it belongs to this job and to what is at the path `output`.
    pub(super) fn read(place: &Path, job: &str, output: &Path) -> Option<Self> {
        let text = fs::read(place).ok()?;
        let mark: Self = serde_json::from_slice(&text).ok()?;
        (mark.job == job && mark.is_of(output)).then_some(mark)
    }

    /// Returns true if the marked output, or the one that it replaces, is at the path `output`.
    pub(super) fn is_of(&self, output: &Path) -> bool {
        self.placed(output).is_some()
    }

    /// Returns the inode number of what is at the path `output` if the mark names it.
    pub(super) fn placed(&self, output: &Path) -> Option<u64> {
        let mut named = [self.output].into_iter().chain(self.replaced);
        named.find(|inode| has_inode(output, *inode))
    }

    /// Writes the mark to `place`, and syncs it.
    pub(super) fn write(&self, place: &Path, mode: FileMode) -> Result<(), Error> {
        let options = WriteOptions { force: true, mode };
        let text = serde_json::to_vec(self).map_err(std::io::Error::other);
        write_file(
            place,
            &text.map_err(failed(place, Operation::Write))?,
            options,
        )
    }

    /// Returns true if all outputs are in place.
    pub(super) fn is_complete(&self) -> bool {
        self.results.is_some()
    }

    /// Returns the results if all outputs are in place.
    pub(super) fn summary(self) -> Option<Summary> {
        let results = self.results?;
        let mut summary = empty_summary(results.counts.has_verify());
        let mut source = JoinedSource {
            path: String::new(),
            account: SourceSummary::default(),
            has_quoting_guess: false,
        };
        results.counts.add_to(&mut summary, &mut source, 0);
        Some(Summary {
            sources: results.sources,
            messages_in: results.messages_in,
            bytes_in: results.bytes_in,
            bytes_out: results.bytes_out,
            ledger_bytes: results.ledger_bytes,
            ..summary
        })
    }
}
