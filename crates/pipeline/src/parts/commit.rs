//! Joins the parts of a job: checks them, and hands their batches to the sink of a normalization.
//!
//! # Limits
//!
//! Reads all parts once, and writes the outputs beside them. The parts are removed when the outputs are in place. A repeated call
//! after that writes no other report.

use super::counts::JoinedSource;
use super::layout::{DATA, PartsFolder};
use super::manifest::{DonePiece, Manifest};
use super::part_file::PartReader;
use super::plan::{PartsPlan, Piece};
use super::source_digest::JoinedCells;
use crate::discover::{SourceInput, Sources, discover};
use crate::error::{AccountError, Error};
use crate::hash::{SourceDigest, hex};
use crate::job::NormalizeJob;
use crate::normalize::{empty_summary, finish};
use crate::output::OutputSink;
use crate::output_plan::OutputPlan;
use crate::parts_error::{PartsError, PartsFault};
use crate::progress::Progress;
use crate::rewrite::RewrittenBatch;
use crate::run::{EndedSource, ResultSink, count_left_out};
use crate::skip_scope::SkipScope;
use crate::summary::{SourceSummary, Summary};
use mailglot_archive::FileMode;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

/// Largest number of splits that an error names.
const NAMED: usize = 10;

/// The outcome of joining the parts of a job.
#[derive(Debug)]
pub struct JoinedParts {
    /// The results of the job.
    pub summary: Summary,
    /// What stays in the folder of parts, because it does not belong to the job.
    pub kept: Vec<PathBuf>,
}

/// Joins the parts of all splits of a plan to the outputs of the job. `path` is that of the plan, for errors.
///
/// The outputs are the same bytes as those of a normalization in one pass, and appear in the same way. If an earlier call was killed
/// after that, removes the parts that it left, and returns its results.
///
/// # Errors
/// A split has no part, a part is damaged, the inputs have changed, or an output cannot be written. The parts stay then.
pub fn commit_parts(
    job: &NormalizeJob,
    (path, plan): (&Path, &PartsPlan),
    progress: &Progress,
) -> Result<JoinedParts, Error> {
    let folder = PartsFolder::new(&job.output, &plan.job);
    if let Some(joined) = completed(&folder) {
        return Ok(joined);
    }
    let sources = discover(&job.inputs, job.opening.clone(), SkipScope::Nothing)?;
    plan.check(path, job, &sources.inputs)?;
    let outputs = outputs(job, &sources.inputs, folder.mark().is_some())?;
    // The inputs must be as they were when the last part was made.
    let unchanged = || plan.check(folder.path(), job, &sources.inputs);
    join(job, plan, &sources, &outputs, &unchanged, progress)
}

/// Removes the parts of a job whose outputs are in place. Returns `None` if they are not.
pub(super) fn completed(folder: &PartsFolder) -> Option<JoinedParts> {
    folder.sweep_rest();
    let summary = folder.mark()?.summary()?;
    let kept = folder.sweep();
    Some(JoinedParts { summary, kept })
}

/// Plans and claims the outputs. Replaces those that a killed process was putting into place.
pub(super) fn outputs(
    job: &NormalizeJob,
    inputs: &[SourceInput],
    is_marked: bool,
) -> Result<OutputPlan, Error> {
    let job = NormalizeJob {
        force: job.force || is_marked,
        ..job.clone()
    };
    OutputPlan::new(&job, inputs)
}

/// Like [`commit_parts`], after the checks. `unchanged` checks the inputs again, before the outputs are put into place.
pub(super) fn join(
    job: &NormalizeJob,
    plan: &PartsPlan,
    sources: &Sources,
    outputs: &OutputPlan,
    unchanged: &dyn Fn() -> Result<(), Error>,
    progress: &Progress,
) -> Result<JoinedParts, Error> {
    let folder = PartsFolder::new(&job.output, &plan.job);
    progress.total.store(check_parts(&folder, plan)?, Relaxed);
    progress.bytes.store(0, Relaxed);
    let mut join = Join {
        folder: &folder,
        inputs: &sources.inputs,
        sink: OutputSink::new(outputs)?,
        summary: empty_summary(job.verify),
        progress,
        current: None,
        batch: RewrittenBatch::default(),
    };
    count_left_out(&mut join.summary, &sources.left_out);
    for (split, pieces) in plan.splits.iter().enumerate() {
        let manifest = manifest(&folder, plan, split)?
            .ok_or_else(|| missing(&folder, plan, vec![split], 1))?;
        let ordinals = pieces.iter().map(Piece::ordinal);
        join.part(manifest, ordinals)?;
    }
    join.end_source()?;
    let Join {
        sink, mut summary, ..
    } = join;
    unchanged()?;
    place(sink, job, &mut summary, &folder, outputs.options.mode)?;
    let kept = folder.sweep();
    Ok(JoinedParts { summary, kept })
}

/// Puts the outputs into place. The mark in the folder says how far they are.
fn place(
    sink: OutputSink<'_>,
    job: &NormalizeJob,
    summary: &mut Summary,
    folder: &PartsFolder,
    mode: FileMode,
) -> Result<(), Error> {
    let mut mark = folder.new_mark(sink.inode()?);
    folder.set_mark(&mark, mode)?;
    if let Err(error) = finish(sink, job, summary) {
        if !mark.is_of(&job.output) {
            folder.unmark();
        }
        return Err(error);
    }
    mark.complete(summary);
    // All outputs are in place. Without the mark, only a process that is killed while it sweeps could not be repeated.
    let _ = folder.set_mark(&mark, mode);
    Ok(())
}

