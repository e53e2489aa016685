//! An opened file of a folder or a container.
//!
//! # Limits
//! A compressed member of a container is a stream: it is read once from front to back.

use std::fs::File;
use std::io::{self, Read};

use crate::file_range::FileRange;
use crate::packed::{CompressionEvents, Through};

/// An opened file.
pub(crate) enum TreeFile {
    /// A file on a disk.
    Disk(File),
    /// A member that is stored as it is.
    Range(FileRange),
    /// A member that is decompressed, and its size as the container declares it.
    Stream(Through, u64),
}

impl TreeFile {
    /// Reads it from front to back, as it is.
    pub(crate) fn into_through(self) -> Through {
        match self {
            Self::Stream(stream, _) => stream,
            other => Through::plain(other, CompressionEvents::default()),
        }
    }

    /// Appends up to `wanted` bytes to `bytes`. Returns their number.
    pub(crate) fn append(&mut self, wanted: u64, bytes: &mut Vec<u8>) -> io::Result<usize> {
        if let Self::Stream(stream, 0) = self {
            // Compares content and checksum with the declared size, which nothing else would read.
            io::copy(stream, &mut io::sink())?;
        }
        match self {
            // Unlike the others, this needs no zeroed memory.
            Self::Disk(file) => file.by_ref().take(wanted).read_to_end(bytes),
            other => other.take(wanted).read_to_end(bytes),
        }
    }
}

impl Read for TreeFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Disk(file) => file.read(into),
            Self::Range(range) => range.read(into),
            Self::Stream(stream, _) => stream.read(into),
        }
    }
}
