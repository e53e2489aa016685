//! Finds the blocks of a bzip2 stream, which begin at any bit, and cuts them out.
//!
//! # Limits
//! The magic number of a block may also occur by chance, or on purpose, inside one.

/// The magic number at the start of a block: 48 bits.
pub(super) const BLOCK: u64 = 0x3141_5926_5359;
/// The magic number at the end of a stream.
const END: u64 = 0x1772_4538_5090;
/// Bits of a magic number.
pub(super) const MAGIC_BITS: u64 = 48;
/// Bits of a magic number and of the checksum after it.
pub(super) const MARK_BITS: u64 = 80;
const MAGIC_MASK: u64 = (1 << MAGIC_BITS) - 1;

/// A magic number, and the checksum after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockMark {
    /// Position of its first bit.
    pub(super) bit: u64,
    /// True for the end of a stream, false for the start of a block.
    pub(super) is_end: bool,
    /// Checksum of the block, or of all blocks of the stream.
    pub(super) crc: u32,
    /// Block size in units of 100 KB, from the header of the stream if it stands before the mark.
    pub(super) level: Option<u8>,
}

/// Searches bytes for marks.
#[derive(Debug)]
pub(super) struct MarkScanner {
    /// The last 16 bytes.
    window: u128,
    /// Offset of the next byte.
    offset: u64,
    /// Number of bytes in the window.
    filled: u64,
}

impl MarkScanner {
    /// Starts at an offset.
    pub(super) fn new(offset: u64) -> Self {
        Self {
            window: 0,
            offset,
            filled: 0,
        }
    }

    /// Returns the offset of the next byte.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads up to the end of the next mark, or all of `bytes`.
    pub(super) fn next(&mut self, bytes: &[u8]) -> Option<BlockMark> {
        for &byte in bytes {
            self.window = self.window << 8 | u128::from(byte);
            self.offset += 1;
            self.filled += 1;
            // Bits 40 to 48 are part of the magic number of each mark that ends in this byte.
            if CANDIDATES[(self.window >> 40) as usize & 0xff]
                && let Some(mark) = (0..8).find_map(|shift| self.mark(shift))
            {
                return Some(mark);
            }
        }
        None
    }

    /// Returns the mark that ends `shift` bits before the end of the window.
    fn mark(&self, shift: u64) -> Option<BlockMark> {
        let magic = (self.window >> (shift + 32)) as u64 & MAGIC_MASK;
        if (magic != BLOCK && magic != END) || self.filled * 8 < shift + MARK_BITS {
            return None;
        }
        let header = (self.window >> MARK_BITS) as u32;
        let is_header = shift == 0 && header >> 8 == 0x42_5a_68 && self.filled >= 14;
        Some(BlockMark {
            bit: self.offset * 8 - shift - MARK_BITS,
            is_end: magic == END,
            crc: (self.window >> shift) as u32,
            level: is_header.then_some(header as u8),
        })
    }
}

/// For each byte: true if bits 8 to 15 of a magic number at some shift below 8 have this value.
const CANDIDATES: [bool; 256] = {
    let mut candidates = [false; 256];
    let mut shift = 0;
    while shift < 8 {
        candidates[(BLOCK >> (8 - shift)) as usize & 0xff] = true;
        candidates[(END >> (8 - shift)) as usize & 0xff] = true;
        shift += 1;
    }
    candidates
};

/// A block as a stream of its own, up to the magic number after it.
#[derive(Debug)]
pub(super) struct CutBlock {
    pub(super) bytes: Vec<u8>,
    /// Position of the first bit after the block.
    pub(super) end: u64,
}

/// Cuts out the block between two marks. `data` starts at `offset` in the file and has both, but for the first bytes of the block.
/// Returns `None` if there is no room for a block.
pub(super) fn cut(
    block: &BlockMark,
    end: u64,
    level: u8,
    data: &[u8],
    offset: u64,
) -> Option<CutBlock> {
    let content = block.bit + MARK_BITS;
    let first = (content / 8).checked_sub(offset)? as usize;
    let bits = (end + MAGIC_BITS)
        .checked_sub(content)
        .filter(|_| end > content)?;
    let len = bits.div_ceil(8) as usize;
    let mut bytes = Vec::with_capacity(len + 14);
    bytes.extend_from_slice(&[b'B', b'Z', b'h', level]);
    bytes.extend_from_slice(&BLOCK.to_be_bytes()[2..]);
    bytes.extend_from_slice(&block.crc.to_be_bytes());
    let (content, shift) = (data.get(first..)?, content % 8);
    let pair = |index: usize| {
        let next = content.get(index + 1).copied().unwrap_or(0);
        u16::from_be_bytes([content[index], next])
    };
    if content.len() < len {
        return None;
    }
    bytes.extend((0..len).map(|index| (pair(index) << shift >> 8) as u8));
    Some(CutBlock {
        bytes,
        end: end - block.bit + 32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes `bits` low bits of each value.
    fn written(values: &[(u64, u32)]) -> Vec<u8> {
        let bits = values.iter();
        let bits: Vec<_> = bits
            .flat_map(|&(value, bits)| (0..bits).rev().map(move |bit| (value >> bit & 1) as u8))
            .collect();
        let byte =
            |bits: &[u8]| (0..8).fold(0, |byte, bit| byte << 1 | bits.get(bit).unwrap_or(&0));
        bits.chunks(8).map(byte).collect()
    }

    #[test]
    fn marks_are_found_at_every_bit() {
        for shift in 0..40 {
            let bytes = written(&[
                (0x0012_3456_789a, shift),
                (BLOCK, 48),
                (0xdead_beef, 32),
                (0x55, 9),
                (END, 48),
                (7, 32),
                (u64::MAX, 40),
            ]);
            let mark = |bit, is_end, crc| BlockMark {
                bit,
                is_end,
                crc,
                level: None,
            };
            let start = 100 * 8 + u64::from(shift);
            let expected = [mark(start, false, 0xdead_beef), mark(start + 89, true, 7)];
            for step in [1, 3, bytes.len()] {
                let (mut scanner, mut found) = (MarkScanner::new(100), Vec::new());
                for bytes in bytes.chunks(step) {
                    let end = scanner.offset() + bytes.len() as u64;
                    while scanner.offset() < end {
                        let left = (end - scanner.offset()) as usize;
                        found.extend(scanner.next(&bytes[bytes.len() - left..]));
                    }
                }
                assert_eq!(found, expected, "{shift} {step}");
            }
        }
        let stream = [&b"BZh7\x31AY&SY"[..], &[0; 4]].concat();
        let mark = MarkScanner::new(0).next(&stream).unwrap();
        assert_eq!((mark.bit, mark.level), (32, Some(b'7')));
    }

    /// A mark cannot begin inside the magic number of another one, so a decoder that accepts one knows its position.
    #[test]
    fn magic_numbers_do_not_overlap() {
        for (first, second) in [(BLOCK, BLOCK), (BLOCK, END), (END, BLOCK), (END, END)] {
            for shift in 1..41 {
                let mask = MAGIC_MASK >> shift;
                assert!(
                    first & mask != second >> shift,
                    "{first:x} {second:x} {shift}"
                );
            }
        }
    }
}
