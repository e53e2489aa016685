//! `mailglot filter`: filters one message from standard input to standard output, without losing mail.
//!
//! Exit code 0 means that the whole message was written. Any failure ends with 75 (EX_TEMPFAIL), so the mail server keeps the message queued.
//!
//! Postfix's pipe(8) defers only on 75 and on death by a signal. It bounces on nearly every other code, such as that of a panic. So a panic
//! hook and a timeout end the program with 75, too.
//!
//! # Limits
//!
//! Holds the message in memory. If the system kills the program (a signal, lack of memory), the caller sees the signal instead of 75, and nothing
//! was written. Standard output on `/dev/null` counts as closed if it is open for reading and writing
//! ([`descriptors::output_was_closed`]). `>/dev/null` discards the message.

use crate::args::{Args, FilterArgs};
use crate::argument_parser;
use crate::exit::Exit;
use crate::output::{Console, Level};
use crate::shell_words::quoted;
use clap::error::{ContextKind, ContextValue};
use mailglot_gateway::policy::Rules;
use mailglot_gateway::{Fault, PipeFilter, Reinject, Stopped, descriptors};
use mailglot_mime::OnLoss;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, IsTerminal, Read, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::process::{self, ExitCode};
use std::thread;
use std::time::{Duration, Instant};

/// Minimum bytes per read of standard input.
const STEP: usize = 1 << 16;
/// Timeout for reading the message after wrong usage.
const PATIENCE: Duration = Duration::from_mins(5);
/// Stack size of the timeout thread.
const STACK: usize = 64 << 10;
/// How long before the timeout the `sendmail` command is killed, so that this program can still report it.
const BEFORE_TIMEOUT: Duration = Duration::from_millis(500);

/// Returns true if `filter` is the command. Then wrong usage also ends with 75.
///
/// No option before a command has a value, so the first word that is not an option is the command.
pub(crate) fn is_asked(arguments: &[OsString]) -> bool {
    let command = arguments
        .iter()
        .skip(1)
        .find(|word| !word.as_encoded_bytes().starts_with(b"-"));
    command.is_some_and(|word| word == "filter")
}

/// Parses the arguments of `filter`. Wrong usage handles the message like any other failure, and returns the exit code.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Args, ExitCode> {
    let ours = || arguments.iter().take_while(|word| *word != "--");
    let has = |option: &str| ours().any(|word| word == option);
    let (fail_open, reinject) = (has("--fail-open"), has("--reinject"));
    let is_verbose = has("-v") || has("--verbose") || io::stderr().is_terminal();
    let failures = FailureHandling {
        fail_open,
        prints_errors: is_verbose,
        reinject,
    };
    failures.install_panic_hook();
    match FailureHandling::guarded(|| Ok(argument_parser::parse(arguments))) {
        Ok(Ok(args)) => Ok(args),
        Ok(Err(error)) if !error.use_stderr() => {
            // If the stream is closed, nobody can read an error.
            let _ = error.print();
            Err(Exit::Done.into())
        }
        Ok(Err(error)) => {
            // With --fail-open, standard error may become part of the mail. With --reinject, standard output has the reason.
            if is_verbose || !(fail_open || reinject) {
                print_usage_error(&error);
            }
            Err(failures.without_arguments("wrong usage"))
        }
        Err(failed) => {
            failures.print_error(&failed.words);
            Err(failures.without_arguments(&failed.words))
        }
    }
}

/// Prints an error in the arguments. If a file is named, prints the command that reads it.
fn print_usage_error(error: &clap::Error) {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    if context(ContextKind::InvalidArg) == "[-]" {
        let file = quoted(Path::new(context(ContextKind::InvalidValue)));
        Console::new(false, false).error(format_args!(
            "filter: no file can be named, the message comes from standard input: mailglot filter < {file}"
        ));
    } else {
        // If the stream is closed, nobody can read an error.
        let _ = error.print();
    }
}

