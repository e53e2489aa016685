//! `mailglot commit`: joins the parts of a job to its outputs.

use super::job_exit::judged;
use super::normalize_job::planned_job;
use super::summary;
use crate::args::CommitArgs;
use crate::error_text::IfExists;
use crate::exit::{Exit, Failure};
use crate::output::Console;
use crate::progress::watched;
use crate::signals::stoppable;
use mailglot_pipeline::commit_parts;

pub(crate) fn run(args: CommitArgs, console: Console) -> Result<Exit, Failure> {
    if args
        .report
        .place
        .as_ref()
        .is_some_and(|report| report.as_os_str() == "-")
    {
        return Err(Failure::usage("the report is a file, not standard output"));
    }
    let (plan, mut job) = planned_job(&args.plan, &args.output)?;
    job.force = args.force;
    job.report = args.report.place;
    job.deterministic = args.report.deterministic;
    let place = (&*args.plan, &plan);
    let joined =
        stoppable(|progress| watched(console, progress, || commit_parts(&job, place, progress)));
    let joined = joined.map_err(|error| Failure::of_job(&error, IfExists::Force))?;
    let account = joined.summary;
    summary::report(&account, &job, console);
    summary::report_kept(&joined.kept, console);
    let mut worst = Exit::Done;
    summary::report_damaged(&account, &mut worst, console);
    Ok(worst.max(judged(&account, args.fail_on.fail_on)))
}
