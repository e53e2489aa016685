//! Finds the archives at a path.
//!
//! Searches a folder recursively, including Apple Mail folders (`X.mbox/`, whose mailbox is `mbox`) and Maildirs. A mailbox is an
//! archive wherever it lies. Other messages belong to their Maildir, or else to one tree of messages. A zip or tar archive is searched
//! like a folder; its messages outside mailboxes and Maildirs form a tree of their own.
//!
//! # Limits
//! Recognizes the mail stores of Apple Mail, Thunderbird, Outlook Express and public-inbox, and of no other program. An MH folder is part of a tree of messages, and is
//! written as one. Follows symbolic links below a folder only on request. Reads mailboxes in gzip, zstd, bzip2, xz and LZ4, but no compressed single messages. Skips
//! files of other formats.

use std::fs;
use std::path::{Path, PathBuf};

use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind, SkipReason};
use crate::container::{
    ContainerForm, ContainerOptions, MOST_EVENTS, NameDecoding, OpenContainers,
};
use crate::entry_type::EntryType;
use crate::error::{Error, ErrorKind, Operation, at};
use crate::file_kind::{FileForm, FileKind};
use crate::file_names::{is_eml, is_index, is_named_zip};
use crate::file_tree::{ContainerMail, FileTree};
use crate::input::Input;
use crate::maildir;
use crate::message_stores::MessageStore;
use crate::open_input;
use crate::packing::Packing;
use crate::skipped_file::{left_alone, mail_like, no_mail, not_followed};
use crate::source::{Format, MAX_EXPANSION, ReadOptions};

/// Options of a search.
#[derive(Clone, Debug)]
pub struct RecognizeOptions {
    /// A file with the name of a mailbox is a mailbox even if it is not mail, also below a folder.
    pub force_format: bool,
    /// Limit on the ratio of decompressed to compressed size of a zip or tar archive and of each member (200).
    pub max_expansion: u64,
    /// Follows symbolic links below a folder: to files, and to folders that are not read at another path.
    pub follow_links: bool,
    /// Each folder of a Maildir is an input of its own ([`Input::is_one_folder`]).
    pub divides_maildirs: bool,
    /// The containers that stay open. Share it between the searches of a job.
    pub open_containers: OpenContainers,
    /// How names in zip and tar archives are decoded that say no charset.
    pub member_names: NameDecoding,
}

impl Default for RecognizeOptions {
    fn default() -> Self {
        Self {
            force_format: false,
            max_expansion: MAX_EXPANSION,
            follow_links: false,
            divides_maildirs: false,
            open_containers: OpenContainers::default(),
            member_names: NameDecoding::default(),
        }
    }
}

impl RecognizeOptions {
    fn of_containers(&self) -> ContainerOptions {
        ContainerOptions {
            ratio: self.max_expansion,
            open_containers: self.open_containers.clone(),
            names: self.member_names,
        }
    }
}

