//! Files of one message each: a single one, a folder tree of `.eml` files, a Maildir.
//!
//! The tree is walked in the order of its names; every folder and every file that is no message is an entry too, so that
//! the tree can be made again. After an error the walk goes on behind the file or folder that could not be read.
//!
//! # Limits
//! Symbolic links, sockets and pipes are not followed: the event `box.gap` names them. The names of one folder are held in memory,
//! about 100 bytes each. Owners, permissions and times of files are not kept.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::mbox::looks_like_message;
use crate::replace::with_path;
use crate::source::{is_apple_folder, is_eml, mailbox_file};
use crate::{
    Batch, BoxEvent, BoxEventKind, Entry, EntryKind, Flags, Format, Profile, Quoting, ReadOptions, Source,
    maildir,
};

/// Bytes of one piece of a file that comes in pieces.
const PIECE: u64 = 1 << 20;
/// Entries of a batch, however small they are.
const ENTRIES: usize = 1024;

/// A folder, or one file, as a [`Source`].
pub(crate) struct Files {
    root: PathBuf,
    format: Format,
    profile: Profile,
    size: Option<u64>,
    options: ReadOptions,
    /// What is still to be read, last first.
    work: Vec<Work>,
    reading: Option<Reading>,
    ordinal: u64,
    changed: bool,
    /// Folders that were listed, with their modification times.
    listed: Vec<(PathBuf, Option<SystemTime>)>,
    /// Found when the root was listed.
    events: Vec<BoxEvent>,
    /// Waits until the entries before it are given out.
    failed: Option<io::Error>,
}

/// A path below the root, with `/`; empty for the root.
type Name = Vec<u8>;

enum Work {
    /// A folder whose entry is given out and whose files are listed.
    Folder(Name),
    /// A folder whose entry only is given out.
    FolderAlone(Name),
    File(Name, EntryKind),
}

/// A file that is being read.
struct Reading {
    file: File,
    path: PathBuf,
    name: Name,
    kind: EntryKind,
    offset: u64,
    size: u64,
    modified: Option<SystemTime>,
}

impl Files {
    /// Walks a Maildir or a tree of `.eml` files.
    pub(crate) fn folder(root: &Path, format: Format, options: &ReadOptions) -> io::Result<Self> {
        let dialect = match format {
            Format::Maildir if maildir::has_dotted_folders(root) => "Maildir++",
            Format::Maildir => "Maildir",
            _ => "eml tree",
        };
        let mut files = Self::new(root, format, dialect, options);
        let mut first = Vec::new();
        files.list(b"", &mut first)?;
        files.events = first;
        Ok(files)
    }

    /// Reads one file as one message.
    pub(crate) fn single(path: &Path, options: &ReadOptions) -> io::Result<Self> {
        let metadata = fs::metadata(path).map_err(|error| with_path(path, &error))?;
        let mut files = Self::new(path, Format::Eml, "single message", options);
        files.size = Some(metadata.len());
        files.work.push(Work::File(Vec::new(), EntryKind::Message));
        Ok(files)
    }

    fn new(root: &Path, format: Format, dialect: &str, options: &ReadOptions) -> Self {
        Self {
            root: root.to_owned(),
            format,
            profile: Profile { dialect: dialect.to_owned(), line_end: "as in each message" },
            size: None,
            options: *options,
            work: Vec::new(),
            reading: None,
            ordinal: 0,
            changed: false,
            listed: Vec::new(),
            events: Vec::new(),
            failed: None,
        }
    }

    fn path(&self, name: &[u8]) -> PathBuf {
        if name.is_empty() { self.root.clone() } else { self.root.join(OsStr::from_bytes(name)) }
    }

