//! Finds where ranges of a folder begin, and walks to the first file of a range.
//!
//! A folder consists of cells of equal weight: bytes, and a fixed number for each entry. A batch has the entries that begin in one
//! cell. So a reader that begins at the first file of a cell returns the same batches as one that begins with the folder.
//!
//! # Limits
//! The search for starts reads the whole folder, because the ordinal of a message depends on which files before it are mail. Walking
//! to a range lists the folders before it.

use super::apple_mail::apple_folder;
use super::files::{Files, OpenedFile, Work};
use crate::box_event::BoxEvent;
use crate::error::{Error, ErrorKind, Operation, at};
use crate::folder_range::{ENTRY_WEIGHT, FolderStart};
use crate::input::Input;
use crate::source::{Batch, EntryKind, ReadOptions, Source};

/// Reads a folder, and returns the files with which its ranges of about `size` begin, except the first range. [`FolderStart::weight`]
/// has the unit of `size`.
///
/// # Errors
/// A file or folder cannot be read, or changed while it was read.
pub fn folder_starts(
    input: &Input,
    options: &ReadOptions,
    size: u64,
) -> Result<Vec<FolderStart>, Error> {
    let mut files = Files::folder(input, options)?;
    let size = size.max(1);
    let (mut starts, mut next) = (Vec::new(), size);
    let mut batch = Batch::default();
    while files.next(&mut batch)? {
        if files.weight >= next
            && let Some(start) = files.next_file()
        {
            next = (start.weight / size + 1).saturating_mul(size);
            starts.push(start);
        }
    }
    if files.changed()? {
        return Err(Error::new(&input.path, Operation::Read, ErrorKind::Changed));
    }
    Ok(starts)
}

impl Files {
    /// Returns true if the range has another file or folder, or the rest of one.
    pub(super) fn has_more(&self) -> bool {
        let is_inside = self.end.is_none_or(|end| self.entries < end);
        self.reading.is_some() || self.layout.is_some() || is_inside && !self.work.is_empty()
    }

    /// Counts the entries of a batch from `entry` on, whose bytes begin at `byte`.
    pub(super) fn weigh(&mut self, batch: &Batch, entry: usize, byte: usize) {
        let entries = (batch.entries.len() - entry) as u64;
        self.weight += (batch.bytes.len() - byte) as u64 + entries * ENTRY_WEIGHT;
    }

    /// Returns the cell of the next entry.
    pub(super) fn cell(&self) -> u64 {
        self.weight / self.options.batch.max(1) as u64
    }

    /// Returns the next file or folder. None inside a file, and at the end.
    fn next_file(&self) -> Option<FolderStart> {
        let is_between = self.reading.is_none() && self.layout.is_none();
        let work = self.work.last().filter(|_| is_between)?;
        Some(FolderStart {
            entries: self.entries,
            name: String::from_utf8_lossy(work.name()).into_owned(),
            weight: self.weight,
            ordinal: self.ordinal,
            decompressed: self.decompressed,
        })
    }

    /// Walks to the first file of a range. Reads no file before it, except the beginning of the first message of each folder.
    ///
    /// # Errors
    /// A folder cannot be listed. Another file is there.
    pub(super) fn skip_to(&mut self, start: &FolderStart) -> Result<(), Error> {
        // The ranges before this one report these.
        let mut reported = Vec::new();
        while self.entries < start.entries {
            let Some((work, _)) = self.pop_work() else {
                break;
            };
            match work {
                Work::Folder(name) => self.list(&name, &mut reported)?,
                Work::File(name, EntryKind::Message) => self.skip_message(&name, &mut reported)?,
                Work::FolderAlone(_) | Work::File(..) => {}
            }
            self.entries += 1;
            reported.clear();
        }
        (self.weight, self.ordinal) = (start.weight, start.ordinal);
        self.decompressed = start.decompressed;
        if self.next_file().as_ref() != Some(start) {
            return Err(Error::new(&self.root, Operation::Read, ErrorKind::Changed));
        }
        Ok(())
    }

