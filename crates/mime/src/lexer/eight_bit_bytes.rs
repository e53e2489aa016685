//! Finds the bytes above 7F in a part of a value or body.
//!
//! # Limits
//!
//! Returns one range from the first to the last of them, which may contain ASCII.

use std::ops::Range;

/// Returns the range from the first to the last byte above 7F in a range of the value, and the number of such bytes.
pub(crate) fn eight_bit_bytes(value: &[u8], range: Range<usize>) -> (Range<usize>, u64) {
    let (mut first, mut last, mut count) = (None, range.start, 0);
    let (blocks, rest) = value[range.clone()].as_chunks::<8>();
    let rest = rest.iter().rev();
    let rest = rest.fold(0, |word, byte| word << 8 | u64::from(*byte));
    let words = blocks.iter().map(|block| u64::from_le_bytes(*block));
    for (index, word) in words.chain([rest]).enumerate() {
        let high = word & 0x8080_8080_8080_8080;
        if high != 0 {
            let at = range.start + 8 * index;
            first.get_or_insert(at + high.trailing_zeros() as usize / 8);
            last = at + 8 - high.leading_zeros() as usize / 8;
            count += u64::from(high.count_ones());
        }
    }
    (first.unwrap_or(range.start)..last, count)
}
