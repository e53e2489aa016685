//! Writing a large file without filling the page cache.
//!
//! # Limits
//! Only on Linux, from 6.14 on and where the file system takes part; elsewhere files are written as usual.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

/// So many bytes of a file stay in the page cache; what comes later is written out and its pages are given back.
const CACHED: u64 = 32 << 20;
/// Linux's `RWF_DONTCACHE`.
#[cfg(target_os = "linux")]
const DONT_CACHE: rustix::io::ReadWriteFlags = rustix::io::ReadWriteFlags::from_bits_retain(0x80);

/// A file that is written front to back and, where it is large, not read again soon. Its pages would push out of memory
/// what others read, and fresh pages cost more time than used ones.
#[derive(Debug)]
pub(crate) struct Output {
    file: File,
    written: u64,
    /// The kernel or the file system knows no other way.
    cached: bool,
}

impl Output {
    /// A new file.
    pub(crate) fn new(file: File) -> Self {
        Self { file, written: 0, cached: cfg!(not(target_os = "linux")) }
    }

    /// Brings everything written so far to the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = match self.write_uncached(bytes)? {
            Some(count) => count,
            None => self.file.write(bytes)?,
        };
        self.written += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Output {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}

impl Output {
    /// Writes at the file's position; None when that has to be done through the page cache.
    #[cfg(target_os = "linux")]
    fn write_uncached(&mut self, bytes: &[u8]) -> io::Result<Option<usize>> {
        use rustix::io::Errno;
        use std::io::IoSlice;
        /// The file's own position.
        const HERE: u64 = u64::MAX;
        if self.cached || self.written < CACHED {
            return Ok(None);
        }
        match rustix::io::pwritev2(&self.file, &[IoSlice::new(bytes)], HERE, DONT_CACHE) {
            Ok(count) => Ok(Some(count)),
            Err(Errno::OPNOTSUPP | Errno::INVAL | Errno::NOSYS) => {
                self.cached = true;
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn write_uncached(&mut self, _: &[u8]) -> io::Result<Option<usize>> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_write_at_the_position_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let mut output = Output::new(File::create(&path).unwrap());
        output.write_all(b"one").unwrap();
        output.written = CACHED;
        output.write_all(b"two").unwrap();
        output.write_all(b"three").unwrap();
        output.cached = true;
        output.write_all(b"four").unwrap();
        output.seek(SeekFrom::Start(0)).unwrap();
        output.cached = false;
        output.write_all(b"ONE").unwrap();
        output.sync().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"ONEtwothreefour");
    }
}