/// Checks that the parts of all splits are there and cover the plan. Returns the size of their data in bytes.
///
/// Reads one manifest at a time: together they may need more memory than there is.
fn check_parts(folder: &PartsFolder, plan: &PartsPlan) -> Result<u64, Error> {
    let (mut total, mut first, mut count) = (0, Vec::new(), 0);
    for split in 0..plan.splits() {
        if let Some(manifest) = manifest(folder, plan, split)? {
            total += manifest.part_bytes;
            continue;
        }
        count += 1;
        if first.len() < NAMED {
            first.push(split);
        }
    }
    if count > 0 {
        return Err(missing(folder, plan, first, count));
    }
    Ok(total)
}

/// Reads the manifest of a split, and checks it against the plan. Returns `None` if the split has no part.
fn manifest(
    folder: &PartsFolder,
    plan: &PartsPlan,
    split: usize,
) -> Result<Option<Manifest>, Error> {
    let part = folder.part(split);
    let Some(manifest) = Manifest::read(&part, &plan.job, split)? else {
        return Ok(None);
    };
    let share = |piece: &DonePiece| (piece.source, piece.range, piece.files.clone());
    let done = manifest.pieces.iter().map(share);
    let planned = plan.splits[split].iter().map(|piece| {
        let hashed = piece.range.as_ref().map(|range| range.hashed);
        (piece.source, hashed, piece.files.clone())
    });
    if !done.eq(planned) {
        return Err(damaged(&part, "it has other pieces than the plan"));
    }
    Ok(Some(manifest))
}

fn missing(folder: &PartsFolder, plan: &PartsPlan, first: Vec<usize>, missing: usize) -> Error {
    let fault = PartsFault::Missing {
        first,
        missing,
        splits: plan.splits(),
        has_output: folder.is_joined().unwrap_or(false),
    };
    Error::Parts(PartsError::new(folder.path(), fault))
}

/// State of joining.
struct Join<'a> {
    folder: &'a PartsFolder,
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
    /// The cells so far. None if one is damaged.
    cells: Option<JoinedCells>,
    /// Hash of the records of a folder in parts.
    files: Option<blake3::Hasher>,
}

impl Join<'_> {
    /// Joins the pieces of a part.
    fn part(
        &mut self,
        manifest: Manifest,
        ordinals: impl Iterator<Item = u64>,
    ) -> Result<(), Error> {
        let part = self.folder.part(manifest.split);
        let unreadable = |error: io::Error| damaged(&part, &error.to_string());
        let file = File::open(part.join(DATA)).map_err(unreadable)?;
        let mut data = PartReader::new(BufReader::with_capacity(256 << 10, file));
        for (piece, ordinal) in manifest.pieces.into_iter().zip(ordinals) {
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
            if let (Some(current), Some(_)) = (&mut self.current, &piece.files) {
                let records = data.files().map_err(unreadable)?;
                current
                    .files
                    .get_or_insert_with(Default::default)
                    .update(&records);
            }
            self.count(piece, ordinal);
        }
        let (ended, digest) = data.finish().map_err(unreadable)?;
        if !ended || digest != manifest.part_blake3 {
            return Err(damaged(
                &part,
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
            cells: Some(JoinedCells::default()),
            files: None,
        });
        Ok(())
    }

    /// Adds the counts of a piece.
    fn count(&mut self, piece: DonePiece, ordinal: u64) {
        let Some(current) = &mut self.current else {
            return;
        };
        let counts = piece.counts;
        current.selected += piece.selected;
        current.written += counts.written;
        current.set_aside += counts.set_aside;
        current.dropped += counts.dropped;
        current.blake3 = piece.blake3;
        for cell in &piece.cells {
            let cells = current.cells.take();
            current.cells = cells.and_then(|mut cells| cells.push(cell).map(|()| cells));
        }
        self.progress.messages.fetch_add(counts.messages, Relaxed);
        counts.add_to(&mut self.summary, &mut current.joined, ordinal);
    }

    /// Ends the current source, and checks its counts.
    fn end_source(&mut self) -> Result<(), Error> {
        let Some(current) = self.current.take() else {
            return Ok(());
        };
        let input = &self.inputs[current.number];
        let mut account = current.joined.account;
        let blake3 = match (&current.blake3, &current.files) {
            (Some(digest), _) => blake3::Hash::from_hex(digest)
                .ok()
                .map(|hash| *hash.as_bytes()),
            (None, Some(files)) => Some(*files.finalize().as_bytes()),
            (None, None) => current.cells.and_then(JoinedCells::digest),
        };
        let Some(blake3) = blake3 else {
            let reason = format!("the digests of {} are damaged", input.path());
            return Err(damaged(self.folder.path(), &reason));
        };
        let written = self.sink.end(&EndedSource {
            input,
            messages: account.messages,
            selected: current.selected,
            bytes: account.bytes,
            is_one_message: false,
            digest: SourceDigest {
                blake3,
                records: Vec::new(),
            },
        })?;
        let is_mailbox = current.blake3.is_none() && current.files.is_none();
        let size = is_mailbox.then(|| input.found.size()).flatten();
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
