//! Stores bytes that arrive in pieces: short content in memory, long content in an unlinked file.

use crate::limits::Limits;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum bytes of a message in memory while it arrives.
const IN_MEMORY: usize = 1 << 20;
/// Bytes per write, once the beginning of a message is in a file.
const FILED: usize = 128 << 10;
/// Capacities of the buffer when a message grows. The system allocates a page only when it is written.
const LARGE: usize = 8 << 20;
const LARGER: usize = 32 << 20;
/// Bytes per read of the file.
const PIECE: usize = 65_536;

/// The budget of all spools of a server: memory, and space on the disk.
#[derive(Debug)]
pub(crate) struct Budget {
    folder: PathBuf,
    /// Maximum bytes of all files.
    most: u64,
    /// Bytes that must stay free on the disk.
    reserve: u64,
    used: AtomicU64,
    /// Bytes of messages in memory beyond the first MiB of each, and their maximum.
    memory: AtomicU64,
    most_memory: u64,
    /// Held by the thread that reads a header back.
    reading: Mutex<()>,
}

impl Budget {
    /// Returns the budget that the limits of a server define.
    pub(crate) fn of(limits: &Limits) -> Self {
        Self {
            folder: limits.spool.clone(),
            most: limits.spool_bytes,
            reserve: limits.disk_reserve,
            used: AtomicU64::new(0),
            memory: AtomicU64::new(0),
            most_memory: limits.memory_bytes,
            reading: Mutex::new(()),
        }
    }

    /// Takes bytes of the disk budget. The caller must return them with [`Budget::give`], also after an error.
    fn take(&self, bytes: u64) -> io::Result<()> {
        let all = self.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if all > self.most {
            return Err(io::Error::new(
                ErrorKind::StorageFull,
                "more bytes than all spools may hold",
            ));
        }
        if free(&self.folder)? < self.reserve.saturating_add(bytes) {
            return Err(io::Error::new(
                ErrorKind::StorageFull,
                "the disk is full but for its reserve",
            ));
        }
        Ok(())
    }

