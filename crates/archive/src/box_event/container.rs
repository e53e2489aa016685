//! Details of events about zip and tar archives and their members.

use crate::named_enum::named;
use std::fmt;

/// Why a member of a container is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkipReason {
    /// It is encrypted.
    Encrypted,
    /// It is compressed by a method with this number (APPNOTE.TXT, section 4.4.5).
    Method(u16),
    /// It is a sparse file.
    Sparse,
    /// It is a hard link, and no member before it has the name.
    HardLink,
    /// It is a hard link, and with it the members have more bytes than the limit on expansion allows.
    Expansion,
    /// It has a type that only some programs know, with this letter.
    Type(u8),
    /// It is a folder with a git repository, which may be a public-inbox.
    Repository,
    /// It is a container inside as many containers as are opened.
    TooDeep,
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Encrypted => f.write_str("encrypted"),
            Self::Method(method) => write!(f, "compressed by method {method}"),
            Self::Sparse => f.write_str("a sparse file"),
            Self::HardLink => f.write_str("a hard link to a member that is not there"),
            Self::Expansion => f.write_str("a hard link beyond --max-expansion"),
            Self::Type(letter) => write!(f, "of type \"{}\"", letter.escape_ascii()),
            Self::Repository => f.write_str("a git repository that must be unpacked"),
            Self::TooDeep => f.write_str("inside too many archives"),
        }
    }
}

named! {
    /// What is wrong with the name of a member.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum NameDefect {
        /// It begins with a slash.
        Absolute = "has an absolute name",
        /// It has `..` as a component.
        Parent = "has \"..\" in its name",
        /// It has control characters, such as NUL.
        Control = "has control characters in its name",
        /// It is longer than file systems allow, or has too many levels.
        Long = "has a name that is too long",
        /// It is empty.
        Empty = "has no name",
        /// Another member has the same name, or is a folder or file in its way.
        Duplicate = "has the name of another member",
    }

    /// Returns the description that follows the name of the member.
    pub fn words;
}

/// A defect of a zip or tar archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContainerDefect {
    /// No local header is at the offset that the directory gives for the member.
    NoLocalHeader,
    /// The member shares bytes with others: all together have more than the archive.
    Overlap,
    /// The archive ends inside the member.
    CutOff {
        /// Number of bytes that are missing.
        missing: u64,
    },
    /// The directory ends early.
    ShortDirectory {
        /// Declared number of members.
        listed: u64,
        /// Number of members in the directory.
        read: u64,
        /// Number of members that were found by their own headers.
        more: u64,
    },
    /// The archive has no directory of all members, as it is truncated or joined to another.
    NoDirectory {
        /// Number of members that were found without it.
        read: u64,
    },
    /// The archive has no mark at its end, as it is truncated.
    NoEnd,
    /// A header is damaged.
    BadHeader {
        /// Number of bytes up to the next header.
        skipped: u64,
    },
    /// An extended header is truncated, or larger than a megabyte.
    BadExtension,
}

impl fmt::Display for ContainerDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLocalHeader => f.write_str("no member lies where the directory says"),
            Self::Overlap => f.write_str("members overlap; this one is left out"),
            Self::CutOff { missing } => write!(f, "cut off; the last {missing} bytes are missing"),
            Self::ShortDirectory { listed, read, more } => {
                write!(
                    f,
                    "the directory has {read} members, not {listed}; {more} more were found without it"
                )
            }
            Self::NoDirectory { read } => {
                write!(
                    f,
                    "no directory lists its members; {read} were found without it"
                )
            }
            Self::NoEnd => f.write_str("cut off; more members may be missing"),
            Self::BadHeader { skipped } => {
                write!(
                    f,
                    "a header is damaged; {skipped} bytes from here on are left out"
                )
            }
            Self::BadExtension => f.write_str("an extended header is damaged"),
        }
    }
}
