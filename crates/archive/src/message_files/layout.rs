//! Opens the files of a tree, without following links unless requested, and reads those that contain more than the message, such as emlx.
//!
//! # Limits
//! On systems other than Linux, only the last component of a path is checked for links.

use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::apple_mail::{apple_folder, parts_beside};
use super::files::{Files, Name, OpenLayout, OpenedFile};
use crate::box_event::BoxEvent;
use crate::error::{Error, ErrorKind, Operation, at};
use crate::layouts::{self, FileLayout, LayoutReader};
use crate::mail_check;
use crate::packed::beginning;
use crate::skipped_file::special;
use crate::source::{Batch, Format, Source};
use crate::tree_file::TreeFile;

impl Files {
    /// Opens a file of the tree. None if a link or a special file has taken its place, which `events` then has.
    pub(super) fn open_file(
        &mut self,
        name: &[u8],
        path: &Path,
        events: &mut Vec<BoxEvent>,
    ) -> Result<Option<OpenedFile>, Error> {
        let opened = match &self.opener {
            Some(opener) => {
                let opened = opener.open(name);
                opened.map(|(file, metadata)| OpenedFile::on_disk(file, &metadata))
            }
            None => self.tree.open(path).and_then(OpenedFile::of),
        };
        match opened {
            Ok(file) => Ok(Some(file)),
            Err(error) => self.not_opened(error, name, path, events).map(|()| None),
        }
    }

    /// Reports a link or a special file in the place of a file. Any other reason why it cannot be opened is an error.
    pub(super) fn not_opened(
        &mut self,
        error: io::Error,
        name: &[u8],
        path: &Path,
        events: &mut Vec<BoxEvent>,
    ) -> Result<(), Error> {
        if self.opener.is_none() && !self.tree.follows_links() {
            return Err(at(path, Operation::Open)(error));
        }
        let is_link = error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
        let kind = ErrorKind::from(error);
        if !is_link && !matches!(kind, ErrorKind::Special(_)) {
            return Err(Error::new(path, Operation::Open, kind));
        }
        events.push(special(is_link, name));
        self.changed = true;
        Ok(())
    }

    /// Returns the layout of a file that has more than the message. The files of a Maildir have none.
    pub(super) fn layout_of(
        &self,
        path: &Path,
        file: &TreeFile,
    ) -> Result<Option<&'static FileLayout>, Error> {
        let is_maildir = self.format == Format::Maildir;
        if is_maildir || self.format != Format::Eml && !layouts::is_named(path) {
            return Ok(None);
        }
        let failed = at(path, Operation::Read);
        let start = self.beginning_of(path, file).map_err(failed)?;
        let is_mail = self.options.force_format || mail_check::is_mail(&start);
        Ok(layouts::of_message(
            &start,
            path,
            is_mail && !start.is_empty(),
        ))
    }

    /// Returns the first bytes of a file, which stays at its position.
    pub(super) fn beginning_of(&self, path: &Path, file: &TreeFile) -> io::Result<Vec<u8>> {
        if let TreeFile::Disk(file) = file {
            let mut start = vec![0; mail_check::BEGINNING];
            let filled = file.read_at(&mut start, 0)?;
            start.truncate(filled);
            return Ok(start);
        }
        beginning(&mut self.tree.open(path)?, mail_check::BEGINNING)
    }

    /// Begins to read a file of another layout.
    pub(super) fn open_layout(
        &mut self,
        name: Name,
        path: &Path,
        opened: OpenedFile,
        layout: &FileLayout,
    ) -> Result<OpenLayout, Error> {
        layout.name.clone_into(&mut self.profile.dialect);
        let modified = opened.modified;
        let reader = match opened.file {
            TreeFile::Disk(file) => LayoutReader::from_file(path, file, layout, &self.options),
            member => {
                let member = member.into_through();
                LayoutReader::from_member(path, member, &self.tree, layout, &self.options)
            }
        };
        let reader = reader.map_err(at(path, Operation::Read))?;
        Ok(OpenLayout {
            reader,
            name,
            modified,
        })
    }

    /// Adds the next entries of a file of another layout.
    pub(super) fn read_layout(
        &mut self,
        mut layout: OpenLayout,
        batch: &mut Batch,
    ) -> Result<(), Error> {
        let mut inner = Batch::default();
        let more = layout.reader.next(&mut inner)?;
        let base = batch.bytes.len();
        batch.bytes.append(&mut inner.bytes);
        for mut entry in inner.entries {
            for range in [&mut entry.span, &mut entry.message, &mut entry.omitted] {
                *range = range.start + base..range.end + base;
            }
            if entry.offset == 0 {
                let beside = parts_beside(&self.tree, &layout.name, &self.path(&layout.name));
                batch.events.extend(beside);
            }
            let folder = apple_folder(&layout.name);
            entry.folder = self.display(folder, true, &mut batch.events);
            entry.ordinal = self.ordinal;
            entry.name.clone_from(&layout.name);
            entry.modified = layout.modified;
            batch.entries.push(entry);
        }
        for mut event in inner.events {
            event.name.clone_from(&layout.name);
            batch.events.push(event);
        }
        if more {
            self.layout = Some(layout);
        } else {
            self.changed |= layout.reader.changed()?;
            self.ordinal += 1;
        }
        Ok(())
    }
}
