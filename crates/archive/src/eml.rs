//! Files of one message each: a single one, a folder tree of `.eml` files and of numbers (MH), a Maildir.
//!
//! The tree is walked in the order of its names, numbers first and by their value; every folder and every file that is no message is an entry too, so that
//! the tree can be made again. After an error the walk goes on behind the file or folder that could not be read.
//!
//! # Limits
//! Symbolic links, sockets and pipes are not followed: the event `box.not-followed` names them, as `box.no-mail` does files that are no
//! mail. The names of one folder are held in memory,
//! about 100 bytes each. Owners, permissions and times of files are not kept.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::file_names::is_eml;
use crate::mbox::{looks_like_message, separators, single_detail};
use crate::mh::{self, Sequences};
use crate::packed::{Packing, beginning};
use crate::recognize::{FileKind, left_alone, no_mail, not_followed};
use crate::regular::{self, open_input};
use crate::replace::with_path;
use crate::{
    Batch, BoxEvent, BoxEventKind, Entry, EntryKind, Flags, Format, Profile, Quoting, ReadOptions,
    Source, mail_check, maildir,
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
    /// Of the folder that was listed last, whose files come next.
    sequences: Option<Sequences>,
    /// Folders of messages, with their display form.
    folders: HashMap<Name, String>,
    /// What becomes of them, with the folder.
    written: HashMap<String, Name>,
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
        regular::check(path, &metadata).map_err(|error| with_path(path, &error))?;
        let mut files = Self::new(path, Format::Eml, "single message", options);
        files.size = Some(metadata.len());
        files.work.push(Work::File(Vec::new(), EntryKind::Message));
        if metadata.is_file() {
            let mut file = open_input(path).map_err(|error| with_path(path, &error))?;
            if !options.force_format {
                let start = beginning(&mut file, mail_check::BEGINNING);
                if !mail_check::is_mail(&start.map_err(|error| with_path(path, &error))?) {
                    return Err(with_path(path, &mail_check::refused()));
                }
            }
            let looked = separators(&file, metadata.len());
            let (lines, offset) = looked.map_err(|error| with_path(path, &error))?;
            if lines > 0 {
                let detail = single_detail(lines);
                files.events.push(BoxEvent {
                    kind: BoxEventKind::Single,
                    offset,
                    detail,
                    name: Vec::new(),
                });
            }
        }
        Ok(files)
    }

    fn new(root: &Path, format: Format, dialect: &str, options: &ReadOptions) -> Self {
        Self {
            root: root.to_owned(),
            format,
            profile: Profile {
                dialect: dialect.to_owned(),
                line_end: "as in each message",
            },
            size: None,
            options: *options,
            work: Vec::new(),
            reading: None,
            ordinal: 0,
            changed: false,
            listed: Vec::new(),
            events: Vec::new(),
            sequences: None,
            folders: HashMap::new(),
            written: HashMap::new(),
            failed: None,
        }
    }

    fn path(&self, name: &[u8]) -> PathBuf {
        if name.is_empty() {
            self.root.clone()
        } else {
            self.root.join(OsStr::from_bytes(name))
        }
    }

    /// Plans the files of a folder.
    fn list(&mut self, folder: &[u8], events: &mut Vec<BoxEvent>) -> io::Result<()> {
        let path = self.path(folder);
        let modified = fs::metadata(&path)
            .and_then(|metadata| metadata.modified())
            .ok();
        let (files, folders) = self.names(folder, events)?;
        self.listed.push((path.clone(), modified));
        let mut plan = Vec::new();
        let mut messages = Vec::new();
        if self.format != Format::Maildir {
            let sequences = path.join(mh::SEQUENCES);
            // A link is not followed, and what cannot be read is told when its turn comes.
            let is_there = sequences
                .symlink_metadata()
                .is_ok_and(|there| there.is_file());
            self.sequences = if is_there {
                Sequences::read(&sequences).ok()
            } else {
                None
            };
        }
        // What is being delivered is no message yet, whatever it looks like.
        let is_delivery = self.format == Format::Maildir
            && last(folder) == b"tmp"
            && path.parent().is_some_and(maildir::is_folder);
        for name in files {
            let kind = if is_delivery {
                Ok(FileKind::Other)
            } else {
                FileKind::of(&self.path(&name), self.options.force_format)
            };
            match kind {
                // An archive of its own is found beside.
                Ok(FileKind::Mailbox(_)) => continue,
                Ok(FileKind::Message) if self.format == Format::Maildir => {
                    messages.push(name);
                    continue;
                }
                Ok(FileKind::Message) => {
                    if !is_eml(&self.path(&name)) {
                        "MH".clone_into(&mut self.profile.dialect);
                    }
                    plan.push(Work::File(name, EntryKind::Message));
                    continue;
                }
                Ok(FileKind::LeftAlone(packing)) => events.push(left_alone(packing, &name)),
                Ok(FileKind::Other) => events.push(no_mail(&name, true)),
                // What cannot be read is told when its turn comes, and hides no other file of its folder.
                Err(_) => {}
            }
            plan.push(Work::File(name, EntryKind::Other));
        }
        if self.format == Format::Maildir {
            let is_folder = maildir::is_folder(&path);
            let mut rest = Vec::new();
            for name in folders {
                if !(is_folder && matches!(last(&name), b"cur" | b"new")) {
                    rest.push(name);
                    continue;
                }
                let path = self.path(&name);
                let modified = fs::metadata(&path)
                    .and_then(|metadata| metadata.modified())
                    .ok();
                let (files, below) = self.names(&name, events)?;
                self.listed.push((path, modified));
                plan.push(Work::FolderAlone(name));
                // What systems leave: `.DS_Store`, `.nfs…`. No server takes such a name for a message.
                for name in files {
                    if last(&name).starts_with(b".") {
                        events.push(no_mail(&name, true));
                        plan.push(Work::File(name, EntryKind::Other));
                    } else {
                        messages.push(name);
                    }
                }
                rest.extend(below);
            }
            messages.sort_by(|a, b| last(a).cmp(last(b)).then_with(|| a.cmp(b)));
            plan.extend(
                messages
                    .into_iter()
                    .map(|name| Work::File(name, EntryKind::Message)),
            );
            plan.extend(rest.into_iter().map(Work::Folder));
        } else {
            // Maildirs are archives of their own.
            let own = |name: &Name| maildir::is_root(&self.path(name));
            plan.extend(
                folders
                    .into_iter()
                    .filter(|name| !own(name))
                    .map(Work::Folder),
            );
        }
        self.work.extend(plan.into_iter().rev());
        Ok(())
    }

    /// The files and the folders in a folder, each in the order of their names.
    fn names(
        &self,
        folder: &[u8],
        events: &mut Vec<BoxEvent>,
    ) -> io::Result<(Vec<Name>, Vec<Name>)> {
        let path = self.path(folder);
        let failed = |error: io::Error| with_path(&path, &error);
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        let told = events.len();
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
                events.push(not_followed(kind, &name));
            }
        }
        // Numbers by their value: those of MH are messages in this order.
        files.sort_by_cached_key(|name| (mh::number(last(name)).unwrap_or(u64::MAX), name.clone()));
        folders.sort();
        events[told..].sort_by(|a, b| a.detail.cmp(&b.detail));
        Ok((files, folders))
    }

    /// Does the next piece of work.
    fn step(&mut self, batch: &mut Batch) -> io::Result<()> {
        if let Some(reading) = self.reading.take() {
            return self.read_on(reading, batch);
        }
        match self.work.pop() {
            Some(Work::FolderAlone(name)) => {
                self.push(batch, EntryKind::Directory, &name, 0, false, 0);
            }
            Some(Work::Folder(name)) => {
                self.push(batch, EntryKind::Directory, &name, 0, false, 0);
                self.list(&name, &mut batch.events)?;
            }
            Some(Work::File(name, kind)) => {
                let path = self.path(&name);
                let file = open_input(&path).map_err(|error| with_path(&path, &error))?;
                let metadata = file.metadata().map_err(|error| with_path(&path, &error))?;
                let (size, modified) = (metadata.len(), metadata.modified().ok());
                let reading = Reading {
                    file,
                    path,
                    name,
                    kind,
                    offset: 0,
                    size,
                    modified,
                };
                self.read_on(reading, batch)?;
            }
            None => {}
        }
        Ok(())
    }

    /// Reads a file, or the next piece of it.
    fn read_on(&mut self, mut reading: Reading, batch: &mut Batch) -> io::Result<()> {
        let limit = self.options.message_limit.max(1) as u64;
        let is_too_large = reading.kind == EntryKind::Message && reading.size > limit;
        if is_too_large {
            reading.kind = EntryKind::Oversize;
        }
        let whole = reading.kind == EntryKind::Message;
        let left = reading.size - reading.offset;
        let wanted = if whole {
            left
        } else {
            left.min(PIECE.min(limit))
        };
        let start = batch.bytes.len();
        batch.bytes.reserve(wanted as usize + 1);
        let read = reading
            .file
            .by_ref()
            .take(wanted)
            .read_to_end(&mut batch.bytes);
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
            reading
                .file
                .seek(SeekFrom::Current(line_end as i64 + 1 - read as i64))?;
            read = line_end + 1;
            batch.bytes.truncate(start + read);
        }
        if self.format == Format::Eml
            && reading.offset == 0
            && !looks_like_message(&batch.bytes[start..])
            && reading.size > 0
        {
            let detail = "does not begin like a message".to_owned();
            batch.events.push(BoxEvent {
                kind: BoxEventKind::Single,
                offset: 0,
                detail,
                name: Vec::new(),
            });
        }
        if self.is_no_mail(&reading, &batch.bytes[start..]) {
            reading.kind = EntryKind::Other;
            let detail = "no mail, left out: it does not begin with a header field (--force-format reads it as a message)";
            batch.events.push(event_of_file(
                BoxEventKind::NoHeader,
                detail.to_owned(),
                &reading.name,
            ));
        } else if is_too_large {
            let detail = format!("beyond {limit} bytes");
            batch
                .events
                .push(event_of_file(BoxEventKind::TooLarge, detail, &reading.name));
        }
        let now = reading.file.metadata()?;
        if shrunk || now.len() != reading.size || now.modified().ok() != reading.modified {
            self.changed = true;
            more = more && !shrunk;
        }
        self.push(
            batch,
            reading.kind,
            &reading.name,
            reading.offset,
            more,
            read,
        );
        if more {
            reading.offset += read as u64;
            self.reading = Some(reading);
        } else if reading.kind != EntryKind::Other {
            self.ordinal += 1;
        }
        Ok(())
    }

    /// True for a file in the place of a message whose first bytes are not those of one.
    fn is_no_mail(&self, reading: &Reading, start: &[u8]) -> bool {
        self.format != Format::Eml
            && !self.options.force_format
            && reading.offset == 0
            && reading.kind != EntryKind::Other
            && Packing::of(start).is_none()
            && !mail_check::is_mail(start)
    }

    /// Display form of a folder of messages, which no other folder has or would be written as.
    fn display(&mut self, folder: &[u8], events: &mut Vec<BoxEvent>) -> String {
        if let Some(known) = self.folders.get(folder) {
            return known.clone();
        }
        let own = match self.format {
            Format::Maildir => maildir::folder_name(folder, self.options.decode_name),
            _ => String::from_utf8_lossy(folder).into_owned(),
        };
        let mut display = own.clone();
        if let Some(written) = self.options.written_folder {
            let mut number = 1u64;
            while self.written.contains_key(&written(&display)) {
                number += 1;
                display = format!("{own}-{number}");
            }
            if number > 1 {
                let name = folder.escape_ascii();
                let detail = format!(
                    "another folder is written by the name of this one, which becomes {display}: {name}"
                );
                events.push(BoxEvent {
                    kind: BoxEventKind::FolderName,
                    offset: 0,
                    detail,
                    name: Vec::new(),
                });
            }
            self.written.insert(written(&display), folder.to_owned());
        }
        self.folders.insert(folder.to_owned(), display.clone());
        display
    }

    /// Flags of a message of an MH folder.
    fn sequence_flags(&self, name: &[u8]) -> Flags {
        let flags = |(sequences, number): (&Sequences, u64)| sequences.flags(number);
        self.sequences
            .as_ref()
            .zip(mh::number(last(name)))
            .map(flags)
            .unwrap_or_default()
    }

    /// Adds an entry whose bytes are the last ones of the batch.
    fn push(
        &mut self,
        batch: &mut Batch,
        kind: EntryKind,
        name: &[u8],
        offset: u64,
        more: bool,
        length: usize,
    ) {
        let span = batch.bytes.len() - length..batch.bytes.len();
        let is_message = matches!(kind, EntryKind::Message | EntryKind::Oversize);
        let folder = name
            .iter()
            .rposition(|&byte| byte == b'/')
            .map(|at| &name[..at])
            .unwrap_or_default();
        let folder = match self.format {
            Format::Maildir if is_message => {
                let part = last(folder);
                let above = folder.len()
                    - if maildir::is_part(part) {
                        part.len()
                    } else {
                        0
                    };
                let folder = &folder[..above];
                folder.strip_suffix(b"/").unwrap_or(folder)
            }
            _ => folder,
        };
        let folder = if is_message {
            self.display(folder, &mut batch.events)
        } else {
            String::from_utf8_lossy(folder).into_owned()
        };
        let flags = match self.format {
            Format::Maildir if is_message => maildir::flags(last(name)),
            _ if is_message => self.sequence_flags(name),
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
            froms: None,
            flags,
            name: name.to_vec(),
            folder,
        });
    }
}

