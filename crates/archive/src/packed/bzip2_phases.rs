//! Decompresses bzip2 in two alternating phases: input without output, and output without input.
//!
//! So no output is lost when the input is damaged, and each call that returns output returns that of one block.
//!
//! # Limits
//! The decoder reads up to 7 bytes beyond the end of a block if it gets more than 7 at once.

use std::io;

use bzip2::{Decompress, Status};

/// The decoder of one bzip2 stream.
pub(super) struct PhaseDecoder(Decompress);

impl PhaseDecoder {
    /// Expects the header of a stream.
    pub(super) fn new() -> Self {
        Self(Decompress::new(false))
    }

    /// Takes input up to the end of the current block. Returns the number of bytes taken, and true at the end of the stream.
    ///
    /// Takes nothing while there is output. Takes all of `input` otherwise, unless a block or the stream ends.
    pub(super) fn feed(&mut self, input: &[u8]) -> io::Result<(usize, bool)> {
        let before = self.0.total_in();
        let status = self.decompress(input, &mut []);
        let taken = (self.0.total_in() - before) as usize;
        status.map(|status| (taken, status == Status::StreamEnd))
    }

    /// Writes output of the current block, and returns its number of bytes, 0 at the end of the block. An error belongs behind the
    /// output.
    pub(super) fn drain(&mut self, into: &mut [u8]) -> (usize, io::Result<()>) {
        let before = self.0.total_out();
        let status = self.decompress(&[], into);
        ((self.0.total_out() - before) as usize, status.map(drop))
    }

    fn decompress(&mut self, input: &[u8], into: &mut [u8]) -> io::Result<Status> {
        match self.0.decompress(input, into) {
            Ok(Status::MemNeeded) => Err(io::ErrorKind::OutOfMemory.into()),
            Ok(status) => Ok(status),
            Err(error) => Err(io::Error::new(io::ErrorKind::InvalidInput, error)),
        }
    }
}