    /// Plans the files of a folder.
    fn list(&mut self, folder: &[u8], events: &mut Vec<BoxEvent>) -> io::Result<()> {
        let path = self.path(folder);
        let modified = fs::metadata(&path).and_then(|metadata| metadata.modified()).ok();
        let (files, folders) = self.names(folder, events)?;
        self.listed.push((path.clone(), modified));
        let mut plan = Vec::new();
        if self.format == Format::Maildir {
            plan.extend(files.into_iter().map(|name| Work::File(name, EntryKind::Other)));
            let is_folder = maildir::is_folder(&path);
            let mut messages = Vec::new();
            let mut rest = Vec::new();
            for name in folders {
                if !(is_folder && matches!(last(&name), b"cur" | b"new")) {
                    rest.push(name);
                    continue;
                }
                let path = self.path(&name);
                let modified = fs::metadata(&path).and_then(|metadata| metadata.modified()).ok();
                let (files, below) = self.names(&name, events)?;
                self.listed.push((path, modified));
                messages.extend(files);
                rest.extend(below);
                plan.push(Work::FolderAlone(name));
            }
            messages.sort_by(|a, b| last(a).cmp(last(b)).then_with(|| a.cmp(b)));
            plan.extend(messages.into_iter().map(|name| Work::File(name, EntryKind::Message)));
            plan.extend(rest.into_iter().map(Work::Folder));
        } else {
            for name in files {
                let path = self.path(&name);
                if is_eml(&path) {
                    plan.push(Work::File(name, EntryKind::Message));
                } else if !mailbox_file(&path)? {
                    plan.push(Work::File(name, EntryKind::Other));
                }
            }
            // Archives of their own are found beside the tree.
            let own = |path: &Path| is_apple_folder(path) || maildir::is_root(path);
            plan.extend(folders.into_iter().filter(|name| !own(&self.path(name))).map(Work::Folder));
        }
        self.work.extend(plan.into_iter().rev());
        Ok(())
    }

    /// The files and the folders in a folder, each in the order of their names.
    fn names(&self, folder: &[u8], events: &mut Vec<BoxEvent>) -> io::Result<(Vec<Name>, Vec<Name>)> {
        let path = self.path(folder);
        let failed = |error: io::Error| with_path(&path, &error);
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(&path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let mut name = folder.to_vec();
            if !name.is_empty() {
                name.push(b'/');
            }
            name.extend_from_slice(entry.file_name().as_bytes());
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() {
                folders.push(name);
            } else if kind.is_file() {
                files.push(name);
            } else {
                let what = if kind.is_symlink() { "symbolic link" } else { "special file" };
                let detail = format!("{what} not followed: {}", String::from_utf8_lossy(&name));
                events.push(BoxEvent { kind: BoxEventKind::Gap, offset: 0, detail });
            }
        }
        files.sort();
        folders.sort();
        events.sort_by(|a, b| a.detail.cmp(&b.detail));
        Ok((files, folders))
    }

    /// Does the next piece of work.
    fn step(&mut self, batch: &mut Batch) -> io::Result<()> {
        if let Some(reading) = self.reading.take() {
            return self.read_on(reading, batch);
        }
        match self.work.pop() {
            Some(Work::FolderAlone(name)) => self.push(batch, EntryKind::Directory, &name, 0, false, 0),
            Some(Work::Folder(name)) => {
                self.push(batch, EntryKind::Directory, &name, 0, false, 0);
                self.list(&name, &mut batch.events)?;
            }
            Some(Work::File(name, kind)) => {
                let path = self.path(&name);
                let file = File::open(&path).map_err(|error| with_path(&path, &error))?;
                let metadata = file.metadata().map_err(|error| with_path(&path, &error))?;
                let (size, modified) = (metadata.len(), metadata.modified().ok());
                let reading = Reading { file, path, name, kind, offset: 0, size, modified };
                self.read_on(reading, batch)?;
            }
            None => {}
        }
        Ok(())
    }

