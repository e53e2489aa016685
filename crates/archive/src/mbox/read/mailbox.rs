//! Defines the state of a mailbox that is being read.
//!
//! # Limits
//! The modules beside this one open it, find the ends of messages and return entries.

use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;

use mailglot_kernel::TextFinder;

use super::batch_cells::BatchCells;
use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind};
use crate::file_identity::FileIdentity;
use crate::file_tree::FileTree;
use crate::mailbox_options::MailboxOptions;
use crate::mbox::delimiters::Delimiters;
use crate::mbox::profile::FileProfile;
use crate::mbox::split::BEHIND;
use crate::packed::CompressionEvents;
use crate::window::Window;

/// Number of bytes that must be known after a piece, so that it splits neither a trailer nor the evidence of a later candidate.
pub(super) const GUARD: u64 = BEHIND as u64;

/// Bytes per piece of a message above the limit, or fewer if the limit is smaller.
pub(super) const PIECE: u64 = 1 << 20;

/// A mailbox as a [`Source`].
pub(crate) struct Mailbox<R> {
    /// Path for error messages.
    pub(super) path: PathBuf,
    pub(super) window: Window<R>,
    /// The same file again, for reading far ahead.
    pub(super) file: Option<FileIdentity>,
    /// The compressed file, to notice changes.
    pub(super) outside: Option<FileIdentity>,
    /// The container of the mailbox, to notice changes.
    pub(super) container: Option<FileTree>,
    /// Defects of the compression so far.
    pub(super) defects: CompressionEvents,
    pub(super) profile: FileProfile,
    /// Decides where batches begin.
    pub(super) cells: BatchCells,
    /// Offset of the first message of the range that is read. 0: that of the prelude.
    pub(super) from: u64,
    /// Offset at and after which no message belongs to the range that is read.
    pub(super) until: u64,
    pub(super) limit: u64,
    pub(super) finder: TextFinder,
    pub(super) delimiters: Delimiters,
    pub(super) separators_ahead: SeparatorsAhead,
    /// True if the separator of the current message is marked: each `From ` line in the message is quoted.
    pub(super) is_marked: bool,
    pub(super) state: ReadState,
    pub(super) ordinal: u64,
    /// Offset where the search for the next separator continues. The maximum if none is searched ([`Self::is_undivided`]).
    pub(super) scan: u64,
    pub(super) guess_open: bool,
    /// Options of the caller. Overrides that are not used yet.
    pub(super) options: MailboxOptions,
    /// Offsets of the overrides that named a line.
    pub(super) used_overrides: BTreeSet<u64>,
    /// True if `From ` occurred in the current message.
    pub(super) froms: bool,
    /// True if the input is one message whose event is still to be reported.
    pub(super) leading: bool,
    /// Events not yet covered by a batch.
    pub(super) events: Vec<BoxEvent>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum ReadState {
    Prelude,
    Message(Current),
    Done,
}

/// The entry that is being read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Current {
    /// Offset of the separator, or of the next piece.
    pub(super) start: u64,
    /// Offset of the message, or of the piece in later pieces.
    pub(super) message: u64,
    /// End of the message by its Content-Length, and offset of the next separator or the end of the file.
    pub(super) declared: Option<(u64, u64)>,
    /// Offset up to which pieces of this message were returned. 0 while it is whole.
    pub(super) pieces_to: u64,
}

/// Where the current message ends.
pub(super) enum MessageEnd {
    /// At the next separator.
    Separator {
        message: Option<u64>,
        start: u64,
        end: u64,
    },
    /// At the end of the file.
    File { message: Option<u64> },
    /// Not before this offset, which exceeds the limit and does not depend on how much was read at once.
    Beyond(u64),
}

/// Lines after the current candidate that would be separators but for the multipart around them.
#[derive(Debug, Default)]
pub(super) struct SeparatorsAhead {
    /// Offset up to which they are known.
    pub(super) seen: u64,
    pub(super) at: VecDeque<u64>,
}

impl<R> Mailbox<R> {
    /// Returns true if the file is read as one message: no separator is searched.
    pub(super) fn is_undivided(&self) -> bool {
        self.scan == u64::MAX
    }

    pub(super) fn event(&mut self, kind: BoxEventKind, offset: u64, detail: BoxDetail) {
        self.events.push(BoxEvent::new(kind, offset, detail));
    }

    pub(super) fn piece(&self) -> u64 {
        PIECE.min(self.limit)
    }
}
