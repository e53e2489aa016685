//! Finds the archives at a path.
//!
//! Searches a folder recursively, including Apple Mail folders (`X.mbox/`, whose mailbox is `mbox`) and Maildirs. A mailbox is an
//! archive wherever it lies. Other messages belong to their Maildir, or else to one tree of messages.
//!
//! # Limits
//! Does not recognize program-specific mail stores. An MH folder is part of a tree of messages, and is written as one. Does not
//! follow symbolic links below a folder. Reads mailboxes in gzip, zstd, bzip2 and xz, but no compressed single messages. Skips
//! files of other formats.

use std::fs::{self, File, FileType, Metadata};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind};
use crate::error::{Error, ErrorKind, Operation, at};
use crate::file_form::may_be_mail;
use crate::file_names::{has_index, is_eml, is_index, is_named_mailbox};
use crate::layouts;
use crate::mail_check;
use crate::maildir;
use crate::mbox;
use crate::mh;
use crate::packed;
use crate::packing::Packing;
use crate::regular::{self, open_input};
use crate::{Format, Input};

/// Recognizes the archives at a path. `-` is standard input.
///
/// In a folder, each mbox file and each Maildir is one archive. All other `.eml` files and MH folders form one tree, which comes
/// first.
pub fn recognize(path: &Path) -> Result<Vec<Input>, Error> {
    recognize_with(path, false, &mut |left| match left {
        LeftOut::Unread(error) => Err(error),
        LeftOut::Noted(_) => Ok(()),
    })
}

/// Something that a search skips.
#[derive(Debug)]
pub enum LeftOut {
    /// A file or folder that cannot be read.
    Unread(Error),
    /// A link, a device, a compressed file, or a file that is not mail.
    ///
    /// Not reported if the reader of a tree or Maildir will report it.
    Noted(BoxEvent),
}

/// Like [`recognize`], and calls `left_out` for everything it skips below `path`. An error from `left_out` ends the search.
///
/// With `force_format`, a file with the name of a mailbox is a mailbox even if it is not mail, also below a folder.
pub fn recognize_with(
    path: &Path,
    force_format: bool,
    left_out: &mut dyn FnMut(LeftOut) -> Result<(), Error>,
) -> Result<Vec<Input>, Error> {
    if path.as_os_str() == "-" {
        return Ok(vec![found(path, Format::Mbox)]);
    }
    let metadata = fs::metadata(path).map_err(at(path, Operation::Open))?;
    regular::check(path, &metadata).map_err(at(path, Operation::Open))?;
    if !metadata.is_dir() {
        return Ok(vec![one_file(path, &metadata, force_format)?]);
    }
    let mut search = FolderSearch {
        root: path,
        force_format,
        waiting: Vec::new(),
        archives: Vec::new(),
        messages: false,
        noted: Vec::new(),
    };
    search.folder(path, Within::Tree);
    while let Some((folder, within)) = search.waiting.pop() {
        search.list(&folder, within, left_out)?;
    }
    let FolderSearch {
        mut archives,
        messages,
        mut noted,
        ..
    } = search;
    archives.sort_by(|a, b| a.path.cmp(&b.path));
    // An empty folder is a tree without messages: `normalize` writes such trees.
    if messages || fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none()) {
        archives.insert(0, found(path, Format::EmlTree));
    } else {
        noted.sort_by(|a, b| a.detail.file().cmp(&b.detail.file()));
        noted
            .into_iter()
            .try_for_each(|event| left_out(LeftOut::Noted(event)))?;
    }
    Ok(archives)
}

fn found(path: &Path, format: Format) -> Input {
    Input {
        path: path.to_owned(),
        format,
        packed: None,
    }
}

/// Recognizes a file that was named by the caller.
fn one_file(path: &Path, metadata: &Metadata, force_format: bool) -> Result<Input, Error> {
    if metadata.is_file()
        && let Some(packing) = packing(path)?
    {
        return if packing.is_read() {
            Ok(Input {
                packed: Some(packing),
                ..found(path, Format::Mbox)
            })
        } else {
            Err(Error::new(
                path,
                Operation::Read,
                ErrorKind::NotRead(packing),
            ))
        };
    }
    let empty = metadata.len() == 0 && !is_eml(path);
    let mailbox = empty || matches!(FileKind::of(path, force_format)?, FileKind::Mailbox(_));
    Ok(found(
        path,
        if mailbox { Format::Mbox } else { Format::Eml },
    ))
}

