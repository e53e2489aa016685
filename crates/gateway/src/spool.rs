//! Bytes that arrive in pieces: few are kept in memory, many in a file that has no name.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

/// Bytes that stay in memory while a message arrives.
const IN_MEMORY: usize = 1 << 20;
/// Bytes that are given at a time.
const PIECE: usize = 65_536;

/// A growing run of bytes.
#[derive(Debug, Default)]
pub(crate) struct Spool {
    /// The last bytes, or all.
    memory: Vec<u8>,
    file: Option<File>,
    /// Bytes in the file.
    filed: u64,
    folder: PathBuf,
}

impl Spool {
    /// An empty spool whose file, should it need one, is made in `folder`.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, ..Self::default() }
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// The file cannot be made or written; the spool is of no use then.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.memory.len() + bytes.len() > IN_MEMORY {
            let file = match &mut self.file {
                Some(file) => file,
                none => none.insert(tempfile::tempfile_in(&self.folder)?),
            };
            file.write_all(&self.memory)?;
            self.filed += self.memory.len() as u64;
            self.memory.clear();
        }
        self.memory.extend_from_slice(bytes);
        Ok(())
    }

    /// Makes these bytes the content; more than `most` of them go to a file at once.
    ///
    /// # Errors
    /// The file cannot be made or written; the spool is of no use then.
    pub(crate) fn keep(&mut self, bytes: Vec<u8>, most: usize) -> io::Result<()> {
        (self.file, self.filed, self.memory) = (None, 0, bytes);
        if self.memory.len() > most {
            let memory = std::mem::take(&mut self.memory);
            let mut file = tempfile::tempfile_in(&self.folder)?;
            file.write_all(&memory)?;
            (self.file, self.filed) = (Some(file), memory.len() as u64);
        }
        Ok(())
    }

    /// A copy of all bytes, in memory.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.append_to(&mut bytes)?;
        Ok(bytes)
    }

    /// Puts all bytes behind others, which grow once.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn append_to(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        bytes.reserve_exact(self.len() as usize);
        self.pieces(|piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        })
    }

    /// Gives all bytes, piece by piece.
    ///
    /// # Errors
    /// The file cannot be read, or `take` fails.
    pub(crate) fn pieces(&mut self, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            let mut piece = vec![0; PIECE];
            let mut left = self.filed;
            file.seek(SeekFrom::Start(0))?;
            while left > 0 {
                let most = piece.len().min(left as usize);
                file.read_exact(&mut piece[..most])?;
                take(&piece[..most])?;
                left -= most as u64;
            }
        }
        take(&self.memory)
    }

    /// How many bytes there are.
    pub(crate) fn len(&self) -> u64 {
        self.filed + self.memory.len() as u64
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn bytes_come_back_from_memory_and_file() {
        for (piece, count) in [(10, 3), (IN_MEMORY, 1), (IN_MEMORY, 3), (65_535, 40), (IN_MEMORY + 1, 2)] {
            let mut spool = Spool::new(std::env::temp_dir());
            let mut want = Vec::new();
            for number in 0..count {
                let bytes = vec![number as u8; piece];
                spool.push(&bytes).unwrap();
                want.extend_from_slice(&bytes);
                assert!(spool.memory.len() <= IN_MEMORY.max(piece));
            }
            assert_eq!(spool.file.is_some(), want.len() > IN_MEMORY);
            assert_eq!(spool.len(), want.len() as u64);
            for _ in 0..2 {
                assert!(spool.bytes().unwrap() == want);
            }
            assert!(spool.bytes().unwrap() == want);
        }
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let mut spool = Spool::new("no such folder".into());
        spool.push(&vec![0; IN_MEMORY]).unwrap();
        assert!(spool.push(&[0]).is_err());
    }
}
