//! `mailglot text`

use super::summary::report_left_out;
use super::{all_cores, note};
use crate::args::TextArgs;
use crate::exit::{Exit, Failure};
use crate::output::{Console, Harmless};
use crate::progress::watched;
use mailglot_archive::BoxEventKind;
use mailglot_pipeline::{Error, Progress, TextOptions, once, texts};
use std::io::{self, BufWriter, IsTerminal, Write};

const BUFFER: usize = 1 << 16;

pub(crate) fn run(args: &TextArgs, console: Console) -> Result<Exit, Failure> {
    once(&args.inputs)?;
    let progress = Progress::default();
    let out = BufWriter::with_capacity(BUFFER, io::stdout());
    // On a terminal no bar may stand in the text, and no text may steer the terminal.
    if io::stdout().is_terminal() {
        return write(args, console, &progress, &mut Harmless::new(out));
    }
    let mut out = out;
    watched(console, &progress, || {
        write(args, console, &progress, &mut out)
    })
}

/// Input for input, so that one that cannot be read does not stop the others.
fn write(
    args: &TextArgs,
    console: Console,
    progress: &Progress,
    out: &mut (dyn Write + Send),
) -> Result<Exit, Failure> {
    let mut worst = Exit::Done;
    let policy = args.policy();
    let options = TextOptions {
        threads: args.threads.map_or_else(all_cores, usize::from),
        json: args.json,
        force_format: args.force_format,
        max_expansion: args.expansion.max_expansion,
    };
    for input in &args.inputs {
        let result = texts(std::slice::from_ref(input), &policy, options, out, progress);
        match result {
            Ok(untold) => {
                for error in untold.files {
                    note(&error.into(), &mut worst, console);
                }
                for message in untold.messages {
                    let failure =
                        Failure::new(Exit::Unread, format!("{message}: not read: internal fault"));
                    note(&failure, &mut worst, console);
                }
                report_left_out(&untold.account, &mut worst, console);
                // The text of these is missing.
                if untold
                    .account
                    .events
                    .contains_key(BoxEventKind::TooLarge.code())
                {
                    worst = worst.max(Exit::Unread);
                }
            }
            Err(error @ Error::Interrupted) => return Err(error.into()),
            Err(Error::Output(_, error)) => return Err(Failure::stdout(&error)),
            Err(error) => note(&error.into(), &mut worst, console),
        }
    }
    out.flush().map_err(|error| Failure::stdout(&error))?;
    Ok(worst)
}
