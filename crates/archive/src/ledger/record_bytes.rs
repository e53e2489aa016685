//! Constants and helpers for records that segments and their indexes share.
//!
//! # Limits
//! None.

/// First bytes of every record.
pub(super) const RECORD: [u8; 4] = *b"\x89MGR";
/// Length of a checksum in bytes.
pub(super) const CHECK: usize = 8;
/// Length of the digest of a record's ledger in bytes.
pub(super) const DIGEST: usize = 16;
/// Bytes of a record before its index entry: magic, length of the entry, length of the ledger, digest of the ledger.
pub(super) const RECORD_HEADER: usize = RECORD.len() + 4 + 8 + DIGEST;

/// Returns the encoded index entry of a record that [`segment_record`] built.
pub(super) fn record_entry(record: &[u8]) -> &[u8] {
    let mut length = [0; 4];
    let Some(bytes) = record.get(4..8) else {
        return &[];
    };
    length.copy_from_slice(bytes);
    record
        .get(RECORD_HEADER..RECORD_HEADER + u32::from_le_bytes(length) as usize)
        .unwrap_or_default()
}

/// Returns the first bytes of the BLAKE3 digest of `bytes`.
pub(super) fn checksum(bytes: &[u8]) -> [u8; CHECK] {
    let mut check = [0; CHECK];
    check.copy_from_slice(&blake3::hash(bytes).as_bytes()[..CHECK]);
    check
}
