//! Panics: one line instead of a dump, and the exit code of a failed job.
//!
//! # Limits
//!
//! A fault inside one message does not end the job: it is told here by a line, a few times, and counted in the account.

use crate::exit::Exit;
use crate::output::Console;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

/// So many faults are told one by one.
const TOLD: u64 = 5;

/// Runs the program; a panic ends it with the code of an output problem. With `RUST_BACKTRACE` set the usual dump is printed.
pub(crate) fn contained(run: impl FnOnce() -> ExitCode) -> ExitCode {
    if std::env::var_os("RUST_BACKTRACE").is_none() {
        panic::set_hook(Box::new(tell));
    }
    panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Exit::Output.into())
}

fn tell(panic: &PanicHookInfo<'_>) {
    static FAULTS: AtomicU64 = AtomicU64::new(0);
    if FAULTS.fetch_add(1, Ordering::Relaxed) >= TOLD {
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
        let code = contained(|| panic!("of a test"));
        let fine = contained(|| Exit::Usage.into());
        panic::set_hook(hook);
        assert_eq!(code, ExitCode::from(4));
        assert_eq!(fine, ExitCode::from(1));
    }
}