/// The kind of folder around a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    /// Outside any Maildir.
    Tree,
    /// Inside a Maildir.
    Maildir,
    /// `cur`, `new` or `tmp` of a Maildir.
    Messages,
}

/// A search through folders.
struct FolderSearch<'a> {
    root: &'a Path,
    /// Trust the names of mailboxes.
    force_format: bool,
    waiting: Vec<(PathBuf, Within)>,
    archives: Vec<Input>,
    /// A message outside any Maildir was found.
    messages: bool,
    /// The events for skipped files.
    noted: Vec<BoxEvent>,
}

impl FolderSearch<'_> {
    /// Schedules a folder to be listed.
    fn folder(&mut self, path: &Path, within: Within) {
        let mut within = within;
        if within == Within::Tree && maildir::is_root(path) {
            self.archives.push(found(path, Format::Maildir));
            within = Within::Maildir;
        }
        self.waiting.push((path.to_owned(), within));
    }

    fn list(
        &mut self,
        folder: &Path,
        within: Within,
        left_out: &mut dyn FnMut(LeftOut) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if folder == self.root => return Err(at(folder, Operation::List)(error)),
            Err(error) => return left_out(LeftOut::Unread(at(folder, Operation::List)(error))),
        };
        let has_messages = within == Within::Maildir && maildir::is_folder(folder);
        for entry in entries {
            let entry = entry.map_err(at(folder, Operation::List))?;
            let kind = entry
                .file_type()
                .map_err(at(&entry.path(), Operation::Open))?;
            if within == Within::Messages && !kind.is_dir() {
                continue;
            }
            let file = entry.path();
            if kind.is_dir() {
                let within = match within {
                    Within::Tree => Within::Tree,
                    _ if has_messages && maildir::is_part(entry.file_name().as_encoded_bytes()) => {
                        Within::Messages
                    }
                    _ => Within::Maildir,
                };
                self.folder(&file, within);
            } else if kind.is_file() {
                match FileKind::of(&file, self.force_format) {
                    Ok(FileKind::Mailbox(packed)) => {
                        self.archives.push(Input {
                            packed,
                            ..found(&file, Format::Mbox)
                        });
                    }
                    Err(error) => left_out(LeftOut::Unread(error))?,
                    Ok(kind) if within == Within::Tree => self.note(kind, &file),
                    Ok(_) => {}
                }
            } else if within == Within::Tree {
                let name = file
                    .strip_prefix(self.root)
                    .unwrap_or(&file)
                    .as_os_str()
                    .as_encoded_bytes();
                self.noted.push(not_followed(kind, name));
            }
        }
        Ok(())
    }

    /// Adds the event for a file that is not an archive.
    fn note(&mut self, kind: FileKind, file: &Path) {
        let name = file
            .strip_prefix(self.root)
            .unwrap_or(file)
            .as_os_str()
            .as_encoded_bytes();
        match kind {
            FileKind::Mailbox(_) => {}
            FileKind::Message => self.messages = true,
            FileKind::LeftAlone(packing) => self.noted.push(left_alone(packing, name)),
            FileKind::Other if is_index(file) => {}
            FileKind::Other => self.noted.push(no_mail(name, false)),
        }
    }
}

/// The kind of a file in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// A mailbox, by its name or its content, and its compression. Pipes are mailboxes.
    Mailbox(Option<Packing>),
    /// A message: an `.eml` file, or a file of an MH folder.
    Message,
    /// May be mail, but in a format that is not supported.
    LeftAlone(Packing),
    /// Not mail.
    Other,
}

impl FileKind {
    /// Classifies a file. With `force_format`, a mailbox name is enough, whatever the content.
    pub(crate) fn of(path: &Path, force_format: bool) -> Result<Self, Error> {
        Self::look(path, force_format).map_err(at(path, Operation::Read))
    }

