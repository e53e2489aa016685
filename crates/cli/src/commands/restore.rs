//! `mailglot restore`: rebuilds the original from an output and its ledger.

use crate::args::RestoreArgs;
use crate::error_text::of_segment;
use crate::exit::{Exit, Failure};
use crate::output::{Console, Level, counted, print, visible};
use crate::progress::watched;
use crate::shell_words::quoted;
use crate::signals::stoppable;
use mailglot_pipeline::{
    Error, IncompleteInput, LedgerFaultKind, RestoreJob, restore, with_thousands,
};
use std::path::PathBuf;

pub(crate) fn run(args: RestoreArgs, console: Console) -> Result<Exit, Failure> {
    if args
        .original
        .as_ref()
        .is_some_and(|original| original.as_os_str() == "-")
    {
        return Err(Failure::usage("restore writes files, not standard output"));
    }
    let job = RestoreJob {
        output: args.normalized.map(with_name),
        ledger: args.ledger,
        original: args.original,
        force: false,
        keep_going: args.keep_going,
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
    let verdict = match (done.unrestored.len() as u64, done.incomplete.is_empty()) {
        (0, true) => "reversible: yes (checked)".to_owned(),
        (0, false) => "reversible: only what was read (checked)".to_owned(),
        (count, _) => format!(
            "reversible: no: {} of {} could not be restored (named above); the others were verified",
            with_thousands(count),
            counted(count + done.sources, "archive")
        ),
    };
    if done.dropped > 0 {
        console.say(format_args!(
            "of them {} that a selection left out of the output; the ledger has their bytes",
            counted(done.dropped, "message")
        ));
    }
    if let (1.., Some(output)) = (done.unknown_files, &job.output) {
        console.say(format_args!(
            "left out    {} in {} that `normalize` did not write",
            counted(done.unknown_files, "file"),
            visible(&output.display().to_string())
        ));
    }
    for input in &done.incomplete {
        console.error(lacking(input));
    }
    for unrestored in &done.unrestored {
        console.error(visible(&unrestored.to_string()));
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
    Ok(
        if done.incomplete.is_empty() && done.unrestored.is_empty() {
            Exit::Done
        } else {
            Exit::Unread
        },
    )
}

/// Returns the absolute path of a folder such as `.`, whose ledger stands beside it. Other paths stay.
fn with_name(path: PathBuf) -> PathBuf {
    if path.file_name().is_some() {
        return path;
    }
    path.canonicalize().unwrap_or(path)
}

/// Returns what an original lacks because an input was not read completely.
fn lacking(input: &IncompleteInput) -> String {
    let IncompleteInput {
        path,
        offset,
        reason,
        ..
    } = input;
    if input.is_bounded {
        return format!(
            "{path}: incomplete: input left out from compressed byte {offset}: {reason}; the original ends there"
        );
    }
    if input.is_unread {
        return format!("{path}: not read: {reason}; the original lacks it");
    }
    let place = match offset {
        0 => String::new(),
        offset => format!(" (at byte {offset})"),
    };
    format!("{path}: incomplete: {reason}{place}; only the readable part was restored")
}

/// Adds the right call to the failure of a restore: one whose output is named by its ledger, or has outputs that are intact.
fn with_hint(error: Error, job: &RestoreJob) -> Failure {
    let has_intact = matches!(&error, Error::Ledger(fault)
        if matches!(&fault.kind, LedgerFaultKind::DamagedOutputs(outputs) if outputs.others_intact));
    let mut failure = Failure::from(error);
    if has_intact && !job.keep_going {
        failure.message += "; --keep-going restores the other inputs";
    }
    let (Some(named), None) = (&job.output, &job.ledger) else {
        return failure;
    };
    if let Some(advice) = of_segment(named) {
        failure.message += advice;
        return failure;
    }
    if named.extension() != Some("ledger".as_ref()) || !named.is_file() {
        let has_ledger = job.ledger_place().is_some_and(|place| place.exists());
        if named.exists() && !has_ledger {
            failure.message += "; name the ledger with --ledger";
        }
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
