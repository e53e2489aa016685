//! Prints help, version, and errors in the arguments.
//!
//! # Limits
//! The words are clap's.

use crate::exit::{Exit, Failure};
use crate::output::Console;
use std::io::{self, Write};
use std::process::ExitCode;

/// Prints what clap says, and returns the exit code: 0 for help and version, 1 for wrong usage (clap's own code is 2).
///
/// Help that cannot be written is a failure of standard output.
pub(crate) fn print(error: &clap::Error) -> ExitCode {
    let printed = error.print().and_then(|()| io::stdout().flush());
    match printed {
        // A closed stream leaves nobody to tell.
        _ if error.use_stderr() => Exit::Usage.into(),
        Ok(()) => Exit::Done.into(),
        Err(error) => {
            let failure = Failure::stdout(&error);
            Console::new(false, false).error(&failure.message);
            failure.exit.into()
        }
    }
}
