//! `mailglot count`: prints the number of messages in each archive.

use super::stats::timed;
use super::summary::{report_left_out, report_unread};
use super::worker_threads::worker_threads;
use crate::args::CountArgs;
use crate::exit::{Exit, Failure};
use crate::output::{Console, put_path};
use mailglot_pipeline::{Progress, count_each};
use std::io::{self, Write};
use std::path::Path;

pub(crate) fn run(args: &CountArgs, console: Console) -> Result<Exit, Failure> {
    let (inputs, opening) = (args.inputs.paths()?, args.opening.opening());
    let selection = args.selection.selection();
    let progress = Progress::default();
    let threads = worker_threads(args.threads);
    let job = || count_each(&inputs, opening, &selection, threads, &progress, &mut line);
    let account = timed(args.stats, console, &progress, job)?;
    let mut worst = Exit::Done;
    report_unread(&account, &mut worst, console);
    report_left_out(&account, &mut worst, console);
    Ok(worst)
}

/// Prints the number of messages and the path.
fn line(messages: u64, path: &Path) -> io::Result<()> {
    let mut line = format!("{messages}\t").into_bytes();
    put_path(path, &mut line);
    line.push(b'\n');
    let mut out = io::stdout().lock();
    out.write_all(&line)?;
    out.flush()
}
