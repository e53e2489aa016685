//! Bytes that arrive in pieces: few are kept in memory, many in a file that has no name.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that stay in memory while a message arrives.
const IN_MEMORY: usize = 1 << 20;
/// Bytes that are given at a time.
const PIECE: usize = 65_536;

/// What the files of all spools of a server may cost.
#[derive(Debug)]
pub(crate) struct Budget {
    folder: PathBuf,
    /// Bytes of all files.
    most: u64,
    /// Bytes that must stay free on the disk.
    reserve: u64,
    used: AtomicU64,
}

impl Budget {
    pub(crate) fn new(folder: PathBuf, most: u64, reserve: u64) -> Self {
        Self { folder, most, reserve, used: AtomicU64::new(0) }
    }

    /// Takes bytes; they are given back by [`Budget::give`], whether they could be had or not.
    fn take(&self, bytes: u64) -> io::Result<()> {
        let all = self.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if all > self.most {
            return Err(io::Error::new(ErrorKind::StorageFull, "more bytes than all spools may hold"));
        }
        if free(&self.folder)? < self.reserve.saturating_add(bytes) {
            return Err(io::Error::new(ErrorKind::StorageFull, "the disk is full but for its reserve"));
        }
        Ok(())
    }

    /// Bytes that are taken now.
    pub(crate) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    fn give(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Bytes that a process without privileges may still write.
fn free(folder: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// A growing run of bytes.
#[derive(Debug)]
pub(crate) struct Spool {
    /// The last bytes, or all.
    memory: Vec<u8>,
    file: Option<File>,
    /// Bytes in the file.
    filed: u64,
    /// Bytes that were taken from the budget.
    taken: u64,
    budget: Arc<Budget>,
}

impl Spool {
    /// An empty spool whose file, should it need one, is within the budget.
    pub(crate) fn new(budget: Arc<Budget>) -> Self {
        Self { memory: Vec::new(), file: None, filed: 0, taken: 0, budget }
    }

    /// Takes bytes of the budget, which come back with the spool's end.
    fn take(&mut self, bytes: u64) -> io::Result<()> {
        self.taken += bytes;
        self.budget.take(bytes)
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.budget.give(std::mem::take(&mut self.taken));
        (self.memory, self.file, self.filed) = (Vec::new(), None, 0);
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// The file cannot be made or written; the spool is of no use then.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.memory.len() + bytes.len() > IN_MEMORY {
            self.take(self.memory.len() as u64)?;
            let file = match &mut self.file {
                Some(file) => file,
                none => none.insert(tempfile::tempfile_in(&self.budget.folder)?),
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
        self.clear();
        self.memory = bytes;
        if self.memory.len() > most {
            let memory = std::mem::take(&mut self.memory);
            self.take(memory.len() as u64)?;
            let mut file = tempfile::tempfile_in(&self.budget.folder)?;
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

impl Drop for Spool {
    fn drop(&mut self) {
        self.budget.give(self.taken);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn spool(most: u64, reserve: u64) -> Spool {
        Spool::new(Arc::new(Budget::new(std::env::temp_dir(), most, reserve)))
    }

    #[test]
    fn what_is_over_the_budget_is_refused_and_given_back() {
        let budget = Arc::new(Budget::new(std::env::temp_dir(), 3 * IN_MEMORY as u64, 0));
        let full = |spool: &mut Spool| (0..9).find(|_| spool.push(&vec![0; IN_MEMORY]).is_err()).unwrap();
        let mut first = Spool::new(budget.clone());
        assert_eq!(full(&mut first), 4, "three in the file, one in memory");
        let mut second = Spool::new(budget.clone());
        assert_eq!(full(&mut second), 1);
        first.clear();
        drop(second);
        assert_eq!(budget.used.load(Ordering::Relaxed), 0);
        assert_eq!(full(&mut Spool::new(budget.clone())), 4);
        assert_eq!(full(&mut spool(u64::MAX, u64::MAX)), 1, "nothing is free but the reserve");
    }

    #[test]
    fn bytes_come_back_from_memory_and_file() {
        for (piece, count) in [(10, 3), (IN_MEMORY, 1), (IN_MEMORY, 3), (65_535, 40), (IN_MEMORY + 1, 2)] {
            let mut spool = spool(u64::MAX, 0);
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
        let mut spool = Spool::new(Arc::new(Budget::new("no such folder".into(), u64::MAX, 0)));
        spool.push(&vec![0; IN_MEMORY]).unwrap();
        assert!(spool.push(&[0]).is_err());
    }
}
