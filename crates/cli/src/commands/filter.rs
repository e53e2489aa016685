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

use crate::args::{self, FilterArgs};
use crate::exit::Exit;
use crate::output::{Console, Level};
use mailglot_gateway::judge::{hold_fields, judge};
use mailglot_gateway::policy::{Action, Rules};
use mailglot_gateway::{Envelope, Reinject, descriptors};
use mailglot_mime::{Message, OnLoss, Policy, Transfer, process, splice};
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
    let command = arguments.iter().skip(1).find(|word| !word.as_encoded_bytes().starts_with(b"-"));
    command.is_some_and(|word| word == "filter")
}

/// The program when `filter` is asked for.
pub(crate) fn main(arguments: &[OsString]) -> ExitCode {
    let ours = || arguments.iter().take_while(|word| *word != "--");
    let has = |option: &str| ours().any(|word| word == option);
    let way = Way {
        fail_open: has("--fail-open"),
        talks: has("-v") || has("--verbose") || io::stderr().is_terminal(),
        reinject: has("--reinject"),
    };
    way.end_at_panics();
    let parsed = Way::guarded(|| Ok(args::parse(arguments)));
    match parsed {
        Ok(Ok(args)) => super::run(args),
        Ok(Err(error)) if !error.use_stderr() => {
            // As everywhere, a closed stream leaves nobody to tell.
            let _ = error.print();
            Exit::Done.into()
        }
        Ok(Err(error)) => {
            if way.talks {
                let _ = error.print();
            }
            way.without_arguments("wrong usage")
        }
        Err(message) => way.without_arguments(message),
    }
}

/// Runs the command.
pub(crate) fn run(args: &FilterArgs, console: Console) -> ExitCode {
    let talks = console.level() == Level::Verbose || io::stderr().is_terminal();
    let way = Way { fail_open: args.fail_open, talks, reinject: args.reinject };
    let limit = Duration::from_secs(args.timeout.into());
    let deadline = Instant::now() + limit;
    if let Err(error) = way.keep_time(limit) {
        return way.keep(error);
    }
    let policy = args.policy.policy(true, OnLoss::Keep);
    let rules = args
        .judge
        .as_deref()
        .and_then(Rules::named)
        .map(|rules| rewriting(rules, &policy, args.policy.transfer()));
    let raw = match Way::guarded(|| read(&mut io::stdin().lock())) {
        Ok(raw) => raw,
        // What was not read whole cannot be passed through either.
        Err(message) => return way.keep(format_args!("standard input: {message}")),
    };
    let done = Way::guarded(|| {
        Ok(match &rules {
            Some(rules) => around(&raw, |message| judged(message, rules)),
            None => around(&raw, |message| Ok(rewritten(message, &policy))),
        })
    });
    let bytes = match done {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(refusal)) => return way.refuse(&refusal),
        Err(message) if args.fail_open => {
            way.tell(message);
            raw
        }
        Err(message) => return way.keep(message),
    };
    if !args.reinject {
        return way.write_out(&bytes);
    }
    let reinject = Reinject {
        program: args.sendmail.clone(),
        arguments: args.arguments.clone(),
        folder: std::env::temp_dir(),
        deadline: deadline.checked_sub(LAST).unwrap_or(deadline),
        verbose: talks,
    };
    match Way::guarded(|| reinject.run(&bytes)) {
        Ok(()) => Exit::Done.into(),
        Err(message) => way.keep(message),
    }
}

/// What a policy does not let pass: exit code, and the code of RFC 3463 with words.
#[derive(Debug, PartialEq, Eq)]
struct Refusal {
    exit: Exit,
    words: String,
}

/// Does something to a message. A line `From …` before it, as mail drops hand it on, is none of the message and stays.
fn around<E>(raw: &[u8], work: impl FnOnce(&[u8]) -> Result<Vec<u8>, E>) -> Result<Vec<u8>, E> {
    let envelope = if raw.starts_with(b"From ") || raw.starts_with(b">From ") {
        memchr::memchr(b'\n', raw).map_or(0, |end| end + 1)
    } else {
        0
    };
    let (line, message) = raw.split_at(envelope);
    Ok([line, &work(message)?].concat())
}

/// The rules, with what the arguments say of reading and writing; where they say nothing of transfer encodings, the rules do.
fn rewriting(mut rules: Rules, policy: &Policy, asked: Option<Transfer>) -> Rules {
    let usual = &rules.rewriting;
    let transfer = asked.unwrap_or(usual.transfer);
    rules.rewriting =
        Policy { transfer, limits: usual.limits, keep_signed: usual.keep_signed, ..policy.clone() };
    rules
}

