//! Prints help, version, errors in the arguments, and a tour if there are no arguments.
//!
//! # Limits
//! clap writes the texts of help and errors.

use crate::exit::{Exit, Failure};
use crate::output::Console;
use std::io::{self, Write};
use std::process::ExitCode;

/// What the program prints without arguments: questions and the commands that answer them.
const TOUR: &str = "\
mailglot converts mail to UTF-8 and never changes its input. All commands: mailglot --help
  See what is wrong with a mailbox   mailglot check list.mbox
  Convert a mailbox to UTF-8         mailglot normalize list.mbox -o clean.mbox
  Get the original back              mailglot restore clean.mbox -o original.mbox
  Print the text of all messages     mailglot text list.mbox
  List messages, print one           mailglot ls list.mbox; mailglot cat list.mbox:17
  Split a mailbox                    mailglot split list.mbox -o parts --by year
  Decode a Subject or From           mailglot header decode '=?utf-8?B?SsO2cmc=?='
  Detect and convert a text file     mailglot detect a.txt; mailglot convert -f koi8-r a.txt
  Filter mail in Postfix             mailglot milter --listen tcp:127.0.0.1:8890 --dry-run
";

/// Prints the tour on standard error. The exit code is that of wrong usage, since no command was given.
pub(crate) fn tour() -> ExitCode {
    // If the stream is closed, nobody can read an error.
    let _ = io::stderr().write_all(TOUR.as_bytes());
    Exit::Usage.into()
}

/// Prints the message of clap, and returns the exit code: 0 for help and version, 1 for wrong usage (clap's own code is 2).
///
/// Help that cannot be written is a failure of standard output.
pub(crate) fn print(error: &clap::Error) -> ExitCode {
    let printed = error.print().and_then(|()| io::stdout().flush());
    match printed {
        // If the stream is closed, nobody can read an error.
        _ if error.use_stderr() => Exit::Usage.into(),
        Ok(()) => Exit::Done.into(),
        Err(error) => {
            let failure = Failure::stdout(&error);
            Console::new(false, false).error(&failure.message);
            failure.exit.into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Args;
    use clap::CommandFactory;
    use std::collections::BTreeSet;

    #[test]
    fn the_tour_has_ten_lines_that_fit_a_terminal_and_name_commands() {
        let lines: Vec<&str> = TOUR.lines().collect();
        assert_eq!(lines.len(), 10);
        let command = Args::command();
        let mut named = BTreeSet::new();
        for line in &lines {
            assert!(line.len() <= 100, "{line}");
            for call in line.split("mailglot ").skip(1) {
                let name = call.split(' ').next().unwrap_or_default();
                if name != "--help" && line.starts_with("  ") {
                    assert!(command.find_subcommand(name).is_some(), "{name}");
                    named.insert(name);
                }
            }
        }
        for name in ["check", "normalize", "restore", "ls", "cat", "split"] {
            assert!(named.contains(name), "{name}");
        }
    }
}
