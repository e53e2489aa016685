//! Errors of reading and writing archives: the path, the operation, and what went wrong.
//!
//! # Limits
//! Defects of mail are no errors: they are [`BoxEvent`](crate::BoxEvent)s.

use crate::box_event::BoxDetail;
use crate::packing::Packing;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An operation on a file or folder that failed.
///
/// `Display` names the path and the reason. A program that has options for the reason matches on [`Error::kind`] and adds its advice.
#[derive(Debug)]
pub struct Error {
    path: PathBuf,
    operation: Operation,
    kind: ErrorKind,
}

/// What was done to the file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// Opening for reading, also asking for size and type.
    Open,
    /// Listing a folder.
    List,
    /// Reading.
    Read,
    /// Creating a file or folder.
    Create,
    /// Writing.
    Write,
    /// Bringing what was written to the disk.
    Sync,
    /// Renaming into place.
    Rename,
}

impl Operation {
    /// Returns true for operations that change the file system.
    pub fn writes(self) -> bool {
        match self {
            Self::Open | Self::List | Self::Read => false,
            Self::Create | Self::Write | Self::Sync | Self::Rename => true,
        }
    }
}

/// Why an operation failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused.
    Io(io::Error),
    /// A single message without any header field, which [`ReadOptions::force_format`](crate::ReadOptions::force_format) would read.
    NoHeader,
    /// A form of files that is not read.
    NotRead(Packing),
    /// A compressed file from which not one byte could be decompressed.
    NothingDecompressed(BoxDetail),
    /// An xz file whose dictionary is larger than 256 MiB.
    LargeDictionary,
    /// A named pipe, socket or device where a file or folder is expected.
    Special(SpecialFile),
    /// A folder without mail; a file in it that may hold mail in a form that is not read.
    NoMailFound(Option<BoxDetail>),
    /// The mailbox has no message of this ordinal.
    NoMessage(u64),
    /// The input changed while it was read.
    Changed,
    /// The entries of a source do not tile its bytes: a defect of the program.
    Untiled,
    /// The name of a file to write ends in a slash.
    TrailingSlash,
    /// The path has no file name.
    NoFileName,
    /// A device, pipe, socket or descriptor, which cannot be replaced.
    Stream,
    /// A folder stands where a file is to be written.
    IsFolder,
    /// A file stands where a folder is to be written.
    NotFolder,
    /// A file stands there, or a folder with content, and may not be replaced.
    Exists,
    /// A folder stands there that holds more than mail.
    HoldsMoreThanMail,
    /// The folder in which the output is to be written does not exist.
    NoParent,
    /// A symbolic link that leads to itself.
    LinkLoop,
    /// A name that leads out of the output folder.
    UnsafeName(String),
    /// The file system is nearly full: writing stopped before it fills up.
    LittleSpace {
        /// Free space in MiB.
        free: u64,
        /// Space in MiB that outputs leave free.
        reserve: u64,
    },
    /// An earlier write failed.
    EarlierWrite,
}

/// A file that is neither a regular file nor a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialFile {
    /// A named pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A device.
    Device,
}

impl Error {
    /// Builds the error of an operation on `path`.
    pub fn new(
        path: impl Into<PathBuf>,
        operation: Operation,
        cause: impl Into<ErrorKind>,
    ) -> Self {
        Self {
            path: path.into(),
            operation,
            kind: cause.into(),
        }
    }

    /// Returns the path of the file or folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns what was done to it.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// Returns why that failed.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Returns the class of the reason in the terms of `std`.
    pub fn io_kind(&self) -> io::ErrorKind {
        self.kind.io_kind()
    }

    /// Returns true if `other` is about the same path and of the same class. A search and a later walk meet one unreadable file twice.
    pub fn is_same(&self, other: &Self) -> bool {
        self.path == other.path && self.io_kind() == other.io_kind()
    }
}

/// Makes a function that builds the error of an operation on `path`, for `map_err`.
pub(crate) fn at<E: Into<ErrorKind>>(path: &Path, operation: Operation) -> impl Fn(E) -> Error {
    move |cause| Error::new(path, operation, cause)
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.kind)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        Self::new(error.io_kind(), error)
    }
}