    /// Waits until no other thread reads a header back, because a header may have megabytes.
    pub(crate) fn read_alone(&self) -> MutexGuard<'_, ()> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the bytes of all files.
    pub(crate) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    fn give(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Takes bytes of the shared memory. Returns false if too few are left.
    fn take_memory(&self, bytes: u64) -> bool {
        let more = |all: u64| {
            all.checked_add(bytes)
                .filter(|all| *all <= self.most_memory)
        };
        self.memory
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
            .is_ok()
    }

    fn give_memory(&self, bytes: u64) {
        self.memory.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Takes bytes of the shared memory until the result is dropped. Returns `None` if too few are left.
    pub(crate) fn reserve(self: &Arc<Self>, bytes: u64) -> Option<Reserved> {
        let budget = self.clone();
        self.take_memory(bytes).then(|| Reserved { budget, bytes })
    }

    /// Returns the bytes of the shared memory in use.
    #[cfg(test)]
    pub(crate) fn memory(&self) -> u64 {
        self.memory.load(Ordering::Relaxed)
    }
}

/// Bytes of the shared memory. Dropping this returns them.
#[derive(Debug)]
pub(crate) struct Reserved {
    budget: Arc<Budget>,
    bytes: u64,
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.budget.give_memory(self.bytes);
    }
}

/// Returns the free bytes on the disk of a folder, for processes without privileges.
fn free(folder: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Bytes that grow at the end, in memory or in a file.
#[derive(Debug)]
pub(crate) struct Spool {
    /// All bytes, or those that are not in the file yet.
    memory: Vec<u8>,
    file: Option<File>,
    /// Bytes in the file.
    filed: u64,
    /// Bytes taken from the disk budget.
    taken: u64,
    /// Bytes taken from the shared memory.
    shared: u64,
    /// Bytes of other memory that count as memory of this spool.
    beside: usize,
    budget: Arc<Budget>,
}

impl Spool {
    /// Creates an empty spool with this budget.
    pub(crate) fn new(budget: Arc<Budget>) -> Self {
        Self {
            memory: Vec::new(),
            file: None,
            filed: 0,
            taken: 0,
            shared: 0,
            beside: 0,
            budget,
        }
    }

    /// Creates an empty spool with a buffer of `bytes` bytes.
    pub(crate) fn with_capacity(budget: Arc<Budget>, bytes: usize) -> Self {
        let mut spool = Self::new(budget);
        spool.memory.reserve_exact(bytes);
        spool
    }

    /// Creates an empty spool with the same budget.
    pub(crate) fn another(&self) -> Self {
        Self::new(self.budget.clone())
    }

    /// Returns the budget.
    pub(crate) fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    /// Counts `bytes` bytes of other memory as memory of this spool, until its content moves to a file.
    pub(crate) fn hold(&mut self, bytes: usize) {
        self.beside = bytes;
    }

    /// Takes bytes of the disk budget. Dropping the spool returns them.
    fn take(&mut self, bytes: u64) -> io::Result<()> {
        self.taken += bytes;
        self.budget.take(bytes)
    }

    /// Drops the content.
    pub(crate) fn clear(&mut self) {
        self.budget.give(std::mem::take(&mut self.taken));
        self.give_memory();
        (self.memory, self.file, self.filed) = (Vec::new(), None, 0);
    }

    fn give_memory(&mut self) {
        self.budget.give_memory(std::mem::take(&mut self.shared));
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// The file cannot be created or written. Then the spool accepts no more bytes; its content stays readable.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.room(bytes.len())?.extend_from_slice(bytes);
        Ok(())
    }

    /// Returns the buffer, to which the caller must append exactly `bytes` bytes.
    ///
    /// # Errors
    /// Like [`Spool::push`].
    pub(crate) fn room(&mut self, bytes: usize) -> io::Result<&mut Vec<u8>> {
        let (most, beside) = if self.file.is_some() {
            (FILED, 0)
        } else {
            (IN_MEMORY, self.beside)
        };
        let len = self.memory.len() + bytes;
        if len + beside > most && !self.stays(len + beside) {
            self.write_memory()?;
        }
        Ok(&mut self.memory)
    }

    /// Keeps no long piece in memory behind others that are in a file.
    ///
    /// # Errors
    /// Like [`Spool::push`].
    pub(crate) fn settle(&mut self) -> io::Result<()> {
        if self.file.is_some() && self.memory.len() > FILED {
            self.write_memory()?;
        }
        Ok(())
    }

    /// Writes what is in memory to the file.
    fn write_memory(&mut self) -> io::Result<()> {
        self.take(self.memory.len() as u64)?;
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile_in(&self.budget.folder)?),
        };
        file.write_all(&self.memory)?;
        self.filed += self.memory.len() as u64;
        self.memory.clear();
        self.memory.shrink_to(FILED);
        self.give_memory();
        Ok(())
    }

