//! `mailglot completions`: prints the completion script of a shell.

use crate::args::{self, CompletionsArgs};
use crate::exit::{Exit, Failure};
use crate::output::print;

pub(crate) fn run(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "mailglot", &mut script);
    print(&script)?;
    Ok(Exit::Done)
}
