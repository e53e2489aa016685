//! Normalizes in one process, in parts, so that a killed job continues with the parts that are complete.
//!
//! # Limits
//!
//! Loses at most the split that was being processed. The parts need as much space as the output.

use super::commit::{JoinedParts, completed, join, outputs};
use super::identity::SourceIdentity;
use super::layout::{INPUTS, PLAN, PartsFolder};
use super::plan::{PartsPlan, plan_parts};
use super::run::run_split;
use super::write_file::{failed, write_file};
use crate::discover::{SourceInput, discover};
use crate::error::Error;
use crate::job::NormalizeJob;
use crate::parts_error::{PartsError, PartsFault};
use crate::path_checks::{on_disk, read_paths};
use crate::progress::Progress;
use crate::run::total;
use crate::skip_scope::SkipScope;
use mailglot_archive::{FileMode, Operation, WriteOptions};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

/// Normalizes in parts of `split_size` bytes, and continues what an earlier call for the same output began.
///
/// The outputs are the same bytes as those of [`normalize`](crate::normalize).
///
/// # Errors
/// The earlier call had other options, or an input has changed since. The errors of a normalization.
pub fn resume(
    job: &NormalizeJob,
    split_size: u64,
    progress: &Progress,
) -> Result<JoinedParts, Error> {
    let sources = discover(&job.inputs, job.opening.clone(), SkipScope::Nothing)?;
    let inputs = &sources.inputs;
    let unknown = PartsFolder::new(&job.output, "");
    unknown.sweep_rest();
    let kept = kept_plan(&unknown)?;
    let mut is_marked = false;
    if let Some(plan) = &kept {
        let folder = PartsFolder::new(&job.output, &plan.job);
        plan.check(folder.path(), job, inputs)?;
        if let Some(joined) = completed(&folder) {
            return Ok(joined);
        }
        is_marked = folder.mark().is_some();
    }
    let outputs = outputs(job, inputs, is_marked)?;
    let read = read_paths(&job.inputs, inputs);
    let mode = FileMode::as_private_as(read.iter().map(|path| on_disk(path)));
    let is_new = kept.is_none();
    let plan = match kept {
        Some(plan) => plan,
        None => plan_parts(job, Vec::new(), split_size)?,
    };
    let folder = PartsFolder::new(&job.output, &plan.job);
    folder.create(mode)?;
    if is_new {
        let _ = fs::remove_file(folder.path().join(INPUTS));
    }
    let states = kept_states(&folder, inputs, mode)?;
    keep(&folder.path().join(PLAN), plan.to_json().as_bytes(), mode)?;
    let unchanged = || {
        plan.check(folder.path(), job, inputs)?;
        check_states(&folder, inputs, &states)
    };
    unchanged()?;
    progress.total.store(total(inputs), Relaxed);
    for split in 0..plan.splits() {
        let mut done = run_split(job, &plan, inputs, split, progress);
        if matches!(&done, Err(Error::Parts(error)) if error.is_cut()) {
            folder.remove(split);
            done = run_split(job, &plan, inputs, split, progress);
        }
        let part = done?;
        if part.was_done {
            progress.bytes.fetch_add(part.bytes, Relaxed);
            progress.messages.fetch_add(part.messages, Relaxed);
        }
    }
    join(job, &plan, &sources, &outputs, &unchanged, progress)
}

/// Reads the plan of an earlier call.
fn kept_plan(folder: &PartsFolder) -> Result<Option<PartsPlan>, Error> {
    let wrong = |fault| Err(Error::Parts(PartsError::new(folder.path(), fault)));
    let place = folder.path().join(PLAN);
    match fs::read(&place) {
        Ok(text) => match PartsPlan::parse(&place, &text) {
            Ok(plan) => Ok(Some(plan)),
            Err(PartsError {
                fault: PartsFault::NotAPlan(reason),
                ..
            }) => wrong(PartsFault::NotContinued(format!("{PLAN}: {reason}"))),
            Err(error) => Err(Error::Parts(error)),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == ErrorKind::NotADirectory => wrong(PartsFault::NotAFolder),
        Err(error) => Err(failed(&place, Operation::Open)(error)),
    }
}

/// Returns the states of the inputs when the first part was made. Writes them unless an earlier call did.
fn kept_states(
    folder: &PartsFolder,
    inputs: &[SourceInput],
    mode: FileMode,
) -> Result<Vec<String>, Error> {
    let place = folder.path().join(INPUTS);
    match fs::read(&place) {
        Ok(text) => serde_json::from_slice(&text).map_err(|error| {
            let fault = PartsFault::NotContinued(format!("{INPUTS}: {error}"));
            Error::Parts(PartsError::new(folder.path(), fault))
        }),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let states = states(inputs)?;
            let text = serde_json::to_vec(&states).map_err(std::io::Error::other);
            keep(
                &place,
                &text.map_err(failed(&place, Operation::Write))?,
                mode,
            )?;
            Ok(states)
        }
        Err(error) => Err(failed(&place, Operation::Open)(error)),
    }
}

/// Returns an error if an input has another state.
fn check_states(
    folder: &PartsFolder,
    inputs: &[SourceInput],
    kept: &[String],
) -> Result<(), Error> {
    let now = states(inputs)?;
    let other = (0..inputs.len()).find(|number| kept.get(*number) != now.get(*number));
    other.map_or(Ok(()), |number| {
        let path = inputs[number].path();
        let fault = PartsFault::OtherJob(format!("{path} has changed since the job began"));
        Err(Error::Parts(PartsError::new(folder.path(), fault)))
    })
}

fn states(inputs: &[SourceInput]) -> Result<Vec<String>, Error> {
    let state = |input: &SourceInput| SourceIdentity::state(&input.found);
    let states = inputs.iter().map(state).collect::<Result<_, _>>();
    states.map_err(Error::Input)
}

/// Writes a file beside the parts, unless it has this content.
fn keep(place: &Path, content: &[u8], mode: FileMode) -> Result<(), Error> {
    if fs::read(place).is_ok_and(|kept| kept == content) {
        return Ok(());
    }
    write_file(place, content, WriteOptions { force: true, mode })
}