    /// Returns true if so many bytes may stay in memory; room for them is there then.
    fn stays(&mut self, len: usize) -> bool {
        if self.file.is_some() {
            return false;
        }
        let more = (len - IN_MEMORY) as u64 - self.shared;
        if !self.budget.take_memory(more) {
            return false;
        }
        self.shared += more;
        if len > self.memory.capacity() {
            // What is here is not to be moved again and again.
            let most = usize::try_from(self.budget.most_memory)
                .unwrap_or(usize::MAX)
                .saturating_add(IN_MEMORY);
            let all = if len > LARGE {
                LARGER.max(2 * len)
            } else {
                LARGE
            };
            self.memory
                .reserve_exact(all.min(most).max(len) - self.memory.len());
        }
        true
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

    /// All bytes, in memory: those that are there already are not copied.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn into_bytes(mut self) -> io::Result<Vec<u8>> {
        let Some(file) = &mut self.file else {
            return Ok(std::mem::take(&mut self.memory));
        };
        let mut bytes = Vec::with_capacity(self.filed as usize + self.memory.len());
        file.seek(SeekFrom::Start(0))?;
        let count = file.take(self.filed).read_to_end(&mut bytes)?;
        if count as u64 != self.filed {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&self.memory);
        Ok(bytes)
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
    pub(crate) fn pieces(
        &mut self,
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        self.pieces_while(|piece| take(piece).map(|()| true))
    }

    /// Gives bytes from the first on, piece by piece, as long as `take` says so.
    ///
    /// # Errors
    /// The file cannot be read, or `take` fails.
    pub(crate) fn pieces_while(
        &mut self,
        mut take: impl FnMut(&[u8]) -> io::Result<bool>,
    ) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            let mut piece = vec![0; PIECE];
            let mut left = self.filed;
            file.seek(SeekFrom::Start(0))?;
            while left > 0 {
                let most = piece.len().min(left as usize);
                file.read_exact(&mut piece[..most])?;
                if !take(&piece[..most])? {
                    // What is written next belongs behind all that is there.
                    file.seek(SeekFrom::End(0))?;
                    return Ok(());
                }
                left -= most as u64;
            }
        }
        take(&self.memory).map(drop)
    }

    /// The first bytes, so many of them where there are so many.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn first(&mut self, count: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.pieces_while(|piece| {
            let left = count - bytes.len();
            bytes.extend_from_slice(piece.get(..left).unwrap_or(piece));
            Ok(bytes.len() < count)
        })?;
        Ok(bytes)
    }

    /// Returns the number of bytes.
    pub(crate) fn len(&self) -> u64 {
        self.filed + self.memory.len() as u64
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        self.budget.give(self.taken);
        self.give_memory();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Nothing is shared but the disk.
    fn budget(spool_bytes: u64, disk_reserve: u64) -> Arc<Budget> {
        Arc::new(Budget::of(&Limits {
            spool_bytes,
            disk_reserve,
            memory_bytes: 0,
            ..Limits::default()
        }))
    }

    fn spool(most: u64, reserve: u64) -> Spool {
        Spool::new(budget(most, reserve))
    }

    #[test]
    fn messages_share_some_memory_before_they_go_to_files() {
        const SHARED: usize = 16 << 20;
        let budget = Arc::new(Budget::of(&Limits {
            disk_reserve: 0,
            ..Limits::default()
        }));
        let held = |spool: &Spool| (spool.file.is_some(), spool.len());
        let (mut first, mut second) = (Spool::new(budget.clone()), Spool::new(budget.clone()));
        let piece = vec![7; 1 << 16];
        for count in 1..=(SHARED + IN_MEMORY) >> 16 {
            first.push(&piece).unwrap();
            assert_eq!(held(&first), (false, (count << 16) as u64));
        }
        assert_eq!(budget.memory.load(Ordering::Relaxed), SHARED as u64);
        for count in 1..=17 {
            second.push(&piece).unwrap();
            assert_eq!(
                held(&second),
                (count > 16, count << 16),
                "nothing is left to share"
            );
        }
        // One more goes to the file with all that is before it, and the memory is there for others.
        first.push(&piece).unwrap();
        assert!(held(&first).0 && first.memory.capacity() <= FILED);
        assert_eq!(budget.memory.load(Ordering::Relaxed), 0);
        let mut third = Spool::new(budget.clone());
        for _ in 0..100 {
            third.push(&piece).unwrap();
        }
        assert!(!held(&third).0);
        for spool in [first, second, third] {
            let len = spool.len() as usize;
            assert!(spool.into_bytes().unwrap() == vec![7; len]);
        }
        assert_eq!(budget.memory.load(Ordering::Relaxed), 0);
        let mut again = Spool::new(budget.clone());
        again.push(&vec![0; 2 * IN_MEMORY]).unwrap();
        again.clear();
        assert_eq!(budget.memory.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn what_is_over_the_budget_is_refused_and_given_back() {
        let budget = budget(3 * IN_MEMORY as u64, 0);
        let full = |spool: &mut Spool| {
            (0..9)
                .find(|_| spool.push(&vec![0; IN_MEMORY]).is_err())
                .unwrap()
        };
        let mut first = Spool::new(budget.clone());
        assert_eq!(full(&mut first), 4, "three in the file, one in memory");
        let mut second = Spool::new(budget.clone());
        assert_eq!(full(&mut second), 1);
        first.clear();
        drop(second);
        assert_eq!(budget.used.load(Ordering::Relaxed), 0);
        assert_eq!(full(&mut Spool::new(budget.clone())), 4);
        assert_eq!(
            full(&mut spool(u64::MAX, u64::MAX)),
            1,
            "nothing is free but the reserve"
        );
    }

    #[test]
    fn bytes_come_back_from_memory_and_file() {
        for (piece, count) in [
            (10, 3),
            (IN_MEMORY, 1),
            (IN_MEMORY, 3),
            (65_535, 40),
            (IN_MEMORY + 1, 2),
        ] {
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
            assert!(spool.into_bytes().unwrap() == want);
        }
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let limits = Limits {
            spool: "no such folder".into(),
            memory_bytes: 0,
            ..Limits::default()
        };
        let mut spool = Spool::new(Arc::new(Budget::of(&limits)));
        spool.push(&vec![0; IN_MEMORY]).unwrap();
        assert!(spool.push(&[0]).is_err());
    }
}
