//! Writes archives: the `Destination` trait, single files and folder trees.
//!
//! # Limits
//! File names are used as given. The caller keeps them within the limits of the file system.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::{Error, ErrorKind, Operation, at};
use crate::file_mode::FileMode;
use crate::free_space::FreeSpace;
use crate::replace::{FolderReplacement, Replacement, WriteOptions};
use crate::source::Format;

/// A written unit: a message or a part of one.
#[derive(Clone, Debug)]
pub struct OutItem {
    /// Range of its bytes in [`OutBatch::bytes`].
    pub span: Range<usize>,
    /// Bytes of the input that stand between those of `span`, in order. Usually none.
    pub inserts: Vec<SourceInsert>,
    /// Path below the destination's root (`cur/…`, `folder/….eml`) as bytes with `/`. Empty for mbox and single files.
    ///
    /// A name that ends with `/` is an empty folder to create.
    pub name: Vec<u8>,
    /// A later item continues this one: the next one of the same name, or in a folder the next one without a name.
    pub more: bool,
    /// Modification time that the file of a message gets. Only the first of several items of a file needs it.
    pub modified: Option<SystemTime>,
}

/// Bytes of the input inside an item. They are not copied, because a large message may have a large attachment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceInsert {
    /// Offset in [`OutBatch::bytes`] before which they stand.
    pub at: usize,
    /// Their range in [`OutBatch::source`].
    pub source: Range<usize>,
}

/// Output of one batch.
#[derive(Clone, Debug, Default)]
pub struct OutBatch {
    /// Bytes of all items, one after the other, without the inserts.
    pub bytes: Vec<u8>,
    /// Bytes of the input. Empty if no item has inserts.
    pub source: Vec<u8>,
    /// The items, in order.
    pub items: Vec<OutItem>,
}

impl OutBatch {
    /// Returns the number of bytes of all items, with the inserts.
    pub fn length(&self) -> u64 {
        let inserts = self.items.iter().flat_map(|item| &item.inserts);
        let inserted: u64 = inserts.map(|insert| insert.source.len() as u64).sum();
        self.bytes.len() as u64 + inserted
    }

    /// Returns true if an item has inserts.
    pub fn has_inserts(&self) -> bool {
        self.items.iter().any(|item| !item.inserts.is_empty())
    }

    /// Returns the bytes of an item as slices, in order.
    ///
    /// # Errors
    /// A range lies outside the batch.
    pub fn slices<'a>(&'a self, item: &'a OutItem) -> impl Iterator<Item = io::Result<&'a [u8]>> {
        let outside = || io::Error::from(io::ErrorKind::InvalidInput);
        let starts = item.inserts.iter().map(|insert| insert.at);
        let ends = starts.clone().chain([item.span.end]);
        let runs = [item.span.start].into_iter().chain(starts).zip(ends);
        let inserts = item.inserts.iter().map(|insert| Some(&insert.source));
        runs.zip(inserts.chain([None]))
            .flat_map(move |((start, end), insert)| {
                let run = self.bytes.get(start..end).ok_or_else(outside);
                let insert = insert.map(|range| self.source.get(range.clone()).ok_or_else(outside));
                [Some(run), insert]
            })
            .flatten()
    }
}

/// An output that appears as a whole at `commit`. It is written beside its final path, and removed if dropped before.
pub trait Destination: Send {
    /// Appends a batch.
    fn write(&mut self, batch: &OutBatch) -> Result<(), Error>;
    /// Syncs what was written, still under the temporary name.
    fn sync(&mut self) -> Result<(), Error>;
    /// Returns the inode number of the output, which stays when it is renamed.
    fn inode(&self) -> io::Result<u64>;
    /// Returns the temporary path of a folder that is being filled. None for a single file.
    fn temporary(&self) -> Option<&Path>;
    /// Renames the output to its final path.
    fn commit(self: Box<Self>) -> Result<(), Error>;
}

/// Creates a destination of a format at a final path. `options.force` allows replacing an existing output.
///
/// # Errors
/// The path is taken. Nothing was written then.
pub fn create(
    format: Format,
    path: &Path,
    options: WriteOptions,
) -> Result<Box<dyn Destination>, Error> {
    Ok(match format {
        Format::Mbox | Format::Eml => Box::new(OneFile(Replacement::create(path, options)?)),
        Format::Maildir => Box::new(Tree::create(path, options, true)?),
        Format::EmlTree => Box::new(Tree::create(path, options, false)?),
    })
}

