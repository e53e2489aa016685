//! `mailglot filter`: one message through a pipe. It never loses mail: whatever goes wrong, nothing half-done comes out
//! with exit code 0, and 75 makes the caller keep the mail.
//!
//! Postfix's pipe(8) defers on 75 and on death by a signal only, and bounces on nearly every other code, that of a panic
//! too: so the hook of panics ends the program with 75, and a clock does where work does not end.
//!
//! # Limits
//!
//! The message is held in memory. When the system itself ends the program (a signal, no memory), the caller sees that,
//! and not 75; nothing was written then either. Where standard output is `/dev/null`, opened to be read and written, it counts as closed
//! before the start, for that is what is there then; one that is opened to be written only (`>/dev/null`) throws the message away.

use crate::args::{Args, FilterArgs};
use crate::argument_parser;
use crate::exit::Exit;
use crate::output::{Console, Level};
use mailglot_gateway::policy::Rules;
use mailglot_gateway::{Fault, PipeFilter, Reinject, Stopped, descriptors};
use mailglot_mime::OnLoss;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, IsTerminal, Read, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::{self, ExitCode};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes asked of standard input at once.
const STEP: usize = 1 << 16;
/// How long may be read after wrong usage.
const PATIENCE: Duration = Duration::from_mins(5);
/// Bytes of the stack of the thread that keeps the time.
const STACK: usize = 64 << 10;
/// What is kept of the time for handing the message back: the command is ended before we are.
const LAST: Duration = Duration::from_millis(500);

/// Whether `filter` is the command: then wrong usage is a failure of `filter` too. No option before a command takes a
/// value, so the first word that is no option is the command.
pub(crate) fn is_asked(arguments: &[OsString]) -> bool {
    let command = arguments
        .iter()
        .skip(1)
        .find(|word| !word.as_encoded_bytes().starts_with(b"-"));
    command.is_some_and(|word| word == "filter")
}

/// Parses the arguments of `filter`. A failure ends as one of `filter` does, with its exit code.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Args, ExitCode> {
    let ours = || arguments.iter().take_while(|word| *word != "--");
    let has = |option: &str| ours().any(|word| word == option);
    let failures = FailureHandling {
        fail_open: has("--fail-open"),
        talks: has("-v") || has("--verbose") || io::stderr().is_terminal(),
        reinject: has("--reinject"),
    };
    failures.end_at_panics();
    match FailureHandling::guarded(|| Ok(argument_parser::parse(arguments))) {
        Ok(Ok(args)) => Ok(args),
        Ok(Err(error)) if !error.use_stderr() => {
            // As everywhere, a closed stream leaves nobody to tell.
            let _ = error.print();
            Err(Exit::Done.into())
        }
        Ok(Err(error)) => {
            if failures.talks {
                let _ = error.print();
            }
            Err(failures.without_arguments("wrong usage"))
        }
        Err(failed) => Err(failures.without_arguments(failed.words)),
    }
}

/// Runs the command.
pub(crate) fn run(args: &FilterArgs, console: Console) -> ExitCode {
    let talks = console.level() == Level::Verbose || io::stderr().is_terminal();
    let failures = FailureHandling {
        fail_open: args.fail_open,
        talks,
        reinject: args.reinject,
    };
    let limit = Duration::from_secs(args.timeout.into());
    let deadline = Instant::now() + limit;
    if let Err(error) = failures.keep_time(limit) {
        return failures.keep(&FailedStep::from(error));
    }
    let policy = args.policy.policy(true, OnLoss::Keep);
    let filter = match args.judge.as_deref().and_then(Rules::named) {
        Some(rules) => PipeFilter::judging(rules, &policy, args.policy.transfer()),
        None => PipeFilter::Rewrite(policy),
    };
    let raw = match FailureHandling::guarded(|| read(&mut io::stdin().lock())) {
        Ok(raw) => raw,
        // What was not read whole cannot be passed through either.
        Err(failed) => return failures.keep(&failed.at("standard input")),
    };
    let bytes = match FailureHandling::guarded(|| Ok(filter.run(&raw))) {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(stopped)) => return failures.refuse(&stopped),
        Err(failed) if args.fail_open => {
            failures.tell(&failed.words);
            raw
        }
        Err(failed) => return failures.keep(&failed),
    };
    if !args.reinject {
        return failures.write_out(&bytes);
    }
    let reinject = Reinject {
        program: args.sendmail.clone(),
        arguments: args.arguments.clone(),
        folder: std::env::temp_dir(),
        deadline: deadline.checked_sub(LAST).unwrap_or(deadline),
        verbose: talks,
    };
    match FailureHandling::guarded(|| reinject.run(&bytes)) {
        Ok(()) => Exit::Done.into(),
        Err(failed) => failures.keep(&failed),
    }
}

