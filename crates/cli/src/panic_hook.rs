//! Prints a panic as one line instead of a stack trace, and ends the program with the exit code of a failed job.
//!
//! # Limits
//!
//! A job catches panics of single messages, and counts them in its summary. Only the first [`MOST_LINES`] panics get a line.

use crate::exit::Exit;
use crate::output::Console;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

/// Maximum number of panics that are printed.
const MOST_LINES: u64 = 5;

/// Runs the program. A panic ends it with [`Exit::Output`]. If `RUST_BACKTRACE` is set, Rust's own hook prints the panic.
pub(crate) fn catch(run: impl FnOnce() -> ExitCode) -> ExitCode {
    if std::env::var_os("RUST_BACKTRACE").is_none() {
        panic::set_hook(Box::new(print));
    }
    panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Exit::Output.into())
}

fn print(panic: &PanicHookInfo<'_>) {
    static PANICS: AtomicU64 = AtomicU64::new(0);
    if PANICS.fetch_add(1, Ordering::Relaxed) >= MOST_LINES {
        return;
    }
    let place = panic.location().map_or(String::new(), |at| {
        format!(" at {}:{}", at.file(), at.line())
    });
    let words = panic.payload_as_str().unwrap_or("no words");
    let advice =
        "this is a defect of the program, please report it (RUST_BACKTRACE=1 prints the stack)";
    Console::new(true, false).error(format_args!("internal fault{place}: {words}; {advice}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_exit_code() {
        let hook = panic::take_hook();
        let code = catch(|| panic!("of a test"));
        let fine = catch(|| Exit::Usage.into());
        panic::set_hook(hook);
        assert_eq!(code, ExitCode::from(4));
        assert_eq!(fine, ExitCode::from(1));
    }
}
