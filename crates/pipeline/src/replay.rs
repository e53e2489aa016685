//! Replays the records of a ledger: reads the next bytes of an output, writes the next bytes of a source.
//!
//! # Limits
//!
//! Does not restore permissions, owners and links, and of times only those of messages that are files in source and output.

use crate::error::Mismatch;
use crate::hash::ArchiveHash;
use crate::large_message::LARGE;
use crate::message_file_names;
use crate::rebuild_in_place::rebuild_in_place;
use crate::restore_quoting::rebuild_to;
use mailglot_archive::ledger::{Archived, Body, Change, MessageRecord, Old, RawKind, Record};
use mailglot_archive::replace::Replacement;
use mailglot_archive::{Error as FileError, FileMode, Operation, open_input};
use mailglot_mime::{OldBytes, Recipe, Span, Undo};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

/// Size of the buffer for an archive that is one file, in bytes.
const BUFFER: usize = 256 << 10;
/// Size of the buffer for a file of a folder. Memory of this size is allocated without asking the system.
const FILE_BUFFER: usize = 16 << 10;

/// The reason why a source cannot be rebuilt.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The output cannot be read.
    Output(FileError),
    /// The source cannot be written.
    Original(FileError),
    /// Output and ledger contradict each other.
    Mismatch(Mismatch),
}

/// The target of a rebuilt source.
pub(crate) enum ReplayTarget<'a> {
    /// None: only the digest is computed.
    Nowhere,
    /// This file.
    File(&'a mut Replacement),
    /// A new file or folder.
    Place(PathBuf),
}

/// A source that is being rebuilt.
pub(crate) struct Replay<'a> {
    output: OutputSide,
    source: SourceSide<'a>,
    buffer: Vec<u8>,
    /// Number of messages rebuilt.
    pub(crate) messages: u64,
    /// Number of those that are in the ledger only, since the normalization dropped them on request.
    pub(crate) dropped: u64,
}

impl<'a> Replay<'a> {
    /// Starts to rebuild a source from the output at `output`, or from the ledger alone without an output.
    pub(crate) fn new(
        source: &Archived,
        from: &Archived,
        output: Option<PathBuf>,
        target: ReplayTarget<'a>,
        mode: FileMode,
    ) -> Result<Self, Fault> {
        let mut replay = Self {
            output: OutputSide::new(from.folder, output),
            source: SourceSide::new(source, target, mode)?,
            buffer: Vec::new(),
            messages: 0,
            dropped: 0,
        };
        replay.output.begin()?;
        Ok(replay)
    }

    /// Executes a record. Returns the number of source bytes written.
    pub(crate) fn step(&mut self, record: &Record<'_>) -> Result<u64, Fault> {
        let before = self.source.bytes;
        match record {
            Record::Source(_) => return Err(Fault::Mismatch(Mismatch::SourceTwice)),
            Record::File(name) => self.source.file(name)?,
            Record::Directory(name) => self.source.directory(name)?,
            Record::OutFile(name) => {
                self.output.file(name)?;
                self.source.modified = self.output.modified;
            }
            Record::Same { messages, bytes } => {
                self.messages += messages;
                self.same(*bytes)?;
            }
            Record::Raw { kind, bytes } => {
                let is_dropped = *kind == RawKind::Dropped;
                self.dropped += u64::from(is_dropped);
                self.messages += u64::from(is_dropped || *kind == RawKind::SetAside);
                self.source.write(bytes)?;
            }
            Record::Note(_) => {}
            Record::Message(message) => {
                self.messages += u64::from(!message.continued);
                self.message(message)?;
            }
        }
        Ok(self.source.bytes - before)
    }

    /// Returns the number of unused bytes in the current file of the output.
    pub(crate) fn left(&self) -> u64 {
        self.output.left
    }

    /// Returns the fault for a record that needs more bytes than that.
    pub(crate) fn too_short(&self) -> Fault {
        self.output.too_short()
    }

    /// Checks that the output was used and that source and output match the footer. Returns the number of files in an output folder that
    /// do not belong to it.
    pub(crate) fn finish(self, source: &Archived, from: &Archived) -> Result<u64, Fault> {
        let (messages, written) = (self.messages, self.source.bytes);
        let root = self.output.root.clone().filter(|_| from.folder);
        let used = self.output.files;
        let (read, output) = self.output.finish()?;
        let rebuilt = self.source.finish()?;
        if output != from.blake3 || read != from.bytes {
            let altered = root.as_deref().and_then(altered);
            return Err(Fault::Mismatch(Mismatch::OtherArchive(altered)));
        }
        if rebuilt != source.blake3 || written != source.bytes || messages != source.messages {
            return Err(Fault::Mismatch(Mismatch::OtherSource));
        }
        Ok(root.map_or(0, |root| files_in(&root).saturating_sub(used)))
    }

