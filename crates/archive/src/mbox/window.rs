//! The part of a mailbox that is in memory.
//!
//! # Limits
//! Blocking reads only; the end of the file is final, even when the file grows later.

use std::io::{self, Read};

/// Bytes that are asked for at once beyond a batch: what is read too much has to be moved.
const CHUNK: usize = 128 << 10;
/// More is not asked for at once, however large a batch may be.
const MOST: usize = 1 << 20;

/// A sliding window over a stream, addressed by file offsets. Reads go straight into the buffer that
/// later becomes a batch.
pub(super) struct Window<R> {
    input: R,
    bytes: Vec<u8>,
    base: u64,
    ended: bool,
    /// Bytes up to which the window is filled in one step.
    step: usize,
}

impl<R: Read> Window<R> {
    /// A window that has nothing in it, for batches of so many bytes.
    pub(super) fn new(input: R, batch: usize) -> Self {
        Self {
            input,
            bytes: Vec::new(),
            base: 0,
            ended: false,
            step: batch.min(MOST) + CHUNK / 2,
        }
    }

    /// What is in memory; its first byte has the offset [`Self::base`].
    pub(super) fn data(&self) -> &[u8] {
        &self.bytes
    }

    /// Offset of the first byte in memory.
    pub(super) fn base(&self) -> u64 {
        self.base
    }

    /// Offset after the last byte in memory.
    pub(super) fn end(&self) -> u64 {
        self.base + self.bytes.len() as u64
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
        let filled = self.bytes.len();
        let wanted = self.step.saturating_sub(filled).max(CHUNK);
        if self.bytes.capacity() - filled < wanted {
            // Half more at a time, not twice: the window of a large message counts in the memory budget.
            self.bytes.reserve_exact(wanted + filled / 2);
        }
        // Unlike a plain read, this needs no memory that was cleared before.
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

    /// Moves the bytes before `cut` into `batch`, whose allocation becomes the next window, and keeps the rest.
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
