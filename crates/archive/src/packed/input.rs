//! Reads a file with look-ahead.
//!
//! # Limits
//! None.

use std::io::{self, BufRead, Read};

/// Bytes to request at once of the compressed file.
const CHUNK: usize = 64 << 10;

/// A reader with look-ahead that tracks its offset.
pub(super) struct LookaheadReader<R> {
    inner: R,
    /// Zeroed once, where it grows. Reads that return few bytes cost no more.
    buffer: Vec<u8>,
    /// Where the bytes begin in the buffer that were read, but not consumed.
    start: usize,
    /// Where they end.
    end: usize,
    /// Offset of the next byte.
    offset: u64,
    /// True if the last read of the file failed.
    failed: bool,
    /// True if a decoder asked for bytes beyond the end.
    met_end: bool,
    /// An error met by [`Self::look_ahead`]. It belongs behind the buffer.
    error: Option<io::Error>,
}

impl<R: Read> LookaheadReader<R> {
    /// Starts at the first byte.
    pub(super) fn new(inner: R) -> Self {
        Self {
            inner,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            offset: 0,
            failed: false,
            met_end: false,
            error: None,
        }
    }

    /// Returns the offset of the next byte.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns true if the last read of the file failed.
    pub(super) fn failed(&self) -> bool {
        self.failed
    }

    /// Returns true if a decoder asked for bytes beyond the end of the file.
    pub(super) fn met_end(&self) -> bool {
        self.met_end
    }

    /// Returns the next `count` bytes, or fewer at the end of the file.
    pub(super) fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        while self.end - self.start < count && self.fill()? > 0 {}
        let end = self.end.min(self.start + count);
        Ok(&self.buffer[self.start..end])
    }

    /// Returns the next `count` bytes, or fewer at the end of the file and before an error, which a later read returns.
    pub(super) fn look_ahead(&mut self, count: usize) -> &[u8] {
        while self.error.is_none() && self.end - self.start < count {
            match self.fill() {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => {
                    self.error = Some(error);
                    self.failed = false;
                }
            }
        }
        let end = self.end.min(self.start + count);
        &self.buffer[self.start..end]
    }

    /// Returns the bytes that were read, but not consumed.
    pub(super) fn buffered(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Reads once more.
    fn fill(&mut self) -> io::Result<usize> {
        if let Some(error) = self.error.take() {
            self.failed = true;
            return Err(error);
        }
        // Moves few bytes for each byte read, however much is in the buffer.
        if self.start >= self.end / 2 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.buffer.len() < self.end + CHUNK {
            self.buffer.resize(self.end + CHUNK, 0);
        }
        let room = &mut self.buffer[self.end..][..CHUNK];
        let read = loop {
            match self.inner.read(room) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.end += *read.as_ref().unwrap_or(&0);
        self.failed = read.is_err();
        read
    }

    /// Skips bytes that were looked at before, up to an offset.
    pub(super) fn skip_to(&mut self, offset: u64) {
        let count = offset.saturating_sub(self.offset);
        self.consume(count as usize);
    }

    /// Skips zero bytes, and returns their number.
    pub(super) fn skip_zeros(&mut self) -> io::Result<u64> {
        let start = self.offset;
        loop {
            let ahead = self.fill_buf()?;
            let zeros = ahead.iter().take_while(|&&byte| byte == 0).count();
            let on = zeros > 0 && zeros == ahead.len();
            self.consume(zeros);
            if !on {
                return Ok(self.offset - start);
            }
        }
    }

    /// Skips the rest.
    pub(super) fn skip_all(&mut self) -> io::Result<()> {
        loop {
            let ahead = self.fill_buf()?.len();
            if ahead == 0 {
                return Ok(());
            }
            self.consume(ahead);
        }
    }
}

impl<R: Read> BufRead for LookaheadReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.end {
            self.fill()?;
        }
        Ok(self.buffered())
    }

    fn consume(&mut self, count: usize) {
        self.start = self.end.min(self.start + count);
        self.offset += count as u64;
    }
}

impl<R: Read> Read for LookaheadReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.start == self.end && into.len() >= CHUNK && self.error.is_none() {
            // Large reads need no copy.
            let read = self.inner.read(into);
            self.failed = read.is_err();
            self.offset += *read.as_ref().unwrap_or(&0) as u64;
            self.met_end |= matches!(read, Ok(0));
            return read;
        }
        let read = self.fill_buf()?.read(into)?;
        self.met_end |= read == 0 && !into.is_empty();
        self.consume(read);
        Ok(read)
    }
}
