//! Writing a large file without filling the page cache.
//!
//! # Limits
//! Only on Linux, from 6.14 on and where the file system takes part; elsewhere files are written as usual. What is asked
//! for ahead of the writing stays with a file that is never synced.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

/// So many bytes of a file stay in the page cache; what comes later is written out and its pages are given back.
const CACHED: u64 = 32 << 20;
/// Room on the disk that is asked for at once. In room that is there already a page is written a quarter cheaper than
/// where each asks for its own.
#[cfg(target_os = "linux")]
const AHEAD: u64 = 64 << 20;
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
    /// End of the room that was asked for, beyond what is written or 0.
    room: u64,
    /// No more is asked for: it cannot be had, or the file is not written front to back.
    enough: bool,
}

impl Output {
    /// A new file.
    pub(crate) fn new(file: File) -> Self {
        Self { file, written: 0, cached: cfg!(not(target_os = "linux")), room: 0, enough: false }
    }

    /// Brings everything written so far to the disk.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.give_back()?;
        self.file.sync_all()
    }

    /// Gives back the room that is not needed.
    fn give_back(&mut self) -> io::Result<()> {
        if self.room > self.written {
            self.file.set_len(self.written)?;
        }
        self.room = 0;
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let uncached = self.write_uncached(bytes)?;
        let count = match uncached {
            Some(count) => count,
            None => self.file.write(bytes)?,
        };
        self.written += count as u64;
        if uncached.is_some() {
            self.ask_for_room();
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Output {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.give_back()?;
        self.enough = true;
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

    /// Sees to room for the next writes. Where that cannot be had, they tell what is wrong.
    #[cfg(target_os = "linux")]
    fn ask_for_room(&mut self) {
        use rustix::fs::{FallocateFlags, fallocate};
        if self.enough || self.room > self.written + AHEAD / 8 {
            return;
        }
        let start = self.room.max(self.written);
        match fallocate(&self.file, FallocateFlags::empty(), start, AHEAD) {
            Ok(()) => self.room = start + AHEAD,
            Err(_) => self.enough = true,
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn write_uncached(&mut self, _: &[u8]) -> io::Result<Option<usize>> {
        Ok(None)
    }

    #[cfg(not(target_os = "linux"))]
    fn ask_for_room(&mut self) {
        self.enough = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_and_not_written_is_given_back() {
        let folder = tempfile::tempdir().unwrap();
        for rewound in [false, true] {
            let path = folder.path().join("out");
            let mut output = Output::new(File::create(&path).unwrap());
            output.written = CACHED;
            output.file.set_len(CACHED).unwrap();
            output.file.seek(SeekFrom::End(0)).unwrap();
            for _ in 0..3 {
                output.write_all(b"text").unwrap();
            }
            #[cfg(target_os = "linux")]
            assert!(output.cached || output.enough || output.room > output.written);
            if rewound {
                output.seek(SeekFrom::Start(0)).unwrap();
                output.write_all(b"ONE").unwrap();
            }
            output.sync().unwrap();
            let bytes = std::fs::read(&path).unwrap();
            assert_eq!(bytes.len() as u64, CACHED + 12);
            assert_eq!(&bytes[..3], if rewound { b"ONE" } else { b"\0\0\0" });
            assert!(bytes.ends_with(b"texttexttext"));
        }
    }

    #[test]
    fn both_ways_write_at_the_position_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let mut output = Output::new(File::create(&path).unwrap());
        output.write_all(b"one").unwrap();
        // The file is not as long as this says.
        (output.written, output.enough) = (CACHED, true);
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