/// The message in UTF-8. What comes out goes to a server: no field is longer than servers take.
fn rewritten(message: &[u8], policy: &Policy) -> Vec<u8> {
    let mut done = process(message, policy);
    if done.edits.is_empty()
        || hold_fields(&Message::parse(message, &policy.limits), &mut done.edits).is_empty()
    {
        return done.bytes.into_owned();
    }
    let mut bytes = Vec::with_capacity(message.len());
    // Writing to memory cannot fail.
    let _ = splice(message, &done.edits, &mut bytes);
    bytes
}

/// The message as the rules let it pass.
fn judged(message: &[u8], rules: &Rules) -> Result<Vec<u8>, Refusal> {
    let judgement = judge(message, &Envelope::default(), rules);
    let refusal = |exit, code| {
        let words = format!("{code} message refused: {}", judgement.reasons(rules, judgement.action));
        Err(Refusal { exit, words })
    };
    match judgement.action {
        Action::Reject => refusal(Exit::Refused, "5.6.0"),
        // There is no place to hold a message here.
        Action::Tempfail | Action::Quarantine => refusal(Exit::Temporary, "4.7.0"),
        Action::Pass | Action::Tag | Action::Normalize => Ok(judgement.bytes().into_owned()),
    }
}

/// How failures are dealt with.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// The message passes as it came.
    fail_open: bool,
    /// Somebody reads standard error.
    talks: bool,
    /// Standard output is not the message: the server reads there why it shall try again.
    reinject: bool,
}

impl Way {
    /// A panic ends the program here and now; a second one, inside the first, aborts it. Where the message may pass as it came it
    /// becomes an error.
    fn end_at_panics(self) {
        panic::set_hook(Box::new(move |panic| {
            let words = panic.payload_as_str().unwrap_or("no words");
            if self.fail_open {
                return;
            }
            self.keep(format_args!("internal fault: {words}"));
            process::exit(Exit::Temporary as i32);
        }));
    }

    /// Ends the program when the time is over.
    fn keep_time(self, limit: Duration) -> io::Result<()> {
        thread::Builder::new()
            .stack_size(STACK)
            .spawn(move || {
                thread::sleep(limit);
                self.keep("took too long");
                process::exit(Exit::Temporary as i32);
            })
            .map(drop)
    }

    /// Runs a step; where a panic does not end the program, it becomes an error.
    fn guarded<T>(step: impl FnOnce() -> io::Result<T>) -> Result<T, String> {
        match panic::catch_unwind(AssertUnwindSafe(step)) {
            Ok(result) => result.map_err(|error| error.to_string()),
            Err(panic) => {
                let words = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
                let words = words.or_else(|| panic.downcast_ref::<String>().cloned());
                Err(format!("internal fault: {}", words.unwrap_or_default()))
            }
        }
    }

    /// After wrong usage: the message as it came, where that is asked for and possible. It is read to its end in any case.
    fn without_arguments(self, why: impl Display) -> ExitCode {
        self.tell(&why);
        let raw = self.keep_time(PATIENCE).map_err(|error| error.to_string());
        match raw.and_then(|()| Self::guarded(|| read(&mut io::stdin().lock()))) {
            // Who was to be handed the message is not known.
            Ok(raw) if self.fail_open && !self.reinject => self.write_out(&raw),
            Ok(_) => self.keep(why),
            Err(message) => self.keep(format_args!("standard input: {message}")),
        }
    }

    fn write_out(self, bytes: &[u8]) -> ExitCode {
        if descriptors::output_was_closed() {
            return self.keep("standard output: it is closed");
        }
        match write(bytes, &mut io::stdout().lock()) {
            Ok(()) => Exit::Done.into(),
            Err(error) => self.keep(format_args!("standard output: {error}")),
        }
    }

    /// Says why the caller must keep the message, where somebody reads it.
    fn keep(self, why: impl Display) -> ExitCode {
        self.tell(&why);
        if self.reinject {
            let line: String =
                why.to_string().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            // The exit code says it too.
            let _ = writeln!(io::stdout(), "4.3.0 {line}");
        }
        Exit::Temporary.into()
    }

