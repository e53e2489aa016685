//! Normalizes archives to UTF-8, or does a dry run: the rewriting stage of the loop, with a sink that writes or discards.
//!
//! # Limits
//!
//! An input that is given and cannot be read, or whose content changes meanwhile, stops a whole normalization. Flags of Maildir and MH are not written to header fields of a mailbox or of
//! single messages. Empty folders of a source are in the ledger, not in the output.

use crate::discover::discover;
use crate::error::Error;
use crate::job::{CheckJob, NormalizeJob};
use crate::output::OutputSink;
use crate::output_plan::OutputPlan;
use crate::progress::Progress;
use crate::rewrite::{LARGE_MESSAGE, PROCESS, Process, RewriteStage};
use crate::run::{Discard, Job, run};
use crate::skip_scope::SkipScope;
use crate::summary::{Summary, VerifySummary};
use crate::verify::READERS;
use mailglot_archive::replace::{is_stream, open_stream};
use mailglot_archive::{Error as FileError, Operation};
use std::io::Write;
use std::path::Path;

/// Runs a normalization. Output, ledger and report all appear, or none does.
///
/// Continues after unreadable files and folders below an input: [`Summary::unread`] lists them, and the ledger has a note of each.
///
/// ```
/// use mailglot_pipeline::{LedgerPlace, NormalizeJob, Progress, RestoreJob, normalize, restore};
///
/// let folder = tempfile::tempdir()?;
/// let (input, output, back) = (folder.path().join("a.eml"), folder.path().join("b.eml"), folder.path().join("c.eml"));
/// std::fs::write(&input, b"Subject: Caf\xE9\n\ntext\n")?;
/// let job = NormalizeJob {
///     inputs: vec![input],
///     output: output.clone(),
///     to: None,
///     policy: Default::default(),
///     ledger: LedgerPlace::Beside,
///     report: None,
///     deterministic: false,
///     threads: 1,
///     force: false,
///     opening: false.into(),
///     selection: Default::default(),
///     verify: false,
/// };
/// let summary = normalize(&job, &Progress::default())?;
/// assert_eq!(summary.messages_in, 1);
/// assert_eq!(std::fs::read(&output)?, b"Subject: =?UTF-8?B?Q2Fmw6k=?=\n\ntext\n");
///
/// // The ledger `b.eml.ledger` gives the original back.
/// let job = RestoreJob { output: Some(output), ledger: None, original: Some(back.clone()), force: false, keep_going: false };
/// restore(&job, &Progress::default())?;
/// assert_eq!(std::fs::read(&back)?, b"Subject: Caf\xE9\n\ntext\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// An input cannot be read, an output exists or cannot be written, or the message counts do not match. Then no output appears.
pub fn normalize(job: &NormalizeJob, progress: &Progress) -> Result<Summary, Error> {
    normalize_with(job, progress, PROCESS, LARGE_MESSAGE)
}

/// Plans every message without writing anything. Continues after unreadable inputs: [`Summary::unread`] lists them.
pub fn check(job: &CheckJob, progress: &Progress) -> Result<Summary, Error> {
    let sources = Job {
        sources: discover(&job.inputs, job.opening.clone(), SkipScope::Inputs)?,
        limits: &job.policy.limits,
        threads: job.threads,
        progress,
        skipped: SkipScope::Inputs,
        selection: &job.selection,
        stops_at_limit: true,
    };
    let stage = RewriteStage {
        targets: None,
        has_ledger: false,
        policy: &job.policy,
        process: PROCESS,
        verify: job.verify,
        large: LARGE_MESSAGE,
    };
    run(sources, &stage, &mut Discard, empty_summary(job.verify))
}

/// Like [`normalize`], with another function instead of [`mailglot_mime::plan_parsed`], and another size of large messages.
fn normalize_with(
    job: &NormalizeJob,
    progress: &Progress,
    process: Process,
    large: usize,
) -> Result<Summary, Error> {
    let sources = discover(&job.inputs, job.opening.clone(), SkipScope::Files)?;
    let plan = OutputPlan::new(job, &sources.inputs)?;
    let mut sink = OutputSink::new(&plan)?;
    let stage = RewriteStage {
        targets: Some(&plan.targets),
        has_ledger: plan.ledger.is_some(),
        policy: &job.policy,
        process,
        verify: job.verify,
        large,
    };
    let sources = Job {
        sources,
        limits: &job.policy.limits,
        threads: job.threads,
        progress,
        skipped: SkipScope::Files,
        selection: &job.selection,
        stops_at_limit: false,
    };
    let mut summary = run(sources, &stage, &mut sink, empty_summary(job.verify))?;
    finish(sink, job, &mut summary)?;
    Ok(summary)
}

/// Puts the outputs of a job into place, and writes a report that is not a file.
pub(crate) fn finish(
    sink: OutputSink<'_>,
    job: &NormalizeJob,
    summary: &mut Summary,
) -> Result<(), Error> {
    let report = sink.finish(job, summary)?;
    if let Some(place) = job.report.as_deref().filter(|place| is_stream(place)) {
        write_to_stream(place, &report)?;
    }
    Ok(())
}

/// Returns an empty summary.
pub(crate) fn empty_summary(verify: bool) -> Summary {
    let readers = READERS.map(str::to_owned).to_vec();
    let verify = verify.then(|| VerifySummary {
        readers,
        ..VerifySummary::default()
    });
    Summary {
        verify,
        ..Summary::default()
    }
}

/// Writes a report to a device or pipe.
fn write_to_stream(place: &Path, report: &str) -> Result<(), Error> {
    let mut stream = open_stream(place).map_err(Error::Output)?;
    let written = stream.write_all(report.as_bytes());
    written.map_err(|error| Error::Output(FileError::new(place, Operation::Write, error)))
}

#[cfg(test)]
mod tests;
