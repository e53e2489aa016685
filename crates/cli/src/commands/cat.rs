//! `mailglot cat`: writes messages, selected by address, as they are stored.

use super::job_exit::note;
use super::summary::{report_left_out, report_unread};
use crate::args::{CatArgs, LARGEST_MESSAGE};
use crate::exit::{Exit, Failure};
use crate::output::{Console, TerminalWriter, counted, visible};
use mailglot_mime::{OnLoss, Plan, Policy, plan, splice};
use mailglot_pipeline::{LocatedPiece, MessageAddress, locate_pieces};
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
    let mut policy = args.utf8.then(|| args.policy.policy(false, OnLoss::Keep));
    if let Some(policy) = &mut policy {
        policy.limits.message = LARGEST_MESSAGE;
    }
    let mut printer = Printer {
        policy,
        console,
        out,
        begun: None,
        worst: Exit::Done,
    };
    for address in args.addresses.all() {
        let address = MessageAddress::parse(&address);
        let mut failed = None;
        let mut each = |piece: LocatedPiece<'_>| match printer.piece(&piece) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(Failure::stdout(&error));
                ControlFlow::Break(())
            }
        };
        let account = locate_pieces(&address, args.opening.opening(), &mut each)?;
        if let Some(failure) = failed {
            return Err(failure);
        }
        printer.end().map_err(|error| Failure::stdout(&error))?;
        report_unread(&account, &mut printer.worst, console);
        report_left_out(&account, &mut printer.worst, console);
    }
    Ok(printer.worst)
}

/// Prints messages as their pieces come.
struct Printer<'a> {
    /// How messages are normalized. None to print them as they are.
    policy: Option<Policy>,
    console: Console,
    out: &'a mut (dyn Write + Send),
    /// Address and bytes of a message to normalize whose other pieces follow.
    begun: Option<(String, Vec<u8>)>,
    worst: Exit,
}

impl Printer<'_> {
    fn piece(&mut self, piece: &LocatedPiece<'_>) -> io::Result<()> {
        let LocatedPiece { bytes, more, .. } = *piece;
        if !piece.continued {
            self.end()?;
        }
        if self.policy.is_none() || piece.continued && self.begun.is_none() {
            self.out.write_all(bytes)?;
        } else if !piece.continued && !more {
            self.normalized(&piece.address, bytes)?;
        } else {
            let first = || (piece.address.clone(), Vec::new());
            let (_, begun) = self.begun.get_or_insert_with(first);
            begun.extend_from_slice(bytes);
            if begun.len() > LARGEST_MESSAGE || !more {
                self.end()?;
            }
        }
        self.out.flush()
    }

    /// Prints what has come of a message to normalize.
    fn end(&mut self) -> io::Result<()> {
        let Some((address, bytes)) = self.begun.take() else {
            return Ok(());
        };
        self.normalized(&address, &bytes)?;
        self.out.flush()
    }

    /// Prints a message normalized. Reports losses, and a message that is too large to be parsed.
    fn normalized(&mut self, address: &str, bytes: &[u8]) -> io::Result<()> {
        let (address, Some(policy)) = (visible(address), &self.policy) else {
            return self.out.write_all(bytes);
        };
        if bytes.len() > policy.limits.message {
            let text = format!("{address}: larger than 1 GiB, printed as it is");
            note(
                &Failure::new(Exit::Unread, text),
                &mut self.worst,
                self.console,
            );
            return self.out.write_all(bytes);
        }
        let Plan { edits, report } = plan(bytes, policy);
        let losses = report.losses();
        if losses > 0 {
            self.console.say(format_args!(
                "{address}: {} (`mailglot inspect` lists them)",
                counted(losses, "loss")
            ));
        }
        splice(bytes, &edits, &mut self.out)
    }
}
