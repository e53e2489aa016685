//! `mailglot normalize`: converts archives to UTF-8.

use super::job_exit::judged;
use super::normalize_job::normalize_job;
use super::stats::timed;
use super::summary;
use super::worker_threads::worker_threads;
use crate::args::NormalizeArgs;
use crate::error_text::IfExists;
use crate::exit::{Exit, Failure};
use crate::output::Console;
use crate::progress::watched;
use crate::shell_words::quoted;
use crate::signals::stoppable;
use mailglot_pipeline::{
    Error, JoinedParts, LedgerPlace, NormalizeJob, Progress, UnfinishedParts, normalize, resume,
    unfinished_parts,
};
use std::path::{Path, PathBuf};

pub(crate) fn run(args: NormalizeArgs, console: Console) -> Result<Exit, Failure> {
    if args.output.as_os_str() == "-" {
        let message = "normalize writes files, not standard output (`mailglot filter` takes a single message)";
        return Err(Failure::usage(message));
    }
    let is_stream = |path: &PathBuf| path.as_os_str() == "-";
    if args.report.place.as_ref().is_some_and(is_stream)
        || matches!(&args.job.ledger, Some(LedgerPlace::File(path)) if is_stream(path))
    {
        return Err(Failure::usage(
            "ledger and report are files, not standard output",
        ));
    }
    let job = NormalizeJob {
        report: args.report.place,
        deterministic: args.report.deterministic,
        threads: worker_threads(args.threads),
        force: args.force,
        ..normalize_job(args.job, args.inputs.paths()?, args.output)
    };
    if !args.resume
        && let Some(parts) = unfinished_parts(&job.output)
    {
        console.say(unused_parts(&parts, &job.output));
    }
    let work = |progress: &Progress| {
        if args.resume {
            resume(&job, args.split_size, progress)
        } else {
            normalize(&job, progress).map(|summary| JoinedParts {
                summary,
                kept: Vec::new(),
            })
        }
    };
    let done = stoppable(|progress| {
        let work = || watched(console, progress, || work(progress));
        timed(args.stats, console, progress, work)
    });
    let JoinedParts {
        summary: account,
        kept,
    } = done.map_err(|error| {
        let mut failure = Failure::of_job(&error, IfExists::Force);
        if args.resume && matches!(error, Error::Interrupted) {
            failure.message += "; repeat the command to continue";
        }
        if let Error::Input(error) = &error
            && job.inputs != [error.path()]
        {
            failure.message += if error.lacks_resources() {
                "; nothing was written"
            } else if args.resume {
                "; there is no output, since --resume needs every file"
            } else {
                "; nothing was written, since each input must be readable"
            };
        }
        failure
    })?;
    summary::report(&account, &job, console);
    summary::report_kept(&kept, console);
    let mut worst = Exit::Done;
    summary::report_unread(&account, &mut worst, console);
    summary::report_damaged(&account, &mut worst, console);
    Ok(worst.max(judged(&account, args.fail_on.fail_on)))
}

/// Names parts beside the output that this job does not use, and the command that uses them.
fn unused_parts(parts: &UnfinishedParts, output: &Path) -> String {
    let command = if parts.is_resumable {
        "the same command with --resume continues that job".to_owned()
    } else {
        format!("mailglot commit PLAN.json -o {} joins them", quoted(output))
    };
    format!(
        "parts       {} has parts of an unfinished job; they are not used and stay: {command}, or remove the folder",
        quoted(&parts.folder)
    )
}
