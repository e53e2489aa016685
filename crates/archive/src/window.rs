//! A sliding window over a file of many messages: the part that is in memory.
//!
//! # Limits
//! Blocking reads only. The end of the file is final, even if the file grows later.

use std::io::{self, Read};

/// Bytes to request beyond a batch. Bytes in excess must be moved.
const CHUNK: usize = 128 << 10;
/// Largest number of bytes requested at once, whatever the batch size.
const MOST: usize = 1 << 20;

/// A sliding window over a stream, addressed by file offsets. Reads fill the buffer that later becomes a batch.
pub(crate) struct Window<R> {
    input: R,
    bytes: Vec<u8>,
    base: u64,
    ended: bool,
    /// Number of bytes up to which the window is filled in one step.
    step: usize,
}

impl<R: Read> Window<R> {
    /// Creates an empty window for batches of `batch` bytes.
    pub(crate) fn new(input: R, batch: usize) -> Self {
        Self::at(input, batch, 0)
    }

    /// Creates an empty window over an input whose next byte has the offset `base`.
    pub(crate) fn at(input: R, batch: usize, base: u64) -> Self {
        Self {
            input,
            bytes: Vec::new(),
            base,
            ended: false,
            step: batch.min(MOST) + CHUNK / 2,
        }
    }

    /// Returns the bytes in memory. The first has the offset [`Self::base`].
    pub(crate) fn data(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the offset of the first byte in memory.
    pub(crate) fn base(&self) -> u64 {
        self.base
    }

    /// Returns the offset after the last byte in memory.
    pub(crate) fn end(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    /// Returns true if [`Self::end`] is the end of the stream.
    pub(crate) fn ended(&self) -> bool {
        self.ended
    }

    /// Returns the index of an offset in [`Self::data`].
    pub(crate) fn index(&self, at: u64) -> usize {
        (at - self.base) as usize
    }

    /// Reads once more.
    pub(crate) fn fill(&mut self) -> io::Result<()> {
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
    pub(crate) fn reach(&mut self, to: u64) -> io::Result<()> {
        while self.end() < to && !self.ended {
            self.fill()?;
        }
        Ok(())
    }

    /// Returns the last line start in `after + 1..=to`, or `to`.
    pub(crate) fn line_start_before(&self, after: u64, to: u64) -> u64 {
        let (from, to_index) = (self.index(after), self.index(to));
        let data = &self.bytes[from..to_index];
        let Some(at) = memchr::memrchr2(b'\n', b'\r', data) else {
            return to;
        };
        // The LF of a CR may follow the cut.
        let split =
            at + 1 == data.len() && data[at] == b'\r' && self.bytes.get(to_index) == Some(&b'\n');
        if split { to + 1 } else { after + at as u64 + 1 }
    }

    /// Moves the bytes before `cut` into `batch`. Keeps the rest in the old allocation of `batch`.
    pub(crate) fn hand_over(&mut self, cut: u64, batch: &mut Vec<u8>) {
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
