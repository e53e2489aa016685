//! Reads ranges of a file, or of the start of a stream.
//!
//! # Limits
//! Of a stream only the start that is in memory.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Where the sniffer reads.
pub(in crate::mbox) enum SniffInput<'a> {
    /// An archive that begins at an offset of a file and has this many bytes.
    File(&'a File, u64, u64),
    /// The start of a stream, and whether it is the whole stream.
    Start(&'a [u8], bool),
}

impl SniffInput<'_> {
    pub(super) fn size(&self) -> u64 {
        match self {
            Self::File(_, _, size) => *size,
            Self::Start(bytes, _) => bytes.len() as u64,
        }
    }

    /// Returns true if [`Self::size`] is the end of the input.
    pub(super) fn is_whole(&self) -> bool {
        !matches!(self, Self::Start(_, false))
    }

    /// Reads the bytes of a range, as far as they exist.
    pub(super) fn read(&self, from: u64, to: u64, buffer: &mut Vec<u8>) -> io::Result<()> {
        let to = to.min(self.size());
        let length = to.saturating_sub(from) as usize;
        match self {
            Self::Start(bytes, _) => {
                buffer.clear();
                buffer.extend_from_slice(bytes.get(from as usize..to as usize).unwrap_or_default());
            }
            Self::File(file, start, _) => {
                buffer.resize(length, 0);
                let filled = read_at(file, start + from, buffer)?;
                buffer.truncate(filled);
            }
        }
        Ok(())
    }
}

/// Fills `buffer` from an offset, up to the end of the file. Returns the number of bytes.
pub(in crate::mbox) fn read_at(file: &File, mut from: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], from) {
            Ok(0) => break,
            Ok(read) => {
                filled += read;
                from += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
