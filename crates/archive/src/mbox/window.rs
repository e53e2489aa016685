//! The part of a mailbox that is in memory.
//!
//! # Limits
//! Blocking reads only; the end of the file is final, even when the file grows later.

use std::io::{self, ErrorKind, Read};

/// Bytes asked for by one read.
const CHUNK: usize = 128 << 10;

/// A sliding window over a stream, addressed by file offsets. Reads go straight into the buffer that
/// later becomes a batch.
pub(super) struct Window<R> {
    input: R,
    /// Initialized memory; the first `filled` bytes are the stream's.
    bytes: Vec<u8>,
    filled: usize,
    base: u64,
    ended: bool,
}

impl<R: Read> Window<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, bytes: Vec::new(), filled: 0, base: 0, ended: false }
    }

    /// What is in memory; its first byte has the offset [`Self::base`].
    pub(super) fn data(&self) -> &[u8] {
        &self.bytes[..self.filled]
    }

    /// Offset of the first byte in memory.
    pub(super) fn base(&self) -> u64 {
        self.base
    }

    /// Offset after the last byte in memory.
    pub(super) fn end(&self) -> u64 {
        self.base + self.filled as u64
    }

    /// True when [`Self::end`] is the end of the stream.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    /// Index of an offset in [`Self::data`].
    pub(super) fn index(&self, at: u64) -> usize {
        (at - self.base) as usize
    }

    /// Reads once more.
    pub(super) fn fill(&mut self) -> io::Result<()> {
        if self.ended {
            return Ok(());
        }
        let room = self.filled + CHUNK;
        if self.bytes.len() < room {
            if self.bytes.capacity() < room {
                // Half more at a time, not twice: the window of a large message counts in the memory budget.
                let more = room + (self.filled / 2) - self.filled;
                self.bytes.truncate(self.filled);
                self.bytes.reserve_exact(more);
            }
            self.bytes.resize(room, 0);
        }
        let read = loop {
            match self.input.read(&mut self.bytes[self.filled..room]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        self.filled += read;
        self.ended = read == 0;
        Ok(())
    }

    /// Reads until `to` is in memory or the stream ends.
    pub(super) fn reach(&mut self, to: u64) -> io::Result<()> {
        while self.end() < to && !self.ended {
            self.fill()?;
        }
        Ok(())
    }

    /// Moves the bytes before `cut` into `batch`, whose allocation becomes the next window, and keeps the rest.
    pub(super) fn hand_over(&mut self, cut: u64, batch: &mut Vec<u8>) {
        let cut = self.index(cut);
        let rest = self.filled - cut;
        std::mem::swap(&mut self.bytes, batch);
        if self.bytes.len() < rest {
            self.bytes.resize(rest, 0);
        }
        self.bytes[..rest].copy_from_slice(&batch[cut..self.filled]);
        batch.truncate(cut);
        // One huge message must not leave huge buffers behind.
        for (buffer, used) in [(&mut self.bytes, rest), (batch, cut)] {
            if buffer.capacity() > 4 * used + (4 << 20) {
                buffer.truncate(used);
                buffer.shrink_to(2 * used);
            }
        }
        self.base += cut as u64;
        self.filled = rest;
    }
}
