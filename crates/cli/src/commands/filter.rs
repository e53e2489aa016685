//! `mailglot filter`: one message through a pipe. It never loses mail: whatever goes wrong, nothing half-done comes out
//! with exit code 0, and 75 makes the caller keep the mail.
//!
//! # Limits
//!
//! The message is held in memory. When the system itself ends the program (a signal, no memory), the caller sees that,
//! and not 75; nothing was written then either. An output that was closed before the start cannot be told from one that
//! is thrown away.

use crate::args::{self, FilterArgs};
use crate::exit::Exit;
use crate::output::Console;
use mailglot_mime::{OnLoss, Policy, process};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

/// Bytes asked of standard input at once.
const STEP: usize = 1 << 16;

/// Whether `filter` is the command: then wrong usage is a failure of `filter` too. No option before a command takes a
/// value, so the first word that is no option is the command.
pub(crate) fn is_asked(arguments: &[OsString]) -> bool {
    let command = arguments.iter().skip(1).find(|word| !word.as_encoded_bytes().starts_with(b"-"));
    command.is_some_and(|word| word == "filter")
}

/// The program when `filter` is asked for.
pub(crate) fn main(arguments: &[OsString]) -> ExitCode {
    let fail_open = arguments.iter().any(|word| word == "--fail-open");
    let parsed = guarded(|| Ok(args::parse(arguments)));
    match parsed {
        Ok(Ok(args)) => super::run(args),
        Ok(Err(error)) => {
            // As everywhere, a closed stream leaves nobody to tell.
            let _ = error.print();
            if !error.use_stderr() {
                return Exit::Done.into();
            }
            pass_or_keep(None, fail_open, Console::new(false, false))
        }
        Err(message) => {
            let console = Console::new(false, false);
            console.error(message);
            pass_or_keep(None, fail_open, console)
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &FilterArgs, console: Console) -> ExitCode {
    let policy = args.policy.policy(true, OnLoss::Keep);
    let raw = match guarded(|| read(&mut io::stdin().lock())) {
        Ok(raw) => raw,
        Err(message) => {
            // What was not read whole cannot be passed through either.
            console.error(format_args!("filter: standard input: {message}"));
            return Exit::Temporary.into();
        }
    };
    match guarded(|| Ok(filtered(&raw, &policy))) {
        Ok(bytes) => finish(&bytes, console),
        Err(message) => {
            console.error(format_args!("filter: {message}"));
            pass_or_keep(Some(raw), args.fail_open, console)
        }
    }
}

/// The message, normalized. A line `From …` before it, as mail drops hand it on, is none of the message and stays.
fn filtered(raw: &[u8], policy: &Policy) -> Vec<u8> {
    let envelope = if raw.starts_with(b"From ") || raw.starts_with(b">From ") {
        memchr::memchr(b'\n', raw).map_or(0, |end| end + 1)
    } else {
        0
    };
    let (line, message) = raw.split_at(envelope);
    let outcome = process(message, policy);
    [line, &*outcome.bytes].concat()
}

/// After a failure: the message as it came, where that is asked for and possible.
fn pass_or_keep(raw: Option<Vec<u8>>, fail_open: bool, console: Console) -> ExitCode {
    if !fail_open {
        return Exit::Temporary.into();
    }
    let raw = raw.map_or_else(|| guarded(|| read(&mut io::stdin().lock())), Ok);
    match raw {
        Ok(raw) => finish(&raw, console),
        Err(message) => {
            console.error(format_args!("filter: standard input: {message}"));
            Exit::Temporary.into()
        }
    }
}

fn finish(bytes: &[u8], console: Console) -> ExitCode {
    match write(bytes, &mut io::stdout().lock()) {
        Ok(()) => Exit::Done.into(),
        Err(error) => {
            console.error(format_args!("filter: standard output: {error}"));
            Exit::Temporary.into()
        }
    }
}

/// Reads to the end. Memory that is not there is an error, not the end of the program.
fn read(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut raw = Vec::new();
    loop {
        // Room for twice as much keeps the number of moves small.
        let more = raw.len().max(STEP);
        raw.try_reserve(more).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        if input.by_ref().take(more as u64).read_to_end(&mut raw)? == 0 {
            return Ok(raw);
        }
    }
}

/// Writes all. Here a reader that went away is a failure: it did not get the mail.
fn write(bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
    out.write_all(bytes)?;
    out.flush()
}

/// Runs a step; a panic becomes an error, and nothing is printed about it where nobody reads.
fn guarded<T>(step: impl FnOnce() -> io::Result<T>) -> Result<T, String> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(AssertUnwindSafe(step));
    panic::set_hook(hook);
    match result {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(panic) => {
            let words = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
            let words = words.or_else(|| panic.downcast_ref::<String>().cloned());
            Err(format!("internal fault: {}", words.unwrap_or_default()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_command_is_found_before_it_is_parsed() {
        for line in [
            "mailglot filter",
            "mailglot -q filter --no-such",
            "mailglot --nonsense filter -",
            "mailglot -qv filter",
        ] {
            assert!(is_asked(&words(line)), "{line}");
        }
        for line in ["mailglot", "mailglot -q", "mailglot count filter", "filter count"] {
            assert!(!is_asked(&words(line)), "{line}");
        }
    }

    #[test]
    fn a_panic_is_an_error() {
        assert_eq!(guarded(|| Ok(1)), Ok(1));
        let fault: Result<(), _> = guarded(|| panic!("of step {}", 2));
        assert_eq!(fault.unwrap_err(), "internal fault: of step 2");
        assert_eq!(guarded::<()>(|| Err(io::Error::other("x"))), Err("x".to_owned()));
        let console = Console::new(true, false);
        assert_eq!(pass_or_keep(Some(b"x".to_vec()), false, console), ExitCode::from(75));
    }

    #[test]
    fn an_envelope_line_stays() {
        let policy = Policy::default();
        let message = b"Subject: =?iso-8859-1?Q?=FC?=\n\ntext\n";
        let plain = filtered(message, &policy);
        assert!(plain.starts_with(b"Subject: =?UTF-8?"), "{}", String::from_utf8_lossy(&plain));
        for line in ["From joe@example.org Mon Jan  1 00:00:00 2001\n", ">From x\r\n"] {
            let whole = filtered(&[line.as_bytes(), message].concat(), &policy);
            assert_eq!(whole, [line.as_bytes(), &plain].concat());
        }
        assert_eq!(filtered(b"From x", &policy), b"From x");
        assert_eq!(filtered(b"", &policy), b"");
    }

    struct Broken;

    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("gone"))
        }
    }

    #[test]
    fn input_is_read_whole_or_not_at_all() {
        let long = vec![b'x'; 3 * STEP + 7];
        assert_eq!(read(&mut long.as_slice()).unwrap(), long);
        assert!(read(&mut long.as_slice().chain(Broken)).is_err());
    }
}
