//! `mailglot restore`: rebuilds the original from an output and its ledger.

use crate::args::RestoreArgs;
use crate::exit::{Exit, Failure};
use crate::output::{Console, Level, counted, print, visible};
use crate::progress::watched;
use crate::shell_words::quoted;
use crate::signals::stoppable;
use mailglot_pipeline::{Error, RestoreJob, restore};

pub(crate) fn run(args: RestoreArgs, console: Console) -> Result<Exit, Failure> {
    if args
        .original
        .as_ref()
        .is_some_and(|original| original.as_os_str() == "-")
    {
        return Err(Failure::new(
            Exit::Usage,
            "restore writes files, not standard output",
        ));
    }
    let job = RestoreJob {
        output: args.normalized,
        ledger: args.ledger,
        original: args.original,
        force: false,
    };
    let done = stoppable(|progress| watched(console, progress, || restore(&job, progress)));
    let done = done.map_err(|error| with_hint(error, &job))?;
    for note in &done.notes {
        console.explain(visible(&String::from_utf8_lossy(note)));
    }
    if done.more_notes > 0 {
        console.explain(format_args!(
            "{} more of the ledger",
            counted(done.more_notes, "note")
        ));
    }
    let account = format!(
        "{}, {}, {}",
        counted(done.sources, "archive"),
        counted(done.messages, "message"),
        counted(done.bytes, "byte")
    );
    let verdict = if done.incomplete.is_empty() {
        "reversible: yes (checked)"
    } else {
        "reversible: only what was read (checked)"
    };
    if done.dropped > 0 {
        console.say(format_args!(
            "of them {} that a selection left out of the output; the ledger has their bytes",
            counted(done.dropped, "message")
        ));
    }
    for input in &done.incomplete {
        if input.is_bounded {
            console.error(format_args!(
                "{}: incomplete: input left out from compressed byte {}: {}; the original ends before it",
                input.path, input.offset, input.reason
            ));
        } else if input.is_unread {
            console.error(format_args!(
                "{}: not read: {}; the original lacks it",
                input.path, input.reason
            ));
        } else {
            let place = match input.offset {
                0 => String::new(),
                offset => format!(" (at byte {offset})"),
            };
            console.error(format_args!(
                "{}: incomplete: {}{place}; the original has what was read",
                input.path, input.reason
            ));
        }
    }
    if let Some(original) = &job.original {
        console.say(format_args!(
            "restored to {}: {account}",
            original.display()
        ));
        console.say(verdict);
    } else {
        console.say(format_args!("checked: {account}"));
        if console.level() > Level::Quiet {
            print(format!("{verdict}\n").as_bytes())?;
        }
    }
    Ok(if done.incomplete.is_empty() {
        Exit::Done
    } else {
        Exit::Unread
    })
}

/// Adds the right call to the failure of a restore whose output is named by its ledger.
fn with_hint(error: Error, job: &RestoreJob) -> Failure {
    let mut failure = Failure::from(error);
    let (Some(named), None) = (&job.output, &job.ledger) else {
        return failure;
    };
    if named.extension() != Some("ledger".as_ref()) || !named.is_file() {
        return failure;
    }
    let output = named.with_extension("");
    let call = if output.exists() {
        quoted(&output)
    } else {
        format!("[NORMALIZED] --ledger {}", quoted(named))
    };
    failure.message += "; name the output of `normalize`, not its ledger: mailglot restore ";
    failure.message += &call;
    failure
}