    fn same(&mut self, bytes: u64) -> Result<(), Fault> {
        const PIECE: u64 = 1 << 18;
        let mut left = bytes;
        while left > 0 {
            self.output.take(left.min(PIECE), &mut self.buffer)?;
            self.source.write(&self.buffer)?;
            left -= self.buffer.len() as u64;
        }
        Ok(())
    }

    fn message(&mut self, message: &MessageRecord<'_>) -> Result<(), Fault> {
        let [separator, body, trailer] = message.out;
        self.around(message.separator, separator)?;
        self.output.take(body, &mut self.buffer)?;
        match &message.body {
            Body::Same => self.source.write(&self.buffer)?,
            Body::Whole(old) => self.source.write(old)?,
            Body::Undo { requote, changes } => {
                let undo: Option<Vec<_>> = changes.iter().map(undo).collect();
                let path = self.output.path.clone();
                let misfit = || Fault::Mismatch(Mismatch::EditOutside(path.clone()));
                let mut put = |old: &[u8]| self.source.write(old);
                let undo = undo.ok_or_else(misfit)?;
                let (buffer, midline) = (&mut self.buffer, message.midline);
                let fits = if buffer.len() < LARGE || midline {
                    rebuild_to(buffer, midline, requote, &undo, &mut put)?
                } else {
                    rebuild_in_place(buffer, requote, &undo, &mut put)?
                };
                if !fits {
                    return Err(misfit());
                }
            }
        }
        self.around(message.trailer, trailer)?;
        self.buffer.shrink_to(8 << 20);
        Ok(())
    }

    /// Writes a separator or trailer: the original one, or that of the output.
    fn around(&mut self, old: Option<&[u8]>, len: u64) -> Result<(), Fault> {
        self.output.take(len, &mut self.buffer)?;
        self.source.write(old.unwrap_or(&self.buffer))
    }
}

fn undo(change: &Change<'_>) -> Option<Undo> {
    let start = usize::try_from(change.start).ok()?;
    let end = start.checked_add(usize::try_from(change.len).ok()?)?;
    let old = match change.old {
        Old::Bytes(bytes) => OldBytes::Kept(bytes.to_vec()),
        Old::Recipe(bytes) => OldBytes::Computed(Recipe::from_bytes(bytes)),
    };
    Some(Undo::new(Span::new(start, end), old))
}

/// An output that is read front to back.
struct OutputSide {
    folder: bool,
    /// None if there is no output.
    root: Option<PathBuf>,
    path: PathBuf,
    file: Option<BufReader<File>>,
    /// Modification time of the file.
    modified: Option<SystemTime>,
    /// Bytes of the file not yet used. The maximum for streams without a length.
    left: u64,
    hash: ArchiveHash,
    bytes: u64,
    /// Number of files of a folder that were opened.
    files: u64,
    /// The last folder searched, and its messages by name without flags.
    renamed: (PathBuf, HashMap<Vec<u8>, PathBuf>),
}

impl OutputSide {
    fn new(folder: bool, root: Option<PathBuf>) -> Self {
        Self {
            folder,
            path: root.clone().unwrap_or_default(),
            root,
            file: None,
            modified: None,
            left: 0,
            hash: ArchiveHash::quick(folder),
            bytes: 0,
            files: 0,
            renamed: Default::default(),
        }
    }

    fn begin(&mut self) -> Result<(), Fault> {
        match &self.root {
            Some(root) if !self.folder => self.open(root.clone()),
            _ => Ok(()),
        }
    }

    fn file(&mut self, name: &[u8]) -> Result<(), Fault> {
        self.end_file()?;
        let path = self
            .root
            .as_deref()
            .and_then(|root| below(root, name))
            .filter(|_| self.folder);
        let path = path.ok_or(Fault::Mismatch(Mismatch::ImpossibleName))?;
        self.hash.file(name);
        self.files += 1;
        match open_input(&path) {
            Ok(file) => self.read(path, file, FILE_BUFFER),
            Err(error) => match self.with_other_flags(&path) {
                Some(there) => self.open(there),
                None => Err(Fault::Output(error)),
            },
        }
    }

    /// Finds a message of a Maildir whose flags, and therefore name, a mail program changed.
    fn with_other_flags(&mut self, path: &Path) -> Option<PathBuf> {
        let folder = path.parent()?;
        if self.renamed.0 != folder {
            let mut names = HashMap::new();
            for item in fs::read_dir(folder).ok()?.flatten() {
                names.insert(without_flags(&item.path())?, item.path());
            }
            self.renamed = (folder.to_owned(), names);
        }
        self.renamed.1.get(&without_flags(path)?).cloned()
    }

