//! `mailglot normalize`

use super::job_exit::judged;
use super::summary;
use super::worker_threads::worker_threads;
use crate::args::{ArchiveForm, NormalizeArgs};
use crate::error_text::IfExists;
use crate::exit::{Exit, Failure};
use crate::interrupt::stoppable;
use crate::output::Console;
use crate::progress::watched;
use mailglot_mime::OnLoss;
use mailglot_pipeline::{LedgerPlace, NormalizeJob, normalize};
use std::path::PathBuf;

pub(crate) fn run(args: NormalizeArgs, console: Console) -> Result<Exit, Failure> {
    if args.output.as_os_str() == "-" {
        let message = "normalize writes files, not standard output (`mailglot filter` takes a single message)";
        return Err(Failure::new(Exit::Usage, message));
    }
    let is_stream = |path: &PathBuf| path.as_os_str() == "-";
    if args.report.as_ref().is_some_and(is_stream)
        || matches!(&args.ledger, Some(LedgerPlace::File(path)) if is_stream(path))
    {
        return Err(Failure::new(
            Exit::Usage,
            "ledger and report are files, not standard output",
        ));
    }
    let ledger = args.ledger.unwrap_or(LedgerPlace::Beside);
    // Without a ledger nothing could give the unreadable bytes back.
    let on_loss = if ledger == LedgerPlace::Nowhere {
        OnLoss::Keep
    } else {
        OnLoss::Replace
    };
    let mut policy = args.policy.policy(args.keep_signed, on_loss);
    policy.limits.message = args.largest.bytes();
    let job = NormalizeJob {
        policy,
        inputs: args.inputs.paths()?,
        output: args.output,
        to: args.to.map(ArchiveForm::format),
        ledger,
        report: args.report,
        threads: worker_threads(args.threads),
        force: args.force,
        force_format: args.opening.force_format,
        max_expansion: args.opening.max_expansion,
        mailbox: args.opening.mailbox.options(),
        selection: args.selection.selection(),
        verify: args.verify,
    };
    let account = stoppable(|progress| watched(console, progress, || normalize(&job, progress)));
    let account = account.map_err(|error| Failure::of_job(&error, IfExists::Force))?;
    summary::report(&account, &job, console);
    let mut worst = Exit::Done;
    summary::report_damaged(&account, &mut worst, console);
    Ok(worst.max(judged(&account, args.fail_on)))
}
