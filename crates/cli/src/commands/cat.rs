//! `mailglot cat`

use super::job_exit::note;
use super::summary::{report_left_out, report_unread};
use crate::args::CatArgs;
use crate::exit::{Exit, Failure};
use crate::output::{Console, TerminalWriter, counted, visible};
use mailglot_mime::{OnLoss, Policy, process};
use mailglot_pipeline::{Located, MessageAddress, locate};
use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;

pub(crate) fn run(args: &CatArgs, console: Console) -> Result<Exit, Failure> {
    let stdout = io::stdout();
    // No message may steer a terminal.
    if stdout.is_terminal() {
        return print(args, console, &mut TerminalWriter::new(stdout));
    }
    print(args, console, &mut io::stdout())
}

fn print(args: &CatArgs, console: Console, out: &mut (dyn Write + Send)) -> Result<Exit, Failure> {
    // No ledger gives unreadable bytes back.
    let policy = args.utf8.then(|| args.policy.policy(false, OnLoss::Keep));
    let mut worst = Exit::Done;
    for address in args.addresses.all() {
        let address = MessageAddress::parse(&address);
        let mut failed = None;
        let mut each = |located: Located| {
            let written = match &policy {
                None => out.write_all(&located.bytes),
                Some(policy) => out.write_all(&normalized(&located, policy, &mut worst, console)),
            };
            match written.and_then(|()| out.flush()) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failed = Some(Failure::stdout(&error));
                    ControlFlow::Break(())
                }
            }
        };
        let account = locate(&address, args.opening.opening(), &mut each)?;
        if let Some(failure) = failed {
            return Err(failure);
        }
        report_unread(&account, &mut worst, console);
        report_left_out(&account, &mut worst, console);
    }
    Ok(worst)
}

/// Returns the normalized message. Reports losses, and a message that is too large to be parsed.
fn normalized<'a>(
    located: &'a Located,
    policy: &Policy,
    worst: &mut Exit,
    console: Console,
) -> Cow<'a, [u8]> {
    let address = visible(&located.address);
    if located.bytes.len() > policy.limits.message {
        let text = format!("{address}: larger than 64 MiB, printed as it is");
        note(&Failure::new(Exit::Unread, text), worst, console);
        return Cow::Borrowed(&located.bytes);
    }
    let outcome = process(&located.bytes, policy);
    let losses = outcome.report.losses();
    if losses > 0 {
        console.say(format_args!(
            "{address}: {} (`mailglot inspect` lists them)",
            counted(losses, "loss")
        ));
    }
    outcome.bytes
}
