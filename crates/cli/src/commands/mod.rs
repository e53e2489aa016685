//! Runs the commands of the program. Each has a file of its own, named after it.

mod cat;
mod charsets;
mod check;
mod check_mta;
mod commit;
mod completions;
mod convert;
mod count;
mod detect;
mod event_row;
pub(crate) mod filter;
mod header;
mod imap_names;
mod inspect;
mod job_exit;
mod json;
mod ledger;
mod ls;
mod man;
mod milter;
mod normalize;
mod normalize_job;
mod plan;
mod proxy;
mod restore;
mod run_split;
mod serve;
mod split;
mod stats;
mod summary;
mod text;
mod values;
mod worker_threads;

use crate::args::{Args, Command};
use crate::output::Console;
use crate::signals;
use std::process::ExitCode;

/// Runs the command that the arguments name.
pub(crate) fn run(args: Args) -> ExitCode {
    let console = Console::new(args.verbosity.quiet, args.verbosity.verbose);
    match &args.command {
        Command::Filter(_) | Command::Serve(_) | Command::Milter(_) | Command::Proxy(_) => {}
        Command::Header(_) | Command::Detect(_) | Command::Charsets(_) => {
            signals::end_at_signals();
        }
        Command::Convert(args) if args.output.is_none() => signals::end_at_signals(),
        _ => signals::watch(),
    }
    let result = match args.command {
        Command::Normalize(args) => normalize::run(args, console),
        Command::Restore(args) => restore::run(args, console),
        Command::Plan(args) => plan::run(&args, console),
        Command::Run(args) => run_split::run(&args, console),
        Command::Commit(args) => commit::run(args, console),
        Command::Check(args) => check::run(&args, console),
        Command::Count(args) => count::run(&args, console),
        Command::Ls(args) => ls::run(&args, console),
        Command::Cat(args) => cat::run(&args, console),
        Command::Split(args) => split::run(&args, console),
        Command::Text(args) => text::run(&args, console),
        Command::Inspect(args) => inspect::run(&args, console),
        Command::Header(command) => header::run(&command, console),
        Command::Convert(args) => convert::run(&args, console),
        Command::Charsets(args) => charsets::run(&args),
        Command::Detect(args) => detect::run(&args, console),
        Command::Filter(args) => return filter::run(&args, console),
        Command::Serve(args) => serve::run(&args, console),
        Command::Milter(args) => milter::run(&args, console),
        Command::Proxy(args) => proxy::run(&args, console),
        Command::Ledger(command) => ledger::run(&command, console),
        Command::CheckMta(args) => check_mta::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    };
    signals::wait_for_end();
    match result {
        Ok(exit) => exit.into(),
        Err(failure) => {
            console.error(&failure.message);
            failure.exit.into()
        }
    }
}
