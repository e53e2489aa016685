//! Defines what the stage of a split passes to its sink: messages with the names of their outputs.

use mailglot_archive::{Flags, Quoting};
use std::ops::Range;
use std::time::SystemTime;
use xxhash_rust::xxh3::xxh3_128;

/// The messages of a batch, in the bytes of their outputs.
#[derive(Default)]
pub(super) struct SplitBatch {
    /// Bytes of all pieces.
    pub(super) bytes: Vec<u8>,
    pub(super) pieces: Vec<SplitPiece>,
}

/// A message, or a piece of one above the size limit.
pub(super) struct SplitPiece {
    /// Range of its bytes in the batch.
    pub(super) span: Range<usize>,
    /// Range of the message in the batch, without its separator and the bytes after it. As it is quoted.
    pub(super) message: Range<usize>,
    /// Number of the message in its source.
    pub(super) ordinal: u64,
    /// The names of its outputs, before they are made fit for a file system. Empty for further pieces.
    pub(super) keys: Vec<String>,
    /// True for a piece that continues the previous one.
    pub(super) continued: bool,
    /// True if the next piece continues it.
    pub(super) more: bool,
    /// The convention of the mailbox in which it can be written.
    pub(super) convention: Convention,
    /// What must be added before another message follows in a mailbox.
    pub(super) open_end: OpenEnd,
    /// Digest of the message without quoting. 0 for pieces.
    pub(super) digest: u128,
    /// Flags of a message that is a file.
    pub(super) flags: Flags,
    /// Modification time of such a file. None for pieces.
    pub(super) modified: Option<SystemTime>,
}

/// The end of a message that was copied without the blank line after it.
#[derive(Clone, Copy, Default)]
pub(super) struct OpenEnd {
    /// The line ends up to the next separator.
    pub(super) line_ends: &'static [u8],
    /// True if the first of them ends the last line of the message.
    pub(super) ends_line: bool,
}

/// What the messages of one mailbox must have in common to be read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Convention {
    /// Quoted as in mboxrd.
    Mboxrd,
    /// Quoted as in mboxo.
    Mboxo,
    /// Not quoted; Content-Length says where a message ends.
    Lengths,
    /// Quoted as in mboxo, with Content-Length.
    QuotedLengths,
}

impl Convention {
    /// Returns the convention in which a mailbox can be copied message by message, unless it must be quoted anew.
    pub(super) fn of(dialect: &str, quoting: Quoting) -> Option<Self> {
        let dialect = dialect.split(',').next().unwrap_or_default();
        match (dialect, quoting) {
            ("mboxcl2", Quoting::None) => Some(Self::Lengths),
            ("mboxcl", _) => Some(Self::QuotedLengths),
            (_, Quoting::Mboxo) => Some(Self::Mboxo),
            (_, Quoting::Mboxrd) => Some(Self::Mboxrd),
            (_, Quoting::None) => None,
        }
    }
}

/// Returns the digest of a message without quoting. Ignores a line end at its end, which a mailbox may add.
pub(super) fn digest(message: &[u8]) -> u128 {
    let end = message.strip_suffix(b"\n").unwrap_or(message);
    xxh3_128(end.strip_suffix(b"\r").unwrap_or(end))
}
