//! Errors of reading and writing archives: path, operation, and reason.
//!
//! # Limits
//! Defects of mail are not errors but [`BoxEvent`](crate::BoxEvent)s.

use crate::box_event::BoxDetail;
use crate::named_enum::named;
use crate::packing::Packing;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A failed operation on a file or folder.
///
/// `Display` names the path and the reason. A program can match on [`Error::kind`] to add its own advice.
#[derive(Debug)]
pub struct Error {
    path: PathBuf,
    operation: Operation,
    kind: ErrorKind,
}

/// The operation that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// Opening for reading, or asking for size and type.
    Open,
    /// Listing a folder.
    List,
    /// Reading.
    Read,
    /// Creating a file or folder.
    Create,
    /// Writing.
    Write,
    /// Syncing to the disk.
    Sync,
    /// Renaming to the final path.
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

/// The reason of a failure.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An error of the operating system.
    Io(io::Error),
    /// A single message without any header field. [`ReadOptions::force_format`](crate::ReadOptions::force_format) reads it
    /// nevertheless.
    NoHeader,
    /// An unsupported file format.
    NotRead(Packing),
    /// A message store in a stream or in a compressed file, and the name of its format. Such a store is read from a file only.
    StoreInStream(&'static str),
    /// A compressed file from which no byte could be decompressed.
    NothingDecompressed(BoxDetail),
    /// An xz file whose dictionary is larger than 256 MiB.
    LargeDictionary,
    /// A named pipe, socket or device instead of a file or folder.
    Special(SpecialFile),
    /// A folder without mail, and a file in it that may contain mail in an unsupported format.
    NoMailFound(Option<BoxDetail>),
    /// The mailbox has no message with this ordinal.
    NoMessage(u64),
    /// No message of the mailbox contains the byte at this offset.
    NoMessageAt(u64),
    /// The archive has no message with this Message-ID.
    NoMessageId(String),
    /// The input changed, or was replaced, while it was read.
    Changed,
    /// Files came to a folder or left it while it was read.
    FolderChanged,
    /// The entries of a source do not tile its bytes: a defect of the program.
    Untiled,
    /// An output file name that ends in a slash.
    TrailingSlash,
    /// The path has no file name.
    NoFileName,
    /// A device, pipe, socket or descriptor that cannot be replaced.
    Stream,
    /// A folder exists where a file is to be written.
    IsFolder,
    /// A file exists where a folder is to be written.
    NotFolder,
    /// Another job writes this path: its process number.
    Busy(u32),
    /// A file, or a folder with content, exists and may not be replaced.
    Exists,
    /// A folder exists that contains more than mail.
    HoldsMoreThanMail,
    /// The parent folder of the output does not exist.
    NoParent,
    /// A symbolic link that leads to itself.
    LinkLoop,
    /// A name that leads outside the output folder.
    UnsafeName(String),
    /// The file system is nearly full. Writing stopped before it fills up.
    LittleSpace {
        /// Free space in MiB.
        free: u64,
        /// Space in MiB that outputs must leave free.
        reserve: u64,
    },
    /// The folder of temporary files cannot be used. A compressed archive is decompressed to it, and `git` needs a folder in it.
    TemporaryFolder {
        /// The folder.
        folder: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// An earlier write failed.
    EarlierWrite,
    /// The program `git`, which reads a public-inbox, is not installed.
    NoGit,
    /// The program `git` failed: its message.
    Git(String),
    /// A git repository whose objects lie in other folders.
    BorrowedObjects,
    /// A public-inbox with too many changes of files for its size, so its later deletions are unknown.
    InboxExpansion {
        /// The number of changes that are read.
        most: u64,
    },
}

named! {
    /// A file that is neither a regular file nor a folder.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum SpecialFile {
        /// A named pipe.
        Pipe = "a named pipe",
        /// A socket.
        Socket = "a socket",
        /// A device.
        Device = "a device",
    }

    /// Returns a description.
    pub fn words;
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

    /// Returns the operation that failed.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// Returns the reason.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Returns the reason as a class of `std`.
    pub fn io_kind(&self) -> io::ErrorKind {
        self.kind.io_kind()
    }
}

/// Returns a function that builds the error of an operation on `path`, for `map_err`.
pub(crate) fn at<E: Into<ErrorKind>>(path: &Path, operation: Operation) -> impl Fn(E) -> Error {
    move |cause| Error::new(path, operation, cause)
}

