//! A sliding window over a mailbox: the part that is in memory.
//!
//! # Limits
//! Blocking reads only. The end of the file is final, even if the file grows later.

use std::io::{self, Read};

/// Bytes to request beyond a batch. Bytes in excess must be moved.
const CHUNK: usize = 128 << 10;
/// Largest number of bytes requested at once, whatever the batch size.
const MOST: usize = 1 << 20;

/// A sliding window over a stream, addressed by file offsets. Reads fill the buffer that later becomes a batch.
pub(super) struct Window<R> {
    input: R,
    bytes: Vec<u8>,
    base: u64,
    ended: bool,
    /// Number of bytes up to which the window is filled in one step.
    step: usize,
}

impl<R: Read> Window<R> {
    /// Creates an empty window for batches of `batch` bytes.
    pub(super) fn new(input: R, batch: usize) -> Self {
        Self {
            input,
            bytes: Vec::new(),
            base: 0,
            ended: false,
            step: batch.min(MOST) + CHUNK / 2,
        }
    }

    /// Returns the bytes in memory. The first has the offset [`Self::base`].
    pub(super) fn data(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the offset of the first byte in memory.
    pub(super) fn base(&self) -> u64 {
        self.base
    }

    /// Returns the offset after the last byte in memory.
    pub(super) fn end(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    /// Returns true if [`Self::end`] is the end of the stream.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    /// Returns the index of an offset in [`Self::data`].
    pub(super) fn index(&self, at: u64) -> usize {
        (at - self.base) as usize
    }

    /// Reads once more.
    pub(super) fn fill(&mut self) -> io::Result<()> {
        if self.ended {
            return Ok(());
        }
        let filled = self.bytes.len();
        let wanted = self.step.saturating_sub(filled).max(CHUNK);
        if self.bytes.capacity() - filled < wanted {
            // Grow by half, not double: the window of a large message counts in the memory budget.
            self.bytes.reserve_exact(wanted + filled / 2);
        }
        // Unlike a plain read, this needs no zeroed memory.
        let read = self
            .input
            .by_ref()
            .take(wanted as u64)
            .read_to_end(&mut self.bytes)?;
        self.ended = read < wanted;
        Ok(())
    }

    /// Reads until `to` is in memory or the stream ends.
    pub(super) fn reach(&mut self, to: u64) -> io::Result<()> {
        while self.end() < to && !self.ended {
            self.fill()?;
        }
        Ok(())
    }

    /// Moves the bytes before `cut` into `batch`. Keeps the rest in the old allocation of `batch`.
    pub(super) fn hand_over(&mut self, cut: u64, batch: &mut Vec<u8>) {
        let cut = self.index(cut);
        std::mem::swap(&mut self.bytes, batch);
        self.bytes.clear();
        self.bytes.extend_from_slice(&batch[cut..]);
        batch.truncate(cut);
        // One huge message must not leave huge buffers behind.
        for buffer in [&mut self.bytes, batch] {
            let used = buffer.len();
            if buffer.capacity() > 4 * used + (4 << 20) {
                buffer.shrink_to(2 * used);
            }
        }
        self.base += cut as u64;
    }
}
