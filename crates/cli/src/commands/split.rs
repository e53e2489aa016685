//! `mailglot split`: copies the messages of archives to several outputs.

use super::stats::timed;
use super::summary::{identity, replaced_separators, report_left_out};
use super::worker_threads::worker_threads;
use crate::args::{SplitArgs, SplitForm};
use crate::exit::{Exit, Failure};
use crate::output::{Console, counted, visible};
use crate::progress::watched;
use crate::signals::stoppable;
use mailglot_pipeline::{SplitBy, SplitJob, split, with_thousands};

pub(crate) fn run(args: &SplitArgs, console: Console) -> Result<Exit, Failure> {
    let usage = |text: &str| Err(Failure::usage(text));
    if args.output.as_os_str() == "-" {
        return usage("split writes a folder, not standard output");
    }
    let by = match (args.size, args.by) {
        (Some(size), _) => SplitBy::Size(size),
        (None, Some(SplitForm::Year)) => SplitBy::Year,
        (None, Some(SplitForm::Label)) => SplitBy::Label,
        (None, Some(SplitForm::Folder)) => SplitBy::Folder,
        (None, Some(SplitForm::From)) => SplitBy::From,
        (None, None) => return usage("split needs --size or --by"),
    };
    if args.copies && by != SplitBy::Label {
        return usage("--copies needs --by label: only labels put a message into several parts");
    }
    let job = SplitJob {
        inputs: args.inputs.paths()?,
        output: args.output.clone(),
        by,
        to: args.to.format(),
        copies: args.copies,
        opening: args.opening.opening(),
        selection: args.selection.selection(),
        threads: worker_threads(args.threads),
    };
    let done = stoppable(|progress| {
        let work = || watched(console, progress, || split(&job, progress));
        timed(args.stats, console, progress, work)
    })?;
    console.say(identity(&done.account));
    let copies: u64 = done.outputs.iter().map(|output| output.messages).sum();
    let copies = copies - done.account.written;
    if copies > 0 {
        console.say(format_args!("copies      {}", with_thousands(copies)));
    }
    let added = done.account.events.get("mbox.line-end-added");
    if let Some(added) = added {
        console.say(format_args!(
            "line ends   {} without one at its end has one now (mbox.line-end-added)",
            counted(*added, "message")
        ));
    }
    if let Some(line) = replaced_separators(&done.account) {
        console.say(line);
    }
    console.say(format_args!(
        "parts       {} in {}",
        with_thousands(done.outputs.len() as u64),
        visible(&args.output.to_string_lossy())
    ));
    for output in &done.outputs {
        console.explain(format_args!(
            "  {}: {}, {}",
            visible(&output.name),
            counted(output.messages, "message"),
            counted(output.bytes, "byte")
        ));
    }
    let mut worst = Exit::Done;
    report_left_out(&done.account, &mut worst, console);
    Ok(worst)
}