/// Recognizes the archives at a path. `-` is standard input.
///
/// In a folder, each mbox file and each Maildir is one archive. All other `.eml` files and MH folders form one tree, which comes
/// first. A zip or tar archive is searched like a folder. A path may lead into it: `takeout.zip/Takeout/Mail`.
pub fn recognize(path: &Path) -> Result<Vec<Input>, Error> {
    recognize_with(path, &RecognizeOptions::default(), &mut |left| match left {
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

/// A function that is called for everything that a search skips. An error ends the search.
type SeeLeftOut<'a> = &'a mut dyn FnMut(LeftOut) -> Result<(), Error>;

/// Like [`recognize`], and calls `left_out` for everything it skips below `path`. An error from `left_out` ends the search.
pub fn recognize_with(
    path: &Path,
    options: &RecognizeOptions,
    left_out: &mut dyn FnMut(LeftOut) -> Result<(), Error>,
) -> Result<Vec<Input>, Error> {
    if path.as_os_str() == "-" {
        return Ok(vec![Input::on_disk(path, Format::Mbox)]);
    }
    let tree = match fs::metadata(path) {
        Ok(metadata) => {
            open_input::check(path, &metadata).map_err(at(path, Operation::Open))?;
            if options.follow_links && metadata.is_dir() {
                FileTree::following_links(path)
            } else {
                FileTree::default()
            }
        }
        Err(error) => match tree_around(path, options)? {
            Some(tree) => tree,
            None => return Err(at(path, Operation::Open)(error)),
        },
    };
    let is_folder = if tree.is_container() {
        tree.is_folder(path)
    } else {
        path.is_dir()
    };
    let mut search = FolderSearch::new(&tree, path, path, options);
    let inside = if is_folder {
        search.folder(path, Within::Tree);
        if let Some(error) = search.errors.pop() {
            return Err(error);
        }
        search.run(left_out)?;
        Some(tree.clone())
    } else {
        match search.given_file(path)? {
            GivenFile::Container(form) => search.container(path, form, false, left_out)?,
            GivenFile::Input(input) => return Ok(vec![input]),
        }
    };
    let mut found = search.found();
    if found.archives.is_empty()
        && found.events.is_empty()
        && let Some(inside) = inside
        && is_empty(&inside, path)
    {
        // `normalize` writes an empty folder as a tree without messages.
        found.archives.push(Input {
            tree: inside,
            ..Input::on_disk(path, Format::EmlTree)
        });
    }
    for event in found.events {
        left_out(LeftOut::Noted(event))?;
    }
    Ok(found.archives)
}

/// Returns true for a folder without entries.
fn is_empty(tree: &FileTree, folder: &Path) -> bool {
    let entries = tree.entries(folder);
    entries.is_ok_and(|mut entries| entries.next().is_none())
}

/// A file that was named by the caller.
enum GivenFile {
    Input(Input),
    Container(ContainerForm),
}

/// Opens the containers that a path leads through. Returns the tree of the last one, or `None` if the path leads nowhere.
///
/// A slash at the end leads into a container: `takeout.zip/`.
fn tree_around(path: &Path, options: &RecognizeOptions) -> Result<Option<FileTree>, Error> {
    let mut tree = FileTree::default();
    let ends_in_slash = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    // Without that slash.
    let path: PathBuf = path.components().collect();
    let above: Vec<&Path> = path.ancestors().skip(usize::from(!ends_in_slash)).collect();
    for part in above.into_iter().rev() {
        if !tree.is_file(part) {
            continue;
        }
        let form = match FileForm::of(&tree, part)? {
            FileForm::Container(form) => form,
            // A program that extracts the archive may precede it.
            FileForm::Other if is_named_zip(part) => match FileKind::of(&tree, part, false)? {
                FileKind::Container(form) => form,
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let entered = tree.enter(part, form, b"", &options.of_containers());
        match entered.map_err(at(part, Operation::Read))? {
            Some((inside, _)) => tree = inside,
            None => return Ok(None),
        }
    }
    let is_there = tree.is_container() && (tree.is_folder(&path) || tree.is_file(&path));
    Ok(is_there.then_some(tree))
}

/// Searches a container for mail, once.
pub(crate) fn mail_in_container(
    tree: &FileTree,
    path: &Path,
    form: ContainerForm,
    options: &ReadOptions,
) -> ContainerMail {
    if let Some(known) = tree.mail_in(path) {
        return known;
    }
    let options = RecognizeOptions {
        force_format: options.force_format,
        max_expansion: options.max_expansion,
        ..RecognizeOptions::default()
    };
    let mut search = FolderSearch::new(tree, path, path, &options);
    let searched = search.container(path, form, false, &mut |_| Ok(()));
    let known = searched.ok().and_then(|_| tree.mail_in(path));
    known.unwrap_or(ContainerMail::Unknown)
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

/// A search through the folders of a disk or a container.
struct FolderSearch<'a> {
    tree: &'a FileTree,
    root: &'a Path,
    /// The folder below which names in events lie.
    names_root: &'a Path,
    options: &'a RecognizeOptions,
    waiting: Vec<(PathBuf, Within)>,
    archives: Vec<Input>,
    /// A message outside any Maildir was found.
    messages: bool,
    /// The events for skipped files, which the reader of a tree of messages reports, too.
    noted: Vec<BoxEvent>,
    /// The events about containers and their members.
    of_containers: Vec<BoxEvent>,
    /// Folders that may be message stores, but cannot be read.
    errors: Vec<Error>,
}

/// Adds an event about a container. The last one says that there are more.
fn push_bounded(events: &mut Vec<BoxEvent>, mut event: BoxEvent) {
    if events.len() >= MOST_EVENTS {
        event.detail = BoxDetail::MoreMembers;
        events.truncate(MOST_EVENTS);
    }
    events.push(event);
}

/// Result of a search.
struct FoundArchives {
    archives: Vec<Input>,
    events: Vec<BoxEvent>,
}

impl<'a> FolderSearch<'a> {
    fn new(
        tree: &'a FileTree,
        root: &'a Path,
        names_root: &'a Path,
        options: &'a RecognizeOptions,
    ) -> Self {
        Self {
            tree,
            root,
            names_root,
            options,
            waiting: Vec::new(),
            archives: Vec::new(),
            messages: false,
            noted: Vec::new(),
            of_containers: Vec::new(),
            errors: Vec::new(),
        }
    }

    fn input(&self, path: &Path, format: Format, packed: Option<Packing>) -> Input {
        Input {
            path: path.to_owned(),
            format,
            packed,
            tree: self.tree.clone(),
            range: None,
            store: None,
            is_one_folder: false,
        }
    }

    fn store(&self, path: &Path, store: MessageStore) -> Input {
        Input {
            store: Some(store),
            ..self.input(path, Format::EmlTree, None)
        }
    }

    /// Classifies a file that was named by the caller. An empty file is a mailbox.
    fn given_file(&self, path: &Path) -> Result<GivenFile, Error> {
        let of_format = |format, packed| GivenFile::Input(self.input(path, format, packed));
        match FileForm::of(self.tree, path)? {
            FileForm::Container(form) => return Ok(GivenFile::Container(form)),
            FileForm::Packed(packing) => return Ok(of_format(Format::Mbox, Some(packing))),
            FileForm::NotRead(packing) => {
                let kind = ErrorKind::NotRead(packing);
                return Err(Error::new(path, Operation::Read, kind));
            }
            FileForm::Other => {}
        }
        if self.tree.size_of(path) == Some(0) && !is_eml(path) {
            return Ok(of_format(Format::Mbox, None));
        }
        let kind = FileKind::of(self.tree, path, self.options.force_format)?;
        Ok(match kind {
            FileKind::Container(form) => GivenFile::Container(form),
            FileKind::Mailbox(_) => of_format(Format::Mbox, None),
            FileKind::Store(store) => GivenFile::Input(self.store(path, store)),
            _ => of_format(Format::Eml, None),
        })
    }

    /// Lists all scheduled folders.
    fn run(&mut self, left_out: SeeLeftOut<'_>) -> Result<(), Error> {
        while let Some((folder, within)) = self.waiting.pop() {
            self.list(&folder, within, left_out)?;
        }
        let mut errors = std::mem::take(&mut self.errors).into_iter();
        errors.try_for_each(|error| left_out(LeftOut::Unread(error)))
    }

    /// Returns the archives in order, and the events.
    fn found(&mut self) -> FoundArchives {
        let mut archives = std::mem::take(&mut self.archives);
        archives.sort_by(|a, b| a.path.cmp(&b.path));
        let mut events = std::mem::take(&mut self.of_containers);
        if self.messages {
            archives.insert(0, self.input(self.root, Format::EmlTree, None));
        } else {
            events.append(&mut self.noted);
        }
        events.sort_by(|a, b| a.detail.file().cmp(&b.detail.file()));
        FoundArchives { archives, events }
    }

    /// Schedules a folder to be listed.
    fn folder(&mut self, path: &Path, within: Within) {
        let mut within = within;
        if within == Within::Tree {
            let mut is_store = true;
            match MessageStore::of_folder(self.tree, self.root, path) {
                Ok(None) if MessageStore::must_be_unpacked(self.tree, path) => {
                    let event = self.skipped_repository(path);
                    push_bounded(&mut self.of_containers, event);
                }
                Ok(None) => is_store = false,
                Ok(Some(store)) => self.archives.push(self.store(path, store)),
                Err(error) => self.errors.push(error),
            }
            // Beside the files of a store there may be other mail.
            if is_store && MessageStore::fills_folder(self.tree, path) {
                return;
            }
        }
        let is_divided = self.options.divides_maildirs;
        let is_maildir = match within {
            Within::Tree => maildir::is_root(self.tree, path),
            Within::Maildir => is_divided && maildir::is_folder(self.tree, path),
            Within::Messages => false,
        };
        if is_maildir {
            self.archives.push(Input {
                is_one_folder: is_divided,
                ..self.input(path, Format::Maildir, None)
            });
            within = Within::Maildir;
        }
        self.waiting.push((path.to_owned(), within));
    }

    fn list(
        &mut self,
        folder: &Path,
        within: Within,
        left_out: SeeLeftOut<'_>,
    ) -> Result<(), Error> {
        let tree = self.tree;
        let entries = match tree.entries(folder) {
            Ok(entries) => entries,
            Err(error) if folder == self.root => return Err(at(folder, Operation::List)(error)),
            Err(error) => return left_out(LeftOut::Unread(at(folder, Operation::List)(error))),
        };
        let has_messages = within == Within::Maildir && maildir::is_folder(tree, folder);
        for entry in entries {
            let entry = entry.map_err(at(folder, Operation::List))?;
            if within == Within::Messages && entry.kind != EntryType::Folder {
                continue;
            }
            // No store is read inside a Maildir, only one in the same folder.
            let may_be_owned = within == Within::Tree || maildir::is_root(tree, folder);
            if may_be_owned && MessageStore::owns(tree, self.root, folder, &entry) {
                continue;
            }
            let file = folder.join(&entry.name);
            match entry.kind {
                EntryType::Folder => {
                    let within = match within {
                        Within::Tree => Within::Tree,
                        _ if has_messages && maildir::is_part(entry.name.as_encoded_bytes()) => {
                            Within::Messages
                        }
                        _ => Within::Maildir,
                    };
                    self.folder(&file, within);
                }
                EntryType::File => self.file(&file, within, left_out)?,
                kind if within == Within::Tree => {
                    let event = not_followed(kind, self.name(&file));
                    self.push_noted(event);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Classifies a file of a folder.
    fn file(&mut self, file: &Path, within: Within, left_out: SeeLeftOut<'_>) -> Result<(), Error> {
        match FileKind::of(self.tree, file, self.options.force_format) {
            Ok(FileKind::Mailbox(packed)) => {
                self.archives.push(self.input(file, Format::Mbox, packed));
            }
            Ok(FileKind::Store(store)) => self.archives.push(self.store(file, store)),
            Ok(FileKind::Container(form)) => {
                self.container(file, form, within == Within::Tree, left_out)?;
            }
            Err(error) => left_out(LeftOut::Unread(error))?,
            Ok(kind) if within == Within::Tree => self.note(kind, file),
            Ok(_) => {}
        }
        Ok(())
    }

    /// Searches a container, and returns its files. `is_noted` reports one without mail as a file that is not mail.
    fn container(
        &mut self,
        file: &Path,
        form: ContainerForm,
        is_noted: bool,
        left_out: SeeLeftOut<'_>,
    ) -> Result<Option<FileTree>, Error> {
        let name = self.name(file);
        let slash: &[u8] = if name.is_empty() { b"" } else { b"/" };
        let prefix = [name, slash].concat();
        let options = self.options.of_containers();
        let (tree, events) = match self.tree.enter(file, form, &prefix, &options) {
            Ok(Some(entered)) => entered,
            Ok(None) => {
                let reason = SkipReason::TooDeep;
                let name = String::from_utf8_lossy(name).into_owned();
                let detail = BoxDetail::SkippedMember { name, reason };
                self.of_containers
                    .push(BoxEvent::new(BoxEventKind::MemberSkipped, 0, detail));
                self.tree.remember(file, ContainerMail::Unknown);
                return Ok(None);
            }
            Err(error) => {
                left_out(LeftOut::Unread(at(file, Operation::Read)(error)))?;
                return Ok(None);
            }
        };
        let is_skipped = |event: &BoxEvent| event.kind == BoxEventKind::MemberSkipped;
        let mut is_read = !events.iter().any(is_skipped);
        self.of_containers.extend(events);
        let mut search = FolderSearch::new(&tree, file, self.names_root, self.options);
        search.folder(file, Within::Tree);
        search.run(left_out)?;
        let found = search.found();
        let has_mail = !found.archives.is_empty();
        is_read &= !found.events.iter().any(is_skipped);
        let mail = match () {
            () if has_mail => ContainerMail::Found,
            () if is_read => ContainerMail::Absent,
            () => ContainerMail::Unknown,
        };
        self.tree.remember(file, mail);
        self.archives.extend(found.archives);
        let of_others = |event: &BoxEvent| has_mail || event.kind != BoxEventKind::NoMail;
        self.of_containers
            .extend(found.events.into_iter().filter(of_others));
        if mail == ContainerMail::Absent && is_noted {
            let event = no_mail(self.name(file), false);
            self.noted.push(event);
        }
        Ok(Some(tree))
    }

    /// Adds the event for a skipped file. In a container, the last one says that there are more.
    fn push_noted(&mut self, event: BoxEvent) {
        if self.tree.is_container() {
            push_bounded(&mut self.noted, event);
        } else {
            self.noted.push(event);
        }
    }

    /// Returns the event for a git repository in a container.
    fn skipped_repository(&self, folder: &Path) -> BoxEvent {
        let name = match self.name(folder) {
            b"" => folder.file_name().unwrap_or_default().as_encoded_bytes(),
            name => name,
        };
        let detail = BoxDetail::SkippedMember {
            name: String::from_utf8_lossy(name).into_owned(),
            reason: SkipReason::Repository,
        };
        BoxEvent::new(BoxEventKind::MemberSkipped, 0, detail)
    }

    /// Returns the name of a file in events.
    fn name<'p>(&self, file: &'p Path) -> &'p [u8] {
        file.strip_prefix(self.names_root)
            .unwrap_or(file)
            .as_os_str()
            .as_encoded_bytes()
    }

    /// Adds the event for a file that is not an archive.
    fn note(&mut self, kind: FileKind, file: &Path) {
        let name = self.name(file);
        match kind {
            FileKind::Mailbox(_) | FileKind::Store(_) | FileKind::Container(_) => {}
            FileKind::Message => self.messages = true,
            FileKind::LeftAlone(packing) => self.push_noted(left_alone(packing, name)),
            FileKind::Damaged(mut event) => {
                event.name = name.to_vec();
                self.push_noted(event);
            }
            FileKind::Other if is_index(file) => {}
            FileKind::Other => self.push_noted(no_mail(name, false)),
            FileKind::MailLike => self.push_noted(mail_like(name, false)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{mbox, packed};
    use std::io::{self, Write};

    const MAIL: &[u8] = b"From a@b.c Mon Jan  1 00:00:00 2001\nFrom: a@b.c\nSubject: s\n\nb\n\n";

    fn write(root: &Path, name: &str, bytes: &[u8]) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Returns the archives by their paths below the folder, and the events.
    fn search(root: &Path) -> (Vec<(String, Format)>, Vec<String>) {
        let mut reported = Vec::new();
        let found = recognize_with(root, &RecognizeOptions::default(), &mut |left| {
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
        let reported = ["not mail; neither output nor ledger has it: P.mbox/table_of_contents"];
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
    fn tar_archives_are_searched_compressed_or_not() {
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
            let found = recognize(&root.join(name)).unwrap();
            assert_eq!(found.len(), 1, "{name}");
            assert_eq!(found[0].format, Format::EmlTree, "{name}");
            assert_eq!(found[0].path, root.join(name));
            let mut source = crate::open(&found[0], &ReadOptions::default()).unwrap();
            let mut batch = crate::source::Batch::default();
            assert!(source.next(&mut batch).unwrap());
            assert_eq!(batch.bytes, message);
            assert!(!source.changed().unwrap());
            // A pipe cannot be read in any order.
            let path = Path::new("-");
            let input = packed::through(path, io::Cursor::new(bytes.clone()), u64::MAX).unwrap();
            let read = mbox::Mailbox::from_through(path, input, &ReadOptions::default());
            let error = read.err().unwrap().to_string();
            assert!(error.starts_with("-: a tar archive"), "{error}");
        }
        let trees = ["a.tar", "b.tar", "c", "d.tgz"];
        let trees = trees.map(|name| (name.to_owned(), Format::EmlTree));
        assert_eq!(search(root), (trees.into(), Vec::new()));
        // One changed byte makes a tar header invalid, unless it has a mark.
        for at in [0, 50, 148, 300] {
            for (file, packing) in [(0, Some(Packing::Tar)), (1, Some(Packing::Tar)), (2, None)] {
                let mut bytes = files[file].1.clone();
                bytes[at] ^= 1;
                assert_eq!(Packing::of_file(&bytes), packing, "{file} {at}");
            }
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
        let reported = "not mail; neither output nor ledger has it: numbers".to_owned();
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
                let mut source =
                    crate::open(&archive, &crate::source::ReadOptions::default()).unwrap();
                let (mut batch, mut count, mut reported) =
                    (crate::source::Batch::default(), 0, Vec::new());
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
                FileKind::of(&FileTree::default(), &path(name), false).unwrap(),
                FileKind::Mailbox(None)
            );
            let inside =
                FileKind::of(&FileTree::default(), &path(&format!("{name}.gz")), false).unwrap();
            assert_eq!(
                is_mailbox,
                matches!(inside, FileKind::Mailbox(Some(_))),
                "{name}"
            );
            assert_eq!(is_mailbox, messages > 1, "{name}");
        }
    }
}