/// Runs the command.
pub(crate) fn run(args: &FilterArgs, console: Console) -> ExitCode {
    let prints_errors = console.level() == Level::Verbose || io::stderr().is_terminal();
    let failures = FailureHandling {
        fail_open: args.fail_open,
        prints_errors,
        reinject: args.reinject,
    };
    let limit = Duration::from_secs(args.timeout.into());
    let deadline = Instant::now() + limit;
    if let Err(error) = failures.start_timeout(limit) {
        return failures.defer(&FailedStep::from(error));
    }
    let policy = args.policy.policy(true, OnLoss::Keep);
    let filter = match args.judge.as_deref().and_then(Rules::named) {
        Some(rules) => PipeFilter::judging(rules, &policy, args.policy.transfer),
        None => PipeFilter::Rewrite(policy),
    };
    let raw = match FailureHandling::guarded(|| read(&mut io::stdin().lock())) {
        Ok(raw) => raw,
        // An incomplete message must not pass.
        Err(failed) => return failures.defer(&failed.at("standard input")),
    };
    let bytes = match FailureHandling::guarded(|| Ok(filter.run(&raw))) {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(stopped)) => return failures.stop(&stopped),
        Err(failed) if args.fail_open => {
            failures.print_error(&failed.words);
            raw
        }
        Err(failed) => return failures.defer(&failed),
    };
    if !args.reinject {
        return failures.write_out(&bytes);
    }
    let reinject = Reinject {
        program: args.sendmail.clone(),
        arguments: args.arguments.clone(),
        folder: std::env::temp_dir(),
        deadline: deadline.checked_sub(BEFORE_TIMEOUT).unwrap_or(deadline),
        verbose: prints_errors,
    };
    match FailureHandling::guarded(|| reinject.run(&bytes)) {
        Ok(()) => Exit::Done.into(),
        Err(failed) => failures.defer(&failed),
    }
}

/// A step that failed.
#[derive(Debug)]
struct FailedStep {
    fault: Fault,
    /// Description for people.
    words: String,
}

impl FailedStep {
    fn new(fault: Fault, words: impl Display) -> Self {
        Self {
            fault,
            words: words.to_string(),
        }
    }

    /// Names the stream that failed.
    fn at(self, stream: &str) -> Self {
        Self {
            words: format!("{stream}: {}", self.words),
            ..self
        }
    }
}

impl From<io::Error> for FailedStep {
    fn from(error: io::Error) -> Self {
        let words = error.to_string();
        Self {
            fault: Fault::Io(error),
            words,
        }
    }
}

/// What the command does after a failure.
#[derive(Clone, Copy, Debug)]
struct FailureHandling {
    /// True if the message passes unchanged (`--fail-open`).
    fail_open: bool,
    /// True if errors are printed on standard error.
    prints_errors: bool,
    /// True if `sendmail` gets the message (`--reinject`). Standard output then gets the reason of a failure.
    reinject: bool,
}

impl FailureHandling {
    /// Installs a panic hook that ends the program with 75. With `--fail-open`, [`FailureHandling::guarded`] returns the panic as an error
    /// instead. A panic within the hook aborts the program.
    fn install_panic_hook(self) {
        panic::set_hook(Box::new(move |panic| {
            let words = panic.payload_as_str().unwrap_or("no words");
            if self.fail_open {
                return;
            }
            self.defer(&FailedStep::new(
                Fault::Panic,
                format_args!("internal fault: {words}"),
            ));
            process::exit(Exit::Temporary as i32);
        }));
    }

    /// Starts a thread that ends the program with 75 after `limit`.
    fn start_timeout(self, limit: Duration) -> io::Result<()> {
        thread::Builder::new()
            .stack_size(STACK)
            .spawn(move || {
                thread::sleep(limit);
                self.defer(&FailedStep::new(Fault::Slow, "took too long"));
                process::exit(Exit::Temporary as i32);
            })
            .map(drop)
    }

    /// Runs a step. Returns a panic as an error, unless the panic hook ends the program.
    fn guarded<T>(step: impl FnOnce() -> io::Result<T>) -> Result<T, FailedStep> {
        match panic::catch_unwind(AssertUnwindSafe(step)) {
            Ok(result) => result.map_err(FailedStep::from),
            Err(panic) => {
                let words = panic
                    .downcast_ref::<&str>()
                    .map(|words| (*words).to_owned());
                let words = words.or_else(|| panic.downcast_ref::<String>().cloned());
                let words = format!("internal fault: {}", words.unwrap_or_default());
                Err(FailedStep {
                    fault: Fault::Panic,
                    words,
                })
            }
        }
    }

    /// Handles the message after wrong usage: reads it completely. Passes it unchanged with `--fail-open`, otherwise defers it.
    ///
    /// The error was printed before. A terminal is not read, because no caller waits there to write a message.
    fn without_arguments(self, why: &str) -> ExitCode {
        let deferred = || self.end(&Stopped::by(&Fault::Usage, why));
        if io::stdin().is_terminal() {
            return deferred();
        }
        let raw = self.start_timeout(PATIENCE).map_err(FailedStep::from);
        match raw.and_then(|()| Self::guarded(|| read(&mut io::stdin().lock()))) {
            // With --reinject the recipients are unknown, so the message is deferred.
            Ok(raw) if self.fail_open && !self.reinject => self.write_out(&raw),
            Ok(_) => deferred(),
            Err(failed) => self.defer(&failed.at("standard input")),
        }
    }