/// Creates a folder tree that is written exactly as its items say, for restoring: a Maildir gets no additional folders.
pub fn create_tree(path: &Path, options: WriteOptions) -> Result<Box<dyn Destination>, Error> {
    Ok(Box::new(Tree::create(path, options, false)?))
}

/// A destination that writes all items to one file.
struct OneFile(Replacement);

impl Destination for OneFile {
    fn write(&mut self, batch: &OutBatch) -> Result<(), Error> {
        // The items usually tile the batch: then one write is enough.
        let tiled = batch.items.iter().try_fold(0, |at, item| {
            (item.span.start == at).then_some(item.span.end)
        });
        let written = if tiled == Some(batch.bytes.len()) && !batch.has_inserts() {
            self.0.write_all(&batch.bytes)
        } else {
            let mut slices = batch.items.iter().flat_map(|item| batch.slices(item));
            slices.try_for_each(|slice| self.0.write_all(slice?))
        };
        written.map_err(at(self.0.path(), Operation::Write))
    }

    fn sync(&mut self) -> Result<(), Error> {
        self.0.sync()
    }

    fn inode(&self) -> io::Result<u64> {
        self.0.inode()
    }

    fn temporary(&self) -> Option<&Path> {
        None
    }

    fn commit(self: Box<Self>) -> Result<(), Error> {
        self.0.commit()
    }
}

/// A destination that writes each item to its own file.
struct Tree {
    root: FolderReplacement,
    mode: FileMode,
    /// Folders created so far, below the root.
    made: HashSet<PathBuf>,
    /// The folder of the last new file, opened: a name is found faster there than by its whole path.
    folder: Option<(Vec<u8>, File)>,
    is_maildir: bool,
    /// Names of the items that continue, with the times of their files. The files are closed, so that many may continue at once.
    continued: HashMap<Vec<u8>, Option<SystemTime>>,
    /// Name of the last item that continues.
    last: Vec<u8>,
    synced: bool,
    room: FreeSpace,
}

impl Tree {
    fn create(path: &Path, options: WriteOptions, is_maildir: bool) -> Result<Self, Error> {
        let root = FolderReplacement::create(path, options)?;
        let mut tree = Self {
            root,
            mode: options.mode,
            made: HashSet::new(),
            folder: None,
            is_maildir,
            continued: HashMap::new(),
            last: Vec::new(),
            synced: false,
            room: FreeSpace::new(),
        };
        if is_maildir {
            tree.make_maildir(Path::new(""))?;
        }
        Ok(tree)
    }

    fn make_maildir(&mut self, folder: &Path) -> Result<(), Error> {
        ["cur", "new", "tmp"]
            .iter()
            .try_for_each(|name| self.make(&folder.join(name)))
    }

    /// Creates a folder below the root, with its parents.
    fn make(&mut self, folder: &Path) -> Result<(), Error> {
        if folder.as_os_str().is_empty() || self.made.contains(folder) {
            return Ok(());
        }
        let path = self.root.temporary().join(folder);
        let made = self.mode.create_dir_all(&path);
        made.map_err(at(&path, Operation::Create))?;
        self.made.insert(folder.to_owned());
        Ok(())
    }

