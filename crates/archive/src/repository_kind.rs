//! The kinds of bare git repositories.
//!
//! # Limits
//! None.

/// The kind of a bare git repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RepositoryKind {
    /// An inbox of public-inbox version 1.
    InboxV1,
    /// An inbox of public-inbox version 2, or an epoch of one.
    InboxV2,
    /// An inbox or another repository: its newest commit is damaged.
    DamagedCommit,
    /// Its newest commit has no files: all messages of an inbox were deleted.
    Emptied,
    /// It has objects, but no newest commit that can be found.
    NoHead,
    /// It has neither a commit nor objects.
    Empty,
    /// Its newest commit has files of another program.
    Other,
    /// It cannot be read.
    Unreadable,
}