    fn look(path: &Path, force_format: bool) -> io::Result<Self> {
        if is_eml(path) {
            return Ok(Self::Message);
        }
        // A pipe can be opened only once.
        let metadata = fs::metadata(path)?;
        if !metadata.is_file() {
            return Ok(Self::Mailbox(None));
        }
        let numbered =
            mh::number(path.file_name().unwrap_or_default().as_encoded_bytes()).is_some();
        if numbered && path.with_file_name(mh::SEQUENCES).is_file() {
            return Ok(Self::Message);
        }
        let mut file = regular::open(path)?;
        let start = packed::beginning(&mut file, packed::BEGINNING)?;
        match Packing::of_file(&start) {
            Some(packing) if packing.is_read() => {
                let inner = path.with_extension("");
                if is_eml(&inner) {
                    return Ok(Self::LeftAlone(packing));
                }
                file.rewind()?;
                let mut inside = packed::through(path, file, u64::MAX)?;
                let start = packed::beginning(&mut inside, packed::BEGINNING)?;
                if start.is_empty() && !inside.defects.take().is_empty() {
                    return Ok(Self::LeftAlone(packing));
                }
                let mut start = start;
                match Packing::of_file(&start) {
                    Some(inner) if !inner.is_read() => return Ok(Self::LeftAlone(inner)),
                    _ if layouts::of_mailbox(&start).is_some() => {
                        return Ok(Self::Mailbox(Some(packing)));
                    }
                    _ if is_named_mailbox(&inner) => {
                        let rest = mail_check::BEGINNING - packed::BEGINNING;
                        start.append(&mut packed::beginning(&mut inside, rest)?);
                        if force_format || mail_check::is_mail(&start) {
                            return Ok(Self::Mailbox(Some(packing)));
                        }
                    }
                    _ => {}
                }
                let mailbox = mbox::is_mailbox_inside(&mut io::Read::chain(&start[..], inside))?;
                Ok(if mailbox {
                    Self::Mailbox(Some(packing))
                } else {
                    Self::Other
                })
            }
            Some(packing) if may_be_mail(&start, packing) => Ok(Self::LeftAlone(packing)),
            _ if layouts::of_mailbox(&start).is_some() => Ok(Self::Mailbox(None)),
            _ if is_named_mailbox(path) && (force_format || is_mail(&file)?) => {
                Ok(Self::Mailbox(None))
            }
            _ if mbox::is_mailbox(&file, metadata.len())? => Ok(Self::Mailbox(None)),
            _ if start.is_empty() && has_index(path) => Ok(Self::Mailbox(None)),
            _ if numbered && mbox::looks_like_message(&start) => Ok(Self::Message),
            _ => Ok(Self::Other),
        }
    }
}

/// Returns true if a file begins like a message.
fn is_mail(mut file: &File) -> io::Result<bool> {
    file.rewind()?;
    Ok(mail_check::is_mail(&packed::beginning(
        &mut file,
        mail_check::BEGINNING,
    )?))
}

/// Returns the format of a file, or the format of the data inside a supported compression if that is not supported.
fn packing(path: &Path) -> Result<Option<Packing>, Error> {
    let failed = at(path, Operation::Read);
    let mut file = open_input(path)?;
    let packing =
        Packing::of_file(&packed::beginning(&mut file, packed::BEGINNING).map_err(&failed)?);
    if packing.is_none_or(|packing| !packing.is_read()) {
        return Ok(packing);
    }
    file.rewind().map_err(failed)?;
    // Damaged compression is reported when the archive is opened.
    let inside = packed::beginning(
        &mut packed::through(path, file, u64::MAX)?,
        packed::BEGINNING,
    )
    .unwrap_or_default();
    Ok(Packing::of_file(&inside)
        .filter(|inside| !inside.is_read())
        .or(packing))
}

/// Returns the event for a link, a device, a pipe or a socket in a folder.
pub(crate) fn not_followed(kind: FileType, name: &[u8]) -> BoxEvent {
    special(kind.is_symlink(), name)
}

/// Returns the event for a link, or for a device, a pipe or a socket.
pub(crate) fn special(is_link: bool, name: &[u8]) -> BoxEvent {
    let name = String::from_utf8_lossy(name).into_owned();
    let detail = if is_link {
        BoxDetail::Link { name }
    } else {
        BoxDetail::SpecialFile { name }
    };
    BoxEvent::new(BoxEventKind::NotFollowed, 0, detail)
}

/// Returns the event for a file in a format that is not supported.
pub(crate) fn left_alone(packing: Packing, name: &[u8]) -> BoxEvent {
    let name = String::from_utf8_lossy(name).into_owned();
    let detail = BoxDetail::LeftPacked { packing, name };
    BoxEvent::new(BoxEventKind::Packed, 0, detail)
}

