//! Defines the exit codes, and the failures that lead to them.
//!
//! # Limits
//!
//! Every signal ends with 130, not with 128 and its number.

use crate::error_text::{IfExists, of_file, of_job};
use mailglot_archive::{Error as FileError, ErrorKind, words};
use mailglot_gateway::config::{Invalid, InvalidKind};
use mailglot_pipeline::Error;
use std::cmp::Ordering;
use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// The exit code of the program. After several failures the greatest one counts, in the order of [`Ord`]: 3 is below 1, 2 and 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Success; also if the reader of standard output has closed it (`| head`).
    Done = 0,
    /// Wrong usage; for `convert` also bad input.
    Usage = 1,
    /// Some input could not be read, or a message was set aside.
    Unread = 2,
    /// A finding that `--fail-on` names.
    Losses = 3,
    /// The output could not be written, a ledger is wrong, or the message counts do not match.
    Output = 4,
    /// The policy of `filter` rejects the message (`EX_DATAERR`): the mail server bounces it.
    Refused = 65,
    /// `filter` failed (`EX_TEMPFAIL`): the mail server keeps the message queued and tries again.
    Temporary = 75,
    /// The configuration of a daemon is wrong (`EX_CONFIG`): a supervisor should not restart it.
    Configuration = 78,
    /// A signal ended the job. No incomplete output stays behind.
    Interrupted = 130,
}

impl Exit {
    /// Returns the place in the order. A finding is below every failure: a job that did not read everything found only a part.
    fn rank(self) -> (bool, u8) {
        (!matches!(self, Self::Done | Self::Losses), self as u8)
    }
}

impl Ord for Exit {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Exit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The failure of a command: an exit code and a message.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The exit code.
    pub(crate) exit: Exit,
    /// The message; empty if nothing should be printed.
    pub(crate) message: String,
}

impl Failure {
    /// Creates a failure.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: message.into(),
        }
    }

    /// The call or the configuration is wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// The configuration of a daemon is wrong.
    pub(crate) fn configuration(error: impl fmt::Display) -> Self {
        Self::usage(format!("configuration: {error}"))
    }

    /// Standard output cannot be written. A closed pipe (`| head`) counts as success.
    pub(crate) fn stdout(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::new(Exit::Done, "")
        } else {
            Self::new(Exit::Output, format!("standard output: {}", words(error)))
        }
    }

    /// The configuration file of a daemon cannot be used.
    pub(crate) fn of_configuration(error: &Invalid) -> Self {
        let exit = match error.kind() {
            InvalidKind::Content => Exit::Configuration,
            InvalidKind::System => Exit::Usage,
        };
        Self::new(exit, format!("configuration: {error}"))
    }

    /// A job failed.
    pub(crate) fn of_job(error: &Error, if_exists: IfExists) -> Self {
        let exit = match error {
            Error::Usage(_) => Exit::Usage,
            Error::Parts(error) if error.is_wrong_call() => Exit::Usage,
            Error::Input(_) => Exit::Unread,
            Error::Interrupted => Exit::Interrupted,
            Error::Output(error) if error.path().as_os_str() == "-" => {
                return match error.kind() {
                    ErrorKind::Io(error) => Self::stdout(error),
                    _ => Self::new(Exit::Output, error.to_string()),
                };
            }
            _ => Exit::Output,
        };
        Self::new(exit, of_job(error, if_exists))
    }

    /// An output file cannot be created or put into place.
    pub(crate) fn of_output(error: &FileError) -> Self {
        Self::new(Exit::Output, of_file(error, IfExists::OtherName))
    }

    /// An output cannot be written.
    pub(crate) fn output(path: &Path, error: &io::Error) -> Self {
        Self::new(Exit::Output, with_path(path.display(), error))
    }

    /// The system denies something that a daemon needs; `place` names it.
    pub(crate) fn system(place: impl fmt::Display, error: &io::Error) -> Self {
        Self::new(Exit::Output, format!("{place}: {error}"))
    }

    /// An input cannot be read.
    pub(crate) fn input(path: impl fmt::Display, error: &io::Error) -> Self {
        Self::new(Exit::Unread, with_path(path, error))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::of_job(&error, IfExists::OtherName)
    }
}

/// An input that cannot be read.
impl From<&FileError> for Failure {
    fn from(error: &FileError) -> Self {
        Self::new(Exit::Unread, of_file(error, IfExists::OtherName))
    }
}

fn with_path(path: impl fmt::Display, error: &io::Error) -> String {
    format!("{path}: {}", words(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_archive::Operation;
    use mailglot_archive::ledger::LedgerError;
    use mailglot_pipeline::{LedgerFault, LedgerFaultKind, UsageError};

    #[test]
    fn a_finding_is_below_every_failure() {
        let order = [
            Exit::Done,
            Exit::Losses,
            Exit::Usage,
            Exit::Unread,
            Exit::Output,
            Exit::Refused,
            Exit::Temporary,
            Exit::Configuration,
            Exit::Interrupted,
        ];
        assert!(order.is_sorted_by(|less, more| less < more));
        assert_eq!(Exit::Unread.max(Exit::Losses), Exit::Unread);
    }

    #[test]
    fn errors_have_their_codes() {
        let file = |path: &str, kind: io::ErrorKind| FileError::new(path, Operation::Write, kind);
        for (error, exit) in [
            (Error::Usage(UsageError::NoInput), Exit::Usage),
            (
                Error::Input(file("a", io::ErrorKind::NotFound)),
                Exit::Unread,
            ),
            (
                Error::Output(file("a", io::ErrorKind::StorageFull)),
                Exit::Output,
            ),
            (
                Error::Output(file("-", io::ErrorKind::BrokenPipe)),
                Exit::Done,
            ),
            (
                Error::Output(file("-", io::ErrorKind::StorageFull)),
                Exit::Output,
            ),
            (
                Error::Ledger(LedgerFault {
                    path: "a".into(),
                    kind: LedgerFaultKind::Unreadable(LedgerError::NotALedger),
                }),
                Exit::Output,
            ),
            (
                Error::Internal("a".into(), io::Error::other("x")),
                Exit::Output,
            ),
            (Error::Interrupted, Exit::Interrupted),
        ] {
            let words = error.to_string();
            assert_eq!(Failure::from(error).exit, exit, "{words}");
        }
    }
}
