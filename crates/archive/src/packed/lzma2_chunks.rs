//! Reads the headers of LZMA2 chunks, which give the size of the data and of the output, without decompressing.
//!
//! # Limits
//! The data of chunks are not checked.

/// Largest length of a header.
const HEADER: usize = 6;
/// Length of the header of a chunk that is not compressed.
pub(super) const STORED_HEADER: usize = 3;

/// What the header of a chunk says.
#[derive(Debug, PartialEq, Eq)]
struct Lzma2Chunk {
    /// Length of the header.
    header: usize,
    /// Length of the data after it.
    data: usize,
    /// Length of the output.
    output: usize,
    /// True if the data are not compressed.
    is_stored: bool,
}

impl Lzma2Chunk {
    /// Parses a header. Returns `None` for the end marker, for a reserved one, and if `bytes` are too few.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let size = |at: usize| {
            let pair = bytes.get(at..)?.first_chunk()?;
            Some(usize::from(u16::from_be_bytes(*pair)) + 1)
        };
        match *bytes.first()? {
            1 | 2 => Some(Self {
                header: STORED_HEADER,
                data: size(1)?,
                output: size(1)?,
                is_stored: true,
            }),
            control @ 0x80.. => Some(Self {
                // From 0xc0 on, a byte of properties follows.
                header: 5 + usize::from(control >= 0xc0),
                data: size(3)?,
                output: (usize::from(control & 0x1f) << 16) + size(1)?,
                is_stored: false,
            }),
            _ => None,
        }
    }
}

/// Returns the length of a chunk with its header, and true if it is not compressed. `bytes` begin with the header.
pub(super) fn chunk_len(bytes: &[u8]) -> Option<(usize, bool)> {
    let chunk = Lzma2Chunk::parse(bytes)?;
    Some((chunk.header + chunk.data, chunk.is_stored))
}

/// Returns the length of the output of all chunks, if they and the end marker after them fill `bytes`.
pub(super) fn output_len(mut bytes: &[u8]) -> Option<u64> {
    let mut len = 0;
    while let Some(chunk) = Lzma2Chunk::parse(bytes) {
        len += chunk.output as u64;
        bytes = bytes.get(chunk.header + chunk.data..)?;
    }
    (bytes == [0]).then_some(len)
}

/// Counts the bytes that a decoder has read when it has returned so much output.
#[derive(Debug, Default)]
pub(super) struct Lzma2Position {
    /// Bytes of output left in the current chunk.
    left: usize,
    is_stored: bool,
}

impl Lzma2Position {
    /// Returns the number of bytes that a decoder reads for `output` more bytes. `input` has the bytes that it has not read.
    ///
    /// It reads the data of a compressed chunk at once, and those of another one when it returns them.
    pub(super) fn read_for(&mut self, mut output: usize, input: &[u8]) -> usize {
        let mut read = 0;
        while output > 0 {
            if self.left == 0 {
                let end = input.len().min(read + HEADER);
                let Some(chunk) = Lzma2Chunk::parse(&input[read.min(end)..end]) else {
                    break;
                };
                read += chunk.header + if chunk.is_stored { 0 } else { chunk.data };
                (self.left, self.is_stored) = (chunk.output, chunk.is_stored);
            }
            let step = output.min(self.left);
            read += if self.is_stored { step } else { 0 };
            self.left -= step;
            output -= step;
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lzma_rust2::{Lzma2Options, Lzma2Reader, Lzma2Writer};
    use std::io::{Cursor, Read, Write};

    /// Returns a text, and its LZMA2 chunks. One part of the text compresses well, and random bytes do not compress.
    fn sample() -> (Vec<u8>, Vec<u8>) {
        let mut state = 1u32;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        let mut text = b"words ".repeat(10_000);
        text.extend((0..200_000).map(|_| noise()));
        text.extend_from_slice(&vec![b'a'; 5 << 20]);
        text.extend((0..70_000).map(|_| b'a' + noise() % 26));
        let mut writer = Lzma2Writer::new(Vec::new(), Lzma2Options::with_preset(1));
        writer.write_all(&text).unwrap();
        (text, writer.finish().unwrap())
    }

    #[test]
    fn headers_give_the_length_of_the_output() {
        let (text, mut chunks) = sample();
        assert_eq!(output_len(&chunks), Some(text.len() as u64));
        for cut in [0, 1, 2, 5, 6, 1000, chunks.len() - 1] {
            assert_eq!(output_len(&chunks[..cut]), None, "{cut}");
        }
        assert_eq!(output_len(&[0]), Some(0));
        for reserved in [3, 0x7f] {
            assert_eq!(output_len(&[reserved, 0, 0, 0, 0]), None);
        }
        chunks.push(0);
        assert_eq!(output_len(&chunks), None);
    }

    #[test]
    fn positions_are_those_of_a_decoder() {
        let (text, chunks) = sample();
        for step in [1000, 16 << 10, 100_000] {
            let mut reader = Lzma2Reader::new(Cursor::new(&chunks), 1 << 20, None);
            let (mut position, mut read) = (Lzma2Position::default(), 0);
            for piece in text.chunks(step) {
                let mut output = vec![0; piece.len()];
                reader.read_exact(&mut output).unwrap();
                assert!(output == piece);
                read += position.read_for(piece.len(), &chunks[read..]);
                assert_eq!(read as u64, reader.inner().position(), "{step}");
            }
            assert_eq!(read, chunks.len() - 1);
        }
    }
}