/// Returns the event for a file that is not mail. `kept` means that the ledger stores it as part of a tree of messages.
pub(crate) fn no_mail(name: &[u8], kept: bool) -> BoxEvent {
    let name = String::from_utf8_lossy(name).into_owned();
    BoxEvent::new(BoxEventKind::NoMail, 0, BoxDetail::NoMail { name, kept })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const MAIL: &[u8] = b"From a@b.c Mon Jan  1 00:00:00 2001\nFrom: a@b.c\nSubject: s\n\nb\n\n";

    fn write(root: &Path, name: &str, bytes: &[u8]) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Returns the archives by their paths below the folder, and the events.
    fn search(root: &Path) -> (Vec<(String, Format)>, Vec<String>) {
        let mut reported = Vec::new();
        let found = recognize_with(root, false, &mut |left| {
            match left {
                LeftOut::Unread(error) => return Err(error),
                LeftOut::Noted(event) => reported.push(event.detail.to_string()),
            }
            Ok(())
        });
        let name = |found: Input| {
            let name = found
                .path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            (name, found.format)
        };
        (found.unwrap().into_iter().map(name).collect(), reported)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    /// Builds a tar archive of one member.
    fn tar(magic: &[u8], content: &[u8]) -> Vec<u8> {
        let mut head = vec![0; 512];
        head[..7].copy_from_slice(b"e/1.eml");
        head[100..108].copy_from_slice(b"0000644\0");
        head[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
        head[257..257 + magic.len()].copy_from_slice(magic);
        head[148..156].fill(b' ');
        let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
        head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        head.extend_from_slice(content);
        head.resize(head.len().next_multiple_of(512) + 1024, 0);
        head
    }

    #[test]
    fn apple_mail_folders_are_searched_recursively() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        write(root, "P.mbox/mbox", MAIL);
        write(root, "P.mbox/C.mbox/mbox", &MAIL.repeat(2));
        write(root, "P.mbox/sub/list.mbox", MAIL);
        write(root, "P.mbox/empty.mbox/mbox", b"");
        write(root, "P.mbox/table_of_contents", b"");
        let mailboxes = [
            "P.mbox/C.mbox/mbox",
            "P.mbox/empty.mbox/mbox",
            "P.mbox/mbox",
            "P.mbox/sub/list.mbox",
        ];
        let mut expected: Vec<_> = mailboxes.map(|name| (name.to_owned(), Format::Mbox)).into();
        let reported = ["not mail, left out, of a ledger too: P.mbox/table_of_contents"];
        assert_eq!(
            search(root),
            (expected.clone(), reported.map(str::to_owned).into())
        );
        assert_eq!(search(&root.join("P.mbox")).0.len(), 4);
        write(root, "P.mbox/sub/1.eml", b"Subject: x\n\n");
        expected.insert(0, (String::new(), Format::EmlTree));
        assert_eq!(search(root), (expected, Vec::new()));
    }

    #[test]
    fn folder_named_cur_is_not_a_maildir() {
        let root = tempfile::tempdir().unwrap();
        for name in ["1.eml", "2001/2.eml", "cur/3.eml"] {
            write(root.path(), name, b"Subject: x\n\n");
        }
        assert_eq!(search(root.path()).0, [(String::new(), Format::EmlTree)]);
    }

    #[test]
    fn empty_folder_is_an_empty_tree() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(
            search(root.path()),
            (vec![(String::new(), Format::EmlTree)], Vec::new())
        );
        write(root.path(), "notes", b"");
        assert!(search(root.path()).0.is_empty());
    }

    #[test]
    fn tar_archives_are_named_compressed_or_not() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let message = b"Subject: x\n\nwords\n";
        let files = [
            ("a.tar", tar(b"ustar\x0000", message)),
            ("b.tar", tar(b"ustar  \0", message)),
            ("c", tar(b"", message)),
            ("d.tgz", gzip(&tar(b"ustar\x0000", message))),
        ];
        for (name, bytes) in &files {
            write(root, name, bytes);
            let words = "a tar archive";
            let error = recognize(&root.join(name)).unwrap_err();
            assert_eq!(error.io_kind(), io::ErrorKind::Unsupported);
            assert!(
                error
                    .to_string()
                    .contains(&format!("{name}: {words}, which is not supported")),
                "{error}"
            );
            // A pipe is recognized when it is opened.
            let path = Path::new("-");
            let input = packed::through(path, io::Cursor::new(bytes.clone()), u64::MAX).unwrap();
            let read = mbox::Mailbox::from_through(path, input, &crate::ReadOptions::default());
            assert!(
                read.err()
                    .unwrap()
                    .to_string()
                    .starts_with(&format!("-: {words}"))
            );
        }
        let reported: Vec<_> = ["a.tar", "b.tar", "c", "d.tgz"]
            .map(|name| format!("a tar archive, left as it is: {name}"))
            .into();
        assert_eq!(search(root), (Vec::new(), reported));
        // One changed byte makes the tar header invalid.
        for at in [0, 50, 148, 300] {
            let mut bytes = files[0].1.clone();
            bytes[at] ^= 1;
            assert_eq!(Packing::of_file(&bytes), None, "{at}");
        }
        let mut mail = tar(b"", message);
        mail[..12].copy_from_slice(b"Subject: tar");
        assert_eq!(Packing::of_file(&mail), None);
    }

    #[test]
    fn mailboxes_of_every_layout_are_archives() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let babyl = b"BABYL OPTIONS:\n\x1f\x0c\n0,,\n*** EOOH ***\nFrom: a\n\nx\n\x1f";
        let mut mbx = b"*mbx*\r\n3a5c0f1200000003\r\n".to_vec();
        mbx.resize(2048, 0);
        for (name, bytes) in [("RMAIL", &babyl[..]), ("inbox", &mbx), ("old.mbx", &mbx)] {
            write(root, name, bytes);
            write(root, &format!("{name}.gz"), &gzip(bytes));
        }
        // A message with a length before it is not a mailbox, whatever its name.
        write(root, "numbers", b"12\nSubject: x\n\nabc");
        let names = [
            "RMAIL",
            "RMAIL.gz",
            "inbox",
            "inbox.gz",
            "old.mbx",
            "old.mbx.gz",
        ];
        let expected = names.map(|name| (name.to_owned(), Format::Mbox));
        let reported = "not mail, left out, of a ledger too: numbers".to_owned();
        assert_eq!(search(root), (expected.into(), vec![reported]));
        for name in names {
            let found = recognize(&root.join(name)).unwrap();
            assert_eq!((found.len(), found[0].format), (1, Format::Mbox), "{name}");
        }
    }

    #[test]
    fn compressed_mailbox_reads_like_a_plain_one() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        let mails = MAIL.repeat(6);
        let (_, cut) = mails.split_at(36);
        assert!(cut.starts_with(b"From: "));
        let patch = b"From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001\nFrom: x\nSubject: y\n\n---\n\n";
        for (name, bytes, messages) in [
            ("prelude", [b"X\n\n", &MAIL.repeat(3)[..]].concat(), 4),
            ("cut", cut.to_vec(), 6),
            ("one", [b"Subject: a\n\nhe wrote:\n\n", MAIL].concat(), 1),
            (
                "patches",
                [&b"Subject: a\n\n"[..], &patch.repeat(3)].concat(),
                1,
            ),
            ("whole", mails.clone(), 6),
            (
                "long",
                [&b"words\n".repeat(100_000)[..], &mails].concat(),
                7,
            ),
        ] {
            write(root.path(), name, &bytes);
            write(root.path(), &format!("{name}.gz"), &gzip(&bytes));
            let count = |name: &str| {
                let archive = recognize(&path(name)).unwrap().remove(0);
                let mut source = crate::open(&archive, &crate::ReadOptions::default()).unwrap();
                let (mut batch, mut count, mut reported) = (crate::Batch::default(), 0, Vec::new());
                while source.next(&mut batch).unwrap() {
                    count += batch.entries.len();
                    reported.extend(batch.events.iter().map(|event| (event.kind, event.offset)));
                }
                (count, reported)
            };
            assert_eq!(count(name).0, messages, "{name}");
            assert_eq!(count(&format!("{name}.gz")), count(name), "{name}");
            if messages == 1 {
                assert_eq!(count(name).1[0].0, BoxEventKind::Single, "{name}");
            }
            let is_mailbox = matches!(
                FileKind::of(&path(name), false).unwrap(),
                FileKind::Mailbox(None)
            );
            let inside = FileKind::of(&path(&format!("{name}.gz")), false).unwrap();
            assert_eq!(
                is_mailbox,
                matches!(inside, FileKind::Mailbox(Some(_))),
                "{name}"
            );
            assert_eq!(is_mailbox, messages > 1, "{name}");
        }
    }
}
