//! Processes one split: reads its pieces and writes its part.
//!
//! # Limits
//!
//! Syncs when the part is complete. A killed process loses its split.

use super::counts::PieceCounts;
use super::layout::{Attempt, DATA, MANIFEST, PartsFolder};
use super::manifest::{DonePiece, Manifest};
use super::part_file::PartWriter;
use super::plan::{PartsPlan, Piece};
use super::source_digest::cells;
use super::write_file::{failed, write_file};
use crate::discover::{SourceInput, Sources, discover};
use crate::error::{Error, UsageError};
use crate::hash::hex;
use crate::job::{LedgerPlace, NormalizeJob};
use crate::normalize::empty_summary;
use crate::output_plan::{PlannedOutput, targets};
use crate::parts_error::{PartsError, PartsFault};
use crate::path_checks::{check_apart, followed, on_disk, read_paths};
use crate::progress::Progress;
use crate::rewrite::{LARGE_MESSAGE, PROCESS, RewriteStage, RewrittenBatch};
use crate::run::{EndedSource, Job, ResultSink, run};
use crate::skip_scope::SkipScope;
use crate::staged_ledger::exists;
use mailglot_archive::replace::Replacement;
use mailglot_archive::{FileMode, InputRange, Operation, WriteOptions, open_input};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The outcome of processing a split.
#[derive(Clone, Debug)]
pub struct PartDone {
    /// The folder of the part.
    pub part: PathBuf,
    /// True if another process had finished the split before.
    pub was_done: bool,
    /// True if the output exists already, so that the split was not processed. The numbers are 0 then.
    pub is_joined: bool,
    /// Messages in the split.
    pub messages: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Events of severity loss.
    pub losses: u64,
}

/// Processes split `split` of a plan, and writes its part beside the output of the job. `path` is that of the plan, for errors.
///
/// Returns at once if the split has a part, or if the output exists and has no parts. Then the parts were joined; `job.force` processes
/// the split all the same. If another process finishes the split at the same time, one of the two parts is kept.
///
/// # Errors
/// The inputs or options are not those of the plan, or have changed. The output cannot be where it is wanted. An input cannot be read,
/// or the part cannot be written.
pub fn run_part(
    job: &NormalizeJob,
    (path, plan): (&Path, &PartsPlan),
    split: usize,
    progress: &Progress,
) -> Result<PartDone, Error> {
    let splits = plan.splits();
    if split >= splits {
        let fault = PartsFault::NoSplit { split, splits };
        return Err(Error::Parts(PartsError::new(path, fault)));
    }
    if job.output.file_name().is_none() {
        return Err(UsageError::NoFileName(job.output.clone()).into());
    }
    let output = followed(&job.output)?;
    let folder = PartsFolder::new(&job.output, &plan.job);
    let check = |read: &[PathBuf]| {
        check_apart(&output, read)?;
        check_apart(folder.path(), read)
    };
    check(&job.inputs)?;
    if !job.force && folder.is_joined()? {
        return Ok(PartDone::joined(folder.part(split)));
    }
    let sources = discover(&job.inputs, job.opening.clone(), SkipScope::Nothing)?;
    check(&read_paths(&job.inputs, &sources.inputs))?;
    plan.check(path, job, &sources.inputs)?;
    run_split(job, plan, &sources.inputs, split, progress)
}

/// Like [`run_part`], after the checks. `inputs` are all inputs of the job.
pub(super) fn run_split(
    job: &NormalizeJob,
    plan: &PartsPlan,
    inputs: &[SourceInput],
    split: usize,
    progress: &Progress,
) -> Result<PartDone, Error> {
    let folder = PartsFolder::new(&job.output, &plan.job);
    let part = folder.part(split);
    if let Some(manifest) = Manifest::read(&part, &plan.job, split)? {
        return Ok(outcome(part, &manifest, true));
    }
    let read = read_paths(&job.inputs, inputs);
    let mode = FileMode::as_private_as(read.iter().map(|path| on_disk(path)));
    folder.create(mode)?;
    let attempt = folder.attempt(split, mode)?;
    let options = WriteOptions { force: false, mode };
    let place = (&attempt, options);
    let written = write_part(job, plan, inputs, split, place, progress)
        .and_then(|manifest| Ok((attempt.publish()?, manifest)));
    match written {
        Ok((published, manifest)) => Ok(outcome(part, &manifest, !published)),
        // `commit` removed the attempt, since it had a part from another one.
        Err(Error::Output(_)) if !exists(attempt.path()) && exists(&job.output) => {
            Ok(PartDone::joined(part))
        }
        Err(error) => Err(error),
    }
}

impl PartDone {
    /// Returns the outcome for a split whose part was joined to the output.
    fn joined(part: PathBuf) -> Self {
        Self {
            part,
            was_done: true,
            is_joined: true,
            messages: 0,
            bytes: 0,
            losses: 0,
        }
    }
}

