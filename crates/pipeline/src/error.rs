//! What can stop a job.

use mailglot_archive::words;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// What stopped a job, in the classes of the exit codes (archives.md 6).
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The job itself makes no sense (output inside input, no input): exit 1.
    Usage(String),
    /// An input cannot be read: exit 2.
    Input(PathBuf, io::Error),
    /// The output cannot be written, or stands there already: exit 4.
    Output(PathBuf, io::Error),
    /// A ledger is damaged, of another version, or belongs to another output: exit 4.
    Ledger(PathBuf, String),
    /// The accounting identity does not hold, or a restored archive differs: exit 4.
    Identity(String),
    /// The caller asked for the end: exit 130.
    Interrupted,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(what) | Self::Identity(what) => f.write_str(what),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Input(path, error) | Self::Output(path, error) => {
                let (path, error) = (path.display().to_string(), words(error));
                // Some errors of writing name their path already.
                if error.contains(&path) {
                    f.write_str(&error)
                } else {
                    write!(f, "{path}: {error}")
                }
            }
            Self::Ledger(path, what) => write!(f, "{}: {what}", path.display()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Input(_, error) | Self::Output(_, error) => Some(error),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_named_once() {
        let error = |text: &str| {
            Error::Output("a/out".into(), io::Error::other(text.to_owned())).to_string()
        };
        assert_eq!(error("no space"), "a/out: no space");
        assert_eq!(error("a/out: exists already"), "a/out: exists already");
    }
}
