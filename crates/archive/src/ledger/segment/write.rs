//! Writes the header, the records and the tail of a segment.
//!
//! # Limits
//! Returns bytes; the caller appends them to the file.

use crate::ledger::VERSION;
use crate::ledger::index_entry::IndexEntry;
use crate::ledger::record_bytes::{CHECK, DIGEST, RECORD, RECORD_HEADER, checksum};
use crate::ledger::segment_index::IndexBuilder;
use crate::ledger::varint::put_counted;
use std::io::{self, ErrorKind};

/// First bytes of every segment.
pub(super) const MAGIC: [u8; 8] = *b"\x89MGS\r\n\x1a\n";
/// Last bytes of a closed segment.
const END: [u8; 8] = *b"MGSEND\r\n";

/// Bytes of the end of a closed segment: length of the file, length of header and records, checksum, magic.
pub(super) const END_LEN: usize = 8 + 8 + CHECK + END.len();
/// Largest index entry in bytes. A search after damage reads this many for each false beginning of a record.
pub(super) const MAX_ENTRY: usize = 64 << 10;

/// Returns the header of a segment written by `producer`.
pub fn segment_header(producer: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(64);
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
    put_counted(&mut out, producer.as_bytes());
    let check = checksum(&out);
    out.extend_from_slice(&check);
    out
}

/// Returns a record of a segment: `entry` and `ledger`, a whole ledger of one message.
///
/// # Errors
/// The entry exceeds 64 KiB even without its recipients: [`Segment::record_at`](super::Segment::record_at) would not read the record.
pub fn segment_record(entry: &IndexEntry, ledger: &[u8]) -> io::Result<Vec<u8>> {
    let mut fields = entry.encode();
    if fields.len() > MAX_ENTRY {
        // Addresses alone can be this long. The count shows that they are missing.
        fields = IndexEntry {
            recipients: Vec::new(),
            ..entry.clone()
        }
        .encode();
    }
    if fields.len() > MAX_ENTRY {
        return Err(io::Error::new(
            ErrorKind::InvalidInput,
            "the index entry of the record is too long",
        ));
    }
    let mut out = Vec::with_capacity(RECORD_HEADER + fields.len() + CHECK + ledger.len());
    out.extend_from_slice(&RECORD);
    out.extend_from_slice(&(fields.len() as u32).to_le_bytes());
    out.extend_from_slice(&(ledger.len() as u64).to_le_bytes());
    out.extend_from_slice(&blake3::hash(ledger).as_bytes()[..DIGEST]);
    out.extend_from_slice(&fields);
    let check = checksum(&out);
    out.extend_from_slice(&check);
    out.extend_from_slice(ledger);
    Ok(out)
}

/// Returns the tail of a segment whose header and records take `length` bytes: the index, unless it is empty, and the end.
pub fn segment_tail(length: u64, index: &IndexBuilder) -> Vec<u8> {
    let mut out = index.finish();
    out.extend_from_slice(&segment_end(length + out.len() as u64, length));
    out
}

/// Returns the end of a segment that takes `length` bytes without it, and `records` bytes without index and end.
pub(super) fn segment_end(length: u64, records: u64) -> [u8; END_LEN] {
    let mut out = [0; END_LEN];
    out[..8].copy_from_slice(&(length + END_LEN as u64).to_le_bytes());
    out[8..16].copy_from_slice(&records.to_le_bytes());
    let check = checksum(&[&out[..16], &END].concat());
    out[16..16 + CHECK].copy_from_slice(&check);
    out[16 + CHECK..].copy_from_slice(&END);
    out
}
