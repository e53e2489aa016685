//! Reads a range of a file like a file of its own.
//!
//! # Limits
//! None.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// A range of a file, and a position in it. Clones share the file, not the position.
#[derive(Clone, Debug)]
pub(crate) struct FileRange {
    file: Arc<File>,
    range: Range<u64>,
    /// Number of bytes read so far.
    position: u64,
}

impl FileRange {
    /// Covers a range of a file. A range beyond the end of the file reads like a shorter one.
    pub(crate) fn new(file: Arc<File>, range: Range<u64>) -> Self {
        Self {
            file,
            range: range.start..range.end.max(range.start),
            position: 0,
        }
    }

    /// Returns the file.
    pub(crate) fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// Returns the range in the file.
    pub(crate) fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// Returns the number of bytes in the range.
    pub(crate) fn len(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Returns a range inside this one, clipped to it.
    pub(crate) fn part(&self, part: Range<u64>) -> Self {
        let at = |offset: u64| self.range.start + offset.min(self.len());
        Self::new(self.file.clone(), at(part.start)..at(part.end))
    }

    /// Fills `buffer` from an offset, up to the end of the range. Returns the number of bytes.
    pub(crate) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.len().saturating_sub(offset).min(buffer.len() as u64) as usize;
        let mut filled = 0;
        while filled < left {
            let from = self.range.start + offset + filled as u64;
            match self.file.read_at(&mut buffer[filled..left], from) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    /// Reads exactly `N` bytes from an offset. Returns `None` if fewer are there.
    pub(crate) fn bytes_at<const N: usize>(&self, offset: u64) -> io::Result<Option<[u8; N]>> {
        let mut bytes = [0; N];
        Ok((self.read_at(offset, &mut bytes)? == N).then_some(bytes))
    }

    /// Sets the position.
    pub(crate) fn go_to(&mut self, position: u64) {
        self.position = position;
    }
}

impl Read for FileRange {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = self.len().saturating_sub(self.position);
        let most = left.min(into.len() as u64) as usize;
        if most == 0 {
            return Ok(0);
        }
        let from = self.range.start + self.position;
        let read = self.file.read_at(&mut into[..most], from)?;
        self.position += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_range_reads_like_a_file() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"0123456789").unwrap();
        let whole = FileRange::new(Arc::new(file), 2..8);
        for (part, text) in [
            (0..6, &b"234567"[..]),
            (1..3, b"34"),
            (4..9, b"67"),
            (9..12, b""),
        ] {
            let mut range = whole.part(part);
            assert_eq!(range.len(), text.len() as u64);
            let mut read = Vec::new();
            range.read_to_end(&mut read).unwrap();
            assert_eq!(read, text);
            range.go_to(1);
            assert_eq!(range.read_to_end(&mut read).unwrap(), text.len().max(1) - 1);
        }
        assert_eq!(whole.bytes_at::<2>(4).unwrap(), Some(*b"67"));
        assert_eq!(whole.bytes_at::<2>(5).unwrap(), None);
        // The file is shorter than the range.
        let beyond = FileRange::new(whole.file().clone(), 8..20);
        assert_eq!(beyond.read_at(0, &mut [0; 20]).unwrap(), 2);
    }
}
