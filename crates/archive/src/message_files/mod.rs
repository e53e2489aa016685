//! Reads files of one message each: a single one, a folder tree of `.eml` files and numbers (MH), or a Maildir.
//!
//! Walks the tree in the order of its names, numbers first and by value. Every folder and every other file is an entry too, so that
//! the tree can be restored. After an error, the walk continues after the unreadable file or folder.
//!
//! # Limits
//! Follows symbolic links only on request. Reads no sockets and pipes, also if they replace a listed file: the event
//! `box.not-followed` names them. `box.no-mail` names files that are not mail. The names of one folder are kept in memory, about
//! 100 bytes each. Owners, permissions and times of files are not kept.

mod apple_mail;
mod compressed;
mod file_groups;
mod files;
mod folder_starts;
mod layout;
mod list;
mod read;
mod read_ahead;
mod renamed;

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use self::file_groups::FileGroups;
pub(crate) use self::files::Files;
use self::files::{MessageFile, Name, OpenMessageFile, Work};
pub use self::folder_starts::folder_starts;
use self::read::FilePiece;
use self::renamed::Renamed;
use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind};
use crate::error::{Error, ErrorKind, Operation, at};
use crate::file_names::is_written_message;
use crate::file_tree::FileTree;
use crate::files_ahead::{FileAhead, FileOpener, FilesAhead, ReadFiles};
use crate::input::{Input, InputRange};
use crate::mbox::separators;
use crate::open_input::{self, open_input};
use crate::packed::beginning;
use crate::source::{Batch, EntryKind, Format, Profile, ReadOptions, Source};
use crate::tree_file::TreeFile;
use crate::{layouts, mail_check, maildir};

impl Files {
    /// Walks a Maildir or a tree of `.eml` files.
    pub(crate) fn folder(input: &Input, options: &ReadOptions) -> Result<Self, Error> {
        let (root, format) = (&*input.path, input.format);
        let dialect = match format {
            Format::Maildir
                if !input.is_one_folder && maildir::has_dotted_folders(&input.tree, root) =>
            {
                "Maildir++"
            }
            Format::Maildir => "Maildir",
            _ => "eml tree",
        };
        let mut files = Self::new(root, format, dialect, options);
        files.tree = input.tree.clone();
        files.is_one_folder = input.is_one_folder;
        files.opener = if input.tree.is_container() {
            None
        } else if input.tree.follows_links() {
            Some(FileOpener::Following(root.to_owned()))
        } else {
            Some(FileOpener::Below(Arc::new(open_input(root)?)))
        };
        let mut first = Vec::new();
        files.list(b"", &mut first)?;
        files.events = first;
        if let Some(InputRange::Folder(range)) = &input.range {
            if let Some(start) = &range.start {
                files.skip_to(start)?;
                files.events.clear();
            }
            files.end = range.end;
        }
        Ok(files)
    }

    /// Reads one file as one message.
    pub(crate) fn single(input: &Input, options: &ReadOptions) -> Result<Self, Error> {
        let path = &*input.path;
        let mut files = Self::new(path, Format::Eml, "single message", options);
        files.tree = input.tree.clone();
        files.work.push(Work::File(Vec::new(), EntryKind::Message));
        if input.tree.is_container() {
            let mut file = input.tree.open(path).map_err(at(path, Operation::Open))?;
            check_mail(path, &mut file, options)?;
            let file = input.tree.open(path).map_err(at(path, Operation::Open))?;
            files.report_separators(file, 0)?;
            return Ok(files);
        }
        let metadata = fs::metadata(path).map_err(at(path, Operation::Open))?;
        open_input::check(path, &metadata).map_err(at(path, Operation::Open))?;
        files.size = Some(metadata.len());
        if metadata.is_file() {
            let mut file = open_input(path)?;
            check_mail(path, &mut file, options)?;
            files.report_separators(TreeFile::Disk(file), metadata.len())?;
        }
        Ok(files)
    }

    /// Reports lines of a single message that look like separators. `size` is that of a file on a disk.
    fn report_separators(&mut self, mut file: TreeFile, size: u64) -> Result<(), Error> {
        let looked = separators(&mut file, size);
        let (lines, offset) = looked.map_err(at(&self.root, Operation::Read))?;
        if lines > 0 {
            let detail = BoxDetail::LooksLikeMailbox { lines };
            let event = BoxEvent::new(BoxEventKind::Single, offset, detail);
            self.events.push(event);
        }
        Ok(())
    }

    fn new(root: &Path, format: Format, dialect: &str, options: &ReadOptions) -> Self {
        Self {
            root: root.to_owned(),
            tree: FileTree::default(),
            is_one_folder: false,
            format,
            profile: Profile {
                dialect: dialect.to_owned(),
                line_end: "",
            },
            size: None,
            options: options.clone(),
            work: Vec::new(),
            reading: None,
            layout: None,
            opener: None,
            ahead: FileGroups::default(),
            ordinal: 0,
            changed: false,
            listed: Vec::new(),
            maildirs: Vec::new(),
            listed_again: files::ListedAgain::default(),
            events: Vec::new(),
            sequences: None,
            folders: HashMap::new(),
            written: HashMap::new(),
            failed: None,
            entries: 0,
            decompressed: 0,
            weight: 0,
            end: None,
        }
    }