    fn open(&mut self, path: PathBuf) -> Result<(), Fault> {
        let file = open_input(&path).map_err(Fault::Output)?;
        self.read(path, file, BUFFER)
    }

    /// Begins to read a file.
    fn read(&mut self, path: PathBuf, file: File, buffer: usize) -> Result<(), Fault> {
        self.path = path;
        let metadata = file.metadata().map_err(|error| self.error(error))?;
        self.modified = metadata.modified().ok();
        self.left = if metadata.is_file() {
            metadata.len()
        } else {
            u64::MAX
        };
        self.file = Some(BufReader::with_capacity(buffer, file));
        Ok(())
    }

    /// Fills `buffer` with exactly `len` bytes.
    fn take(&mut self, len: u64, buffer: &mut Vec<u8>) -> Result<(), Fault> {
        buffer.clear();
        if len == 0 {
            return Ok(());
        }
        let Some(file) = &mut self.file else {
            return Err(self.too_short());
        };
        if let Err(error) = file.take(len).read_to_end(buffer) {
            return Err(self.error(error));
        }
        if buffer.len() as u64 != len {
            return Err(self.too_short());
        }
        self.hash.update(buffer);
        self.bytes += len;
        self.left = self.left.saturating_sub(len);
        Ok(())
    }

    fn too_short(&self) -> Fault {
        if self.file.is_none() {
            return Fault::Mismatch(Mismatch::NoFileToRead);
        }
        Fault::Mismatch(Mismatch::TooShort(self.path.clone()))
    }

    fn end_file(&mut self) -> Result<(), Fault> {
        self.left = 0;
        let Some(mut file) = self.file.take() else {
            return Ok(());
        };
        match file.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(Fault::Mismatch(Mismatch::TooLong(self.path.clone()))),
            Err(error) => Err(self.error(error)),
        }
    }

    fn finish(mut self) -> Result<(u64, [u8; 32]), Fault> {
        self.end_file()?;
        Ok((self.bytes, self.hash.finish()))
    }

    fn error(&self, error: io::Error) -> Fault {
        Fault::Output(FileError::new(&self.path, Operation::Read, error))
    }
}

/// A source that is written front to back.
struct SourceSide<'a> {
    folder: bool,
    /// Permissions of new files.
    mode: FileMode,
    /// The folder, if one is written.
    root: Option<PathBuf>,
    /// The folder of the last file, opened: a name is found faster there than by its whole path.
    parent: Option<(PathBuf, File)>,
    /// Path for error messages.
    path: PathBuf,
    file: Option<Box<dyn Write + 'a>>,
    /// The file, if it is one of a folder, to set its time.
    handle: Option<File>,
    /// Modification time of the output's file of the same message.
    modified: Option<SystemTime>,
    nowhere: bool,
    hash: ArchiveHash,
    bytes: u64,
    /// Number of bytes according to the ledger.
    promised: u64,
}

impl<'a> SourceSide<'a> {
    fn new(source: &Archived, target: ReplayTarget<'a>, mode: FileMode) -> Result<Self, Fault> {
        let (folder, promised) = (source.folder, source.bytes);
        let mut side = Self {
            folder,
            mode,
            root: None,
            parent: None,
            path: PathBuf::new(),
            file: None,
            handle: None,
            modified: None,
            nowhere: false,
            hash: ArchiveHash::new(folder),
            bytes: 0,
            promised,
        };
        match target {
            ReplayTarget::Nowhere => side.nowhere = true,
            ReplayTarget::File(file) => {
                file.path().clone_into(&mut side.path);
                side.file = Some(Box::new(file));
            }
            ReplayTarget::Place(path) if folder => {
                mode.create_dir_all(&path).map_err(original(&path))?;
                side.root = Some(path);
            }
            ReplayTarget::Place(path) => {
                if let Some(parent) = path.parent() {
                    mode.create_dir_all(parent).map_err(original(&path))?;
                }
                side.create(path)?;
            }
        }
        Ok(side)
    }

    fn file(&mut self, name: &[u8]) -> Result<(), Fault> {
        self.end_file()?;
        self.hash.file(name);
        if let Some(path) = self.below(name)? {
            self.path = path;
            let file = self.new_file().map_err(|error| self.error(error))?;
            self.handle = file.try_clone().ok();
            self.file = Some(Box::new(BufWriter::with_capacity(FILE_BUFFER, file)));
        }
        Ok(())
    }

