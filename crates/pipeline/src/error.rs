//! The errors that stop a job, as data.
//!
//! # Limits
//!
//! `Display` formats a plain sentence. The program adds advice about its options.

use crate::parts_error::PartsError;
use crate::thousands::with_thousands;
use mailglot_archive::ledger::LedgerError;
use mailglot_archive::{Error as FileError, Operation};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, io};

/// An error that stopped a job. The program has an exit code for each variant.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The job is contradictory: exit 1.
    Usage(UsageError),
    /// An input cannot be read: exit 2.
    Input(FileError),
    /// The output cannot be written, or exists already: exit 4.
    Output(FileError),
    /// A ledger is damaged, of an unsupported version, or belongs to another output: exit 4.
    Ledger(LedgerFault),
    /// Messages or bytes are missing in the counts of the job: exit 4.
    Account(AccountError),
    /// A new mailbox would be read as other messages than were written to it: exit 4.
    ReadBack(ReadBackError),
    /// A plan, or parts of a job, cannot be used: exit 4.
    Parts(PartsError),
    /// A worker failed outside a message: exit 4.
    Internal(PathBuf, io::Error),
    /// The caller interrupted the job: exit 130.
    Interrupted,
}

/// The reason why a job is contradictory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UsageError {
    /// No input is given.
    NoInput,
    /// Standard input is given twice.
    StdinTwice,
    /// A restore job names neither an archive nor a ledger.
    NothingToRestore,
    /// A job in parts selects a number of messages, which no part can count.
    LimitInParts,
    /// A job in parts searches duplicates, and no part has all messages.
    DedupeInParts,
    /// A job in parts reads standard input, which can be read only once.
    StreamInParts(PathBuf),
    /// The path of an output has no file name.
    NoFileName(PathBuf),
    /// Decisions about single lines are given for several archives, or for one that is not a mailbox file.
    OverrideNeedsMailbox,
    /// An address names a byte of a folder, whose messages are in several files.
    OffsetInFolder(PathBuf),
    /// An address names a byte of a message store, whose messages are rebuilt.
    OffsetInStore(PathBuf),
    /// Two outputs have the same path, or one lies inside the other.
    OutputsCollide(PathBuf),
    /// An output and an input overlap.
    Overlap {
        /// The path of the output.
        output: PathBuf,
        /// The kind of overlap.
        relation: Relation,
        /// The path of the input.
        input: PathBuf,
    },
}

/// The relation of an output path to an input path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// They are the same file or folder.
    Is,
    /// The output lies inside the input.
    LiesInside,
    /// The output contains the input.
    Contains,
}

/// An error of a ledger.
#[derive(Debug)]
pub struct LedgerFault {
    /// The path of the ledger.
    pub path: PathBuf,
    /// The reason.
    pub kind: LedgerFaultKind,
}

/// The reason why a ledger cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum LedgerFaultKind {
    /// It cannot be read.
    Unreadable(LedgerError),
    /// It lists no source.
    NoSource,
    /// The normalized archive is required, too.
    NeedsOutput,
    /// It was written for a folder and a file was given, or vice versa.
    WrongForm {
        /// True if the ledger was written for a folder.
        wants_folder: bool,
        /// The given archive.
        output: PathBuf,
    },
    /// It contains the whole original, but an archive was given.
    ContainsOriginal {
        /// The given archive.
        output: PathBuf,
    },
    /// Outputs were changed or removed after the ledger was written.
    DamagedOutputs(DamagedOutputs),
    /// Archive and ledger contradict each other.
    Mismatch {
        /// The contradiction.
        mismatch: Mismatch,
        /// The archive, if one was given.
        output: Option<PathBuf>,
        /// Number of messages rebuilt before. None of them is written.
        messages: u64,
        /// The source that was being restored. Empty if there is only one.
        source: String,
    },
}

/// The outputs of a ledger that differ from its footer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DamagedOutputs {
    /// Outputs with another content, in the order of the ledger.
    pub changed: Vec<PathBuf>,
    /// Outputs that do not exist.
    pub missing: Vec<PathBuf>,
    /// True if another output is as the ledger describes it. Otherwise the ledger may belong to another archive.
    pub others_intact: bool,
}

/// A contradiction between an archive and a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mismatch {
    /// Records precede the first source.
    NoSourceYet,
    /// A source begins inside another.
    SourceTwice,
    /// The sources are not in order.
    SourcesUnordered,
    /// There are more sources than the footer lists.
    MoreSources,
    /// A name leads outside its folder, or names a file inside a single file.
    ImpossibleName,
    /// An edit lies outside the message in this file.
    EditOutside(PathBuf),
    /// This file ends too early.
    TooShort(PathBuf),
    /// This file has bytes that no record uses.
    TooLong(PathBuf),
    /// A record needs bytes, but no file is open.
    NoFileToRead,
    /// A record writes bytes, but no file is open.
    NoFileToWrite,
    /// The archive is not the one that the ledger was written for. Names the altered file if known.
    OtherArchive(Option<PathBuf>),
    /// The restored bytes differ from the source in digest or length.
    OtherSource,
}

