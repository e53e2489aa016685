//! Writing a large file past the page cache.
//!
//! # Limits
//! Only on Linux, and where the file system takes part; elsewhere files are written as usual. Behind the first bytes a file is written
//! by a thread of its own, which only waits for the disk.

use crate::error::ErrorKind::EarlierWrite;
use crate::room::Room;
use std::fs::File;
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

/// So many bytes of a file go through the page cache and stay there; what comes later goes past it.
const CACHED: u64 = 8 << 20;
/// Bytes that are written at once. Any disk takes whole multiples of its blocks at multiples of them.
const BLOCK: usize = 2 << 20;
/// Blocks of a file: one is filled, one is written, one is on its way between them.
const BLOCKS: usize = 3;

/// A file that is written front to back and, where it is large, not read again soon. In the page cache its pages would push out what
/// others read, and a copy of each page costs several times what the disk takes for it.
#[derive(Debug)]
pub(crate) struct Output {
    file: File,
    /// Bytes taken.
    written: u64,
    past: Past,
    room: Room,
}

/// How what comes behind [`CACHED`] is written.
#[derive(Debug)]
enum Past {
    /// Not known yet.
    Unknown,
    /// Through the cache: there is no other way, or the file is not written front to back.
    No,
    Yes(Blocks),
    /// A block could not be written, which was told.
    Failed,
}

impl Output {
    /// A new file.
    pub(crate) fn new(file: File) -> Self {
        Self {
            file,
            written: 0,
            past: Past::Unknown,
            room: Room::new(),
        }
    }

    /// Brings everything written so far to the disk.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.settle()?;
        self.file.sync_all()
    }

    /// Ends the writing past the cache, if it was begun.
    fn settle(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.past, Past::Failed) {
            Past::Failed => return Err(EarlierWrite.into()),
            Past::Yes(blocks) => {
                let (rest, place) = blocks.finish()?;
                direct(&self.file, false)?;
                self.file.seek(SeekFrom::Start(place))?;
                self.file.write_all(rest.bytes())?;
            }
            Past::Unknown | Past::No => {}
        }
        self.past = Past::No;
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if matches!(self.past, Past::Unknown) && self.written >= CACHED {
            self.past = Blocks::begin(&self.file, self.written).map_or(Past::No, Past::Yes);
        }
        let count = match &mut self.past {
            Past::Yes(blocks) => match blocks.write(bytes) {
                Some(count) => count,
                // The writer has ended: it tells why.
                None => {
                    return self.settle().and_then(|()| Err(EarlierWrite.into()));
                }
            },
            // Blocks begin at a multiple of their length.
            Past::Unknown => {
                let most = usize::try_from(CACHED - self.written).unwrap_or(bytes.len());
                self.file.write(&bytes[..bytes.len().min(most)])?
            }
            Past::No => self.file.write(bytes)?,
            Past::Failed => return Err(EarlierWrite.into()),
        };
        self.written += count as u64;
        self.room.wrote(count as u64, &self.file)?;
        Ok(count)
    }

    /// Nothing is owed to anybody before [`Output::sync`].
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Output {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.settle()?;
        self.file.seek(position)
    }
}

/// The blocks of a file, and the thread that writes them.
#[derive(Debug)]
struct Blocks {
    /// The one that is filled.
    block: Block,
    /// Its place in the file.
    place: u64,
    full: SyncSender<(Block, u64)>,
    empty: Receiver<Block>,
    writer: JoinHandle<io::Result<()>>,
}

impl Blocks {
    /// None where the file system knows no way past the cache.
    fn begin(file: &File, place: u64) -> Option<Self> {
        let (full, to_write) = sync_channel::<(Block, u64)>(BLOCKS);
        let (written, empty) = sync_channel(BLOCKS);
        for _ in 1..BLOCKS {
            written.send(Block::new()).ok()?;
        }
        let own = file.try_clone().ok()?;
        direct(file, true).ok()?;
        let write = move || {
            for (mut block, place) in to_write {
                write_at(&own, block.bytes(), place)?;
                block.clear();
                // At the end nobody takes it.
                let _ = written.send(block);
            }
            Ok(())
        };
        match thread::Builder::new()
            .name("output".to_owned())
            .spawn(write)
        {
            Ok(writer) => Some(Self {
                block: Block::new(),
                place,
                full,
                empty,
                writer,
            }),
            Err(_) => direct(file, false).ok().and(None),
        }
    }

    /// Number of bytes taken; None when the writer has ended.
    fn write(&mut self, bytes: &[u8]) -> Option<usize> {
        let count = self.block.fill(bytes);
        if self.block.room() == 0 {
            let block = std::mem::replace(&mut self.block, self.empty.recv().ok()?);
            let place = self.place;
            self.place += BLOCK as u64;
            self.full.send((block, place)).ok()?;
        }
        Some(count)
    }

    /// Waits until all whole blocks are written; gives the last, which is not whole, and its place.
    fn finish(self) -> io::Result<(Block, u64)> {
        drop(self.full);
        match self.writer.join() {
            Ok(written) => written.map(|()| (self.block, self.place)),
            Err(_) => Err(EarlierWrite.into()),
        }
    }
}