    /// Reads a file, or the next piece of it.
    fn read_on(&mut self, mut reading: Reading, batch: &mut Batch) -> io::Result<()> {
        let limit = self.options.message_limit.max(1) as u64;
        if reading.kind == EntryKind::Message && reading.size > limit {
            reading.kind = EntryKind::Oversize;
            let detail = format!("beyond {limit} bytes {}", String::from_utf8_lossy(&reading.name));
            let detail = detail.trim_end().to_owned();
            batch.events.push(BoxEvent { kind: BoxEventKind::TooLarge, offset: 0, detail });
        }
        let whole = reading.kind == EntryKind::Message;
        let left = reading.size - reading.offset;
        let wanted = if whole { left } else { left.min(PIECE.min(limit)) };
        let start = batch.bytes.len();
        batch.bytes.reserve(wanted as usize + 1);
        let read = reading.file.by_ref().take(wanted).read_to_end(&mut batch.bytes);
        let mut read = match read {
            Ok(read) => read,
            Err(error) => {
                batch.bytes.truncate(start);
                return Err(with_path(&reading.path, &error));
            }
        };
        let shrunk = (read as u64) < wanted;
        let mut more = !shrunk && reading.offset + (read as u64) < reading.size;
        if more
            && reading.kind == EntryKind::Oversize
            && let Some(line_end) = memchr::memrchr(b'\n', &batch.bytes[start..])
            && line_end + 1 < read
        {
            reading.file.seek(SeekFrom::Current(line_end as i64 + 1 - read as i64))?;
            read = line_end + 1;
            batch.bytes.truncate(start + read);
        }
        if self.format == Format::Eml
            && reading.offset == 0
            && !looks_like_message(&batch.bytes[start..])
            && reading.size > 0
        {
            let detail = "does not begin like a message".to_owned();
            batch.events.push(BoxEvent { kind: BoxEventKind::Single, offset: 0, detail });
        }
        let now = reading.file.metadata()?;
        if shrunk || now.len() != reading.size || now.modified().ok() != reading.modified {
            self.changed = true;
            more = more && !shrunk;
        }
        self.push(batch, reading.kind, &reading.name, reading.offset, more, read);
        if more {
            reading.offset += read as u64;
            self.reading = Some(reading);
        } else if reading.kind != EntryKind::Other {
            self.ordinal += 1;
        }
        Ok(())
    }

    /// Adds an entry whose bytes are the last ones of the batch.
    fn push(&self, batch: &mut Batch, kind: EntryKind, name: &[u8], offset: u64, more: bool, length: usize) {
        let span = batch.bytes.len() - length..batch.bytes.len();
        let is_message = matches!(kind, EntryKind::Message | EntryKind::Oversize);
        let folder = name.iter().rposition(|&byte| byte == b'/').map(|at| &name[..at]).unwrap_or_default();
        let folder = match self.format {
            Format::Maildir if is_message => {
                let above = folder.iter().rposition(|&byte| byte == b'/').map_or(0, |at| at);
                maildir::folder_name(&folder[..above], self.options.decode_name)
            }
            _ => String::from_utf8_lossy(folder).into_owned(),
        };
        let flags = match self.format {
            Format::Maildir if is_message => maildir::flags(last(name)),
            _ => Flags::default(),
        };
        batch.entries.push(Entry {
            kind,
            more,
            ordinal: self.ordinal,
            offset,
            message: span.clone(),
            span,
            quoting: Quoting::None,
            flags,
            name: name.to_vec(),
            folder,
        });
    }
}

impl Source for Files {
    fn next(&mut self, batch: &mut Batch) -> io::Result<bool> {
        batch.bytes.clear();
        batch.entries.clear();
        batch.events.clear();
        batch.events.append(&mut self.events);
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        while (batch.bytes.len() < self.options.batch.max(1) && batch.entries.len() < ENTRIES)
            && (self.reading.is_some() || !self.work.is_empty())
        {
            if let Err(error) = self.step(batch) {
                if batch.entries.is_empty() {
                    return Err(error);
                }
                self.failed = Some(error);
                break;
            }
        }
        Ok(!batch.entries.is_empty() || !batch.events.is_empty())
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn size_hint(&self) -> Option<u64> {
        self.size
    }

    fn changed(&self) -> io::Result<bool> {
        let moved = |(path, then): &(PathBuf, Option<SystemTime>)| {
            fs::metadata(path).and_then(|metadata| metadata.modified()).ok() != *then
        };
        Ok(self.changed || self.listed.iter().any(moved))
    }
}

/// The last component of a path.
fn last(name: &[u8]) -> &[u8] {
    name.iter().rposition(|&byte| byte == b'/').map_or(name, |at| &name[at + 1..])
}