/// A mismatch in the counts of a job: messages or bytes are missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountError {
    /// The source. None for the whole job.
    pub path: Option<PathBuf>,
    /// Messages and bytes that were read.
    pub read: (u64, u64),
    /// Messages and bytes that were processed.
    pub processed: (u64, u64),
    /// Size of the file in bytes, if known.
    pub size: Option<u64>,
    /// Messages that were written.
    pub written: u64,
    /// Messages that were set aside.
    pub set_aside: u64,
    /// Messages that were dropped on request.
    pub dropped: u64,
}

/// A mailbox that would be read as other messages than were written to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadBackError {
    /// The mailbox. It does not exist, because nothing was put into place.
    pub path: PathBuf,
    /// Messages written to it.
    pub written: u64,
    /// Messages read from it.
    pub read: u64,
    /// The first message that would be read otherwise: its archive and number, such as `a.mbox:1`, and its offset in the new mailbox.
    pub message: Option<(String, u64)>,
}

/// A file or folder that could not be read, while the job continued.
#[derive(Clone, Debug)]
pub struct UnreadInput {
    /// The input as given, which is or contains the file.
    pub input: PathBuf,
    /// The error.
    pub error: Arc<FileError>,
}

impl Error {
    /// Builds the error of an output at `path`.
    pub(crate) fn output(path: &Path, operation: Operation, error: io::Error) -> Self {
        Self::Output(FileError::new(path, operation, error))
    }

    /// Builds the error of the ledger at `path`.
    pub(crate) fn ledger(path: &Path, kind: LedgerFaultKind) -> Self {
        Self::Ledger(LedgerFault {
            path: path.to_owned(),
            kind,
        })
    }
}

impl From<UsageError> for Error {
    fn from(error: UsageError) -> Self {
        Self::Usage(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(error) => error.fmt(f),
            Self::Input(error) | Self::Output(error) => error.fmt(f),
            Self::Ledger(fault) => fault.fmt(f),
            Self::Account(error) => error.fmt(f),
            Self::ReadBack(error) => error.fmt(f),
            Self::Parts(error) => error.fmt(f),
            Self::Internal(path, error) => write!(f, "{}: internal error: {error}", path.display()),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for UsageError {}

impl std::error::Error for LedgerFault {}

impl std::error::Error for LedgerFaultKind {}

impl std::error::Error for AccountError {}

impl std::error::Error for ReadBackError {}

impl std::error::Error for Error {
    /// Returns the cause of the error that a variant holds. `Display` has the text of that error itself.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Input(error) | Self::Output(error) => error.source(),
            Self::Internal(_, error) => error.source(),
            _ => None,
        }
    }
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoInput => f.write_str("no input is given"),
            Self::StdinTwice => {
                f.write_str("standard input (-) is given twice, but can be read only once")
            }
            Self::NothingToRestore => {
                f.write_str("neither a normalized archive nor a ledger is given")
            }
            Self::LimitInParts => f.write_str(
                "--limit counts messages over all inputs, which a job in parts cannot do",
            ),
            Self::DedupeInParts => f.write_str(
                "--dedupe compares all messages of the inputs, which a job in parts cannot do; use `mailglot normalize` without --resume",
            ),
            Self::StreamInParts(_) => f.write_str(
                "standard input can be read only once; write it to a file, and give its name",
            ),
            Self::NoFileName(path) => write!(f, "{}: the path has no file name", path.display()),
            Self::OverrideNeedsMailbox => f.write_str(
                "--mbox-override names offsets in one mailbox, so it needs exactly one input that is a mailbox file",
            ),
            Self::OffsetInFolder(path) => write!(
                f,
                "{}: a folder has no byte offsets; give the number of the message (FOLDER:17), or the file (FOLDER/FILE@81233)",
                path.display()
            ),
            Self::OffsetInStore(path) => write!(
                f,
                "{0}: a message store has no byte offsets; give the number of the message ({0}:17)",
                path.display()
            ),
            Self::OutputsCollide(path) => write!(
                f,
                "{}: two outputs have this path, or one of them lies inside it",
                path.display()
            ),
            Self::Overlap {
                output,
                relation,
                input,
            } => {
                let (output, input) = (output.display(), input.display());
                match relation {
                    Relation::Is => write!(f, "{output}: the output is an input: {input}"),
                    Relation::LiesInside => {
                        write!(f, "{output}: the output lies inside an input: {input}")
                    }
                    Relation::Contains => {
                        write!(f, "{output}: the output contains an input: {input}")
                    }
                }
            }
        }
    }
}

impl fmt::Display for LedgerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.kind)
    }
}