    /// Processes the next file or folder.
    fn step(&mut self, batch: &mut Batch) -> Result<(), Error> {
        if let Some(reading) = self.reading.take() {
            return self.read_on(reading, batch);
        }
        if let Some(layout) = self.layout.take() {
            return self.read_layout(layout, batch);
        }
        self.entries += 1;
        let Some((work, ahead)) = self.pop_work() else {
            return Ok(());
        };
        match work {
            Work::FolderAlone(name) => self.push(batch, &FilePiece::folder(&name)),
            Work::Folder(name) => {
                self.push(batch, &FilePiece::folder(&name));
                self.list(&name, &mut batch.events)?;
            }
            Work::File(name, kind) => self.read_file(name, kind, ahead, batch)?,
        }
        Ok(())
    }

    /// Reads a file, under another name if it is a message that was renamed. `ahead` is the result of another thread.
    fn read_file(
        &mut self,
        name: Name,
        kind: EntryKind,
        ahead: Option<FileAhead>,
        batch: &mut Batch,
    ) -> Result<(), Error> {
        let mut read = self.read_named(name, kind, ahead, batch);
        while self.format == Format::Maildir
            && kind == EntryKind::Message
            && let Err(error) = &read
            && error.io_kind() == io::ErrorKind::NotFound
        {
            match self.renamed(error.path(), batch) {
                Renamed::To(name) => read = self.read_named(name, kind, None, batch),
                Renamed::Listed => return Ok(()),
                Renamed::Gone => break,
            }
        }
        read
    }

    fn read_named(
        &mut self,
        name: Name,
        kind: EntryKind,
        ahead: Option<FileAhead>,
        batch: &mut Batch,
    ) -> Result<(), Error> {
        if let Some(ahead) = ahead.filter(|ahead| !matches!(ahead, FileAhead::Left(_))) {
            return self.take_ahead(name, kind, ahead, batch);
        }
        let path = self.path(&name);
        let Some(opened) = self.open_file(&name, &path, &mut batch.events)? else {
            return Ok(());
        };
        if kind == EntryKind::Message
            && let Some(layout) = self.layout_of(&path, &opened.file)?
        {
            let layout = self.open_layout(name, &path, opened, layout)?;
            return self.read_layout(layout, batch);
        }
        let reading = OpenMessageFile {
            file: opened.file,
            path,
            message: MessageFile {
                name,
                kind,
                offset: 0,
                size: opened.size,
                modified: opened.modified,
            },
            compressed: None,
        };
        self.read_on(reading, batch)
    }
}

/// Rejects a file that does not begin like a message, unless `force_format` is set.
fn check_mail(path: &Path, file: &mut impl Read, options: &ReadOptions) -> Result<(), Error> {
    if options.force_format {
        return Ok(());
    }
    let start = beginning(file, mail_check::BEGINNING).map_err(at(path, Operation::Read))?;
    let is_message = is_written_message(path.as_os_str().as_encoded_bytes())
        || layouts::of_message(&start, path, false).is_some();
    if is_message || mail_check::is_mail(&start) {
        return Ok(());
    }
    Err(Error::new(path, Operation::Read, ErrorKind::NoHeader))
}

impl Source for Files {
    fn next(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        batch.bytes.clear();
        batch.entries.clear();
        batch.events.clear();
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        batch.events.append(&mut self.events);
        let cell = self.cell();
        while self.cell() == cell && self.has_more() {
            let (entry, byte) = (batch.entries.len(), batch.bytes.len());
            let stepped = self.step(batch);
            self.weigh(batch, entry, byte);
            if let Err(error) = stepped {
                if batch.entries.is_empty() {
                    // The next batch has the events that came before the error.
                    self.events.append(&mut batch.events);
                    return Err(error);
                }
                self.failed = Some(error);
                break;
            }
        }
        self.report_decompressed(&mut batch.events);
        Ok(!batch.entries.is_empty() || !batch.events.is_empty())
    }

    fn files_ahead(&mut self, batches: usize, threads: usize) -> FilesAhead {
        self.missing_files(batches, threads)
    }

    fn give(&mut self, files: ReadFiles) {
        self.take_back(files);
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn size_hint(&self) -> Option<u64> {
        self.size
    }

    fn changed(&self) -> Result<bool, Error> {
        let moved =
            |(path, then): &(PathBuf, Option<SystemTime>)| self.tree.modified(path) != *then;
        let has_others = self.listed.iter().any(moved)
            || self
                .maildirs
                .iter()
                .any(|names| self.has_other_messages(names));
        Ok(has_others || self.content_changed()?)
    }

    fn content_changed(&self) -> Result<bool, Error> {
        Ok(self.changed || self.tree.is_changed()?)
    }
}

#[cfg(test)]
mod tests;