fn event_of_file(kind: BoxEventKind, detail: String, name: &[u8]) -> BoxEvent {
    BoxEvent {
        kind,
        offset: 0,
        detail,
        name: name.to_vec(),
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
            fs::metadata(path)
                .and_then(|metadata| metadata.modified())
                .ok()
                != *then
        };
        Ok(self.changed || self.listed.iter().any(moved))
    }
}

/// The last component of a path.
fn last(name: &[u8]) -> &[u8] {
    name.iter()
        .rposition(|&byte| byte == b'/')
        .map_or(name, |at| &name[at + 1..])
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::{Found, LeftOut, OutBatch, OutItem, create_tree, open, recognize, recognize_with};

    fn write(path: &Path, bytes: &[u8]) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Every entry as text: kind, folder, name, content.
    fn drain(source: &mut dyn Source) -> (Vec<String>, Vec<BoxEvent>) {
        let (mut lines, mut events, mut batch) = (Vec::new(), Vec::new(), Batch::default());
        while source.next(&mut batch).unwrap() {
            for entry in &batch.entries {
                let (name, bytes) = (&entry.name, &batch.bytes[entry.span.clone()]);
                lines.push(format!(
                    "{:?} {} {:?} {} {}",
                    entry.kind,
                    entry.ordinal,
                    entry.folder,
                    name.escape_ascii(),
                    bytes.escape_ascii()
                ));
            }
            events.append(&mut batch.events);
        }
        (lines, events)
    }

    fn found(path: &Path) -> Vec<(PathBuf, Format)> {
        recognize(path)
            .unwrap()
            .into_iter()
            .map(|found| (found.path, found.format))
            .collect()
    }

    /// Content of a tree; folders end with `/`.
    fn tree(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let (mut all, mut folders) = (Vec::new(), vec![root.to_owned()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(root).unwrap().to_owned();
                if path.is_dir() {
                    all.push((name.join(""), Vec::new()));
                    folders.push(path);
                } else {
                    all.push((name, fs::read(&path).unwrap()));
                }
            }
        }
        all.sort();
        all
    }

    fn maildir(root: &Path) {
        write(&root.join("new/3.a"), b"Subject: 3\n");
        write(&root.join("cur/2.a:2,FS"), b"Subject: 2\n");
        write(&root.join("cur/4.a;2,R"), b"Subject: 4\r\n");
        write(&root.join("tmp/1.a"), b"half");
        write(&root.join("dovecot-uidlist"), b"3 V1\n");
        write(&root.join(".Sent.&AMQ-/cur/1.a:2,"), b"");
        write(&root.join(".Sent.&AMQ-/maildirfolder"), b"");
        fs::create_dir_all(root.join(".Sent.&AMQ-/new")).unwrap();
        fs::create_dir_all(root.join(".Empty/cur")).unwrap();
        write(&root.join(OsStr::from_bytes(b".raw\xff/new/1.b")), b"x");
    }

    #[test]
    fn a_maildir_in_order() {
        let root = tempfile::tempdir().unwrap();
        maildir(root.path());
        symlink("cur/3.a", root.path().join("cur/5.link")).unwrap();
        assert_eq!(
            found(root.path()),
            [(root.path().to_owned(), Format::Maildir)]
        );
        let options = ReadOptions {
            decode_name: |raw| String::from_utf8_lossy(raw).replace("&AMQ-", "Ä"),
            ..ReadOptions::default()
        };
        let archive = Found {
            path: root.path().to_owned(),
            format: Format::Maildir,
            packed: None,
        };
        let mut source = open(&archive, &options).unwrap();
        assert_eq!(source.profile().dialect, "Maildir++");
        let (lines, events) = drain(source.as_mut());
        assert_eq!(
            lines,
            [
                r#"Other 0 "" dovecot-uidlist 3 V1\n"#,
                r#"Directory 0 "" cur "#,
                r#"Directory 0 "" new "#,
                r#"Message 0 "" cur/2.a:2,FS Subject: 2\n"#,
                r#"Message 1 "" new/3.a Subject: 3\n"#,
                r#"Message 2 "" cur/4.a;2,R Subject: 4\r\n"#,
                r#"Directory 3 "" .Empty "#,
                r#"Directory 3 ".Empty" .Empty/cur "#,
                r#"Directory 3 "" .Sent.&AMQ- "#,
                r#"Other 3 ".Sent.&AMQ-" .Sent.&AMQ-/maildirfolder "#,
                r#"Directory 3 ".Sent.&AMQ-" .Sent.&AMQ-/cur "#,
                r#"Directory 3 ".Sent.&AMQ-" .Sent.&AMQ-/new "#,
                r#"Message 3 "Sent/Ä" .Sent.&AMQ-/cur/1.a:2, "#,
                r#"Directory 4 "" .raw\xff "#,
                r#"Directory 4 ".raw�" .raw\xff/new "#,
                r#"Other 4 ".raw�/new" .raw\xff/new/1.b x"#,
                r#"Directory 4 "" tmp "#,
                r#"Other 4 "tmp" tmp/1.a half"#,
            ]
        );
        let told: Vec<_> = events.iter().map(|event| &*event.detail).collect();
        assert_eq!(
            told,
            [
                "no mail, left out: dovecot-uidlist",
                "symbolic link not followed: cur/5.link",
                "no mail, left out: .Sent.&AMQ-/maildirfolder",
                "no mail, left out: .raw\u{fffd}/new/1.b",
                "no mail, left out: tmp/1.a",
            ]
        );
        assert!(!source.changed().unwrap());
        fs::write(root.path().join("new/9.a"), b"").unwrap();
        assert!(source.changed().unwrap());
    }

    #[test]
    fn mh_folders_are_read_by_number() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        for name in ["10", "9", "100", "inbox/2", "inbox/12"] {
            write(&path(name), format!("Subject: {name}\n\n").as_bytes());
        }
        write(&path("7"), b"nothing like a message");
        write(&path("inbox/3"), b"From the office\n");
        write(&path("inbox/,1"), b"Subject: deleted\n\n");
        write(&path("inbox/.mh_sequences"), b"unseen: 3\nreplied: 2\n");
        assert_eq!(
            found(root.path()),
            [(root.path().to_owned(), Format::EmlTree)]
        );
        let mut source =
            open(&recognize(root.path()).unwrap()[0], &ReadOptions::default()).unwrap();
        let (lines, events) = drain(source.as_mut());
        assert_eq!(
            lines,
            [
                r#"Other 0 "" 7 nothing like a message"#,
                r#"Message 0 "" 9 Subject: 9\n\n"#,
                r#"Message 1 "" 10 Subject: 10\n\n"#,
                r#"Message 2 "" 100 Subject: 100\n\n"#,
                r#"Directory 3 "" inbox "#,
                r#"Message 3 "inbox" inbox/2 Subject: inbox/2\n\n"#,
                r#"Message 4 "inbox" inbox/3 From the office\n"#,
                r#"Message 5 "inbox" inbox/12 Subject: inbox/12\n\n"#,
                r#"Other 6 "inbox" inbox/,1 Subject: deleted\n\n"#,
                r#"Other 6 "inbox" inbox/.mh_sequences unseen: 3\nreplied: 2\n"#,
            ]
        );
        let told: Vec<_> = events.iter().map(|event| &*event.detail).collect();
        let no_mail = ["7", "inbox/,1", "inbox/.mh_sequences"]
            .map(|name| format!("no mail, left out: {name}"));
        assert_eq!(told, no_mail);
        assert_eq!(source.profile().dialect, "MH");
        let archive = Found {
            path: path("inbox"),
            format: Format::EmlTree,
            packed: None,
        };
        let (mut source, mut batch) = (
            open(&archive, &ReadOptions::default()).unwrap(),
            Batch::default(),
        );
        assert!(source.next(&mut batch).unwrap());
        let flags: Vec<_> = batch.entries.iter().map(|entry| entry.flags.0).collect();
        assert_eq!(flags, [Flags::SEEN | Flags::REPLIED, 0, Flags::SEEN, 0, 0]);
    }

    #[test]
    fn a_tree_comes_back_byte_for_byte() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        maildir(from.path());
        write(&from.path().join("large"), &[b'x'; 5000]);
        write(&from.path().join("cur/7.a"), &b"line\n".repeat(1000));
        let archive = Found {
            path: from.path().to_owned(),
            format: Format::Maildir,
            packed: None,
        };
        let target = to.path().join("out");
        for batch in [1, 3000, 1 << 20] {
            let options = ReadOptions {
                batch,
                message_limit: 1000,
                ..ReadOptions::default()
            };
            let mut source = open(&archive, &options).unwrap();
            let mut destination = create_tree(&target, true).unwrap();
            let mut batch = Batch::default();
            let mut pieces = 0;
            while source.next(&mut batch).unwrap() {
                let items = batch.entries.iter().map(|entry| {
                    let mut name = entry.name.clone();
                    if entry.kind == EntryKind::Directory {
                        name.push(b'/');
                    }
                    pieces += usize::from(entry.more);
                    OutItem {
                        span: entry.span.clone(),
                        name,
                        more: entry.more,
                    }
                });
                let items = items.collect();
                destination
                    .write(&OutBatch {
                        bytes: batch.bytes.clone(),
                        items,
                    })
                    .unwrap();
            }
            assert!(pieces > 5);
            destination.sync().unwrap();
            destination.commit().unwrap();
            assert_eq!(tree(&target), tree(from.path()));
        }
    }

    #[test]
    fn a_folder_is_searched() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        write(&path("b/2.EML"), b"Subject: 2\n\n");
        write(
            &path("a.eml"),
            b"From x@y.z Mon Jan  1 00:00:00 2001\nSubject: 1\n\n",
        );
        write(&path("notes.txt"), b"notes");
        write(
            &path("Inbox"),
            b"From - Mon Jan  1 00:00:00 2001\nSubject: 1\n\n",
        );
        write(&path("c/list.mbox"), b"");
        let box_of = |name: &str| {
            format!("From {name}@y.z Mon Jan  1 00:00:00 2001\nTo: x\n\n").into_bytes()
        };
        let packed = |bytes: &[u8]| zstd::bulk::compress(bytes, 1).unwrap();
        write(&path("c/old.zst"), &packed(&box_of("old")));
        write(&path("c/photo.zst"), &packed(b"\xff\xd8\xff\xe0"));
        write(&path("c/one.eml.zst"), &packed(b"Subject: x\n\n"));
        write(&path("c/older.bz2"), b"BZh91AY&SY");
        write(&path("c/notes"), b"\xff\xfeN\0o\0t\0e\0");
        write(&path("c/saved"), b"\xff\xfeT\0o\0:\0 \0x\0");
        write(&path("c/Sent.mbox/mbox"), b"From x@y.z\nSubject: 1\n\n");
        write(&path("c/Sent.mbox/table_of_contents"), b"");
        maildir(&path("m"));
        let expected = [
            (root.path().to_owned(), Format::EmlTree),
            (path("Inbox"), Format::Mbox),
            (path("c/Sent.mbox/mbox"), Format::Mbox),
            (path("c/list.mbox"), Format::Mbox),
            (path("c/old.zst"), Format::Mbox),
            (path("m"), Format::Maildir),
        ];
        assert_eq!(found(root.path()), expected);
        let mut source =
            open(&recognize(root.path()).unwrap()[0], &ReadOptions::default()).unwrap();
        let (lines, events) = drain(source.as_mut());
        let told: Vec<_> = events
            .iter()
            .map(|event| (event.kind, &*event.detail))
            .collect();
        assert_eq!(
            told,
            [
                (BoxEventKind::NoMail, "no mail, left out: notes.txt"),
                (BoxEventKind::NoMail, "no mail, left out: c/notes"),
                (
                    BoxEventKind::Packed,
                    "compressed with bzip2, left as it is: c/older.bz2"
                ),
                (
                    BoxEventKind::Packed,
                    "compressed with zstd, left as it is: c/one.eml.zst"
                ),
                (BoxEventKind::NoMail, "no mail, left out: c/photo.zst"),
                (
                    BoxEventKind::Packed,
                    "text in UTF-16, left as it is: c/saved"
                ),
                (
                    BoxEventKind::NoMail,
                    "no mail, left out: c/Sent.mbox/table_of_contents"
                ),
            ]
        );
        // The tree tells of all of them itself, and keeps them.
        let mut beside = Vec::new();
        let told = recognize_with(root.path(), false, &mut |left| match left {
            LeftOut::Unread(error) => Err(error),
            LeftOut::Noted(event) => {
                beside.push(event.detail);
                Ok(())
            }
        });
        assert_eq!(told.unwrap().len(), expected.len());
        assert_eq!(beside, [""; 0]);
        assert_eq!(
            lines
                .into_iter()
                .filter(|line| !line.contains(" c/"))
                .collect::<Vec<_>>(),
            [
                r#"Message 0 "" a.eml From x@y.z Mon Jan  1 00:00:00 2001\nSubject: 1\n\n"#,
                r#"Other 1 "" notes.txt notes"#,
                r#"Directory 1 "" b "#,
                r#"Message 1 "b" b/2.EML Subject: 2\n\n"#,
                r#"Directory 2 "" c "#,
            ]
        );
    }

    #[test]
    fn folders_that_would_become_one_get_numbers() {
        let root = tempfile::tempdir().unwrap();
        for folder in [&b"a\xfe"[..], b"a\xff", b"a\xfe/b", b"c:d", b"c_d"] {
            let path = root.path().join(OsStr::from_bytes(folder));
            write(&path.join("1.eml"), b"Subject: x\n");
            write(&path.join("2.eml"), b"Subject: x\n");
        }
        let archive = Found {
            path: root.path().to_owned(),
            format: Format::EmlTree,
            packed: None,
        };
        let read = |written_folder| {
            let options = ReadOptions {
                written_folder,
                ..ReadOptions::default()
            };
            let (mut source, mut batch) = (open(&archive, &options).unwrap(), Batch::default());
            assert!(source.next(&mut batch).unwrap());
            let messages = batch
                .entries
                .iter()
                .filter(|entry| entry.kind == EntryKind::Message);
            let folders: Vec<_> = messages
                .step_by(2)
                .map(|entry| entry.folder.clone())
                .collect();
            (folders, batch.events.len())
        };
        assert_eq!(
            read(None),
            (
                ["a\u{fffd}", "a\u{fffd}/b", "a\u{fffd}", "c:d", "c_d"]
                    .map(str::to_owned)
                    .into(),
                0
            )
        );
        let (folders, told) = read(Some(|folder| folder.replace(':', "_")));
        assert_eq!(
            (folders, told),
            (
                ["a\u{fffd}", "a\u{fffd}/b", "a\u{fffd}-2", "c:d", "c_d-2"]
                    .map(str::to_owned)
                    .into(),
                2
            )
        );
    }

    #[test]
    fn what_lies_beside_the_messages_of_a_maildir_is_looked_at() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        let mailbox = b"From x@y.z Mon Jan  1 00:00:00 2001\nTo: x\n\n";
        for name in ["cur/2.a:2,S", "new/4.a", "1.eml", "sub/3.eml"] {
            write(&path(name), b"Subject: x\n");
        }
        for name in ["old.mbox", "sub/list", "cur/inner/box", "tmp/half.mbox"] {
            write(&path(name), mailbox);
        }
        for name in ["cur/.DS_Store", "new/.nfs0001", "tmp/5.eml"] {
            write(&path(name), b"Subject: no message\n");
        }
        assert_eq!(
            found(root.path()),
            [
                (root.path().to_owned(), Format::Maildir),
                (path("cur/inner/box"), Format::Mbox),
                (path("old.mbox"), Format::Mbox),
                (path("sub/list"), Format::Mbox),
            ]
        );
        let archive = Found {
            path: root.path().to_owned(),
            format: Format::Maildir,
            packed: None,
        };
        let (lines, events) = drain(open(&archive, &ReadOptions::default()).unwrap().as_mut());
        let messages: Vec<_> = lines
            .iter()
            .filter(|line| line.starts_with("Message"))
            .collect();
        assert_eq!(
            messages,
            [
                r#"Message 0 "" 1.eml Subject: x\n"#,
                r#"Message 1 "" cur/2.a:2,S Subject: x\n"#,
                r#"Message 2 "" new/4.a Subject: x\n"#,
                r#"Message 3 "sub" sub/3.eml Subject: x\n"#,
            ]
        );
        let told: Vec<_> = events.iter().map(|event| &*event.detail).collect();
        let no_mail = [
            "cur/.DS_Store",
            "new/.nfs0001",
            "tmp/5.eml",
            "tmp/half.mbox",
        ];
        assert_eq!(
            told,
            no_mail.map(|name| format!("no mail, left out: {name}"))
        );
    }

    #[test]
    fn single_files() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        let cases: [(&str, &[u8], Format); 8] = [
            ("empty.eml", b"", Format::Eml),
            ("empty", b"", Format::Mbox),
            (
                "message",
                b"Subject: x\n\nFrom a@b.c Mon Jan  1 00:00:00 2001\nTo: x\n",
                Format::Eml,
            ),
            ("binary", b"\x7fELF\0\0", Format::Eml),
            (
                "box",
                b"\xef\xbb\xbf\nFrom a@b.c Mon Jan  1 00:00:00 2001\nTo: x\n",
                Format::Mbox,
            ),
            (
                "mmdf",
                b"\x01\x01\x01\x01\nTo: x\n\n\x01\x01\x01\x01\n",
                Format::Mbox,
            ),
            (
                "2001-May.txt",
                b"From joe at b.c  Mon Jan  1 00:00:00 2001\nFrom: x\n",
                Format::Mbox,
            ),
            ("letter.txt", b"From the office\nwe hear\n", Format::Eml),
        ];
        for (name, bytes, format) in cases {
            write(&path(name), bytes);
            assert_eq!(found(&path(name)), [(path(name), format)], "{name}");
        }
        let read = |name: &str| {
            let archive = recognize(&path(name)).unwrap().remove(0);
            let options = ReadOptions {
                force_format: true,
                ..ReadOptions::default()
            };
            let refused = open(&archive, &ReadOptions::default()).err();
            assert_eq!(
                refused.is_some(),
                ["binary", "letter.txt"].contains(&name),
                "{name}: {refused:?}"
            );
            drain(open(&archive, &options).unwrap().as_mut())
        };
        assert_eq!(read("empty.eml").0, [r#"Message 0 ""  "#]);
        assert!(read("empty").0.is_empty());
        let (lines, events) = read("binary");
        assert_eq!((lines.len(), events[0].kind), (1, BoxEventKind::Single));
        assert_eq!(
            read("message").1,
            [BoxEvent {
                kind: BoxEventKind::Single,
                offset: 12,
                detail: single_detail(1),
                name: Vec::new()
            }]
        );
        assert!(read("letter.txt").1.is_empty());

        let missing = recognize(&path("missing")).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        assert!(missing.to_string().contains("missing"), "{missing}");
    }

    #[test]
    fn a_file_that_cannot_be_looked_at_hides_no_other_of_its_folder() {
        let root = tempfile::tempdir().unwrap();
        write(&root.path().join("1.eml"), b"Subject: x\n");
        // The beginning of gzip, and nothing that could be read through.
        write(
            &root.path().join("2.gz"),
            b"\x1f\x8b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        );
        assert_eq!(
            found(root.path()),
            [(root.path().to_owned(), Format::EmlTree)]
        );
        let archive = Found {
            path: root.path().to_owned(),
            format: Format::EmlTree,
            packed: None,
        };
        let mut source = open(&archive, &ReadOptions::default()).unwrap();
        let (lines, events) = drain(source.as_mut());
        assert_eq!(lines[0], r#"Message 0 "" 1.eml Subject: x\n"#);
        assert!(lines[1].starts_with("Other "), "{lines:?}");
        assert_eq!(
            events[0].detail,
            "compressed with gzip, left as it is: 2.gz"
        );
    }

    #[test]
    fn the_walk_goes_on_behind_an_error() {
        let root = tempfile::tempdir().unwrap();
        for name in ["1.eml", "2.eml", "3.eml"] {
            write(&root.path().join(name), b"Subject: x\n");
        }
        let archive = Found {
            path: root.path().to_owned(),
            format: Format::EmlTree,
            packed: None,
        };
        let mut source = open(&archive, &ReadOptions::default()).unwrap();
        fs::remove_file(root.path().join("2.eml")).unwrap();
        let mut batch = Batch::default();
        assert!(source.next(&mut batch).unwrap());
        assert_eq!(batch.entries.len(), 1);
        let error = source.next(&mut batch).unwrap_err();
        assert!(error.kind() == io::ErrorKind::NotFound && error.to_string().contains("2.eml"));
        assert!(source.next(&mut batch).unwrap());
        assert_eq!(batch.entries[0].name, b"3.eml");
        assert!(!source.next(&mut batch).unwrap());

        let closed = root.path().join("closed");
        fs::create_dir(&closed).unwrap();
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o0)).unwrap();
        // The superuser may read everything.
        if fs::read_dir(&closed).is_err() {
            let error = recognize(root.path()).unwrap_err();
            assert!(
                error.kind() == io::ErrorKind::PermissionDenied
                    && error.to_string().contains("closed")
            );
        }
    }
}
