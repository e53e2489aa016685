//! One file a command.

mod charsets;
mod check;
mod check_mta;
mod completions;
mod convert;
mod count;
mod detect;
pub(crate) mod filter;
mod header;
mod imap_names;
mod inspect;
mod ledger;
mod man;
mod milter;
mod normalize;
mod proxy;
mod restore;
mod serve;
mod summary;
mod text;
mod values;

use crate::args::{Args, Command, FailOn};
use crate::exit::{Exit, Failure};
use crate::interrupt;
use crate::output::Console;
use mailglot_archive::BoxEventKind;
use mailglot_mime::EventKind;
use mailglot_pipeline::Summary;
use std::process::ExitCode;

/// Runs the command that was asked for.
pub(crate) fn run(args: Args) -> ExitCode {
    let console = Console::new(args.quiet, args.verbose);
    if !matches!(
        args.command,
        Command::Filter(_) | Command::Serve(_) | Command::Milter(_) | Command::Proxy(_)
    ) {
        interrupt::watch();
    }
    let result = match args.command {
        Command::Normalize(args) => normalize::run(args, console),
        Command::Restore(args) => restore::run(args, console),
        Command::Check(args) => check::run(&args, console),
        Command::Count(args) => count::run(&args, console),
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
    match result {
        Ok(exit) => exit.into(),
        Err(failure) => {
            console.error(&failure.message);
            failure.exit.into()
        }
    }
}

/// Worker threads where nothing was asked for: one a core.
fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// How a job with this account ends.
fn judged(summary: &Summary, fail_on: Option<FailOn>) -> Exit {
    let found = match fail_on {
        None => false,
        Some(FailOn::Loss) => summary.losses > 0,
        Some(FailOn::Guess) => summary.guessed + summary.overruled > 0,
        Some(FailOn::Repair) => summary.repairs + summary.losses + undone(summary) > 0,
        Some(FailOn::Any) => !summary.events.is_empty() || summary.changed > 0,
    };
    let aside = if summary.set_aside > 0 {
        Exit::Unread
    } else {
        Exit::Done
    };
    aside.max(if found { Exit::Losses } else { Exit::Done })
}

/// Number of events that tell of messages and parts which were not changed although they should have been, or lost something.
fn undone(summary: &Summary) -> u64 {
    let codes = [
        EventKind::MimeUnsettled.code(),
        BoxEventKind::Packed.code(),
        "msg.flags",
    ];
    codes
        .iter()
        .filter_map(|code| summary.events.get(*code))
        .sum()
}

/// Tells a failure that does not end the work, and keeps it for the end.
fn note(failure: &Failure, worst: &mut Exit, console: Console) {
    console.error(&failure.message);
    *worst = (*worst).max(failure.exit);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_judged() {
        let clean = Summary::default();
        let repaired = Summary {
            repairs: 1,
            events: [("cte.wrong-label".into(), 1)].into(),
            ..Summary::default()
        };
        let lost = Summary {
            losses: 1,
            set_aside: 1,
            events: [("msg.set-aside".into(), 1)].into(),
            ..Summary::default()
        };
        let noted = Summary {
            events: [("charset.alias".into(), 1)].into(),
            ..Summary::default()
        };
        let unsettled = Summary {
            events: [("mime.unsettled".into(), 1)].into(),
            ..Summary::default()
        };
        let guessed = Summary {
            guessed: 1,
            ..Summary::default()
        };
        let overruled = Summary {
            overruled: 1,
            ..Summary::default()
        };
        let changed = Summary {
            changed: 1,
            ..Summary::default()
        };
        for (summary, fail_on, exit) in [
            (&clean, Some(FailOn::Any), Exit::Done),
            (&repaired, None, Exit::Done),
            (&repaired, Some(FailOn::Loss), Exit::Done),
            (&repaired, Some(FailOn::Repair), Exit::Losses),
            (&lost, None, Exit::Unread),
            (&lost, Some(FailOn::Loss), Exit::Losses),
            (&lost, Some(FailOn::Repair), Exit::Losses),
            (&noted, Some(FailOn::Repair), Exit::Done),
            (&noted, Some(FailOn::Any), Exit::Losses),
            (&changed, Some(FailOn::Any), Exit::Losses),
            (&clean, Some(FailOn::Guess), Exit::Done),
            (&repaired, Some(FailOn::Guess), Exit::Done),
            (&guessed, Some(FailOn::Guess), Exit::Losses),
            (&overruled, Some(FailOn::Guess), Exit::Losses),
            (&guessed, Some(FailOn::Loss), Exit::Done),
            (&unsettled, Some(FailOn::Loss), Exit::Done),
            (&unsettled, Some(FailOn::Repair), Exit::Losses),
        ] {
            assert_eq!(judged(summary, fail_on), exit, "{fail_on:?}");
        }
    }
}