/// Memory as disks want it: at a multiple of their blocks.
#[derive(Debug)]
struct Block {
    bytes: Vec<u8>,
    /// Bytes before the first such place.
    skip: usize,
}

impl Block {
    /// No disk has larger blocks.
    const ALIGN: usize = 4096;

    fn new() -> Self {
        let mut bytes: Vec<u8> = Vec::with_capacity(BLOCK + Self::ALIGN);
        // It never moves: more than its capacity is never put into it.
        let skip = bytes.as_ptr().addr().next_multiple_of(Self::ALIGN) - bytes.as_ptr().addr();
        bytes.resize(skip, 0);
        Self { bytes, skip }
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[self.skip..]
    }

    fn room(&self) -> usize {
        self.skip + BLOCK - self.bytes.len()
    }

    /// Takes as many bytes as there is room for.
    fn fill(&mut self, bytes: &[u8]) -> usize {
        let count = bytes.len().min(self.room());
        self.bytes.extend_from_slice(&bytes[..count]);
        count
    }

    fn clear(&mut self) {
        self.bytes.truncate(self.skip);
    }
}

/// Writes all, through the cache where the disk takes it in no other way after all: blocks of an odd size, or a disk that is full.
fn write_at(file: &File, mut bytes: &[u8], mut place: u64) -> io::Result<()> {
    let mut straight = true;
    while !bytes.is_empty() {
        match file.write_at(bytes, place) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => {
                bytes = &bytes[count..];
                place += count as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error)
                if straight
                    && matches!(
                        error.kind(),
                        ErrorKind::InvalidInput | ErrorKind::Unsupported
                    ) =>
            {
                straight = false;
                direct(file, false)?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Writes a file past the page cache from now on, or no longer; an error where that cannot be had.
#[cfg(target_os = "linux")]
fn direct(file: &File, wanted: bool) -> io::Result<()> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    let flags = fcntl_getfl(file)?;
    fcntl_setfl(
        file,
        if wanted {
            flags | OFlags::DIRECT
        } else {
            flags - OFlags::DIRECT
        },
    )?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn direct(_: &File, wanted: bool) -> io::Result<()> {
    if wanted {
        Err(ErrorKind::Unsupported.into())
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Byte at a place of a text that no block repeats.
    fn text(length: usize) -> Vec<u8> {
        (0..length)
            .map(|at| (at % 251 + at / BLOCK) as u8)
            .collect()
    }

    #[test]
    fn both_ways_make_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let cached = CACHED as usize;
        let whole = text(cached + 4 * BLOCK + 12_345);
        for length in [
            0,
            1,
            cached - 1,
            cached,
            cached + 1,
            cached + BLOCK,
            whole.len(),
        ] {
            for piece in [BLOCK - 1, BLOCK + 4097, 5 * BLOCK] {
                let path = folder.path().join("out");
                let mut output = Output::new(File::create(&path).unwrap());
                whole[..length]
                    .chunks(piece)
                    .for_each(|piece| output.write_all(piece).unwrap());
                output.sync().unwrap();
                output.write_all(b"after").unwrap();
                output.sync().unwrap();
                let bytes = fs::read(&path).unwrap();
                assert!(
                    bytes.strip_suffix(b"after") == Some(&whole[..length]),
                    "{length} {piece}"
                );
            }
        }
    }

    #[test]
    fn what_was_written_can_be_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let whole = text(CACHED as usize + 2 * BLOCK + 7);
        let mut output = Output::new(File::create(&path).unwrap());
        output.write_all(&whole).unwrap();
        output.seek(SeekFrom::Start(0)).unwrap();
        output.write_all(b"ONE").unwrap();
        output.sync().unwrap();
        let bytes = fs::read(&path).unwrap();
        assert!(
            bytes.len() == whole.len() && bytes[3..] == whole[3..] && bytes.starts_with(b"ONE")
        );
    }

    #[test]
    fn an_error_of_the_disk_is_told_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        fs::write(&path, b"").unwrap();
        // Not opened for writing: each write fails.
        let mut output = Output::new(File::open(&path).unwrap());
        output.written = CACHED;
        let block = text(BLOCK);
        let failed = (0..=2 * BLOCKS).any(|_| output.write_all(&block).is_err());
        assert!(failed || output.sync().is_err());
        assert!(output.write_all(&block).is_err() || output.sync().is_err());
        assert!(output.sync().is_err() || matches!(output.past, Past::No));
    }

    #[test]
    fn blocks_stand_where_disks_want_them() {
        for _ in 0..BLOCKS {
            let mut block = Block::new();
            assert_eq!(block.bytes().as_ptr().addr() % Block::ALIGN, 0);
            assert_eq!((block.fill(&text(BLOCK + 9)), block.room()), (BLOCK, 0));
            assert_eq!(block.bytes().as_ptr().addr() % Block::ALIGN, 0);
            block.clear();
            assert_eq!((block.bytes().len(), block.room()), (0, BLOCK));
        }
    }
}
