//! Joins the parts of a job: checks them, and hands their batches to the sink of a normalization.
//!
//! # Limits
//!
//! Reads all parts once, and writes the outputs beside them. The parts are removed when the outputs are in place.

use super::counts::JoinedSource;
use super::error::{PartsError, PartsFault};
use super::layout::{DATA, PartsFolder};
use super::manifest::{DonePiece, Manifest};
use super::part_file::PartReader;
use super::plan::PartsPlan;
use super::source_digest::joined;
use crate::discover::{SourceInput, Sources, discover};
use crate::error::AccountError;
use crate::hash::hex;
use crate::job::NormalizeJob;
use crate::normalize::{empty_summary, finish};
use crate::output::OutputSink;
use crate::plan::Plan;
use crate::rewrite::RewrittenBatch;
use crate::run::{EndedSource, ResultSink, count_left_out};
use crate::{Error, Progress, SourceSummary, Summary};
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

/// Largest number of splits that an error names.
const NAMED: usize = 10;

/// Joins the parts of all splits of a plan to the outputs of the job. `path` is that of the plan, for errors.
///
/// The outputs are the same bytes as those of a normalization in one pass, and appear in the same way.
///
/// # Errors
/// A split has no part, a part is damaged, the inputs have changed, or an output cannot be written. The parts stay then.
pub fn commit_parts(
    job: &NormalizeJob,
    (path, plan): (&Path, &PartsPlan),
    progress: &Progress,
) -> Result<Summary, Error> {
    let sources = discover(&job.inputs, job.opening())?;
    plan.check(path, job, &sources.inputs)?;
    let folder = PartsFolder::new(&job.output, &plan.job);
    let outputs = outputs(job, &folder, &sources.inputs)?;
    join(job, plan, &sources, &outputs, progress)
}

/// Plans and claims the outputs. Replaces those that a killed process was putting into place.
pub(super) fn outputs(
    job: &NormalizeJob,
    folder: &PartsFolder,
    inputs: &[SourceInput],
) -> Result<Plan, Error> {
    let job = NormalizeJob {
        force: job.force || folder.is_marked(),
        ..job.clone()
    };
    Plan::new(&job, inputs)
}

/// Like [`commit_parts`], after the checks.
pub(super) fn join(
    job: &NormalizeJob,
    plan: &PartsPlan,
    sources: &Sources,
    outputs: &Plan,
    progress: &Progress,
) -> Result<Summary, Error> {
    let folder = PartsFolder::new(&job.output, &plan.job);
    let manifests = manifests(&folder, plan)?;
    let total = manifests.iter().map(|manifest| manifest.part_bytes).sum();
    progress.total.store(total, Relaxed);
    progress.bytes.store(0, Relaxed);
    let mut join = Join {
        inputs: &sources.inputs,
        sink: OutputSink::new(outputs)?,
        summary: empty_summary(job.verify),
        progress,
        current: None,
        batch: RewrittenBatch::default(),
    };
    count_left_out(&mut join.summary, &sources.left_out);
    for (manifest, pieces) in manifests.iter().zip(&plan.splits) {
        let part = folder.part(manifest.split);
        let ordinals = pieces
            .iter()
            .map(|piece| piece.range.as_ref().map_or(0, |range| range.ordinal));
        join.part(&part, manifest, ordinals)?;
    }
    join.end_source()?;
    let Join {
        sink, mut summary, ..
    } = join;
    // The inputs must be as they were when the last part was made.
    plan.check(folder.path(), job, &sources.inputs)?;
    folder.mark()?;
    finish(sink, job, &mut summary)?;
    folder.sweep();
    Ok(summary)
}

/// Reads the manifests of all splits, and checks that they cover the plan.
fn manifests(folder: &PartsFolder, plan: &PartsPlan) -> Result<Vec<Manifest>, Error> {
    let (mut manifests, mut first, mut missing) = (Vec::new(), Vec::new(), 0);
    for (split, pieces) in plan.splits.iter().enumerate() {
        let part = folder.part(split);
        let Some(manifest) = Manifest::read(&part, &plan.job, split)? else {
            missing += 1;
            if first.len() < NAMED {
                first.push(split);
            }
            continue;
        };
        let range = |piece: &DonePiece| (piece.source, piece.range);
        let done = manifest.pieces.iter().map(range);
        let planned = pieces.iter().map(|piece| {
            let hashed = piece.range.as_ref().map(|range| range.hashed);
            (piece.source, hashed)
        });
        if !done.eq(planned) {
            return Err(damaged(&part, "it has other pieces than the plan"));
        }
        manifests.push(manifest);
    }
    if missing > 0 {
        let fault = PartsFault::Missing {
            first,
            missing,
            splits: plan.splits(),
        };
        return Err(Error::Parts(PartsError::new(folder.path(), fault)));
    }
    Ok(manifests)
}

