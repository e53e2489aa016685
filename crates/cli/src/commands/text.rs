//! `mailglot text`: prints the decoded text of messages. `TextRecord` of mailglot-pipeline has the fields of `text --json`.

use super::job_exit::note;
use super::stats::timed;
use super::summary::{report_left_out, report_unread};
use super::worker_threads::worker_threads;
use crate::args::TextArgs;
use crate::exit::{Exit, Failure};
use crate::output::{Console, TerminalWriter, stdout_in_blocks};
use crate::progress::watched;
use mailglot_archive::BoxEventKind;
use mailglot_pipeline::{Progress, TextOptions, texts};
use std::io::{self, BufWriter, IsTerminal, Write};

const BUFFER: usize = 1 << 16;

pub(crate) fn run(args: &TextArgs, console: Console) -> Result<Exit, Failure> {
    let progress = Progress::default();
    let out = BufWriter::with_capacity(BUFFER, stdout_in_blocks()?);
    // On a terminal no bar may stand in the text, and no text may steer the terminal.
    if io::stdout().is_terminal() {
        return write(args, console, &progress, &mut TerminalWriter::new(out));
    }
    let mut out = out;
    watched(console, &progress, || {
        write(args, console, &progress, &mut out)
    })
}

fn write(
    args: &TextArgs,
    console: Console,
    progress: &Progress,
    out: &mut (dyn Write + Send),
) -> Result<Exit, Failure> {
    let options = TextOptions {
        threads: worker_threads(args.threads),
        json: args.json,
        opening: args.opening.opening(),
        selection: args.selection.selection(),
    };
    let mut policy = args.policy();
    policy.limits.message = args.largest.bytes();
    let inputs = args.inputs.paths()?;
    let job = || texts(&inputs, &policy, &options, out, progress);
    let outcome = timed(args.stats, console, progress, job)?;
    let mut worst = Exit::Done;
    report_unread(&outcome.account, &mut worst, console);
    for message in outcome.failed {
        let text = format!("{message}: not read because of an internal error");
        note(&Failure::new(Exit::Unread, text), &mut worst, console);
    }
    report_left_out(&outcome.account, &mut worst, console);
    // The text of a message that is too large is missing.
    let too_large = BoxEventKind::TooLarge.code();
    if outcome.account.events.contains_key(too_large) {
        worst = worst.max(Exit::Unread);
    }
    Ok(worst)
}
