//! The ledger: a file that reverses a normalization.
//!
//! A ledger is written beside the output. Ledger and output together restore the source archives byte for byte. This module handles
//! the file format and its records, without MIME: a recipe is opaque bytes here.
//!
//! ```text
//! magic 8 | version u32 | block … block | footer | length u64 | digest 32 | end magic 8
//! block  = 'B' | stored length u32 | raw length u32 | checksum 8 | zstd frame
//! raw    = length of the records (varint) | records | residues
//! footer = 'F' | length u32 | description of the sources and outputs
//! ```
//!
//! Fixed-width integers are little-endian, varints are LEB128. The checksum is the first 8 bytes of the BLAKE3 of the zstd frame.
//! The digest is the BLAKE3 of everything before it: it reveals a flipped bit or a missing end before a restore begins.
//!
//! A block covers one batch of entries. Workers build and compress blocks in parallel, and the writer appends them in archive
//! order. Replaying the [`Record`]s of all blocks in order walks through sources and outputs at the same time. Each record produces
//! the next bytes of the current source file, from the current output file, from residue, or from both.
//!
//! Residues (the original bytes) follow the records of their block: two homogeneous streams compress better than a mixed one. A run
//! of unchanged entries costs one [`Record::Same`].
//!
//! `docs/ledger-format.md` describes the format in full.
//!
//! # Limits
//!
//! The digest detects accidents, not forgery: it has no key. A block's raw length is at most 1 GiB. A message has at most one
//! change per byte of its output, plus 16,777,216. There is no index: finding a single message means replaying from the front.

mod index_entry;
mod read;
mod record;
mod record_bytes;
mod segment;
mod segment_index;
mod varint;
mod whole_message;
mod write;

pub use index_entry::IndexEntry;
pub use read::{Block, Ledger, LedgerError, Records};
pub use record::{Body, Change, MessageRecord, Old, RawKind, Record, Requote};
pub use segment::{
    LocatedRecord, Recovered, Segment, SegmentRecords, segment_header, segment_record, segment_tail,
};
pub use segment_index::IndexBuilder;
pub use whole_message::{read_whole, write_whole, write_whole_by};
pub use write::{BlockBuilder, LedgerWriter};

use crate::source::Format;

/// First bytes of every ledger. CR LF and ^Z reveal a transfer in text mode.
pub const MAGIC: [u8; 8] = *b"\x89MGL\r\n\x1a\n";
/// Last bytes of every ledger.
const END_MAGIC: [u8; 8] = *b"MGLEND\r\n";
/// The only supported version.
const VERSION: u32 = 1;
/// Bytes before the first block.
const HEADER_LEN: usize = MAGIC.len() + 4;
/// Bytes after the footer: length, digest, end magic.
const TRAILER_LEN: usize = 8 + 32 + END_MAGIC.len();
/// Tag of a block.
const BLOCK: u8 = b'B';
/// Tag of the footer.
const FOOTER: u8 = b'F';
/// Bytes of a block before its zstd frame.
const BLOCK_HEADER_LEN: usize = 1 + 4 + 4 + 8;
/// Largest raw length of a block.
const MAX_BLOCK: u64 = 1 << 30;

/// Returns the BLAKE3 digest of `bytes`. Ledgers identify messages by it.
pub fn digest(bytes: &[u8]) -> [u8; 32] {
    *blake3::hash(bytes).as_bytes()
}

/// A source or output as described in the footer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archived {
    /// Path with `/` separators, relative to the original's folder (source) or to the output folder (output).
    ///
    /// Empty if it is that file or folder itself.
    pub name: Vec<u8>,
    /// Format of the archive.
    pub format: Format,
    /// True for a folder of files.
    pub folder: bool,
    /// Number of messages.
    pub messages: u64,
    /// Total size of its files in bytes.
    pub bytes: u64,
    /// BLAKE3 digest: of a file's bytes; of a folder as `docs/ledger-format.md` defines.
    pub blake3: [u8; 32],
}

/// The footer of a ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footer {
    /// Program and version that wrote the ledger.
    pub producer: String,
    /// The sources, in order of the records.
    pub sources: Vec<Archived>,
    /// The outputs, in the order of their sources.
    pub outputs: Vec<Archived>,
    /// True if the only output is the output path itself, not a file or folder below it.
    pub alone: bool,
    /// Number of messages that are in no output, only in the ledger and the set-aside folder.
    pub set_aside: u64,
    /// Number of blocks.
    pub blocks: u64,
}

impl Footer {
    /// Returns true if restoring the sources needs bytes of the outputs.
    pub fn needs_output(&self) -> bool {
        self.outputs
            .iter()
            .any(|output| output.folder || output.bytes > 0)
    }
}

#[cfg(test)]
mod tests;
