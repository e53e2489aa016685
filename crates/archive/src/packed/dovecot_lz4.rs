//! Decompresses LZ4 as Dovecot's plugin mail_compress writes it, which is not the LZ4 frame format.
//!
//! A file is the magic number, the size of the largest chunk without compression (u32, big-endian), and chunks. A chunk is its compressed
//! size (u32, big-endian) and an LZ4 block (`iostream-lz4.h` of Dovecot).
//!
//! # Limits
//! The format has no end mark and no checksum. A file that was cut between two chunks reads like a shorter one, and some damaged blocks
//! give other bytes. Chunks above 1 MiB are damage, as for Dovecot.

use std::io::{self, Read};

use super::input::LookaheadReader;
use crate::packing::DOVECOT_LZ4;

/// Size of the largest chunk in bytes, compressed or not.
const LARGEST: u32 = 1 << 20;

/// Reads the decompressed bytes.
pub(super) struct DovecotLz4Decoder<R> {
    input: LookaheadReader<R>,
    /// Size of the largest chunk without compression. None before the header.
    largest: Option<usize>,
    /// A compressed chunk.
    block: Vec<u8>,
    /// The bytes of the chunk.
    chunk: Vec<u8>,
    /// Number of bytes of the chunk that were returned.
    given: usize,
    /// True if a chunk was read.
    has_chunk: bool,
}

impl<R: Read> DovecotLz4Decoder<R> {
    /// Starts before the magic number.
    pub(super) fn new(input: LookaheadReader<R>) -> Self {
        Self {
            input,
            largest: None,
            block: Vec::new(),
            chunk: Vec::new(),
            given: 0,
            has_chunk: false,
        }
    }

    /// Returns the input.
    pub(super) fn input(&self) -> &LookaheadReader<R> {
        &self.input
    }

    /// Returns the input and drops the decoder.
    pub(super) fn into_inner(self) -> LookaheadReader<R> {
        self.input
    }

    fn read_number(&mut self) -> io::Result<u32> {
        let mut number = [0; 4];
        self.input.read_exact(&mut number)?;
        Ok(u32::from_be_bytes(number))
    }

    fn read_header(&mut self) -> io::Result<usize> {
        if let Some(largest) = self.largest {
            return Ok(largest);
        }
        self.input.read_exact(&mut [0; DOVECOT_LZ4.len()])?;
        let largest = self.read_number()?;
        if largest > LARGEST {
            return Err(damaged("the chunks are too large"));
        }
        Ok(*self.largest.insert(largest as usize))
    }

    /// Reads the next chunk. Returns false at the end.
    fn read_chunk(&mut self) -> io::Result<bool> {
        let largest = self.read_header()?;
        // A file without a chunk was cut: Dovecot writes no empty messages.
        if self.has_chunk && self.input.peek(1)?.is_empty() {
            return Ok(false);
        }
        let size = self.read_number()?;
        if size == 0 || size > LARGEST {
            return Err(damaged("the size of a chunk is wrong"));
        }
        self.block.resize(size as usize, 0);
        self.input.read_exact(&mut self.block)?;
        self.chunk.resize(largest, 0);
        self.given = self.chunk.len();
        let given = lz4_flex::block::decompress_into(&self.block, &mut self.chunk)
            .map_err(|_| damaged("a chunk is damaged"))?;
        if given == 0 {
            return Err(damaged("a chunk is empty"));
        }
        self.chunk.truncate(given);
        self.given = 0;
        self.has_chunk = true;
        Ok(true)
    }
}

impl<R: Read> Read for DovecotLz4Decoder<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.given == self.chunk.len() && !self.read_chunk()? {
            return Ok(0);
        }
        let read = (&self.chunk[self.given..]).read(into)?;
        self.given += read;
        Ok(read)
    }
}

fn damaged(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

/// Compresses as Dovecot does, in chunks of 64 KiB.
#[cfg(test)]
pub(crate) fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut out = [
        &crate::packing::DOVECOT_LZ4[..],
        &(64u32 << 10).to_be_bytes(),
    ]
    .concat();
    for chunk in bytes.chunks(64 << 10) {
        let block = lz4_flex::block::compress(chunk);
        out.extend((block.len() as u32).to_be_bytes());
        out.extend(block);
    }
    out
}
