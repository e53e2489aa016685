//! Builds the blocks of the ledger for a large message that is not in the output.
//!
//! # Limits
//!
//! Only one block is in memory at a time.

use mailglot_archive::ledger::{BlockBuilder, RawKind, Record};
use std::io;

/// Bytes of the message in each block.
pub(crate) const RAW_PIECE: usize = 8 << 20;

/// Calls `put` with each block for `bytes`, in order. There is one for each [`RAW_PIECE`].
pub(crate) fn raw_blocks(
    mut kind: RawKind,
    bytes: &[u8],
    mut put: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut builder = BlockBuilder::new()?;
    let mut block = Vec::new();
    for bytes in bytes.chunks(RAW_PIECE) {
        builder.push(&Record::Raw { kind, bytes });
        kind = RawKind::Other;
        builder.finish(&mut block)?;
        put(&block)?;
        block.clear();
    }
    Ok(())
}
