//! Writes large files with direct I/O, past the page cache.
//!
//! # Limits
//! Direct I/O needs Linux and a file system that supports it. Other files are written through the page cache. A background thread
//! writes the blocks after the first [`CACHED`] bytes.

use crate::error::ErrorKind::EarlierWrite;
use crate::free_space::FreeSpace;
use std::fs::File;
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

/// Number of bytes at the start of a file that are written through the page cache. Later bytes bypass it.
const CACHED: u64 = 8 << 20;
/// Bytes per write. Direct I/O requires lengths and offsets that are multiples of the disk's block size.
const BLOCK: usize = 2 << 20;
/// Number of buffers per file: one is being filled, one written, one in transit.
const BLOCKS: usize = 3;

/// A file that is written front to back and, if it is large, not read again soon.
///
/// Its pages would evict others from the page cache. Copying each page costs several times what the disk takes to write it.
#[derive(Debug)]
pub(crate) struct OutputFile {
    file: File,
    /// Bytes accepted so far.
    written: u64,
    direct_io: DirectIo,
    room: FreeSpace,
}

/// How the bytes after [`CACHED`] are written.
#[derive(Debug)]
enum DirectIo {
    /// Not decided yet.
    Undecided,
    /// Through the page cache: direct I/O is not supported, or the file is not written front to back.
    Off,
    On(Blocks),
    /// Writing a block failed, and the error was returned.
    Failed,
}

impl OutputFile {
    /// Wraps a new file.
    pub(crate) fn new(file: File) -> Self {
        Self {
            file,
            written: 0,
            direct_io: DirectIo::Undecided,
            room: FreeSpace::new(),
        }
    }

    /// Returns the inode number.
    pub(crate) fn inode(&self) -> io::Result<u64> {
        self.file.metadata().map(|there| there.ino())
    }

    /// Writes everything so far to the disk (fsync).
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.end_direct_io()?;
        self.file.sync_all()
    }

    /// Ends direct I/O if it has begun, and writes the last, partial block.
    fn end_direct_io(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.direct_io, DirectIo::Failed) {
            DirectIo::Failed => return Err(EarlierWrite.into()),
            DirectIo::On(blocks) => {
                let (rest, place) = blocks.finish()?;
                set_direct_io(&self.file, false)?;
                self.file.seek(SeekFrom::Start(place))?;
                self.file.write_all(rest.bytes())?;
            }
            DirectIo::Undecided | DirectIo::Off => {}
        }
        self.direct_io = DirectIo::Off;
        Ok(())
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if matches!(self.direct_io, DirectIo::Undecided) && self.written >= CACHED {
            self.direct_io =
                Blocks::begin(&self.file, self.written).map_or(DirectIo::Off, DirectIo::On);
        }
        let count = match &mut self.direct_io {
            DirectIo::On(blocks) => match blocks.write(bytes) {
                Some(count) => count,
                // The writer thread has ended. `end_direct_io` returns its error.
                None => {
                    return self.end_direct_io().and_then(|()| Err(EarlierWrite.into()));
                }
            },
            // Blocks begin at a multiple of their length.
            DirectIo::Undecided => {
                let most = usize::try_from(CACHED - self.written).unwrap_or(bytes.len());
                self.file.write(&bytes[..bytes.len().min(most)])?
            }
            DirectIo::Off => self.file.write(bytes)?,
            DirectIo::Failed => return Err(EarlierWrite.into()),
        };
        self.written += count as u64;
        self.room.wrote(count as u64, &self.file)?;
        Ok(count)
    }

    /// Does nothing: data need not be on the disk before [`OutputFile::sync`].
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for OutputFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.end_direct_io()?;
        self.file.seek(position)
    }
}

/// The blocks of a file and the thread that writes them.
#[derive(Debug)]
struct Blocks {
    /// The block that is being filled.
    block: AlignedBuffer,
    /// Its offset in the file.
    place: u64,
    full: SyncSender<(AlignedBuffer, u64)>,
    empty: Receiver<AlignedBuffer>,
    writer: JoinHandle<io::Result<()>>,
}

