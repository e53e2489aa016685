//! Resumes a bzip2 stream at the start of a block, as if a decoder had read all blocks before.
//!
//! A block after the header of the stream stands for these blocks. Its checksum is that of all of them, and it ends at the same bit
//! of a byte. So the rest of the stream is read as it is.
//!
//! # Limits
//! Searches for such a block. One of eight ends at the right bit.

use bzip2::Compression;
use bzip2::write::BzEncoder;
use std::io::{self, Write};

use super::bzip2_marks::{BLOCK, MAGIC_BITS, MarkScanner};
use super::bzip2_phases::PhaseDecoder;

/// Returns a decoder that expects the bytes from the first whole byte after bit `bit`, where a block begins. `combined` is the
/// checksum of all blocks before it.
pub(super) fn resume(level: u8, combined: u32, bit: u64) -> io::Result<PhaseDecoder> {
    let mut number = 0u64;
    let (mut start, end) = loop {
        let (stream, end) = stand_in(number, combined)?;
        if end % 8 == bit % 8 {
            break (stream, end);
        }
        number += 1;
    };
    start.truncate(end.div_ceil(8) as usize);
    start[3] = level;
    if let (shift @ 1.., Some(last)) = (end % 8, start.last_mut()) {
        // The byte that the stand-in and the block share.
        let magic = (BLOCK >> (MAGIC_BITS - 8)) as u8;
        *last = *last & !(0xff >> shift) | magic >> shift;
    }
    let mut decoder = PhaseDecoder::new();
    let (taken, _) = decoder.feed(&start)?;
    while let (1.., drained) = decoder.drain(&mut [0; 64]) {
        drained?;
    }
    decoder.feed(&start[taken..])?;
    Ok(decoder)
}

/// Returns a stream of one block with a checksum, and the position of the bit after this block.
fn stand_in(number: u64, crc: u32) -> io::Result<(Vec<u8>, u64)> {
    let number = number.to_be_bytes();
    let mut encoder = BzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&number)?;
    encoder.write_all(&bytes_to(crc, Crc::new().update(&number)))?;
    let stream = encoder.finish()?;
    let mut scanner = MarkScanner::new(0);
    loop {
        let rest = &stream[scanner.offset() as usize..];
        match scanner.next(rest) {
            Some(mark) if mark.is_end => return Ok((stream, mark.bit)),
            Some(_) => {}
            None => return Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

/// The checksum of bzip2: CRC-32 with the highest bit first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crc(u32);

impl Crc {
    /// The checksum of no bytes.
    pub(super) fn new() -> Self {
        Self(u32::MAX)
    }

    /// Adds bytes.
    pub(super) fn update(self, bytes: &[u8]) -> Self {
        let step = |crc: u32, byte: &u8| crc << 8 ^ TABLE[(crc >> 24) as usize ^ *byte as usize];
        Self(bytes.iter().fold(self.0, step))
    }

    /// Returns the checksum.
    pub(super) fn value(self) -> u32 {
        !self.0
    }
}

/// Adds the checksum of a block to that of the blocks before it.
pub(super) fn combine(combined: u32, block: u32) -> u32 {
    combined.rotate_left(1) ^ block
}

/// Returns the four bytes that lead from a state of the checksum to a value.
fn bytes_to(value: u32, from: Crc) -> [u8; 4] {
    let mut state = !value;
    for _ in 0..4 {
        // The lowest bytes of the table are all different.
        let is_last = |&index: &usize| TABLE[index] & 0xff == state & 0xff;
        let index = (0..256).find(is_last).unwrap_or(0);
        state = (state ^ TABLE[index]) >> 8 | (index as u32) << 24;
    }
    (state ^ from.0).to_be_bytes()
}

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let (mut crc, mut bit) = ((index as u32) << 24, 0);
        while bit < 8 {
            crc = crc << 1 ^ if crc >> 31 == 1 { 0x04c1_1db7 } else { 0 };
            bit += 1;
        }
        table[index] = crc;
        index += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn checksums_are_those_of_bzip2() {
        // CRC-32/BZIP2 in the catalogue of parametrised CRC algorithms.
        assert_eq!(Crc::new().update(b"123456789").value(), 0xfc89_1918);
        for value in [0, 1, u32::MAX, 0x1234_5678] {
            let start = Crc::new().update(b"any bytes");
            assert_eq!(start.update(&bytes_to(value, start)).value(), value);
        }
    }

    /// For streams whose blocks begin at every bit of a byte: what is read from any block on equals the rest.
    #[test]
    fn a_stream_resumes_at_every_bit() {
        let (mut shifts, mut state) = (BTreeSet::new(), 1u32);
        while shifts.len() < 8 {
            let text: Vec<_> = (0..101_000 + state % 1000)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 24) as u8 & 1
                })
                .collect();
            let mut encoder = BzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(&text).unwrap();
            let stream = encoder.finish().unwrap();
            let mut scanner = MarkScanner::new(0);
            let mut marks = Vec::new();
            while let Some(mark) = scanner.next(&stream[scanner.offset() as usize..]) {
                marks.push(mark);
            }
            let &[first, second, end] = &marks[..] else {
                panic!("{marks:?}");
            };
            assert_eq!((first.bit, combine(first.crc, second.crc)), (32, end.crc));
            let mut decoder = resume(b'1', first.crc, second.bit).unwrap();
            let rest = &stream[second.bit.div_ceil(8) as usize..];
            let (taken, _) = decoder.feed(rest).unwrap();
            let mut out = vec![0; text.len()];
            let (len, drained) = decoder.drain(&mut out);
            drained.unwrap();
            assert!(text.ends_with(&out[..len]) && len > 0);
            assert!(decoder.feed(&rest[taken..]).unwrap().1);
            shifts.insert(second.bit % 8);
        }
    }
}
