//! `mailglot normalize`

use super::job_exit::judged;
use super::normalize_job::normalize_job;
use super::summary;
use super::worker_threads::worker_threads;
use crate::args::NormalizeArgs;
use crate::error_text::IfExists;
use crate::exit::{Exit, Failure};
use crate::interrupt::stoppable;
use crate::output::Console;
use crate::progress::watched;
use mailglot_pipeline::{LedgerPlace, NormalizeJob, Progress, normalize, resume};
use std::path::PathBuf;

pub(crate) fn run(args: NormalizeArgs, console: Console) -> Result<Exit, Failure> {
    if args.output.as_os_str() == "-" {
        let message = "normalize writes files, not standard output (`mailglot filter` takes a single message)";
        return Err(Failure::new(Exit::Usage, message));
    }
    let is_stream = |path: &PathBuf| path.as_os_str() == "-";
    if args.report.as_ref().is_some_and(is_stream)
        || matches!(&args.job.ledger, Some(LedgerPlace::File(path)) if is_stream(path))
    {
        return Err(Failure::new(
            Exit::Usage,
            "ledger and report are files, not standard output",
        ));
    }
    let job = NormalizeJob {
        report: args.report,
        threads: worker_threads(args.threads),
        force: args.force,
        ..normalize_job(args.job, args.inputs.paths()?, args.output)
    };
    let work = |progress: &Progress| {
        if args.resume {
            resume(&job, args.split_size, progress)
        } else {
            normalize(&job, progress)
        }
    };
    let account = stoppable(|progress| watched(console, progress, || work(progress)));
    let account = account.map_err(|error| Failure::of_job(&error, IfExists::Force))?;
    summary::report(&account, &job, console);
    let mut worst = Exit::Done;
    summary::report_damaged(&account, &mut worst, console);
    Ok(worst.max(judged(&account, args.fail_on)))
}
