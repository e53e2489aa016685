//! Normalizes in one process, in parts, so that a killed job continues with the parts that are complete.
//!
//! # Limits
//!
//! Loses at most the split that was being processed. The parts need as much space as the output.

use super::commit::{join, outputs};
use super::layout::{PLAN, PartsFolder, failed};
use super::plan::{PartsPlan, plan_parts};
use super::run::run_split;
use crate::discover::discover;
use crate::job::NormalizeJob;
use crate::path_checks::on_disk;
use crate::{Error, Progress, Summary};
use mailglot_archive::replace::Replacement;
use mailglot_archive::{FileMode, Operation, WriteOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

/// Normalizes in parts of `split_size` bytes, and continues what an earlier call for the same output began.
///
/// The outputs are the same bytes as those of [`normalize`](crate::normalize).
///
/// # Errors
/// The earlier call had other options, or an input has changed since. The errors of a normalization.
pub fn resume(job: &NormalizeJob, split_size: u64, progress: &Progress) -> Result<Summary, Error> {
    let sources = discover(&job.inputs, job.opening())?;
    let folder = PartsFolder::new(&job.output, "");
    let outputs = outputs(job, &folder, &sources.inputs)?;
    let mode = FileMode::as_private_as(job.inputs.iter().map(|input| on_disk(input)));
    let place = folder.path().join(PLAN);
    let plan = match std::fs::read(&place) {
        Ok(text) => {
            let plan = PartsPlan::parse(&place, &text).map_err(Error::Parts)?;
            plan.check(folder.path(), job, &sources.inputs)?;
            plan
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let plan = plan_parts(job, Vec::new(), split_size)?;
            folder.create(mode)?;
            keep(&place, &plan, mode)?;
            plan
        }
        Err(error) => return Err(failed(&place, Operation::Open)(error)),
    };
    let done: u64 = sources
        .inputs
        .iter()
        .filter_map(|input| input.found.size())
        .sum();
    progress.total.store(done, Relaxed);
    for split in 0..plan.splits() {
        let part = run_split(job, &plan, &sources.inputs, split, progress)?;
        if part.was_done {
            progress.bytes.fetch_add(part.bytes, Relaxed);
            progress.messages.fetch_add(part.messages, Relaxed);
        }
    }
    join(job, &plan, &sources, &outputs, progress)
}

/// Writes the plan beside the parts.
fn keep(place: &Path, plan: &PartsPlan, mode: FileMode) -> Result<(), Error> {
    let options = WriteOptions { force: false, mode };
    let mut file = Replacement::create(place, options).map_err(Error::Output)?;
    let written = file.write_all(plan.to_json().as_bytes());
    written.map_err(failed(place, Operation::Write))?;
    file.commit().map_err(Error::Output)
}
