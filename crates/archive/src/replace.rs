//! Replaces files and folders atomically: writes beside the final path, syncs, renames.
//!
//! The temporary name is `NAME.<process>-<number>.tmp` in the same folder, with a shortened NAME if it is long. `<process>` is a
//! [`WriterProcess`]. Every writer locks what it writes. The next writer of the same name removes what a killed process left behind.
//!
//! # Limits
//! The lock protects from a process on another machine only if the shared file system supports locks across machines.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::direct_io::OutputFile;
use crate::error::{Error, ErrorKind, Operation, at};
use crate::exit_cleanup;
use crate::file_mode::FileMode;
use crate::writer_process::WriterProcess;
use rustix::fs::{CWD, FlockOperation, RenameFlags, flock, renameat_with};

/// How outputs are created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// Replaces an existing file, or a folder with content.
    pub force: bool,
    /// Permissions of new files and folders.
    pub mode: FileMode,
}

impl WriteOptions {
    /// Replaces existing files, with the default permissions.
    pub const FORCE: Self = Self {
        force: true,
        mode: FileMode::OPEN,
    };
    /// Fails if the output exists, with the default permissions.
    pub const NEW: Self = Self {
        force: false,
        mode: FileMode::OPEN,
    };
}

/// Writes larger than this bypass the buffer.
const BUFFER: usize = 128 << 10;

/// A new file that takes its final path on commit, replacing any file there. Removed if dropped before.
#[derive(Debug)]
pub struct Replacement {
    place: TargetPaths,
    file: BufWriter<OutputFile>,
}

impl Replacement {
    /// Creates a temporary file beside `path`.
    ///
    /// # Errors
    /// A file exists at `path` and `force` is not set, or something other than a regular file exists there.
    pub fn create(path: &Path, options: WriteOptions) -> Result<Self, Error> {
        let place = TargetPaths::find(path, options.force, TargetKind::File)?;
        let file = options.mode.create_file(&place.temporary);
        let file = file.map_err(at(path, Operation::Create))?;
        if let Some(old) = &place.replaced {
            options.mode.keep_owner(&file, old);
        }
        // The lock only protects from cleanup: on a file system without locks, nothing is lost.
        let _ = flock(&file, FlockOperation::NonBlockingLockExclusive);
        Ok(Self {
            place,
            file: BufWriter::with_capacity(BUFFER, OutputFile::new(file)),
        })
    }

    /// Returns the final path.
    pub fn path(&self) -> &Path {
        &self.place.target
    }

    /// Writes everything so far to the disk, still under the temporary name.
    pub fn sync(&mut self) -> Result<(), Error> {
        let result = self.file.flush().and_then(|()| self.file.get_mut().sync());
        result.map_err(at(&self.place.target, Operation::Sync))
    }

    /// Syncs the file and renames it to its final path.
    pub fn commit(mut self) -> Result<(), Error> {
        self.sync()?;
        self.place.commit()
    }

    /// Syncs the file and renames it to another path in the same folder, replacing any file there.
    pub fn commit_as(mut self, path: &Path) -> Result<(), Error> {
        self.sync()?;
        fs::rename(&self.place.temporary, path).map_err(at(path, Operation::Rename))?;
        self.place.committed = true;
        sync_parent(path).map_err(at(path, Operation::Sync))
    }

