//! Holds the result of rewriting one batch.

use mailglot_archive::OutBatch;
use mailglot_archive::ledger::RawKind;
use std::ops::Range;

/// Result of a batch.
#[derive(Debug, Default)]
pub(crate) struct RewrittenBatch {
    /// Data for the destination.
    pub(crate) out: OutBatch,
    /// Number of messages that begin in `out`.
    pub(crate) written: u64,
    /// Blocks of the ledger before the last one. Often none.
    pub(crate) blocks: Vec<Vec<u8>>,
    /// Last block of the ledger. Empty without one.
    pub(crate) block: Vec<u8>,
    /// A large message for the ledger alone, as a range of the source in `out`. Its blocks follow. One pass never has them in memory
    /// together.
    pub(crate) ledger_only: Option<(RawKind, Range<usize>)>,
    /// Messages that were set aside, as in the source.
    pub(crate) aside: Vec<Vec<u8>>,
}

impl RewrittenBatch {
    /// Clears the results and keeps the buffers, except those of a large message.
    pub(crate) fn clear(&mut self) {
        self.out.bytes.clear();
        self.out.bytes.shrink_to(8 << 20);
        self.out.source = Vec::new();
        self.out.items.clear();
        self.written = 0;
        self.blocks.clear();
        self.block.clear();
        self.ledger_only = None;
        self.aside.clear();
    }
}