impl ErrorKind {
    fn io_kind(&self) -> io::ErrorKind {
        match self {
            Self::Io(error) => error.kind(),
            Self::NoHeader => io::ErrorKind::InvalidData,
            Self::NotRead(_) | Self::Special(_) => io::ErrorKind::Unsupported,
            Self::NothingDecompressed(_) => io::ErrorKind::UnexpectedEof,
            Self::LargeDictionary => io::ErrorKind::OutOfMemory,
            Self::NoMailFound(_) | Self::NoMessage(_) | Self::NoParent => io::ErrorKind::NotFound,
            Self::TrailingSlash | Self::NoFileName | Self::UnsafeName(_) => {
                io::ErrorKind::InvalidInput
            }
            Self::IsFolder => io::ErrorKind::IsADirectory,
            Self::NotFolder => io::ErrorKind::NotADirectory,
            Self::Exists | Self::Stream => io::ErrorKind::AlreadyExists,
            Self::HoldsMoreThanMail => io::ErrorKind::DirectoryNotEmpty,
            Self::LittleSpace { .. } => io::ErrorKind::StorageFull,
            Self::Changed | Self::Untiled | Self::LinkLoop | Self::EarlierWrite => {
                io::ErrorKind::Other
            }
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => f.write_str(&words(error)),
            Self::NoHeader => {
                f.write_str("not a mail message: it does not begin with a header field")
            }
            Self::NotRead(packing) => write!(f, "{}, which is not supported", packing.words()),
            Self::NothingDecompressed(detail) => write!(f, "{detail}"),
            Self::LargeDictionary => {
                f.write_str("compressed by xz with a dictionary larger than 256 MiB")
            }
            Self::Special(special) => write!(f, "{special}, which is not supported"),
            Self::NoMailFound(None) => f.write_str("no mail found"),
            Self::NoMailFound(Some(detail)) => write!(f, "no mail found ({detail})"),
            Self::NoMessage(ordinal) => write!(f, "no message has the number {ordinal}"),
            Self::Changed => f.write_str("the file changed while it was read"),
            Self::Untiled => f.write_str("internal error: the entries do not tile the archive"),
            Self::TrailingSlash => {
                f.write_str("the name ends in a slash, but a file is to be written")
            }
            Self::NoFileName => f.write_str("the path has no file name"),
            Self::Stream => f.write_str("not a regular file or folder, and cannot be replaced"),
            Self::IsFolder => {
                f.write_str("a folder of this name exists, but a file is to be written")
            }
            Self::NotFolder => {
                f.write_str("a file of this name exists, but a folder is to be written")
            }
            Self::Exists => f.write_str("already exists"),
            Self::HoldsMoreThanMail => {
                f.write_str("the folder holds more than mail, so it is not replaced")
            }
            Self::NoParent => f.write_str("its folder does not exist"),
            Self::LinkLoop => f.write_str("the symbolic link leads to itself"),
            Self::UnsafeName(name) => write!(f, "the name {name:?} leads out of the output folder"),
            Self::LittleSpace { free, reserve } => write!(
                f,
                "only {free} MiB are free on this disk; {reserve} MiB are kept free"
            ),
            Self::EarlierWrite => f.write_str("an earlier write failed"),
        }
    }
}

impl std::error::Error for ErrorKind {}

/// Takes a kind back out of an [`io::Error`] that carried it through a reader or writer.
impl From<io::Error> for ErrorKind {
    fn from(error: io::Error) -> Self {
        error.downcast::<Self>().unwrap_or_else(Self::Io)
    }
}

impl From<io::ErrorKind> for ErrorKind {
    fn from(kind: io::ErrorKind) -> Self {
        Self::Io(kind.into())
    }
}

/// Lets a kind pass through [`io::Read`] and [`io::Write`].
impl From<ErrorKind> for io::Error {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Io(error) => error,
            kind => Self::new(kind.io_kind(), kind),
        }
    }
}

impl fmt::Display for SpecialFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pipe => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
        })
    }
}

/// Returns an error of the system as people read it: in lower case, without its number.
pub fn words(error: &io::Error) -> String {
    let text = match (error.raw_os_error(), error.get_ref()) {
        (Some(_), _) => error.to_string(),
        (None, None) if error.kind() == io::ErrorKind::NotFound => {
            "no such file or directory".to_owned()
        }
        (None, _) => return error.to_string(),
    };
    let text = text
        .split_once(" (os error ")
        .map_or(text.as_str(), |(text, _)| text);
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_lowercase().collect::<String>() + letters.as_str()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_passes_through_an_io_error() {
        let through: io::Error = ErrorKind::LargeDictionary.into();
        assert_eq!(through.kind(), io::ErrorKind::OutOfMemory);
        let error = Error::new("a.xz", Operation::Read, through);
        assert!(matches!(error.kind(), ErrorKind::LargeDictionary));
        let plain = Error::new("a", Operation::Open, io::ErrorKind::NotFound);
        assert_eq!(plain.to_string(), "a: no such file or directory");
        assert!(plain.is_same(&Error::new("a", Operation::Read, io::ErrorKind::NotFound)));
        assert!(!plain.is_same(&Error::new("b", Operation::Open, io::ErrorKind::NotFound)));
    }
}
