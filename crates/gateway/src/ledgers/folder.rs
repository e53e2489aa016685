//! Opens a ledger folder once, and uses it through its descriptor, so that no later folder or link replaces it.
//!
//! If the folder was removed, a daemon makes it again, and checks its owner and mode. A folder that others may write is rejected: they
//! could remove or forge ledgers.
//!
//! # Limits
//! The folders above it may be links.

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, FlockOperation, Mode, OFlags, Stat, flock, fstat, mkdirat, openat,
    statat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Flags for opening a folder: links are not followed.
const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// The ledger folder of a daemon. If somebody removes it, it is made again.
#[derive(Debug)]
pub(super) struct LedgerFolder {
    path: PathBuf,
    open: Mutex<Arc<Folder>>,
}

impl LedgerFolder {
    /// Opens the folder for writing ledgers, and creates it if it does not exist.
    ///
    /// # Errors
    /// As [`Folder::open_or_make`].
    pub(super) fn open_or_make(path: PathBuf) -> io::Result<Self> {
        let open = Mutex::new(Arc::new(Folder::open_or_make(&path)?));
        Ok(Self { path, open })
    }

    /// Returns the open folder. If it was removed, makes it again with the mode that it had, below the folder above it.
    ///
    /// # Errors
    /// It was removed, and cannot be made again, for example because the folder above it is gone, too. The error names the path.
    pub(super) fn current(&self) -> io::Result<Arc<Folder>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let stat = fstat(&open.0)?;
        if stat.st_nlink == 0 {
            let again = Folder::make_again(&self.path, Mode::from_raw_mode(stat.st_mode));
            *open = Arc::new(again.map_err(|error| {
                let path = self.path.display();
                let words = format!(
                    "the ledger folder {path} was removed, and cannot be made again: {error}"
                );
                io::Error::new(error.kind(), words)
            })?);
        }
        Ok(Arc::clone(&open))
    }
}

/// An open folder.
#[derive(Debug)]
pub(super) struct Folder(OwnedFd);

/// Properties of a file in a folder.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileStat {
    pub(super) bytes: u64,
    pub(super) modified: SystemTime,
}

impl Folder {
    /// Opens a folder for writing ledgers. Creates it, accessible for its owner only, if it does not exist, and syncs the folder above.
    ///
    /// # Errors
    /// It cannot be created or opened, is a link, has another owner, or is writable for others; or a folder above it cannot be synced.
    pub(super) fn open_or_make(path: &Path) -> io::Result<Self> {
        let path = plain(path);
        let missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let missing: Vec<_> = path.ancestors().take_while(missing).collect();
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&path)?;
        for made in missing {
            sync_parent(made)?;
        }
        let folder = Self::open(&path)?;
        folder.check_owner()?;
        Ok(folder)
    }

    /// Makes a folder that was removed, and syncs the folder above. Uses one that somebody made meanwhile only if it is safe.
    fn make_again(path: &Path, mode: Mode) -> io::Result<Self> {
        let path = plain(path);
        match mkdirat(CWD, &path, mode) {
            Ok(()) | Err(Errno::EXIST) => (),
            Err(error) => return Err(error.into()),
        }
        sync_parent(&path)?;
        let folder = Self::open(&path)?;
        folder.check_owner()?;
        Ok(folder)
    }

    /// Opens a folder to read it.
    ///
    /// # Errors
    /// It cannot be opened, or is a link.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let path = plain(path);
        let opened = openat(CWD, &path, FOLDER, Mode::empty());
        opened.map(Self).map_err(|error| {
            let is_link = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink());
            if is_link {
                io::Error::new(
                    ErrorKind::NotADirectory,
                    "is a symbolic link; name the folder that it points to",
                )
            } else {
                error.into()
            }
        })
    }

    /// Opens a folder in this one for writing, and creates it if it does not exist.
    pub(super) fn subfolder_or_make(&self, name: &str) -> io::Result<Self> {
        match mkdirat(&self.0, name, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => (),
            Err(error) => return Err(error.into()),
        }
        let folder = self.subfolder(OsStr::new(name))?;
        folder.check_owner()?;
        Ok(folder)
    }

    /// Opens a folder in this one.
    pub(super) fn subfolder(&self, name: &OsStr) -> io::Result<Self> {
        Ok(Self(openat(&self.0, name, FOLDER, Mode::empty())?))
    }

    /// Creates a file that only its owner can access.
    pub(super) fn create(&self, name: &str) -> io::Result<File> {
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.0, name, flags, Mode::RUSR | Mode::WUSR)?.into())
    }

    /// Opens a regular file for reading; with `write` also for writing.
    pub(super) fn file(&self, name: &OsStr, write: bool) -> io::Result<File> {
        let access = if write { OFlags::RDWR } else { OFlags::RDONLY };
        // Opening a named pipe would block.
        let flags = access | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = openat(&self.0, name, flags, Mode::empty())?;
        if FileType::from_raw_mode(fstat(&file)?.st_mode) != FileType::RegularFile {
            return Err(io::Error::new(
                ErrorKind::InvalidInput,
                "not a regular file",
            ));
        }
        Ok(file.into())
    }

    /// Returns the properties of a regular file. `None` if the folder has no file of this name.
    pub(super) fn stat(&self, name: &OsStr) -> io::Result<Option<FileStat>> {
        let stat = match statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        Ok(regular.then(|| FileStat {
            bytes: stat.st_size as u64,
            modified: modified(&stat),
        }))
    }

    /// Returns all names but `.` and `..`.
    pub(super) fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        self.each_name(|name| names.push(name.to_owned()))?;
        Ok(names)
    }

    /// Calls `each` with every name but `.` and `..`.
    pub(super) fn each_name(&self, mut each: impl FnMut(&OsStr)) -> io::Result<()> {
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                each(OsStr::from_bytes(name));
            }
        }
        Ok(())
    }

    /// Removes a file.
    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Removes an empty folder.
    pub(super) fn remove_subfolder(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Syncs the folder, so that the names in it are durable.
    pub(super) fn sync(&self) -> io::Result<()> {
        #[cfg(test)]
        tests::count(&self.0);
        Ok(rustix::fs::fsync(&self.0)?)
    }

    /// Returns the bytes that are free on its file system for this user, and all bytes that it has.
    pub(super) fn free(&self) -> io::Result<(u64, u64)> {
        let disk = rustix::fs::fstatvfs(&self.0)?;
        Ok((
            disk.f_bavail.saturating_mul(disk.f_frsize),
            disk.f_blocks.saturating_mul(disk.f_frsize),
        ))
    }

    /// Refuses a folder of another owner, and one that its group or others may write.
    fn check_owner(&self) -> io::Result<()> {
        let stat = fstat(&self.0)?;
        let user = geteuid().as_raw();
        if stat.st_uid != user {
            let words = format!(
                "belongs to user {}, and this program runs as user {user}",
                stat.st_uid
            );
            return Err(io::Error::new(ErrorKind::PermissionDenied, words));
        }
        if stat.st_mode & 0o022 != 0 {
            let words = format!(
                "its group or others may write there (mode {:04o}); use mode 0700",
                stat.st_mode & 0o7777
            );
            return Err(io::Error::new(ErrorKind::PermissionDenied, words));
        }
        Ok(())
    }
}