    /// Returns the inode number, which stays when the file is renamed.
    pub fn inode(&self) -> io::Result<u64> {
        self.file.get_ref().inode()
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Replacement {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}

/// A new folder that takes its final path on commit, replacing any folder there. Removed if dropped before.
#[derive(Debug)]
pub struct FolderReplacement {
    place: TargetPaths,
    handle: File,
}

impl FolderReplacement {
    /// Creates a temporary folder beside `path`.
    ///
    /// # Errors
    /// A folder with content exists at `path` and `force` is not set, or something other than a folder exists there.
    pub fn create(path: &Path, options: WriteOptions) -> Result<Self, Error> {
        let place = TargetPaths::find(path, options.force, TargetKind::Folder)?;
        let made = options.mode.create_dir(&place.temporary);
        made.map_err(at(path, Operation::Create))?;
        let handle = File::open(&place.temporary).map_err(at(&place.temporary, Operation::Open))?;
        if let Some(old) = &place.replaced {
            options.mode.keep_owner(&handle, old);
        }
        let _ = flock(&handle, FlockOperation::NonBlockingLockExclusive);
        Ok(Self { place, handle })
    }

    /// Returns the final path.
    pub fn path(&self) -> &Path {
        &self.place.target
    }

    /// Returns the path of the temporary folder, to be filled.
    pub fn temporary(&self) -> &Path {
        &self.place.temporary
    }

    /// Returns the inode number, which stays when the folder is renamed.
    pub fn inode(&self) -> io::Result<u64> {
        self.handle.metadata().map(|there| there.ino())
    }

    /// Syncs the file system of the folder.
    pub fn sync(&mut self) -> Result<(), Error> {
        rustix::fs::syncfs(&self.handle)
            .map_err(io::Error::from)
            .map_err(at(&self.place.target, Operation::Sync))
    }

    /// Renames the folder to its final path. Call [`Self::sync`] first.
    pub fn commit(mut self) -> Result<(), Error> {
        self.place.commit()
    }
}

/// Returns true for outputs that are written directly and never replaced: devices, pipes, sockets, and descriptors.
///
/// Names of descriptors (`/dev/stdout`, `/dev/fd/3`) count even if they are regular files.
pub fn is_stream(path: &Path) -> bool {
    let is_descriptor = [
        "/dev/stdin",
        "/dev/stdout",
        "/dev/stderr",
        "/dev/fd",
        "/proc",
    ];
    is_descriptor.iter().any(|name| path.starts_with(name))
        || fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// Opens a stream for appending.
pub fn open_stream(path: &Path) -> Result<File, Error> {
    OpenOptions::new()
        .append(true)
        .open(path)
        .map_err(at(path, Operation::Open))
}

/// Runs `commit` while [`abandon`] waits.
pub fn undisturbed<T>(commit: impl FnOnce() -> T) -> T {
    let _held = lock(&COMMIT);
    commit()
}

/// A lock on several folders for putting outputs into place. Others wait until it is dropped.
#[derive(Debug)]
pub struct Turn(#[allow(dead_code)] Vec<File>);

/// Waits until no other process that uses this function puts outputs into the folders of `places`.
///
/// Skips folders that cannot be opened or whose file system has no locks.
pub fn turn<'a>(places: impl IntoIterator<Item = &'a Path>) -> Turn {
    let mut folders: Vec<(u64, u64, File)> = Vec::new();
    for place in places {
        let Ok(folder) = File::open(parent(place)) else {
            continue;
        };
        if let Ok(there) = folder.metadata() {
            folders.push((there.dev(), there.ino(), folder));
        }
    }
    // All processes lock in the same order, to prevent deadlocks. A second lock on one folder would wait for the first.
    folders.sort_by_key(|(device, inode, _)| (*device, *inode));
    folders.dedup_by_key(|(device, inode, _)| (*device, *inode));
    let wait = |folder: &File| {
        while matches!(
            flock(folder, FlockOperation::LockExclusive),
            Err(rustix::io::Errno::INTR)
        ) {}
    };
    Turn(
        folders
            .into_iter()
            .map(|(.., folder)| folder)
            .inspect(wait)
            .collect(),
    )
}

/// Removes every temporary file and folder of this process, and kills its processes, before it exits. Waits for a commit or a removal
/// in progress. Later creations of outputs fail.
pub fn abandon() {
    let _held = lock(&COMMIT);
    exit_cleanup::close();
    exit_cleanup::end_all();
    for (temporary, kind) in &*lock(&BEGUN) {
        remove(temporary, *kind);
    }
}

/// Returns the temporary files and folders beside `path` whose writers were killed.
pub fn leftovers(path: &Path) -> Vec<PathBuf> {
    let (target, Some(name)) = (path, path.file_name()) else {
        return Vec::new();
    };
    let Ok(entries) = fs::read_dir(parent(target)) else {
        return Vec::new();
    };
    let entries = entries.flatten().filter(|entry| {
        writer_of(&entry.file_name(), name).is_some_and(|process| !process.is_alive())
            && entry
                .file_type()
                .is_ok_and(|kind| kind.is_file() || kind.is_dir())
    });
    let is_unlocked = |path: &PathBuf| {
        File::open(path)
            .is_ok_and(|file| flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok())
    };
    entries
        .map(|entry| entry.path())
        .filter(is_unlocked)
        .collect()
}

/// Removes a temporary file when the process is [abandoned](abandon).
pub(crate) fn register(temporary: &Path) {
    lock(&BEGUN).insert(temporary.to_owned(), TargetKind::File);
}

/// Ends what [`register`] began.
pub(crate) fn unregister(temporary: &Path) {
    lock(&BEGUN).remove(temporary);
}

/// Returns the outputs that dead processes moved away from a path and did not replace.
///
/// That happens to folders on file systems that cannot exchange two of them.
pub fn moved_away(place: &Path) -> Vec<PathBuf> {
    let (Some(name), Ok(entries)) = (place.file_name(), fs::read_dir(parent(place))) else {
        return Vec::new();
    };
    let stem = temporary_stem(name);
    let dead = |old: &OsStr| {
        let process = old.as_encoded_bytes().strip_prefix(stem.as_encoded_bytes());
        let process = process.and_then(|rest| rest.strip_prefix(b".")?.strip_suffix(b".old.tmp"));
        let process =
            process.and_then(|text| WriterProcess::parse(std::str::from_utf8(text).ok()?));
        // The caller holds a turn: no job of this process is between two renames.
        process.is_some_and(|process| process.has_own_number() || !process.is_alive())
    };
    let names = entries.flatten().map(|entry| entry.file_name());
    names
        .filter(|name| dead(name))
        .map(|name| place.with_file_name(name))
        .collect()
}

/// Returns the path to which an old output is moved away.
fn old_path(place: &Path) -> PathBuf {
    let mut name = temporary_stem(place.file_name().unwrap_or_default());
    name.push(format!(".{}.old.tmp", WriterProcess::own()));
    place.with_file_name(name)
}

/// Held during a commit.
static COMMIT: Mutex<()> = Mutex::new(());
/// Temporary files and folders of this process.
static BEGUN: Mutex<BTreeMap<PathBuf, TargetKind>> = Mutex::new(BTreeMap::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remove(path: &Path, kind: TargetKind) {
    // Nobody is left to report an error to. The next writer cleans up.
    let _ = match kind {
        TargetKind::File => fs::remove_file(path),
        TargetKind::Folder => fs::remove_dir_all(path),
    };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TargetKind {
    File,
    Folder,
}

/// A final path and the temporary path beside it.
#[derive(Debug)]
struct TargetPaths {
    target: PathBuf,
    temporary: PathBuf,
    force: bool,
    kind: TargetKind,
    /// Metadata of the replaced file or folder.
    replaced: Option<Box<fs::Metadata>>,
    committed: bool,
}

impl TargetPaths {
    fn find(path: &Path, force: bool, kind: TargetKind) -> Result<Self, Error> {
        let refuse = |why: ErrorKind| Err(Error::new(path, Operation::Create, why));
        if kind == TargetKind::File && path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return refuse(ErrorKind::TrailingSlash);
        }
        if is_stream(path) {
            return refuse(ErrorKind::Stream);
        }
        // Follows a link: replaces its target, not the link.
        let target = match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_symlink() => {
                path.canonicalize().map_err(at(path, Operation::Open))?
            }
            _ => path.components().collect(),
        };
        let Some(name) = target.file_name() else {
            return refuse(ErrorKind::NoFileName);
        };
        let replaced = match fs::metadata(&target) {
            Ok(metadata) => {
                check_taken(&target, &metadata, force, kind)
                    .map_err(at(path, Operation::Create))?;
                Some(Box::new(metadata))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(at(path, Operation::Open)(error)),
        };
        sweep(&target);
        let temporary = target.with_file_name(temporary_name(name));
        lock(&BEGUN).insert(temporary.clone(), kind);
        Ok(Self {
            target,
            temporary,
            force,
            kind,
            replaced,
            committed: false,
        })
    }

    fn commit(&mut self) -> Result<(), Error> {
        self.rename().map_err(at(&self.target, Operation::Rename))?;
        self.committed = true;
        sync_parent(&self.target).map_err(at(&self.target, Operation::Sync))
    }

    fn rename(&self) -> io::Result<()> {
        let (from, to) = (&self.temporary, &self.target);
        match (self.kind, self.force) {
            (TargetKind::File, true) => fs::rename(from, to),
            // Renaming replaces an empty folder, and fails on one with content.
            (TargetKind::Folder, false) => fs::rename(from, to),
            (TargetKind::File, false) => {
                match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
                    Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
                        // This system has no `RENAME_NOREPLACE`. Creating a hard link does not replace either.
                        fs::hard_link(from, to).and_then(|()| fs::remove_file(from))
                    }
                    result => result.map_err(io::Error::from),
                }
            }
            (TargetKind::Folder, true) => self.swap(),
        }
    }

    /// Removes the old folder once the new one is safe. One that cannot be removed keeps a name that says so.
    fn remove_old(&self, old: &Path) {
        if sync_parent(&self.target).is_ok() {
            let _ = fs::remove_dir_all(old);
        }
    }

    /// Exchanges the new folder with an old one that may have content.
    fn swap(&self) -> io::Result<()> {
        let (from, to) = (&self.temporary, &self.target);
        match fs::rename(from, to) {
            Ok(()) => return Ok(()),
            Err(error) if is_full(&error) => {}
            Err(error) => return Err(error),
        }
        match renameat_with(CWD, from, CWD, to, RenameFlags::EXCHANGE) {
            Ok(()) => {
                self.remove_old(from);
                Ok(())
            }
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
                // `moved_away` finds it if this process is killed before the second rename.
                let aside = old_path(to);
                fs::rename(to, &aside)?;
                if let Err(error) = fs::rename(from, to) {
                    fs::rename(&aside, to)?;
                    return Err(error);
                }
                self.remove_old(&aside);
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl Drop for TargetPaths {
    fn drop(&mut self) {
        // Held during the removal: `abandon` must not remove the same folder at the same time, and waits until it is gone.
        let mut begun = lock(&BEGUN);
        if !self.committed {
            remove(&self.temporary, self.kind);
        }
        begun.remove(&self.temporary);
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists
    )
}

/// Returns an error if the path is taken.
fn check_taken(
    target: &Path,
    metadata: &fs::Metadata,
    force: bool,
    kind: TargetKind,
) -> Result<(), ErrorKind> {
    match kind {
        TargetKind::File if metadata.is_dir() => Err(ErrorKind::IsFolder),
        TargetKind::File if !metadata.is_file() => Err(ErrorKind::Stream),
        TargetKind::Folder if !metadata.is_dir() => Err(ErrorKind::NotFolder),
        _ if force => Ok(()),
        TargetKind::File => Err(ErrorKind::Exists),
        TargetKind::Folder if fs::read_dir(target)?.next().is_some() => Err(ErrorKind::Exists),
        TargetKind::Folder => Ok(()),
    }
}

/// Returns the stem of temporary names: `name` itself, or its first bytes and its digest if it is long.
///
/// File systems limit names to 255 bytes.
pub fn temporary_stem(name: &OsStr) -> OsString {
    /// Leaves space for `.<process>-<number>.tmp`.
    const LONGEST: usize = 255 - 60;
    let bytes = name.as_encoded_bytes();
    if bytes.len() <= LONGEST {
        return name.to_owned();
    }
    let digest = &blake3::hash(bytes).to_hex()[..16];
    let first = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let first = &first[..first.floor_char_boundary(LONGEST - 17)];
    OsString::from(format!("{first}-{digest}"))
}

pub(crate) fn temporary_name(name: &OsStr) -> OsString {
    // Not from 0: a dead process may have had the same number, as the first one of a container always has.
    static ATTEMPTS: LazyLock<AtomicU64> = LazyLock::new(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        AtomicU64::new(now.map_or(0, |now| now.as_nanos() as u64))
    });
    let mut temporary = temporary_stem(name);
    let attempt = ATTEMPTS.fetch_add(1, Ordering::Relaxed);
    temporary.push(format!(".{}-{attempt}.tmp", WriterProcess::own()));
    temporary
}

/// Returns the process that created a temporary name for `name`.
pub(crate) fn writer_of(temporary: &OsStr, name: &OsStr) -> Option<WriterProcess> {
    let stem = temporary_stem(name);
    let rest = temporary
        .as_encoded_bytes()
        .strip_prefix(stem.as_encoded_bytes())?;
    let attempt = rest.strip_prefix(b".")?.strip_suffix(b".tmp")?;
    let (process, number) = std::str::from_utf8(attempt).ok()?.rsplit_once('-')?;
    number.parse::<u64>().ok()?;
    WriterProcess::parse(process)
}

/// Removes what dead processes left behind. Ignores failures: they do not prevent a new attempt.
fn sweep(target: &Path) {
    for path in leftovers(target) {
        remove(
            &path,
            if path.is_dir() {
                TargetKind::Folder
            } else {
                TargetKind::File
            },
        );
    }
}

pub(crate) fn parent(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Makes a rename durable by syncing the parent folder.
fn sync_parent(path: &Path) -> io::Result<()> {
    match File::open(parent(path)).and_then(|folder| folder.sync_all()) {
        // Some file systems cannot sync a folder, but the rename is done.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::InvalidInput | io::ErrorKind::PermissionDenied
            ) =>
        {
            Ok(())
        }
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_file_names_are_accepted() {
        let folder = tempfile::tempdir().unwrap();
        for letter in ["a", "\u{fc}"] {
            for length in [190, 195, 196, 240, 255] {
                let mut name = letter.repeat(length / letter.len());
                name.extend(std::iter::repeat_n('b', length - name.len()));
                let path = folder.path().join(&name);
                let mut file = Replacement::create(&path, WriteOptions::NEW).unwrap();
                file.write_all(b"x").unwrap();
                file.commit().unwrap();
                assert_eq!(fs::read(&path).unwrap(), b"x", "{letter} {length}");
                let other = temporary_name(OsStr::new(&format!("{}c", &name[letter.len()..])));
                assert_eq!(
                    writer_of(&temporary_name(OsStr::new(&name)), OsStr::new(&name)),
                    Some(WriterProcess::own())
                );
                assert_eq!(writer_of(&other, OsStr::new(&name)), None);
            }
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn file_appears_only_at_commit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.mbox");
        let mut file = Replacement::create(&path, WriteOptions::NEW).unwrap();
        file.write_all(b"one").unwrap();
        file.sync().unwrap();
        assert!(!path.exists());
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one");

        let taken = Replacement::create(&path, WriteOptions::NEW).unwrap_err();
        assert_eq!(taken.io_kind(), io::ErrorKind::AlreadyExists);
        assert!(taken.to_string().contains("out.mbox"));
        let mut file = Replacement::create(&path, WriteOptions::FORCE).unwrap();
        file.write_all(b"two").unwrap();
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"one");
        let mut file = Replacement::create(&path, WriteOptions::FORCE).unwrap();
        file.write_all(b"two").unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(folder.path()), ["out.mbox"]);
    }

    #[test]
    fn concurrently_created_file_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let file = Replacement::create(&path, WriteOptions::NEW).unwrap();
        fs::write(&path, b"other").unwrap();
        assert_eq!(
            file.commit().unwrap_err().io_kind(),
            io::ErrorKind::AlreadyExists
        );
        assert_eq!(fs::read(&path).unwrap(), b"other");
        assert_eq!(names(folder.path()), ["out"]);
    }

    #[test]
    fn folder_is_replaced_only_with_force() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("out");
        fs::create_dir(&path).unwrap();
        let mut folder = FolderReplacement::create(&path, WriteOptions::NEW).unwrap();
        fs::write(folder.temporary().join("a"), b"1").unwrap();
        folder.sync().unwrap();
        folder.commit().unwrap();
        assert_eq!(names(&path), ["a"]);

        let taken = FolderReplacement::create(&path, WriteOptions::NEW).unwrap_err();
        assert_eq!(taken.io_kind(), io::ErrorKind::AlreadyExists);
        let folder = FolderReplacement::create(&path, WriteOptions::FORCE).unwrap();
        fs::write(folder.temporary().join("b"), b"2").unwrap();
        folder.commit().unwrap();
        assert_eq!(names(&path), ["b"]);
        drop(FolderReplacement::create(&path, WriteOptions::FORCE).unwrap());
        assert_eq!(names(parent.path()), ["out"]);
        assert!(Replacement::create(&path, WriteOptions::FORCE).is_err());
        assert!(FolderReplacement::create(&path.join("b"), WriteOptions::FORCE).is_err());
    }

    #[test]
    fn leftovers_of_dead_processes_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        // No process has this number: the kernel's limit is 2^22.
        let dead = folder.path().join("out.4194999-0.tmp");
        let dead_folder = folder.path().join("out.4194998-3.tmp");
        let held = folder.path().join("out.4194997-0.tmp");
        let alive = folder.path().join("out.1-0.tmp");
        let other = folder.path().join("out.x.tmp");
        fs::create_dir(&dead_folder).unwrap();
        fs::write(dead_folder.join("a"), b"").unwrap();
        // This process has the number of the killed one.
        let id = std::process::id();
        let reused = format!("out.{id}-0123456789abcdef-0.tmp");
        let own = format!("out.{}-7.tmp", WriterProcess::own());
        let (reused, own) = (folder.path().join(reused), folder.path().join(own));
        for path in [&dead, &alive, &other, &held, &reused, &own] {
            fs::write(path, b"").unwrap();
        }
        let lock = File::open(&held).unwrap();
        flock(&lock, FlockOperation::LockExclusive).unwrap();
        drop(Replacement::create(&folder.path().join("out"), WriteOptions::NEW).unwrap());
        let stays = [&held, &alive, &other, &own];
        let mut stays = stays.map(|path| path.file_name().unwrap().to_str().unwrap());
        stays.sort_unstable();
        assert_eq!(names(folder.path()), stays);
    }

    #[test]
    fn links_and_devices() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, b"1").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let mut file = Replacement::create(&link, WriteOptions::FORCE).unwrap();
        file.write_all(b"2").unwrap();
        file.commit().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"2");
        assert!(Replacement::create(Path::new("/dev/null"), WriteOptions::FORCE).is_err());
    }
}
