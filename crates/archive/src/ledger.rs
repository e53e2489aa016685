//! The ledger: what undoes a normalization.
//!
//! A ledger is written beside the output. Together they give the source archives back, byte for byte. This module
//! knows the file's frame and its records; it knows no MIME: a recipe is opaque bytes here.
//!
//! ```text
//! magic 8 | version u32 | block … block | footer | length u64 | digest 32 | end magic 8
//! block  = 'B' | stored length u32 | raw length u32 | checksum 8 | zstd frame
//! raw    = length of the records (varint) | records | residues
//! footer = 'F' | length u32 | account of the sources and outputs
//! ```
//!
//! Fixed integers are little-endian, varints are LEB128. The checksum is the first 8 bytes of the BLAKE3 of the zstd
//! frame; the digest is the BLAKE3 of everything before it, so that a flipped bit or a missing end is found before
//! anything is restored. A block stands for one batch of entries: workers build and compress blocks in parallel and the
//! writer appends them in archive order. Replaying the [`Record`]s of all blocks in order walks through the sources and
//! the outputs at the same time: each record writes the next bytes of the current source file, out of the next bytes of
//! the current output file, out of residue, or out of both.
//!
//! Residues (old bytes) stand after the records of their block: two streams of one kind each compress better than one
//! of both. A run of entries that did not change costs one [`Record::Same`].
//!
//! The format is described in full in `docs/ledger-format.md`.
//!
//! # Limits
//!
//! The digest protects against accidents, not against forgery: it is not keyed. A block's raw length is at most 1 GiB. A message
//! has at most one change for each of its bytes in the output and 16,777,216 more.
//! There is no index: a single message is found by replaying from the front.

mod index_entry;
mod read;
mod record;
mod record_bytes;
mod segment;
mod segment_index;
mod varint;
mod whole;
mod write;

pub use index_entry::IndexEntry;
pub use read::{Block, Ledger, LedgerError, Records};
pub use record::{Body, Change, MessageRecord, Old, RawKind, Record, Requote};
pub use segment::{
    Located, Recovered, Segment, SegmentRecords, segment_header, segment_record, segment_tail,
};
pub use segment_index::IndexBuilder;
pub use whole::{read_whole, write_whole, write_whole_by};
pub use write::{BlockBuilder, Writer};

use crate::Format;

/// First bytes of every ledger; CR LF and ^Z show a transfer in text mode.
pub const MAGIC: [u8; 8] = *b"\x89MGL\r\n\x1a\n";
/// Last bytes of every ledger.
const END_MAGIC: [u8; 8] = *b"MGLEND\r\n";
/// The only version that is read and written.
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
/// The raw length of a block is never above.
const MAX_BLOCK: u64 = 1 << 30;

/// Returns the BLAKE3 digest of some bytes. Ledgers identify messages by it.
pub fn digest(bytes: &[u8]) -> [u8; 32] {
    *blake3::hash(bytes).as_bytes()
}

/// One source or one output as the footer tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archived {
    /// Path with `/`: of a source below the place of the original, of an output below the output folder; empty where it is
    /// that file or folder itself.
    pub name: Vec<u8>,
    /// Form.
    pub format: Format,
    /// A folder of files, not a file.
    pub folder: bool,
    /// Messages in it.
    pub messages: u64,
    /// Bytes of its files.
    pub bytes: u64,
    /// BLAKE3: of a file its bytes; of a folder see `docs/ledger-format.md`.
    pub blake3: [u8; 32],
}

/// The account at a ledger's end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footer {
    /// Program and version that wrote the ledger.
    pub producer: String,
    /// In order of the records.
    pub sources: Vec<Archived>,
    /// The output of the source at the same place.
    pub outputs: Vec<Archived>,
    /// The only output is the output path itself, not a file or folder below it.
    pub alone: bool,
    /// Messages that stand in no output, only in the ledger and the set-aside folder.
    pub set_aside: u64,
    /// Number of blocks.
    pub blocks: u64,
}

impl Footer {
    /// Whether bytes of the outputs are needed to give the sources back.
    pub fn needs_output(&self) -> bool {
        self.outputs
            .iter()
            .any(|output| output.folder || output.bytes > 0)
    }
}

#[cfg(test)]
mod tests;
