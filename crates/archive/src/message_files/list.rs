//! Lists a folder: its messages, the folders to walk next, and what is skipped.
//!
//! # Limits
//! The names of one folder are kept in memory, about 100 bytes each.

use super::files::{Files, MaildirNames, Name, Work, last};
use crate::box_event::{BoxDetail, BoxEvent};
use crate::container::MOST_EVENTS;
use crate::entry_type::EntryType;
use crate::error::{Error, Operation, at};
use crate::file_kind::FileKind;
use crate::file_names::{is_eml, is_index};
use crate::file_tree::ContainerMail;
use crate::maildir;
use crate::message_stores::MessageStore;
use crate::mh::{self, MhSequences};
use crate::recognize::mail_in_container;
use crate::skipped_file::{left_alone, mail_like, no_mail, not_followed};
use crate::source::{EntryKind, Format};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

impl Files {
    /// Schedules the files of a folder.
    pub(super) fn list(&mut self, folder: &[u8], events: &mut Vec<BoxEvent>) -> Result<(), Error> {
        let path = self.path(folder);
        let modified = self.tree.modified(&path);
        let (files, folders) = self.names(folder, events)?;
        self.listed.push((path.clone(), modified));
        let mut plan = Vec::new();
        let mut listed = Ok(());
        if self.format == Format::Maildir {
            let messages = self.classify(folder, files, &mut plan, events);
            listed = self.list_maildir(&path, folders, messages, &mut plan, events);
        } else {
            self.sequences = self.read_sequences(&path);
            self.classify(folder, files, &mut plan, events);
            let root = self.path(b"");
            // Maildirs and message stores are separate archives.
            let own = |name: &Name| {
                let path = self.path(name);
                // The search reports a store that cannot be read, or must be unpacked first.
                let is_store = || {
                    let store = MessageStore::of_folder(&self.tree, &root, &path);
                    !matches!(store, Ok(None)) || MessageStore::must_be_unpacked(&self.tree, &path)
                };
                let is_store = || MessageStore::fills_folder(&self.tree, &path) && is_store();
                maildir::is_root(&self.tree, &path) || is_store()
            };
            let folders = folders.into_iter().filter(|name| !own(name));
            plan.extend(folders.map(Work::Folder));
        }
        plan.reverse();
        if self.work.is_empty() {
            self.work = plan;
        } else {
            self.work.append(&mut plan);
        }
        self.ahead.listed(self.work.len());
        listed
    }