impl Blocks {
    /// Starts the writer thread at an offset. Returns None if the file system does not support direct I/O.
    fn begin(file: &File, place: u64) -> Option<Self> {
        let (full, to_write) = sync_channel::<(AlignedBuffer, u64)>(BLOCKS);
        let (written, empty) = sync_channel(BLOCKS);
        for _ in 1..BLOCKS {
            written.send(AlignedBuffer::new()).ok()?;
        }
        let own = file.try_clone().ok()?;
        set_direct_io(file, true).ok()?;
        let write = move || {
            for (mut block, place) in to_write {
                write_at(&own, block.bytes(), place)?;
                block.clear();
                // The receiver is gone at the end of the file.
                let _ = written.send(block);
            }
            Ok(())
        };
        match thread::Builder::new()
            .name("output".to_owned())
            .spawn(write)
        {
            Ok(writer) => Some(Self {
                block: AlignedBuffer::new(),
                place,
                full,
                empty,
                writer,
            }),
            Err(_) => set_direct_io(file, false).ok().and(None),
        }
    }

    /// Returns the number of bytes accepted, or None if the writer thread has ended.
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

    /// Waits until all full blocks are written. Returns the last, partial block and its offset.
    fn finish(self) -> io::Result<(AlignedBuffer, u64)> {
        drop(self.full);
        match self.writer.join() {
            Ok(written) => written.map(|()| (self.block, self.place)),
            Err(_) => Err(EarlierWrite.into()),
        }
    }
}

/// A buffer that is aligned for direct I/O.
#[derive(Debug)]
struct AlignedBuffer {
    bytes: Vec<u8>,
    /// Bytes before the first aligned address.
    skip: usize,
}

impl AlignedBuffer {
    /// No disk has larger blocks.
    const ALIGN: usize = 4096;

    fn new() -> Self {
        let mut bytes: Vec<u8> = Vec::with_capacity(BLOCK + Self::ALIGN);
        // The allocation never moves: the buffer never grows past its capacity.
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

    /// Copies as many bytes as fit, and returns their number.
    fn fill(&mut self, bytes: &[u8]) -> usize {
        let count = bytes.len().min(self.room());
        self.bytes.extend_from_slice(&bytes[..count]);
        count
    }

    fn clear(&mut self) {
        self.bytes.truncate(self.skip);
    }
}

/// Writes all bytes. Falls back to the page cache if direct I/O fails: blocks of an odd size, or a full disk.
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
                set_direct_io(file, false)?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Turns direct I/O on or off for a file. Returns an error if it is not supported.
#[cfg(target_os = "linux")]
fn set_direct_io(file: &File, wanted: bool) -> io::Result<()> {
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
fn set_direct_io(_: &File, wanted: bool) -> io::Result<()> {
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

    /// Returns bytes in which no block repeats.
    fn text(length: usize) -> Vec<u8> {
        (0..length)
            .map(|at| (at % 251 + at / BLOCK) as u8)
            .collect()
    }

    #[test]
    fn direct_and_cached_writes_give_the_same_file() {
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
                let mut output = OutputFile::new(File::create(&path).unwrap());
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
    fn written_bytes_can_be_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let whole = text(CACHED as usize + 2 * BLOCK + 7);
        let mut output = OutputFile::new(File::create(&path).unwrap());
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
    fn write_error_is_returned_and_persists() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        fs::write(&path, b"").unwrap();
        // Opened for reading only, so that every write fails.
        let mut output = OutputFile::new(File::open(&path).unwrap());
        output.written = CACHED;
        let block = text(BLOCK);
        // The first error of the writer thread reaches the writes when no buffer is left.
        assert!((0..=BLOCKS).any(|_| output.write_all(&block).is_err()));
        let is_direct = !matches!(output.direct_io, DirectIo::Off);
        for _ in 0..2 {
            assert!(output.write_all(&block).is_err());
            // Nothing is lost in a page cache that took nothing.
            assert_eq!(output.sync().is_err(), is_direct);
        }
    }

    #[test]
    fn blocks_are_aligned() {
        for _ in 0..BLOCKS {
            let mut block = AlignedBuffer::new();
            assert_eq!(block.bytes().as_ptr().addr() % AlignedBuffer::ALIGN, 0);
            assert_eq!((block.fill(&text(BLOCK + 9)), block.room()), (BLOCK, 0));
            assert_eq!(block.bytes().as_ptr().addr() % AlignedBuffer::ALIGN, 0);
            block.clear();
            assert_eq!((block.bytes().len(), block.room()), (0, BLOCK));
        }
    }
}