    /// Names the folder of a message, and notes its layout, as reading it does.
    fn skip_message(&mut self, name: &[u8], reported: &mut Vec<BoxEvent>) -> Result<(), Error> {
        let path = self.path(name);
        let has_layout = self.may_have_layout(name);
        let folder = self.folder_of(name, true);
        if !has_layout && self.folders.contains_key(folder) {
            return Ok(());
        }
        let Some(OpenedFile { file, .. }) = self.open_file(name, &path, reported)? else {
            return Ok(());
        };
        if let Some(layout) = self.layout_of(&path, &file)? {
            layout.name.clone_into(&mut self.profile.dialect);
            self.display(apple_folder(name), true, reported);
            return Ok(());
        }
        let start = self.beginning_of(&path, &file);
        let start = start.map_err(at(&path, Operation::Read))?;
        if !self.is_no_mail(name, &start) {
            self.display(folder, false, reported);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder_range::FolderRange;
    use crate::input::InputRange;
    use crate::recognize::recognize;
    use crate::source::Entry;
    use std::fs;
    use std::path::Path;

    /// Returns entries, bytes and events of each batch.
    fn batches(input: &Input, options: &ReadOptions) -> Vec<(Vec<Entry>, Vec<u8>, Vec<BoxEvent>)> {
        let mut files = Files::folder(input, options).unwrap();
        let (mut all, mut batch) = (Vec::new(), Batch::default());
        while files.next(&mut batch).unwrap() {
            all.push((
                batch.entries.clone(),
                batch.bytes.clone(),
                batch.events.clone(),
            ));
        }
        assert!(!files.changed().unwrap());
        all
    }

    /// Fills a folder with messages of several sizes, files that are no mail, and folders.
    fn fill(root: &Path, is_maildir: bool) {
        let folders: &[&str] = if is_maildir {
            &[
                "cur", "new", "tmp", ".A/cur", ".A/new", ".A.B/cur", ".A.B/tmp", ".a/new", ".a/cur",
            ]
        } else {
            &["a", "a/b", "A", "mh", "Sent.mbox/Messages", "empty"]
        };
        for folder in folders {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let end = |number: usize| match number {
            _ if is_maildir => ":2,S",
            _ => ".eml",
        };
        for number in 0..400 {
            let folder = folders[number * 7 % folders.len()];
            let size = [0, 10, 300, 2_000, 9_000][number % 5];
            let body = "text\n".repeat(size / 5);
            let content = match number % 11 {
                0 => vec![0xff; size],
                1 => Vec::new(),
                _ => format!("Subject: {number}\n\n{body}").into_bytes(),
            };
            let content = if number % 7 == 3 && content.starts_with(b"S") {
                zstd::bulk::compress(&content, 1).unwrap()
            } else {
                content
            };
            let name = format!("{number}{}", end(number));
            fs::write(root.join(folder).join(name), content).unwrap();
        }
        if !is_maildir {
            for number in 1..40 {
                let message = format!("Subject: {number}\n\n{}", "x\n".repeat(number * 20));
                let emlx = format!("{}\n{message}<plist><dict/></plist>\n", message.len());
                let name = format!("Sent.mbox/Messages/{number}.emlx");
                fs::write(root.join(name), emlx).unwrap();
                fs::write(root.join(format!("mh/{number}")), message).unwrap();
            }
            fs::write(root.join("mh/.mh_sequences"), "unseen: 3-9\n").unwrap();
        }
        fs::write(root.join("index"), "no mail\n\u{1}").unwrap();
        std::os::unix::fs::symlink("index", root.join("link")).unwrap();
    }

    #[test]
    fn ranges_have_the_batches_of_the_whole_folder() {
        for is_maildir in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            fill(folder.path(), is_maildir);
            let input = recognize(folder.path()).unwrap().remove(0);
            for (limit, named) in [(64 << 20, true), (2_000, false)] {
                let options = ReadOptions {
                    batch: 4096,
                    message_limit: limit,
                    written_folder: named.then_some(|name: &str| name.to_lowercase()),
                    ..ReadOptions::default()
                };
                let whole = batches(&input, &options);
                let total = whole
                    .iter()
                    .map(|(entries, bytes, _)| bytes.len() as u64 + 512 * entries.len() as u64)
                    .sum::<u64>();
                let mut most = 0;
                for cuts in [1, 2, 3, 10, 40, 97] {
                    let starts = folder_starts(&input, &options, total / cuts + 1).unwrap();
                    most = most.max(starts.len());
                    let ends = starts.iter().map(|start| Some(start.entries));
                    let ends = ends.chain([None]);
                    let starts = [None].into_iter().chain(starts.iter().cloned().map(Some));
                    let mut joined = Vec::new();
                    for (start, end) in starts.zip(ends) {
                        let mut part = input.clone();
                        part.range = Some(InputRange::Folder(FolderRange { start, end }));
                        joined.extend(batches(&part, &options));
                    }
                    assert_eq!(
                        format!("{joined:?}"),
                        format!("{whole:?}"),
                        "{is_maildir} {cuts}"
                    );
                }
                assert!(most > 60, "{most}");
            }
        }
    }

    #[test]
    fn another_file_in_the_place_of_the_first_is_a_change() {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path(), true);
        let mut input = recognize(folder.path()).unwrap().remove(0);
        let options = ReadOptions {
            batch: 4096,
            ..ReadOptions::default()
        };
        let starts = folder_starts(&input, &options, 100_000).unwrap();
        let start = starts[1].clone();
        fs::remove_file(folder.path().join(&start.name)).unwrap();
        let start = Some(start);
        input.range = Some(InputRange::Folder(FolderRange { start, end: None }));
        let error = Files::folder(&input, &ReadOptions::default())
            .err()
            .unwrap();
        assert!(matches!(error.kind(), ErrorKind::Changed));
    }
}
