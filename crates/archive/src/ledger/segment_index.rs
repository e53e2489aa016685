//! The index of a closed segment: offset and index entry of each record.
//!
//! ```text
//! magic 4 | length of the items u64 | checksum 8 | items: distance from the previous record (varint), index entry (counted)
//! ```
//!
//! # Limits
//! An index above 16 MiB is not written. A reader then reads the records.

use super::index_entry::IndexEntry;
use super::record_bytes::{CHECK, checksum, record_entry};
use super::varint::{Cursor, put, put_counted};

/// First bytes of an index.
pub(super) const MAGIC: [u8; 4] = *b"\x89MGX";
/// Largest index in bytes.
pub(super) const LARGEST: usize = 16 << 20;
/// Bytes before the items.
const HEADER: usize = MAGIC.len() + 8 + CHECK;

/// Collects the index of a segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexBuilder {
    items: Vec<u8>,
    /// Offset of the last record.
    last: u64,
    /// True if the index exceeds its limit.
    is_too_large: bool,
}

impl IndexBuilder {
    /// Adds a record at `offset`, after the previous ones.
    pub fn push(&mut self, offset: u64, record: &[u8]) {
        self.push_entry(offset, record_entry(record));
    }

    /// Adds a record by its encoded index entry.
    pub(super) fn push_entry(&mut self, offset: u64, entry: &[u8]) {
        if self.is_too_large || self.items.len() + entry.len() + 20 > LARGEST - HEADER {
            *self = Self {
                is_too_large: true,
                ..Self::default()
            };
            return;
        }
        put(&mut self.items, offset.saturating_sub(self.last));
        put_counted(&mut self.items, entry);
        self.last = offset;
    }

    /// Returns the size of the items so far in bytes.
    pub fn size(&self) -> u64 {
        self.items.len() as u64
    }

    /// Encodes the index. Returns no bytes if it is empty or too large.
    pub(super) fn finish(&self) -> Vec<u8> {
        if self.items.is_empty() {
            return Vec::new();
        }
        let mut out = Vec::with_capacity(HEADER + self.items.len() + 64);
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&(self.items.len() as u64).to_le_bytes());
        out.extend_from_slice(&checksum(&self.items));
        out.extend_from_slice(&self.items);
        out
    }
}

/// Decodes an index. Returns `None` if it is damaged.
pub(super) fn parse(bytes: &[u8]) -> Option<Vec<(u64, IndexEntry)>> {
    let mut cursor = Cursor(bytes.strip_prefix(&MAGIC)?);
    let length = u64::from_le_bytes(cursor.bytes(8)?.try_into().ok()?);
    let check = cursor.bytes(CHECK as u64)?;
    if cursor.0.len() as u64 != length || check != checksum(cursor.0) {
        return None;
    }
    let (mut all, mut offset) = (Vec::new(), 0_u64);
    while !cursor.0.is_empty() {
        offset = offset.checked_add(cursor.number()?)?;
        all.push((offset, IndexEntry::decode(cursor.counted()?)?));
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oversized_index_is_omitted() {
        let mut index = IndexBuilder::default();
        let entry = IndexEntry {
            message_id: vec![b'x'; 60_000],
            ..IndexEntry::default()
        }
        .encode();
        let count = (LARGEST / entry.len()) as u64;
        for number in 0..count - 1 {
            index.push_entry(number * 100_000, &entry);
        }
        let bytes = index.finish();
        assert!(bytes.len() <= LARGEST);
        let all = parse(&bytes).unwrap();
        assert_eq!(
            (all.len() as u64, all.last().unwrap().0),
            (count - 1, (count - 2) * 100_000)
        );
        (count..count + 2).for_each(|number| index.push_entry(number * 100_000, &entry));
        assert_eq!(index.finish(), b"");
        index.push_entry(1, b"");
        assert_eq!(index.finish(), b"");
    }
}