/// Returns why a folder that exists cannot be a ledger folder: a link, a foreign owner, or write permission for others.
///
/// # Errors
/// The reason. A folder that does not exist is none.
pub(crate) fn check_existing(path: &Path) -> io::Result<()> {
    match Folder::open(path) {
        Ok(folder) => folder.check_owner(),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Locks a file for the one that appends to it; false if another one has locked it.
pub(super) fn lock(file: &File) -> io::Result<bool> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Returns true if a daemon has locked a file to append to it.
pub(super) fn is_locked(file: &File) -> io::Result<bool> {
    match flock(file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => {
            flock(file, FlockOperation::Unlock)?;
            Ok(false)
        }
        Err(Errno::WOULDBLOCK) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// Syncs the folder above one. It may be a link, like all folders above the ledger folder.
fn sync_parent(path: &Path) -> io::Result<()> {
    let Some(parent) = path.parent() else {
        return Ok(());
    };
    let parent = if parent.as_os_str().is_empty() {
        Path::new(".")
    } else {
        parent
    };
    let flags = FOLDER.difference(OFlags::NOFOLLOW);
    Folder(openat(CWD, parent, flags, Mode::empty())?).sync()
}

/// Without a slash or a dot at its end, which would follow a link.
fn plain(path: &Path) -> PathBuf {
    path.components().collect()
}

#[allow(clippy::unnecessary_cast, reason = "the type is that of the system")]
fn modified(stat: &Stat) -> SystemTime {
    let seconds = Duration::from_secs(u64::try_from(stat.st_mtime).unwrap_or_default());
    UNIX_EPOCH + seconds + Duration::from_nanos(stat.st_mtime_nsec as u64)
}

#[cfg(test)]
pub(super) mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::sync::Mutex;

    /// Numbers (inodes) of the folders that were synced.
    static SYNCED: Mutex<Vec<u64>> = Mutex::new(Vec::new());

    pub(super) fn count(folder: &OwnedFd) {
        SYNCED.lock().unwrap().push(fstat(folder).unwrap().st_ino);
    }

    /// Returns whether each folder was synced since this was last asked of it.
    pub(in crate::ledgers) fn synced<const N: usize>(folders: [&Path; N]) -> [bool; N] {
        let mut synced = SYNCED.lock().unwrap();
        folders.map(|folder| {
            let number = fs::metadata(folder).unwrap().ino();
            let count = synced.len();
            synced.retain(|one| *one != number);
            synced.len() < count
        })
    }

    #[test]
    fn what_is_made_is_durable() {
        let at = tempfile::tempdir().unwrap();
        let (there, a, b, c) = (
            at.path(),
            at.path().join("a"),
            at.path().join("a/b"),
            at.path().join("a/b/c"),
        );
        Folder::open_or_make(&b).unwrap();
        assert_eq!(synced([there, &a]), [true, true]);
        Folder::open_or_make(&c).unwrap();
        assert_eq!(synced([there, &a, &b]), [false, false, true]);
        // Through a link above it.
        symlink(&b, there.join("link")).unwrap();
        Folder::open_or_make(&there.join("link/d/")).unwrap();
        assert_eq!(synced([there, &b]), [false, true]);
        Folder::open_or_make(&c).unwrap();
        assert_eq!(synced([&a, &b]), [false, false]);
    }

    #[test]
    fn folders_of_others_and_links_are_refused() {
        let at = tempfile::tempdir().unwrap();
        let place = at.path().join("a/b");
        Folder::open_or_make(&place).unwrap();
        assert_eq!(
            fs::metadata(&place).unwrap().permissions().mode() & 0o777,
            0o700
        );
        for mode in [0o720, 0o702, 0o777, 0o1777] {
            fs::set_permissions(&place, fs::Permissions::from_mode(mode)).unwrap();
            let error = Folder::open_or_make(&place).unwrap_err();
            assert!(error.to_string().contains("may write there"), "{error}");
            assert!(check_existing(&place).is_err());
        }
        fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).unwrap();
        Folder::open_or_make(&place).unwrap();
        symlink(&place, at.path().join("link")).unwrap();
        for link in ["link", "link/", "link/."] {
            let error = Folder::open_or_make(&at.path().join(link)).unwrap_err();
            assert!(error.to_string().contains("symbolic link"), "{error}");
            assert!(check_existing(&at.path().join(link)).is_err());
        }
        fs::write(at.path().join("file"), "").unwrap();
        assert!(Folder::open_or_make(&at.path().join("file")).is_err());
        assert!(check_existing(&at.path().join("none")).is_ok());
        // A link in it is no folder of a day, and no file.
        let folder = Folder::open(&place).unwrap();
        symlink(at.path(), place.join("2026-01-01")).unwrap();
        symlink(at.path().join("file"), place.join("x")).unwrap();
        assert!(folder.subfolder_or_make("2026-01-01").is_err());
        assert!(folder.file(OsStr::new("x"), false).is_err() && folder.create("x").is_err());
        assert!(folder.stat(OsStr::new("x")).unwrap().is_none());
    }

    /// Only root can give a folder to another user.
    #[test]
    fn a_folder_of_another_owner_is_refused() {
        let at = tempfile::tempdir().unwrap();
        // Where this is not root, the root folder belongs to another.
        let foreign = if geteuid().is_root() {
            std::os::unix::fs::chown(at.path(), Some(65_534), None).unwrap();
            at.path()
        } else {
            Path::new("/")
        };
        let error = check_existing(foreign).unwrap_err();
        assert!(error.to_string().starts_with("belongs to user "), "{error}");
    }

    #[test]
    fn a_removed_folder_is_made_again_with_its_mode() {
        let at = tempfile::tempdir().unwrap();
        let place = at.path().join("a/ledger");
        let folder = LedgerFolder::open_or_make(place.clone()).unwrap();
        let mode = fs::Permissions::from_mode(0o750);
        fs::set_permissions(&place, mode).unwrap();
        folder.current().unwrap().create("x").unwrap();
        fs::remove_dir_all(&place).unwrap();
        folder.current().unwrap().create("y").unwrap();
        assert_eq!(
            fs::metadata(&place).unwrap().permissions().mode() & 0o777,
            0o750
        );
        assert!(place.join("y").exists() && synced([&at.path().join("a")])[0]);
        // Another folder in its place must be safe.
        fs::remove_dir_all(&place).unwrap();
        symlink(at.path(), &place).unwrap();
        let error = folder.current().unwrap_err().to_string();
        assert!(error.contains("symbolic link"), "{error}");
        // Without the folder above, the error has the path.
        fs::remove_dir_all(at.path().join("a")).unwrap();
        let error = folder.current().unwrap_err().to_string();
        let start = format!(
            "the ledger folder {} was removed, and cannot be made again: ",
            place.display()
        );
        assert!(error.starts_with(&start), "{error}");
        fs::create_dir(at.path().join("a")).unwrap();
        folder.current().unwrap().create("z").unwrap();
    }

    #[test]
    fn what_stands_in_its_place_later_is_not_used() {
        let at = tempfile::tempdir().unwrap();
        let (place, away) = (at.path().join("ledger"), at.path().join("away"));
        let folder = Folder::open_or_make(&place).unwrap();
        fs::rename(&place, &away).unwrap();
        fs::create_dir(&place).unwrap();
        folder.create("x").unwrap();
        assert!(away.join("x").exists() && !place.join("x").exists());
        fs::remove_dir_all(&away).unwrap();
        assert_eq!(folder.create("y").unwrap_err().kind(), ErrorKind::NotFound);
    }
}
