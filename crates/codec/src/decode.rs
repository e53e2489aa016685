//! Defines the trait of all decoder machines, and the input that they read.
//!
//! # Limits
//! Machines keep no input: the [`Decoder`](crate::Decoder) gives unread bytes again, with more behind them.

use crate::sink::Sink;
use std::ops::Range;

/// A part of the input, up to the last byte that is known.
#[derive(Clone, Copy)]
pub(crate) struct Chunk<'i> {
    pub(crate) bytes: &'i [u8],
    /// Offset of the first byte in the whole input.
    pub(crate) base: u64,
    /// True if the input ends with these bytes.
    pub(crate) last: bool,
}

impl<'i> Chunk<'i> {
    /// Returns a whole input.
    pub(crate) fn whole(bytes: &'i [u8]) -> Self {
        Self {
            bytes,
            base: 0,
            last: true,
        }
    }

    /// Returns the chunk without its first `len` bytes.
    #[inline]
    pub(crate) fn behind(self, len: usize) -> Self {
        Self {
            bytes: &self.bytes[len..],
            base: self.base + len as u64,
            ..self
        }
    }

    /// Returns the offsets of the first `len` bytes in the whole input.
    #[inline]
    pub(crate) fn range(self, len: usize) -> Range<u64> {
        self.base..self.base + len as u64
    }
}

/// The decoder of a family of charsets. Splitting the input anywhere gives the same text and the same records.
pub(crate) trait Decode {
    /// Decodes one character, or a run of them, at the start of `rest`, which is not empty. Returns the number of bytes consumed;
    /// `None` if more bytes must be known.
    fn step(&mut self, rest: Chunk<'_>, sink: &mut Sink<'_>) -> Option<usize>;

    /// Decodes the complete characters of `chunk`, or all of it if it is the last. Returns the number of bytes consumed.
    #[inline]
    fn run(&mut self, chunk: Chunk<'_>, sink: &mut Sink<'_>) -> usize {
        let mut at = 0;
        while at < chunk.bytes.len() {
            match self.step(chunk.behind(at), sink) {
                Some(len) => at += len,
                None => break,
            }
        }
        at
    }

    /// Decodes a whole input.
    #[inline]
    fn run_whole(&mut self, bytes: &[u8], sink: &mut Sink<'_>) {
        let used = self.run(Chunk::whole(bytes), sink);
        self.end(used as u64, sink);
    }

    /// Ends the text at offset `end`.
    fn end(&mut self, _end: u64, _sink: &mut Sink<'_>) {}

    /// Returns the number of bytes that must be known until decoding can begin.
    fn window(&self) -> usize {
        0
    }

    /// Estimates the length of the text of `bytes`, so that it seldom moves.
    fn expected_len(&self, bytes: &[u8]) -> usize {
        bytes.len() + bytes.len() / 2 + 16
    }
}

/// Returns a number of bytes consumed before bytes that cannot be decoded yet; `None` if it is 0.
pub(crate) fn progress(len: usize) -> Option<usize> {
    (len > 0).then_some(len)
}