    fn write_out(self, bytes: &[u8]) -> ExitCode {
        if descriptors::output_was_closed() {
            let closed = Fault::Io(io::ErrorKind::BrokenPipe.into());
            return self.defer(&FailedStep::new(closed, "it is closed").at("standard output"));
        }
        match write(bytes, &mut io::stdout().lock()) {
            Ok(()) => Exit::Done.into(),
            Err(error) => self.defer(&FailedStep::from(error).at("standard output")),
        }
    }

    /// Defers the message, and prints the reason.
    fn defer(self, failed: &FailedStep) -> ExitCode {
        self.print_error(&failed.words);
        self.end(&Stopped::by(&failed.fault, &failed.words))
    }

    /// Rejects or defers the message as the policy says, and prints the reason.
    fn stop(self, stopped: &Stopped) -> ExitCode {
        self.print_error(&stopped.text);
        self.end(stopped)
    }

    /// Returns the exit code of a message that does not pass.
    fn end(self, stopped: &Stopped) -> ExitCode {
        if self.reinject {
            // The exit code reports the failure, too.
            let _ = writeln!(io::stdout(), "{}", stopped.text);
        }
        let exit = if stopped.temporary {
            Exit::Temporary
        } else {
            Exit::Refused
        };
        exit.into()
    }

    fn print_error(self, why: impl Display) {
        if self.prints_errors {
            Console::new(false, false).error(format_args!("filter: {why}"));
        }
    }
}

/// Reads to the end. A lack of memory is an error instead of an abort.
fn read(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut raw = Vec::new();
    loop {
        // Doubling keeps the number of copies small.
        let more = raw.len().max(STEP);
        raw.try_reserve(more)
            .map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        if input.by_ref().take(more as u64).read_to_end(&mut raw)? == 0 {
            return Ok(raw);
        }
    }
}

/// Writes the message, and flushes. A closed pipe is an error, because its reader has not got the message.
fn write(bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
    out.write_all(bytes)?;
    out.flush()
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
        for line in [
            "mailglot",
            "mailglot -q",
            "mailglot count filter",
            "filter count",
        ] {
            assert!(!is_asked(&words(line)), "{line}");
        }
    }

    /// Runs one test of this file alone, in a process of its own, with a variable set.
    fn in_a_process(test: &str, value: &str) -> process::Output {
        let name = format!(
            "{}::{test}",
            module_path!().split_once("::").expect("a crate").1
        );
        process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &name, "--nocapture", "--quiet"])
            .env("MAILGLOT_FILTER_ENDS", value)
            .stdin(process::Stdio::null())
            .output()
            .unwrap()
    }

    #[test]
    fn a_panic_ends_with_75_wherever_it_is() {
        let failures = FailureHandling {
            fail_open: false,
            prints_errors: false,
            reinject: true,
        };
        match std::env::var("MAILGLOT_FILTER_ENDS").as_deref() {
            Ok("panic") => {
                failures.install_panic_hook();
                let _ = FailureHandling::guarded::<()>(|| panic!("of step {}", 2));
            }
            Ok("thread") => {
                failures.install_panic_hook();
                let _ = thread::spawn(|| panic!("of another\nthread")).join();
            }
            Ok("time") => {
                failures.start_timeout(Duration::from_millis(50)).unwrap();
                thread::sleep(Duration::from_mins(1));
            }
            Ok("open") => {
                let failures = FailureHandling {
                    fail_open: true,
                    ..failures
                };
                failures.install_panic_hook();
                let fault = FailureHandling::guarded::<()>(|| panic!("of step {}", 2));
                assert_eq!(fault.unwrap_err().words, "internal fault: of step 2");
            }
            _ => {
                for (how, code, words) in [
                    ("panic", 75, "4.3.0 internal fault: of step 2\n"),
                    ("thread", 75, "4.3.0 internal fault: of another thread\n"),
                    ("time", 75, "4.3.0 took too long\n"),
                    ("open", 0, ""),
                ] {
                    let run = in_a_process("a_panic_ends_with_75_wherever_it_is", how);
                    assert_eq!(run.status.code(), Some(code), "{how}: {run:?}");
                    let told = String::from_utf8_lossy(&run.stdout);
                    assert!(told.contains(words), "{how}: {told}");
                    assert!(run.stderr.is_empty(), "{how}: {run:?}");
                }
            }
        }
    }

    #[test]
    fn a_step_that_fails_is_an_error() {
        let failures = FailureHandling {
            fail_open: true,
            prints_errors: false,
            reinject: false,
        };
        assert_eq!(FailureHandling::guarded(|| Ok(1)).unwrap(), 1);
        let failed = FailureHandling::guarded::<()>(|| Err(io::Error::other("x"))).unwrap_err();
        assert_eq!((failed.fault.kind(), &*failed.words), ("io", "x"));
        assert_eq!(failures.defer(&failed), ExitCode::from(75));
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