    /// Schedules the files of a folder that need no order, and returns the messages of a Maildir.
    fn classify(
        &mut self,
        folder: &[u8],
        files: Vec<Name>,
        plan: &mut Vec<Work>,
        events: &mut Vec<BoxEvent>,
    ) -> Vec<Name> {
        let is_maildir = self.format == Format::Maildir;
        // A file that is still being delivered is not a message yet, whatever it looks like.
        let is_delivery = is_maildir
            && last(folder) == b"tmp"
            && self
                .path(folder)
                .parent()
                .is_some_and(|folder| maildir::is_folder(&self.tree, folder));
        let mut messages = Vec::new();
        for name in files {
            let kind = if is_delivery {
                Ok(FileKind::Other)
            } else {
                FileKind::of(&self.tree, &self.path(&name), self.options.force_format)
            };
            match kind {
                // A mailbox is a separate archive.
                Ok(FileKind::Mailbox(_) | FileKind::Store(_)) => continue,
                // So is each mailbox in a container.
                Ok(FileKind::Container(form)) => {
                    let path = self.path(&name);
                    match mail_in_container(&self.tree, &path, form, &self.options) {
                        ContainerMail::Found => continue,
                        ContainerMail::Absent => events.push(no_mail(&name, true)),
                        // An event has named the unread member.
                        ContainerMail::Unknown => {}
                    }
                }
                Ok(FileKind::Message) if is_maildir => {
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
                Ok(FileKind::Other) if is_index(&self.path(&name)) => {}
                Ok(FileKind::Other) => events.push(no_mail(&name, true)),
                Ok(FileKind::MailLike) => events.push(mail_like(&name, true)),
                // The damage is reported when the file is read.
                Ok(FileKind::Damaged(_)) => {}
                // The error is reported when the file is read, and hides no other file of its folder.
                Err(_) => {}
            }
            plan.push(Work::File(name, EntryKind::Other));
        }
        messages
    }

    /// Schedules the messages of a Maildir folder in the order of their names, then its other folders. If `cur` or `new` cannot be listed,
    /// schedules the rest and returns the error.
    fn list_maildir(
        &mut self,
        path: &Path,
        folders: Vec<Name>,
        mut messages: Vec<Name>,
        plan: &mut Vec<Work>,
        events: &mut Vec<BoxEvent>,
    ) -> Result<(), Error> {
        let is_folder = maildir::is_folder(&self.tree, path);
        let (mut rest, mut failed) = (Vec::new(), Ok(()));
        let (mut listed, first) = (Vec::new(), messages.len());
        for name in folders {
            if !(is_folder && matches!(last(&name), b"cur" | b"new")) {
                rest.push(name);
                continue;
            }
            let path = self.path(&name);
            let modified = self.tree.modified(&path);
            let (files, below) = match self.names(&name, events) {
                Ok(names) => names,
                Err(error) => {
                    failed = failed.and(Err(error));
                    continue;
                }
            };
            listed.push((path, modified));
            plan.push(Work::FolderAlone(name));
            // Files of the system: `.DS_Store`, `.nfs…`. No server treats such a file as a message.
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
        if !listed.is_empty() {
            self.add_missed(&listed, &mut messages, first);
            let names = MaildirNames::of(listed, &messages[first..]);
            self.maildirs.push(names);
        }
        if self.is_one_folder {
            let is_part = |name: &Name| is_folder && maildir::is_part(last(name));
            rest.retain(|name| is_part(name) || !maildir::is_folder(&self.tree, &self.path(name)));
        }
        messages.sort_by(|a, b| last(a).cmp(last(b)).then_with(|| a.cmp(b)));
        let message = |name| Work::File(name, EntryKind::Message);
        plan.extend(messages.into_iter().map(message));
        plan.extend(rest.into_iter().map(Work::Folder));
        failed
    }

    /// Returns the files and the folders in a folder, each in the order of their names.
    fn names(
        &self,
        folder: &[u8],
        events: &mut Vec<BoxEvent>,
    ) -> Result<(Vec<Name>, Vec<Name>), Error> {
        let path = self.path(folder);
        let failed = at(&path, Operation::List);
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        let (first_event, root) = (events.len(), self.path(b""));
        for entry in self.tree.entries(&path).map_err(&failed)? {
            let entry = entry.map_err(&failed)?;
            // No store is read inside a Maildir, only one in the same folder.
            let may_be_owned = self.format != Format::Maildir || folder.is_empty();
            if may_be_owned && MessageStore::owns(&self.tree, &root, &path, &entry) {
                continue;
            }
            let mut name = folder.to_vec();
            if !name.is_empty() {
                name.push(b'/');
            }
            name.extend_from_slice(entry.name.as_bytes());
            match entry.kind {
                EntryType::Folder => folders.push(name),
                EntryType::File => files.push(name),
                _ if self.tree.is_container() && events.len() > first_event + MOST_EVENTS => {}
                kind => {
                    let mut event = not_followed(kind, &name);
                    if self.tree.is_container() && events.len() == first_event + MOST_EVENTS {
                        event.detail = BoxDetail::MoreMembers;
                    }
                    events.push(event);
                }
            }
        }
        // Sorts numbers by value, which is the order of MH messages. The second sort keeps the order of equal keys.
        files.sort_unstable();
        files.sort_by_cached_key(|name| mh::number(last(name)).unwrap_or(u64::MAX));
        folders.sort();
        events[first_event..].sort_by(|a, b| a.detail.file().cmp(&b.detail.file()));
        Ok((files, folders))
    }

    /// Returns the sequences of an MH folder. Does not follow a link. An unreadable file is reported when it is read.
    fn read_sequences(&self, folder: &Path) -> Option<MhSequences> {
        let path = folder.join(mh::SEQUENCES);
        let is_there = self.tree.is_own_file(&path);
        let mut file = is_there.then(|| self.tree.open(&path).ok()).flatten()?;
        MhSequences::read(&mut file).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Input;
    use crate::source::ReadOptions;
    use std::{fs, io};

    #[test]
    fn the_rest_of_a_maildir_folder_is_listed_though_a_part_cannot_be_read() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["cur", "new", "tmp", ".Sub/cur", ".Sub/new", ".Sub/tmp"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        fs::write(root.path().join(".Sub/cur/1.host:2,"), "Subject: x\n\n").unwrap();
        let input = Input::on_disk(root.path().to_owned(), Format::Maildir);
        let mut files = Files::folder(&input, &ReadOptions::default()).unwrap();
        // A folder that was removed behaves like one without permission.
        let folders = [".Sub/gone/new", ".Sub/cur", ".Sub/Below"].map(Into::into);
        let (mut plan, mut events) = (Vec::new(), Vec::new());
        let path = root.path().join(".Sub");
        let listed =
            files.list_maildir(&path, folders.to_vec(), Vec::new(), &mut plan, &mut events);
        assert_eq!(listed.unwrap_err().io_kind(), io::ErrorKind::NotFound);
        let is_message = |work: &Work| matches!(work, Work::File(name, EntryKind::Message) if **name == *b".Sub/cur/1.host:2,");
        let is_below = |work: &Work| matches!(work, Work::Folder(name) if **name == *b".Sub/Below");
        assert!(plan.iter().any(is_message) && plan.iter().any(is_below));
    }
}