    /// Creates the file at the current path, and its folder unless it exists.
    fn new_file(&mut self) -> io::Result<File> {
        let (Some(parent), Some(name)) = (self.path.parent(), self.path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let opened = match self.parent.take() {
            Some(opened) if opened.0 == parent => opened,
            _ => {
                self.mode.create_dir_all(parent)?;
                (parent.to_owned(), File::open(parent)?)
            }
        };
        self.mode
            .create_file_in(&self.parent.insert(opened).1, name)
    }

    fn directory(&mut self, name: &[u8]) -> Result<(), Fault> {
        self.end_file()?;
        self.hash.directory(name);
        if let Some(path) = self.below(name)? {
            let made = self.mode.create_dir_all(&path);
            made.map_err(|error| self.error(error))?;
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        if self.bytes > self.promised {
            return Err(Fault::Mismatch(Mismatch::OtherSource));
        }
        match &mut self.file {
            Some(file) => file.write_all(bytes).map_err(|error| self.error(error)),
            None if !self.nowhere && !bytes.is_empty() => {
                Err(Fault::Mismatch(Mismatch::NoFileToWrite))
            }
            None => Ok(()),
        }
    }

    fn finish(mut self) -> Result<[u8; 32], Fault> {
        self.end_file()?;
        Ok(self.hash.finish())
    }

    fn create(&mut self, path: PathBuf) -> Result<(), Fault> {
        self.path = path;
        let file = self.mode.create_file(&self.path);
        let file = file.map_err(|error| self.error(error))?;
        self.file = Some(Box::new(BufWriter::with_capacity(BUFFER, file)));
        Ok(())
    }

    fn end_file(&mut self) -> Result<(), Fault> {
        let (handle, modified) = (self.handle.take(), self.modified.take());
        let Some(mut file) = self.file.take() else {
            return Ok(());
        };
        file.flush().map_err(|error| self.error(error))?;
        if let (Some(handle), Some(modified)) = (handle, modified) {
            // Some file systems refuse times.
            let _ = handle.set_modified(modified);
        }
        Ok(())
    }

    /// Returns the path of a file or folder. None if nothing is written.
    fn below(&self, name: &[u8]) -> Result<Option<PathBuf>, Fault> {
        let impossible = || Fault::Mismatch(Mismatch::ImpossibleName);
        if !self.folder {
            return Err(impossible());
        }
        let Some(root) = &self.root else {
            return Ok(None);
        };
        below(root, name).map(Some).ok_or_else(impossible)
    }

    fn error(&self, error: io::Error) -> Fault {
        Fault::Original(FileError::new(&self.path, Operation::Write, error))
    }
}

/// Returns a function that builds the fault of restoring to `path`.
fn original(path: &Path) -> impl Fn(io::Error) -> Fault {
    move |error| Fault::Original(FileError::new(path, Operation::Create, error))
}

/// Returns the first file of an output folder whose content differs from the digest in its name.
///
/// Ignores large files, whose names may have the digest of the first piece only.
fn altered(root: &Path) -> Option<PathBuf> {
    const LONGEST: u64 = 1 << 20;
    let (mut found, mut folders) = (None::<PathBuf>, vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let Ok(there) = entry.metadata() else {
                continue;
            };
            if there.is_dir() {
                folders.push(path);
            } else if there.is_file()
                && there.len() < LONGEST
                && found.as_ref().is_none_or(|first| path < *first)
                && fs::read(&path).is_ok_and(|content| {
                    message_file_names::is_altered(&name.to_string_lossy(), &content)
                })
            {
                found = Some(path);
            }
        }
    }
    found
}

/// Counts the files of a folder and of the folders below it. Ignores those that cannot be listed.
fn files_in(root: &Path) -> u64 {
    let (mut files, mut folders) = (0, vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => files += 1,
                _ => {}
            }
        }
    }
    files
}

/// Returns a path below a folder, or None for a name that leaves it.
pub(crate) fn below(root: &Path, name: &[u8]) -> Option<PathBuf> {
    let name = native(name)?;
    let plain = name
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    (plain && !name.as_os_str().is_empty()).then(|| root.join(name))
}

/// Returns the file name before `:2,`.
fn without_flags(path: &Path) -> Option<Vec<u8>> {
    let name = path.file_name()?.as_encoded_bytes();
    let end = memchr::memmem::rfind(name, b":2,").unwrap_or(name.len());
    Some(name[..end].to_vec())
}

fn native(name: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    (!name.contains(&0)).then(|| PathBuf::from(std::ffi::OsStr::from_bytes(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_below_their_folder() {
        let root = Path::new("r");
        assert_eq!(
            below(root, b"cur/1:2,S"),
            Some(PathBuf::from("r/cur/1:2,S"))
        );
        for bad in [
            &b""[..],
            b"/etc/x",
            b"../x",
            b"a/../../x",
            b"..",
            b"a\0b",
            b"./a",
        ] {
            assert_eq!(below(root, bad), None, "{bad:?}");
        }
    }
}