    /// Returns the path if it stays below the root: relative, without `.`, `..`, empty components or NUL.
    fn safe<'n>(&self, name: &'n [u8]) -> Result<&'n Path, Error> {
        let refused = name.contains(&0)
            || name
                .split(|&byte| byte == b'/')
                .any(|part| matches!(part, b"" | b"." | b".."));
        if refused {
            let kind = ErrorKind::UnsafeName(String::from_utf8_lossy(name).into_owned());
            return Err(Error::new(self.root.path(), Operation::Create, kind));
        }
        Ok(Path::new(OsStr::from_bytes(name)))
    }

    /// Opens the file of an item for writing after the item that it continues.
    fn open(&self, name: &[u8]) -> Result<File, Error> {
        let path = self.path(name);
        let file = OpenOptions::new().append(true).open(&path);
        file.map_err(at(&path, Operation::Write))
    }

    /// Creates the file of an item.
    fn create_file(&mut self, name: &[u8]) -> Result<File, Error> {
        self.safe(name)?;
        let file = name.iter().rposition(|&byte| byte == b'/');
        let file = file.map_or(0, |slash| slash + 1);
        let (folder, file) = (&name[..file.saturating_sub(1)], &name[file..]);
        let mode = self.mode;
        // Two items of the same name would overwrite each other.
        let created = mode.create_file_in(self.enter(folder)?, OsStr::from_bytes(file));
        created.map_err(|error| at(&self.path(name), Operation::Create)(error))
    }

    /// Returns the opened folder of new files. Creates it unless it exists.
    fn enter(&mut self, folder: &[u8]) -> Result<&File, Error> {
        let entered = match self.folder.take() {
            Some(entered) if entered.0 == folder => entered,
            _ => {
                let below = Path::new(OsStr::from_bytes(folder));
                if self.is_maildir && below.ends_with("cur") && !self.made.contains(below) {
                    self.make_maildir(below.parent().unwrap_or(Path::new("")))?;
                }
                self.make(below)?;
                let path = self.path(folder);
                let opened = File::open(&path).map_err(at(&path, Operation::Open))?;
                (folder.to_vec(), opened)
            }
        };
        Ok(&self.folder.insert(entered).1)
    }

    /// Returns the path of an item.
    fn path(&self, name: &[u8]) -> PathBuf {
        self.root.temporary().join(OsStr::from_bytes(name))
    }
}

impl Destination for Tree {
    fn write(&mut self, batch: &OutBatch) -> Result<(), Error> {
        self.synced = false;
        for item in &batch.items {
            if let Some(folder) = item.name.strip_suffix(b"/") {
                let folder = self.safe(folder)?;
                self.make(folder)?;
                continue;
            }
            let name = if item.name.is_empty() {
                std::mem::take(&mut self.last)
            } else {
                item.name.clone()
            };
            let (mut file, modified) = match self.continued.remove(&name) {
                Some(modified) => (self.open(&name)?, modified),
                None => (self.create_file(&name)?, item.modified),
            };
            let room = &mut self.room;
            let written = batch.slices(item).try_for_each(|slice| {
                let slice = slice?;
                file.write_all(slice)?;
                room.wrote(slice.len() as u64, &file)
            });
            written.map_err(|error| at(&self.path(&name), Operation::Write)(error))?;
            if item.more {
                self.continued.insert(name.clone(), modified);
                self.last = name;
            } else if let Some(modified) = modified {
                // Some file systems refuse times. The message is worth more than its time.
                let _ = file.set_modified(modified);
            }
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<(), Error> {
        self.root.sync()?;
        self.synced = true;
        Ok(())
    }

    fn inode(&self) -> io::Result<u64> {
        self.root.inode()
    }

    fn temporary(&self) -> Option<&Path> {
        Some(self.root.temporary())
    }

    fn commit(mut self: Box<Self>) -> Result<(), Error> {
        if !self.synced {
            self.sync()?;
        }
        self.root.commit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn batch(items: &[(&str, &str, bool)]) -> OutBatch {
        let mut batch = OutBatch::default();
        for (name, content, more) in items {
            let start = batch.bytes.len();
            batch.bytes.extend_from_slice(content.as_bytes());
            let span = start..batch.bytes.len();
            batch.items.push(OutItem {
                span,
                inserts: Vec::new(),
                name: name.as_bytes().to_vec(),
                more: *more,
                modified: None,
            });
        }
        batch
    }

    #[test]
    fn one_file_contains_all_items() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.mbox");
        let mut out = create(Format::Mbox, &path, WriteOptions::NEW).unwrap();
        out.write(&batch(&[("", "one", false), ("", "two", false)]))
            .unwrap();
        let mut reversed = batch(&[("", "four", false), ("", "three", false)]);
        reversed.items.reverse();
        out.write(&reversed).unwrap();
        out.sync().unwrap();
        assert!(!path.exists());
        out.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"onetwothreefour");
        assert_eq!(
            create(Format::Eml, &path, WriteOptions::NEW)
                .err()
                .unwrap()
                .io_kind(),
            io::ErrorKind::AlreadyExists
        );
    }

    #[test]
    fn inserts_stand_between_the_bytes_of_an_item() {
        let folder = tempfile::tempdir().unwrap();
        let mut one = batch(&[("a", "1234", false), ("b", "56", false), ("c", "", false)]);
        one.source = b"ABCD".to_vec();
        let insert = |at, source| SourceInsert { at, source };
        one.items[0].inserts = vec![insert(0, 3..4), insert(2, 0..1), insert(2, 1..2)];
        one.items[1].inserts = vec![insert(6, 2..3)];
        assert_eq!(one.length(), 10);
        let path = folder.path().join("out.mbox");
        let mut out = create(Format::Mbox, &path, WriteOptions::NEW).unwrap();
        out.write(&one).unwrap();
        out.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"D12AB3456C");
        let path = folder.path().join("out");
        let mut out = create(Format::EmlTree, &path, WriteOptions::NEW).unwrap();
        out.write(&one).unwrap();
        out.commit().unwrap();
        for (name, content) in [("a", "D12AB34"), ("b", "56C"), ("c", "")] {
            assert_eq!(fs::read_to_string(path.join(name)).unwrap(), content);
        }
        one.items[0].inserts[0].source = 3..5;
        let path = folder.path().join("other.mbox");
        let mut out = create(Format::Mbox, &path, WriteOptions::NEW).unwrap();
        let error = out.write(&one).unwrap_err();
        assert_eq!(error.io_kind(), io::ErrorKind::InvalidInput);
    }