impl fmt::Display for LedgerFaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => error.fmt(f),
            Self::DamagedOutputs(damaged) => damaged.fmt(f),
            Self::NoSource => f.write_str("the ledger lists no source"),
            Self::NeedsOutput => {
                f.write_str("the ledger needs the normalized archive; name it before the ledger")
            }
            Self::WrongForm {
                wants_folder,
                output,
            } => {
                let (want, is) = if *wants_folder {
                    ("folder", "file")
                } else {
                    ("file", "folder")
                };
                let output = output.display();
                write!(f, "the ledger belongs to a {want}, but {output} is a {is}")
            }
            Self::ContainsOriginal { output } => write!(
                f,
                "the ledger contains the whole original; omit {}",
                output.display()
            ),
            Self::Mismatch {
                mismatch,
                output,
                messages,
                source,
            } => {
                if let Some(output) = output {
                    write!(f, "{} and this ledger do not match: ", output.display())?;
                }
                let (s, messages) = (
                    if *messages == 1 { "" } else { "s" },
                    with_thousands(*messages),
                );
                write!(f, "{mismatch}; nothing was restored ({messages} message{s}")?;
                if !source.is_empty() {
                    write!(f, " of {source}")?;
                }
                f.write_str(" checked)")
            }
        }
    }
}

impl fmt::Display for DamagedOutputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let changed = self.changed.iter();
        let changed = changed.map(|path| (path, "was changed after it was written"));
        let missing = self.missing.iter().map(|path| (path, "is missing"));
        f.write_str("nothing was restored: ")?;
        for (index, (path, damage)) in changed.chain(missing).enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{} {damage}", path.display())?;
        }
        if self.others_intact || !self.missing.is_empty() {
            return Ok(());
        }
        f.write_str(", or the ledger belongs to another archive")
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSourceYet => f.write_str("the ledger does not begin with a source"),
            Self::SourceTwice => f.write_str("the ledger begins a source twice"),
            Self::SourcesUnordered => f.write_str("the sources of the ledger are out of order"),
            Self::MoreSources => f.write_str("the ledger has more sources than its footer lists"),
            Self::ImpossibleName => f.write_str("the ledger has an impossible file name"),
            Self::EditOutside(path) => {
                write!(f, "an edit lies outside the message in {}", path.display())
            }
            Self::TooShort(path) => write!(f, "{} is too short", path.display()),
            Self::TooLong(path) => write!(f, "{} is too long", path.display()),
            Self::NoFileToRead => {
                f.write_str("the ledger needs bytes of a file that it does not name")
            }
            Self::NoFileToWrite => {
                f.write_str("the ledger writes bytes to a file that it does not name")
            }
            Self::OtherArchive(altered) => {
                if let Some(path) = altered {
                    return write!(f, "{} was changed after it was written", path.display());
                }
                f.write_str("the archive was changed after it was written, or the ledger belongs to another archive")
            }
            Self::OtherSource => {
                f.write_str("the restored bytes differ from the source that the ledger describes")
            }
        }
    }
}

impl fmt::Display for ReadBackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: not written: ", self.path.display())?;
        let written = with_thousands(self.written);
        let messages = if self.written == 1 {
            "message"
        } else {
            "messages"
        };
        write!(f, "its {written} {messages} would be read ")?;
        if self.read == self.written {
            f.write_str("with other bytes")?;
        } else {
            write!(f, "as {}", with_thousands(self.read))?;
        }
        if let Some((message, offset)) = &self.message {
            write!(f, ", beginning with {message} at offset {offset}")?;
        }
        f.write_str("; --to eml or --to maildir writes all messages")
    }
}

impl fmt::Display for AccountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}: ", path.display())?;
        }
        write!(
            f,
            "internal error: the account does not add up: {} messages and {} bytes read",
            with_thousands(self.read.0),
            with_thousands(self.read.1)
        )?;
        if let Some(size) = self.size {
            write!(f, " of {}", with_thousands(size))?;
        }
        write!(
            f,
            ", {} messages and {} bytes processed, {} messages written, {} set aside, {} dropped on request",
            with_thousands(self.processed.0),
            with_thousands(self.processed.1),
            with_thousands(self.written),
            with_thousands(self.set_aside),
            with_thousands(self.dropped)
        )
    }
}

impl UnreadInput {
    /// Records that reading `input`, or a file below it, failed.
    pub(crate) fn new(input: &Path, error: FileError) -> Self {
        Self {
            input: input.to_owned(),
            error: Arc::new(error),
        }
    }
}

impl fmt::Display for UnreadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

/// Serializes the sentence that people read.
impl serde::Serialize for UnreadInput {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_archive::Operation;

    fn is_error<E: std::error::Error>() {}

    /// Programs print an error and each of its sources, one behind the other.
    #[test]
    fn no_source_repeats_the_text_of_its_error() {
        let file = || FileError::new("a.mbox", Operation::Open, io::ErrorKind::NotFound);
        let kind = LedgerFaultKind::Unreadable(LedgerError::NotALedger);
        for error in [
            Error::Usage(UsageError::NoInput),
            Error::Input(file()),
            Error::Output(file()),
            Error::ledger(Path::new("a.ledger"), kind),
            Error::Internal("a".into(), io::Error::other("no memory")),
        ] {
            let text = error.to_string();
            let mut next = std::error::Error::source(&error);
            while let Some(source) = next {
                assert!(!text.contains(&source.to_string()), "{text} {source}");
                next = source.source();
            }
        }
        is_error::<UsageError>();
        is_error::<LedgerFault>();
        is_error::<LedgerFaultKind>();
        is_error::<AccountError>();
        is_error::<PartsError>();
        is_error::<ReadBackError>();
    }
}
