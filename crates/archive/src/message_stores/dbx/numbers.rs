//! Reads numbers of four bytes, little-endian.
//!
//! # Limits
//! None.

use std::io;

use crate::file_range::FileRange;

/// Reads a number at an offset. Returns `None` behind the end of the file.
pub(super) fn number_at(file: &FileRange, at: u64) -> io::Result<Option<u32>> {
    Ok(file.bytes_at::<4>(at)?.map(u32::from_le_bytes))
}

/// Returns the number at an index of at least four bytes.
pub(super) fn number(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes.get(at..at + 4).and_then(<[u8]>::first_chunk);
    bytes.map_or(0, |bytes: &[u8; 4]| u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_little_endian() {
        assert_eq!(number(&[9, 1, 2, 3, 4], 1), 0x0403_0201);
        assert_eq!(number(&[1, 2, 3], 0), 0);
    }
}