    #[test]
    fn a_maildir_with_folders() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let mut out = create(Format::Maildir, &path, WriteOptions::NEW).unwrap();
        out.write(&batch(&[("cur/1", "a", false), (".A.B/cur/2", "b", true)]))
            .unwrap();
        out.write(&batch(&[(".A.B/cur/2", "c", false)])).unwrap();
        out.commit().unwrap();
        for name in ["cur", "new", "tmp", ".A.B/cur", ".A.B/new", ".A.B/tmp"] {
            assert!(path.join(name).is_dir(), "{name}");
        }
        assert_eq!(fs::read(path.join("cur/1")).unwrap(), b"a");
        assert_eq!(fs::read(path.join(".A.B/cur/2")).unwrap(), b"bc");
        assert_eq!(
            create(Format::Maildir, &path, WriteOptions::NEW)
                .err()
                .unwrap()
                .io_kind(),
            io::ErrorKind::AlreadyExists
        );
        let empty = create(Format::EmlTree, &path, WriteOptions::FORCE).unwrap();
        empty.commit().unwrap();
        assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
    }

    #[test]
    fn pieces_of_several_items_may_alternate() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let mut out = create_tree(&path, WriteOptions::NEW).unwrap();
        out.write(&batch(&[("a/1", "a", true), ("b/1", "b", true)]))
            .unwrap();
        out.write(&batch(&[("a/1", "A", true), ("b/1", "B", true)]))
            .unwrap();
        out.write(&batch(&[("", "!", false), ("a/1", "?", false)]))
            .unwrap();
        out.commit().unwrap();
        assert_eq!(fs::read(path.join("a/1")).unwrap(), b"aA?");
        assert_eq!(fs::read(path.join("b/1")).unwrap(), b"bB!");
    }

    #[test]
    fn unsafe_names_and_collisions_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let mut out = create(
            Format::EmlTree,
            &folder.path().join("out"),
            WriteOptions::NEW,
        )
        .unwrap();
        for name in [
            "../x",
            "/etc/x",
            "a/../../x",
            "a//b",
            "./a",
            "",
            "a\0b",
            "a/..",
            "../",
        ] {
            let error = out.write(&batch(&[(name, "", false)])).unwrap_err();
            assert_eq!(error.io_kind(), io::ErrorKind::InvalidInput, "{name:?}");
        }
        out.write(&batch(&[("a/b.eml", "1", false)])).unwrap();
        assert_eq!(
            out.write(&batch(&[("a/b.eml", "2", false)]))
                .unwrap_err()
                .io_kind(),
            io::ErrorKind::AlreadyExists
        );
        drop(out);
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            0,
            "nothing is left"
        );
    }
}
