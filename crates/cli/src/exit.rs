//! The policy of exit codes, in one place.
//!
//! # Limits
//!
//! All signals that interrupt end with 130, whichever it was.

use mailglot_archive::words;
use mailglot_pipeline::Error;
use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// How the program ends. When several things happened, the highest number wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// All was done; also when the reader of our output went away.
    Done = 0,
    /// Wrong usage; for `convert` also bad input.
    Usage = 1,
    /// Some input could not be read, or a message was set aside.
    Unread = 2,
    /// Something was found that `--fail-on` names.
    Losses = 3,
    /// The output could not be written, a ledger is wrong, or an account does not add up.
    Output = 4,
    /// The policy of `filter` refuses the message (`EX_DATAERR`): the caller sends it back.
    Refused = 65,
    /// `filter` failed, in whatever way (`EX_TEMPFAIL`): the caller keeps the mail and tries again.
    Temporary = 75,
    /// A signal asked for the end; nothing half-written stays behind.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// What ended a command, and how the program ends therefore.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The code.
    pub(crate) exit: Exit,
    /// The words; empty where nothing is to be said.
    pub(crate) message: String,
}

impl Failure {
    /// A failure with its words.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: message.into(),
        }
    }

    /// Standard output cannot be written. A reader that went away (`| head`) has all it wants: that is no failure.
    pub(crate) fn stdout(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::new(Exit::Done, "")
        } else {
            Self::new(Exit::Output, format!("standard output: {}", words(error)))
        }
    }

    /// An output cannot be written.
    pub(crate) fn output(path: &Path, error: &io::Error) -> Self {
        Self::new(Exit::Output, with_path(path.display(), error))
    }

    /// An input cannot be read.
    pub(crate) fn input(path: impl fmt::Display, error: &io::Error) -> Self {
        Self::new(Exit::Unread, with_path(path, error))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match &error {
            Error::Usage(message) => Self::new(Exit::Usage, message.clone()),
            Error::Input(path, cause) => Self::input(path.display(), cause),
            Error::Output(path, cause) if path.as_os_str() == "-" => Self::stdout(cause),
            Error::Output(path, cause) => Self::output(path, cause),
            Error::Interrupted => Self::new(Exit::Interrupted, error.to_string()),
            _ => Self::new(Exit::Output, error.to_string()),
        }
    }
}

/// The path and the words of an error, without naming the path twice.
fn with_path(path: impl fmt::Display, error: &io::Error) -> String {
    let (path, words) = (path.to_string(), words(error));
    if words.starts_with(&path) {
        words
    } else {
        format!("{path}: {words}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn errors_have_their_codes() {
        let io = |kind| io::Error::from(kind);
        let path = || PathBuf::from("a");
        for (error, exit) in [
            (Error::Usage("x".into()), Exit::Usage),
            (
                Error::Input(path(), io(io::ErrorKind::NotFound)),
                Exit::Unread,
            ),
            (
                Error::Output(path(), io(io::ErrorKind::StorageFull)),
                Exit::Output,
            ),
            (
                Error::Output("-".into(), io(io::ErrorKind::BrokenPipe)),
                Exit::Done,
            ),
            (
                Error::Output("-".into(), io(io::ErrorKind::StorageFull)),
                Exit::Output,
            ),
            (Error::Ledger(path(), "x".into()), Exit::Output),
            (Error::Identity("x".into()), Exit::Output),
            (Error::Interrupted, Exit::Interrupted),
        ] {
            let words = error.to_string();
            assert_eq!(Failure::from(error).exit, exit, "{words}");
        }
        assert!(
            Exit::Output > Exit::Losses
                && Exit::Losses > Exit::Unread
                && Exit::Unread > Exit::Usage
        );
    }

    #[test]
    fn a_path_is_named_once() {
        assert_eq!(with_path("a", &io::Error::other("a: full")), "a: full");
        assert_eq!(with_path("a", &io::Error::other("full")), "a: full");
    }
}