fn outcome(part: PathBuf, manifest: &Manifest, was_done: bool) -> PartDone {
    let sum = |count: fn(&PieceCounts) -> u64| {
        manifest
            .pieces
            .iter()
            .map(|piece| count(&piece.counts))
            .sum()
    };
    PartDone {
        part,
        was_done,
        is_joined: false,
        messages: sum(|counts| counts.messages),
        bytes: sum(|counts| counts.bytes),
        losses: sum(|counts| counts.losses),
    }
}

/// Writes data and manifest of a part into the folder of an attempt.
fn write_part(
    job: &NormalizeJob,
    plan: &PartsPlan,
    inputs: &[SourceInput],
    split: usize,
    (attempt, options): (&Attempt, WriteOptions),
    progress: &Progress,
) -> Result<Manifest, Error> {
    let data = attempt.path().join(DATA);
    let file = Replacement::create(&data, options).map_err(Error::Output)?;
    let targets = targets(job, inputs);
    let mut sink = PartSink {
        path: data,
        out: PartWriter::new(file),
        batches: 0,
        written: 0,
        output_bytes: 0,
        ended: None,
    };
    let mut pieces = Vec::new();
    for piece in &plan.splits[split] {
        let input = plan.input(piece, inputs);
        pieces.push(run_piece(job, piece, input, &targets, &mut sink, progress)?);
    }
    let (length, out) = (sink.out.length, sink.out.finish());
    let (file, digest) = out.map_err(failed(&sink.path, Operation::Write))?;
    file.commit().map_err(Error::Output)?;
    let manifest = Manifest {
        job: plan.job.clone(),
        split,
        part_bytes: length,
        part_blake3: digest,
        pieces,
    };
    let place = attempt.path().join(MANIFEST);
    let text = serde_json::to_vec_pretty(&manifest).map_err(std::io::Error::other);
    let text = text.map_err(failed(&place, Operation::Write))?;
    write_file(&place, &text, options)?;
    Ok(manifest)
}

/// Runs the loop over one piece.
fn run_piece(
    job: &NormalizeJob,
    piece: &Piece,
    input: SourceInput,
    targets: &[PlannedOutput],
    sink: &mut PartSink,
    progress: &Progress,
) -> Result<DonePiece, Error> {
    let stage = RewriteStage {
        targets: Some(targets),
        has_ledger: job.ledger != LedgerPlace::Nowhere,
        policy: &job.policy,
        process: PROCESS,
        verify: job.verify,
        large: LARGE_MESSAGE,
    };
    let path = input.found.path.clone();
    let sources = Job {
        sources: Sources {
            inputs: vec![input],
            ..Sources::default()
        },
        limits: &job.policy.limits,
        threads: job.threads,
        progress,
        skipped: SkipScope::Nothing,
        selection: &job.selection,
        stops_at_limit: false,
    };
    let summary = run(sources, &stage, sink, empty_summary(job.verify))?;
    let cells = match &piece.range {
        None => Vec::new(),
        Some(range) => {
            let file = open_input(&path).map_err(Error::Input)?;
            let cells = cells(&file, range.hashed.0..range.hashed.1);
            cells.map_err(|error| {
                Error::Input(mailglot_archive::Error::new(&path, Operation::Read, error))
            })?
        }
    };
    let (selected, blake3) = sink.ended.take().unwrap_or_default();
    Ok(DonePiece {
        source: piece.source,
        range: piece.range.as_ref().map(|range| range.hashed),
        files: piece.files.clone(),
        selected,
        output_bytes: std::mem::take(&mut sink.output_bytes),
        batches: std::mem::take(&mut sink.batches),
        blake3: piece.is_whole().then(|| hex(&blake3)),
        cells,
        counts: PieceCounts::of(summary),
    })
}

/// Writes the results of the loop to the data of a part.
struct PartSink {
    path: PathBuf,
    out: PartWriter<Replacement>,
    /// Numbers of the current piece.
    batches: u64,
    written: u64,
    output_bytes: u64,
    /// Number of selected messages, and digest, of the piece that ended.
    ended: Option<(u64, [u8; 32])>,
}

impl ResultSink<RewrittenBatch> for PartSink {
    fn take(&mut self, batch: &mut RewrittenBatch) -> Result<ControlFlow<()>, Error> {
        let written = self.out.batch(batch);
        written.map_err(failed(&self.path, Operation::Write))?;
        self.batches += 1;
        self.written += batch.written;
        self.output_bytes += batch.out.length();
        batch.clear();
        Ok(ControlFlow::Continue(()))
    }

    fn end(&mut self, ended: &EndedSource<'_>) -> Result<Option<u64>, Error> {
        if let Some(InputRange::Folder(_)) = ended.input.found.range {
            let written = self.out.files(&ended.digest.records);
            written.map_err(failed(&self.path, Operation::Write))?;
        }
        self.ended = Some((ended.selected, ended.digest.blake3));
        Ok(Some(std::mem::take(&mut self.written)))
    }
}
