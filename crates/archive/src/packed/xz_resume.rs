//! Resumes an xz stream at the start of a block, as if a decoder had read all blocks before.
//!
//! A header and as many empty blocks stand for these blocks, because the decoder compares the number of blocks with the index.
//!
//! # Limits
//! The decoder must not compare the sizes of blocks with the index. That of lzma-rust2 0.25 does not.

use std::io::{self, Read};

use super::input::LookaheadReader;
use super::xz_format::BlockCheck;

/// A file, and bytes that stand for what other threads have read of a stream.
pub(super) struct ResumedInput<R> {
    pub(super) file: LookaheadReader<R>,
    stand_in: Vec<u8>,
    /// Number of bytes of `stand_in` that were read.
    read: usize,
    /// Number of blocks to come after `stand_in`, and one of them.
    blocks: (u64, Vec<u8>),
}

impl<R: Read> ResumedInput<R> {
    /// Has nothing before the file.
    pub(super) fn new(file: LookaheadReader<R>) -> Self {
        Self {
            file,
            stand_in: Vec::new(),
            read: 0,
            blocks: (0, Vec::new()),
        }
    }

    /// Puts the header of a stream and a number of blocks before the file.
    pub(super) fn resume(&mut self, check: BlockCheck, blocks: u64) {
        self.stand_in = check.stream_header();
        self.blocks = (blocks, check.empty_block());
    }
}

impl<R: Read> Read for ResumedInput<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.read == self.stand_in.len() {
            if self.blocks.0 == 0 {
                return self.file.read(into);
            }
            self.blocks.0 -= 1;
            self.stand_in.clone_from(&self.blocks.1);
            self.read = 0;
        }
        let read = (&self.stand_in[self.read..]).read(into)?;
        self.read += read;
        Ok(read)
    }
}
