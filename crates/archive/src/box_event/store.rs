//! Details of events about message stores: public-inbox, and dbx of Outlook Express.

use std::fmt;

/// What happened to messages of a store. `Display` formats it as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreDetail {
    /// A repository of a public-inbox without a commit.
    NoCommits {
        /// Its path below the inbox.
        name: String,
    },
    /// A repository of a public-inbox with objects, whose newest commit is unknown.
    NoHead {
        /// Its path below the inbox. Empty for an inbox that is one repository.
        name: String,
    },
    /// A commit of a public-inbox with more than one parent.
    Merge(String),
    /// Number of other such commits.
    MoreMerges(u64),
    /// A message that was deleted from a public-inbox later: its object.
    Deleted(String),
    /// A commit or a message of a public-inbox that cannot be read.
    DamagedObject {
        /// The commit or object.
        object: String,
        /// The reason.
        reason: String,
    },
    /// The messages of a public-inbox are more than `limit` times as long as its repositories. Reading stopped.
    Expansion {
        /// The limit.
        limit: u64,
        /// Bytes of messages read before that.
        given: u64,
    },
    /// A message that Outlook Express has in its index only.
    NotDownloaded,
    /// A defect of a dbx file.
    Dbx(DbxDefect),
}

impl fmt::Display for StoreDetail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCommits { name } => write!(f, "no commit in the repository {name:?}"),
            Self::NoHead { name } => write!(
                f,
                "{name}{}HEAD names no commit that can be read; its messages are left out \
                 (references in a reftable are not read)",
                if name.is_empty() { "" } else { ": " }
            ),
            Self::Merge(commit) => write!(
                f,
                "commit {commit} is a merge: messages that only the history of its other parents has are left out"
            ),
            Self::MoreMerges(number) => write!(
                f,
                "{number} more commits are merges: messages that only the history of their other parents has are left out"
            ),
            Self::Deleted(object) => write!(
                f,
                "a message that was deleted later is left out: `git --git-dir REPO cat-file blob {object}` shows it"
            ),
            Self::DamagedObject { object, reason } => {
                write!(f, "{object} cannot be read: {reason}")
            }
            Self::Expansion { limit, given } => write!(
                f,
                "the messages are more than {limit} times as long as the repositories: {given} bytes were read, \
                 the rest is left out; a larger --max-expansion reads it"
            ),
            Self::NotDownloaded => {
                f.write_str("the message is not in the file: Outlook Express did not download it")
            }
            Self::Dbx(defect) => write!(f, "{defect}"),
        }
    }
}

/// A defect of a dbx file. The offset of the event is where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DbxDefect {
    /// The header says that there are messages, but not where.
    NoTree,
    /// No node of the tree begins here.
    Node,
    /// A node was read before, or there are too many.
    NodeAgain,
    /// No entry of the index begins here.
    Info,
    /// No segment of a message begins here, or it is truncated.
    Segment,
    /// A segment belongs to another message, or was read before.
    SegmentAgain,
    /// The tree has fewer messages than the header says.
    Count {
        /// Number of messages in the header.
        declared: u64,
        /// Number of messages in the tree.
        listed: u64,
    },
}

impl fmt::Display for DbxDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTree => f.write_str("the header does not say where the list of messages is"),
            Self::Node => f.write_str(
                "no part of the list of messages begins here: its messages are left out",
            ),
            Self::NodeAgain => {
                f.write_str("a node of the message list is referenced twice; read once")
            }
            Self::Info => f.write_str("no entry of the index begins here: its message is left out"),
            Self::Segment => f.write_str(
                "the next segment of the message is missing or damaged; the message ends before it",
            ),
            Self::SegmentAgain => f.write_str(
                "the message goes on here, in a piece of another message: read up to this place",
            ),
            Self::Count { declared, listed } => write!(
                f,
                "the header declares {declared} messages, and the list has {listed}"
            ),
        }
    }
}