/// A step that failed.
#[derive(Debug)]
struct FailedStep {
    fault: Fault,
    /// What happened, for people.
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

/// How failures are dealt with.
#[derive(Clone, Copy, Debug)]
struct FailureHandling {
    /// The message passes as it came.
    fail_open: bool,
    /// Somebody reads standard error.
    talks: bool,
    /// Standard output is not the message: the server reads there why it shall try again.
    reinject: bool,
}

impl FailureHandling {
    /// A panic ends the program here and now; a second one, inside the first, aborts it. Where the message may pass as it came it
    /// becomes an error.
    fn end_at_panics(self) {
        panic::set_hook(Box::new(move |panic| {
            let words = panic.payload_as_str().unwrap_or("no words");
            if self.fail_open {
                return;
            }
            self.keep(&FailedStep::new(
                Fault::Panic,
                format_args!("internal fault: {words}"),
            ));
            process::exit(Exit::Temporary as i32);
        }));
    }

    /// Ends the program when the time is over.
    fn keep_time(self, limit: Duration) -> io::Result<()> {
        thread::Builder::new()
            .stack_size(STACK)
            .spawn(move || {
                thread::sleep(limit);
                self.keep(&FailedStep::new(Fault::Slow, "took too long"));
                process::exit(Exit::Temporary as i32);
            })
            .map(drop)
    }

    /// Runs a step; where a panic does not end the program, it becomes an error.
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

    /// After wrong usage: the message as it came, where that is asked for and possible. It is read to its end in any case.
    fn without_arguments(self, why: impl Display) -> ExitCode {
        self.tell(&why);
        let raw = self.keep_time(PATIENCE).map_err(FailedStep::from);
        match raw.and_then(|()| Self::guarded(|| read(&mut io::stdin().lock()))) {
            // Who was to be handed the message is not known.
            Ok(raw) if self.fail_open && !self.reinject => self.write_out(&raw),
            Ok(_) => self.keep(&FailedStep::new(Fault::Usage, why)),
            Err(failed) => self.keep(&failed.at("standard input")),
        }
    }

    fn write_out(self, bytes: &[u8]) -> ExitCode {
        if descriptors::output_was_closed() {
            let closed = Fault::Io(io::ErrorKind::BrokenPipe.into());
            return self.keep(&FailedStep::new(closed, "it is closed").at("standard output"));
        }
        match write(bytes, &mut io::stdout().lock()) {
            Ok(()) => Exit::Done.into(),
            Err(error) => self.keep(&FailedStep::from(error).at("standard output")),
        }
    }

    /// Says why the caller must keep the message.
    fn keep(self, failed: &FailedStep) -> ExitCode {
        self.tell(&failed.words);
        self.end(&Stopped::by(&failed.fault, &failed.words))
    }

    /// Says that the policy does not let the message pass.
    fn refuse(self, stopped: &Stopped) -> ExitCode {
        self.tell(&stopped.words);
        self.end(stopped)
    }

    /// The exit code of a message that does not go on.
    fn end(self, stopped: &Stopped) -> ExitCode {
        if self.reinject {
            // The exit code says it too.
            let _ = writeln!(io::stdout(), "{}", stopped.words);
        }
        let exit = if stopped.temporary {
            Exit::Temporary
        } else {
            Exit::Refused
        };
        exit.into()
    }

    fn tell(self, why: impl Display) {
        if self.talks {
            Console::new(false, false).error(format_args!("filter: {why}"));
        }
    }
}

/// Reads to the end. Memory that is not there is an error, not the end of the program.
fn read(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut raw = Vec::new();
    loop {
        // Room for twice as much keeps the number of moves small.
        let more = raw.len().max(STEP);
        raw.try_reserve(more)
            .map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
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
            talks: false,
            reinject: true,
        };
        match std::env::var("MAILGLOT_FILTER_ENDS").as_deref() {
            Ok("panic") => {
                failures.end_at_panics();
                let _ = FailureHandling::guarded::<()>(|| panic!("of step {}", 2));
            }
            Ok("thread") => {
                failures.end_at_panics();
                let _ = thread::spawn(|| panic!("of another\nthread")).join();
            }
            Ok("time") => {
                failures.keep_time(Duration::from_millis(50)).unwrap();
                thread::sleep(Duration::from_mins(1));
            }
            Ok("open") => {
                let failures = FailureHandling {
                    fail_open: true,
                    ..failures
                };
                failures.end_at_panics();
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
            talks: false,
            reinject: false,
        };
        assert_eq!(FailureHandling::guarded(|| Ok(1)).unwrap(), 1);
        let failed = FailureHandling::guarded::<()>(|| Err(io::Error::other("x"))).unwrap_err();
        assert_eq!((failed.fault.kind(), &*failed.words), ("io", "x"));
        assert_eq!(failures.keep(&failed), ExitCode::from(75));
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