impl Error {
    /// Returns true if the system lacks space for temporary files, memory or descriptors, so that other files may fail, too.
    pub fn lacks_resources(&self) -> bool {
        use rustix::io::Errno;
        let is_lack = |error: &io::Error| {
            let lacks = [Errno::MFILE, Errno::NFILE, Errno::NOMEM];
            lacks
                .iter()
                .any(|lack| error.raw_os_error() == Some(lack.raw_os_error()))
        };
        match &self.kind {
            ErrorKind::TemporaryFolder { .. } => true,
            ErrorKind::Io(error) => is_lack(error),
            _ => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.kind)
    }
}

impl std::error::Error for Error {
    /// Returns the cause of an I/O error. `Display` has the I/O error itself, and [`Error::kind`] returns it.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ErrorKind::Io(error) | ErrorKind::TemporaryFolder { error, .. } => error.source(),
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
            Self::Io(error) | Self::TemporaryFolder { error, .. } => error.kind(),
            Self::NoHeader => io::ErrorKind::InvalidData,
            Self::NotRead(_)
            | Self::StoreInStream(_)
            | Self::Special(_)
            | Self::BorrowedObjects
            | Self::NoGit => io::ErrorKind::Unsupported,
            Self::NothingDecompressed(_) => io::ErrorKind::UnexpectedEof,
            Self::LargeDictionary | Self::InboxExpansion { .. } => io::ErrorKind::OutOfMemory,
            Self::NoMailFound(_)
            | Self::NoMessage(_)
            | Self::NoMessageAt(_)
            | Self::NoMessageId(_)
            | Self::NoParent => io::ErrorKind::NotFound,
            Self::TrailingSlash | Self::NoFileName | Self::UnsafeName(_) => {
                io::ErrorKind::InvalidInput
            }
            Self::IsFolder => io::ErrorKind::IsADirectory,
            Self::NotFolder => io::ErrorKind::NotADirectory,
            Self::Busy(_) => io::ErrorKind::ResourceBusy,
            Self::Exists | Self::Stream => io::ErrorKind::AlreadyExists,
            Self::HoldsMoreThanMail => io::ErrorKind::DirectoryNotEmpty,
            Self::LittleSpace { .. } => io::ErrorKind::StorageFull,
            Self::Changed
            | Self::FolderChanged
            | Self::Untiled
            | Self::LinkLoop
            | Self::EarlierWrite
            | Self::Git(_) => io::ErrorKind::Other,
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
            Self::StoreInStream(store) => write!(
                f,
                "a mail folder of {store}, which is not read from a stream or a compressed file"
            ),
            Self::NothingDecompressed(detail) => write!(f, "{detail}"),
            Self::LargeDictionary => {
                f.write_str("compressed by xz with a dictionary larger than 256 MiB")
            }
            Self::Special(special) => write!(f, "{special}, which is not supported"),
            Self::NoMailFound(None) => f.write_str("no mail found"),
            Self::NoMailFound(Some(detail)) => write!(f, "no mail found ({detail})"),
            Self::NoMessage(ordinal) => write!(f, "no message has the number {ordinal}"),
            Self::NoMessageAt(offset) => write!(f, "no message contains byte {offset}"),
            Self::NoMessageId(id) => write!(f, "no message has the Message-ID <{id}>"),
            Self::Changed => f.write_str("the file changed or was replaced while it was read"),
            Self::FolderChanged => f.write_str(
                "files came, went or were renamed in the folder while it was read, so some may be missing",
            ),
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
            Self::Busy(process) => write!(f, "another job writes it now (process {process})"),
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
            Self::TemporaryFolder { folder, error } => write!(
                f,
                "the folder of temporary files, {}, cannot be used: {}",
                folder.display(),
                words(error)
            ),
            Self::EarlierWrite => f.write_str("an earlier write failed"),
            Self::NoGit => f.write_str(
                "this is a git repository, and the program `git` that reads it is not installed; install it, for example \
                 with `apt-get install git`",
            ),
            Self::Git(message) => write!(f, "the repository cannot be read: {message}"),
            Self::BorrowedObjects => f.write_str(
                "a git repository whose objects lie in other folders, which are not read: `git repack -a -d` copies \
                 them, then remove objects/info/alternates",
            ),
            Self::InboxExpansion { most } => write!(
                f,
                "the inbox has more than {most} changes, so messages that it deletes later are unknown; \
                 a larger --max-expansion reads it"
            ),
        }
    }
}

impl std::error::Error for ErrorKind {}

/// Extracts a kind that passed through a reader or writer inside an [`io::Error`].
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

/// Wraps a kind to pass it through [`io::Read`] and [`io::Write`].
impl From<ErrorKind> for io::Error {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Io(error) => error,
            kind => Self::new(kind.io_kind(), kind),
        }
    }
}

/// Formats a system error for people: in lower case, without its number.
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
        assert!(std::error::Error::source(&plain).is_none());
    }
}