    /// Says that the policy does not let the message pass.
    fn refuse(self, refusal: &Refusal) -> ExitCode {
        self.tell(&refusal.words);
        if self.reinject {
            // The exit code says it too.
            let _ = writeln!(io::stdout(), "{}", refusal.words);
        }
        refusal.exit.into()
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

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_gateway::policy::Finding;

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

    /// Runs one test of this file alone, in a process of its own, with a variable set.
    fn in_a_process(test: &str, value: &str) -> process::Output {
        let name = format!("{}::{test}", module_path!().split_once("::").expect("a crate").1);
        process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &name, "--nocapture", "--quiet"])
            .env("MAILGLOT_FILTER_ENDS", value)
            .stdin(process::Stdio::null())
            .output()
            .unwrap()
    }

    #[test]
    fn a_panic_ends_with_75_wherever_it_is() {
        let way = Way { fail_open: false, talks: false, reinject: true };
        match std::env::var("MAILGLOT_FILTER_ENDS").as_deref() {
            Ok("panic") => {
                way.end_at_panics();
                let _ = Way::guarded::<()>(|| panic!("of step {}", 2));
            }
            Ok("thread") => {
                way.end_at_panics();
                let _ = thread::spawn(|| panic!("of another\nthread")).join();
            }
            Ok("time") => {
                way.keep_time(Duration::from_millis(50)).unwrap();
                thread::sleep(Duration::from_mins(1));
            }
            Ok("open") => {
                let way = Way { fail_open: true, ..way };
                way.end_at_panics();
                let fault = Way::guarded::<()>(|| panic!("of step {}", 2));
                assert_eq!(fault.unwrap_err(), "internal fault: of step 2");
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
        let way = Way { fail_open: true, talks: false, reinject: false };
        assert_eq!(Way::guarded(|| Ok(1)), Ok(1));
        assert_eq!(Way::guarded::<()>(|| Err(io::Error::other("x"))), Err("x".to_owned()));
        assert_eq!(way.keep("x"), ExitCode::from(75));
    }

    #[test]
    fn an_envelope_line_stays() {
        let policy = Policy::default();
        let filtered = |raw: &[u8]| {
            let done = around::<()>(raw, |message| Ok(rewritten(message, &policy)));
            done.unwrap()
        };
        let message = b"Subject: =?iso-8859-1?Q?=FC?=\n\ntext\n";
        let plain = filtered(message);
        assert!(plain.starts_with(b"Subject: =?UTF-8?"), "{}", String::from_utf8_lossy(&plain));
        for line in ["From joe@example.org Mon Jan  1 00:00:00 2001\n", ">From x\r\n"] {
            let whole = filtered(&[line.as_bytes(), message].concat());
            assert_eq!(whole, [line.as_bytes(), &plain].concat());
        }
        assert_eq!(filtered(b"From x"), b"From x");
        assert_eq!(filtered(b""), b"");
    }

    #[test]
    fn no_field_outgrows_the_server_that_takes_it() {
        for (count, changes) in [(900, true), (1_400, false)] {
            let people: Vec<_> =
                (0..count).map(|n| format!("J\u{fc}rgen M\u{fc}ller <p{n:04}@a.invalid>")).collect();
            let to = format!("To: {}\n", people.join(",\n "));
            let latin = |text: &str| text.chars().map(|c| c as u8).collect::<Vec<u8>>();
            let message = latin(&format!("{to}Subject: caf\u{e9}\n\nx\n"));
            let bytes = rewritten(&message, &Policy::default());
            assert_eq!(!bytes.starts_with(&latin(&to)), changes, "{count}");
            assert!(bytes.ends_with(b"Subject: =?UTF-8?B?Y2Fmw6k=?=\n\nx\n"));
        }
    }

    #[test]
    fn a_policy_may_refuse_and_defer() {
        let message = b"Content-Type: text/plain\nContent-Type: text/html\n\nx\n";
        let refusal = judged(message, &Rules::strict()).unwrap_err();
        assert_eq!(
            (refusal.exit, &refusal.words[..]),
            (Exit::Refused, "5.6.0 message refused: duplicate-header")
        );
        for action in [Action::Tempfail, Action::Quarantine] {
            let mut rules = Rules::default();
            rules.set(Finding::DuplicateHeader, action);
            let refusal = judged(message, &rules).unwrap_err();
            assert_eq!((refusal.exit, &refusal.words[..5]), (Exit::Temporary, "4.7.0"));
        }
        assert!(judged(message, &Rules::default()).is_ok());
        assert!(judged(message, &Rules::monitor()).unwrap().ends_with(message));
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