/// State of joining.
struct Join<'a> {
    inputs: &'a [SourceInput],
    sink: OutputSink<'a>,
    summary: Summary,
    progress: &'a Progress,
    /// The source whose pieces are being joined.
    current: Option<CurrentSource>,
    batch: RewrittenBatch,
}

/// A source whose pieces are being joined.
struct CurrentSource {
    number: usize,
    joined: JoinedSource,
    selected: u64,
    written: u64,
    set_aside: u64,
    dropped: u64,
    /// Digest, if one piece is the whole source.
    blake3: Option<String>,
    cells: Vec<String>,
}

impl Join<'_> {
    /// Joins the pieces of a part.
    fn part(
        &mut self,
        part: &Path,
        manifest: &Manifest,
        ordinals: impl Iterator<Item = u64>,
    ) -> Result<(), Error> {
        let unreadable = |error: io::Error| damaged(part, &error.to_string());
        let file = File::open(part.join(DATA)).map_err(unreadable)?;
        let mut data = PartReader::new(BufReader::with_capacity(256 << 10, file));
        for (piece, ordinal) in manifest.pieces.iter().zip(ordinals) {
            if self.current.as_ref().map(|current| current.number) != Some(piece.source) {
                self.end_source()?;
                self.begin_source(piece.source)?;
            }
            for _ in 0..piece.batches {
                if self.progress.is_interrupted() {
                    return Err(Error::Interrupted);
                }
                data.batch(&mut self.batch).map_err(unreadable)?;
                let bytes = self.batch.out.bytes.len() as u64;
                let _ = self.sink.take(&mut self.batch)?;
                self.progress.bytes.fetch_add(bytes, Relaxed);
            }
            self.count(piece, ordinal);
        }
        let (ended, digest) = data.finish().map_err(unreadable)?;
        if !ended || digest != manifest.part_blake3 {
            return Err(damaged(
                part,
                "its digest differs from that in its manifest",
            ));
        }
        Ok(())
    }

    fn begin_source(&mut self, number: usize) -> Result<(), Error> {
        let input = &self.inputs[number];
        self.sink.begin(number, input)?;
        self.current = Some(CurrentSource {
            number,
            joined: JoinedSource {
                path: input.path(),
                account: SourceSummary {
                    path: input.name_in_json(),
                    ..SourceSummary::default()
                },
                has_quoting_guess: false,
            },
            selected: 0,
            written: 0,
            set_aside: 0,
            dropped: 0,
            blake3: None,
            cells: Vec::new(),
        });
        Ok(())
    }

    /// Adds the counts of a piece.
    fn count(&mut self, piece: &DonePiece, ordinal: u64) {
        let Some(current) = &mut self.current else {
            return;
        };
        let counts = &piece.counts;
        current.selected += piece.selected;
        current.written += counts.written;
        current.set_aside += counts.set_aside;
        current.dropped += counts.dropped;
        current.blake3.clone_from(&piece.blake3);
        current.cells.extend_from_slice(&piece.cells);
        self.progress.messages.fetch_add(counts.messages, Relaxed);
        counts
            .clone()
            .add_to(&mut self.summary, &mut current.joined, ordinal);
    }

    /// Ends the current source, and checks its counts.
    fn end_source(&mut self) -> Result<(), Error> {
        let Some(current) = self.current.take() else {
            return Ok(());
        };
        let input = &self.inputs[current.number];
        let mut account = current.joined.account;
        let blake3 = match &current.blake3 {
            Some(digest) => blake3::Hash::from_hex(digest)
                .ok()
                .map(|hash| *hash.as_bytes()),
            None => joined(&current.cells),
        };
        let Some(blake3) = blake3 else {
            return Err(damaged(
                &input.found.path,
                "the digests of its pieces are damaged",
            ));
        };
        let written = self.sink.end(&EndedSource {
            input,
            messages: account.messages,
            selected: current.selected,
            bytes: account.bytes,
            blake3,
        })?;
        let size = current
            .blake3
            .is_none()
            .then(|| input.found.size())
            .flatten();
        let is_complete = written == Some(current.written)
            && account.messages == current.written + current.set_aside + current.dropped
            && size.is_none_or(|size| size == account.bytes);
        if !is_complete {
            return Err(Error::Account(AccountError {
                path: Some(input.found.path.clone()),
                read: (account.messages, account.bytes),
                processed: (account.messages, account.bytes),
                size,
                written: written.unwrap_or(0),
                set_aside: current.set_aside,
                dropped: current.dropped,
            }));
        }
        account.blake3 = Some(hex(&blake3));
        self.summary.sources.push(account);
        Ok(())
    }
}

fn damaged(part: &Path, reason: &str) -> Error {
    Error::Parts(PartsError::new(
        part,
        PartsFault::Damaged(reason.to_owned()),
    ))
}
