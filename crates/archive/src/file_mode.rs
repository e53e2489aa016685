//! Restricts the permissions of new files to those of their inputs.
//!
//! Nobody can read an output, ledger or temporary file who may not read its input.
//!
//! # Limits
//! Owner and group of a replaced file stay if the system allows that. Access control lists (ACL) are ignored. A path that cannot be inspected is skipped:
//! reading it reports the error.

use crate::exit_cleanup::creating;
use rustix::fs::{Mode, OFlags, openat};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::Path;

/// The permissions of new files and folders. The umask of the process also applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileMode {
    /// Permission bits of the group and of others that must not be set.
    denied: u32,
}

impl FileMode {
    /// Denies nothing beyond the umask.
    pub const OPEN: Self = Self { denied: 0 };

    /// Denies access to the group or to others if they may not read one of `paths` or a file below it.
    ///
    /// A link among `paths` counts as its target, but one below a folder is skipped. `-` is standard input if that is a file. Skips paths
    /// that do not exist.
    pub fn as_private_as<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Self {
        Self {
            denied: denied(paths),
        }
    }

    /// Creates a file for reading and writing. Fails if the path exists.
    pub fn create_file(self, path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        creating(|| options.mode(0o666 & !self.denied).open(path))
    }

    /// Creates a file in an opened folder for writing. Fails if the name exists.
    pub fn create_file_in(self, folder: &File, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o666 & !self.denied);
        creating(|| Ok(File::from(openat(folder, name, flags, mode)?)))
    }

    /// Gives a new file or folder owner, group and permissions of the one that it replaces, except permissions that are denied.
    ///
    /// Where the system refuses another owner or group, the group gets no more permissions than others.
    pub(crate) fn keep_owner(self, new: &File, old: &fs::Metadata) {
        let mut mode = old.permissions().mode() & 0o1777 & !self.denied;
        let Ok(now) = new.metadata() else { return };
        if (now.uid(), now.gid()) != (old.uid(), old.gid())
            && fchown(new, Some(old.uid()), Some(old.gid())).is_err()
            && fchown(new, None, Some(old.gid())).is_err()
        {
            mode &= !0o070 | (mode & 0o007) << 3;
        }
        // A file system without permissions has none to keep.
        let _ = new.set_permissions(fs::Permissions::from_mode(mode));
    }

    /// Creates a folder. Fails if the path exists.
    pub fn create_dir(self, path: &Path) -> io::Result<()> {
        creating(|| DirBuilder::new().mode(0o777 & !self.denied).create(path))
    }

    /// Creates a folder and its parents, unless they exist.
    pub fn create_dir_all(self, path: &Path) -> io::Result<()> {
        let mut folder = DirBuilder::new();
        folder.mode(0o777 & !self.denied).recursive(true);
        creating(|| folder.create(path))
    }
}

/// Returns the permission bits that new files must not have.
fn denied<'a>(given: impl IntoIterator<Item = &'a Path>) -> u32 {
    const ALL: u32 = 0o077;
    let (mut denied, mut folders) = (0, Vec::new());
    // Links may lead to folders inside each other.
    let mut seen = HashSet::new();
    for path in given {
        let there = if path == Path::new("-") {
            stdin()
        } else {
            fs::metadata(path).ok()
        };
        let Some(there) = there else { continue };
        denied |= denied_to(&there);
        if there.is_dir() && seen.insert((there.dev(), there.ino())) {
            folders.push(path.to_owned());
        }
    }
    // Once all bits are denied, no further file can change the result.
    while denied != ALL
        && let Some(folder) = folders.pop()
    {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(there) = entry.metadata() else {
                continue;
            };
            if there.is_file() || there.is_dir() {
                denied |= denied_to(&there);
            }
            if there.is_dir() && seen.insert((there.dev(), there.ino())) {
                folders.push(entry.path());
            }
            if denied == ALL {
                break;
            }
        }
    }
    denied
}

/// Returns the metadata of standard input if it is a file. The permissions of a pipe mean nothing.
fn stdin() -> Option<fs::Metadata> {
    let stdin = File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
    stdin.metadata().ok().filter(fs::Metadata::is_file)
}

/// Returns the bits of the group or of others if they may not read the file, or not list and enter the folder.
fn denied_to(metadata: &fs::Metadata) -> u32 {
    let mode = metadata.permissions().mode();
    let needed = if metadata.is_dir() { 0o555 } else { 0o444 };
    [0o070, 0o007]
        .into_iter()
        .filter(|who| mode & who & needed != who & needed)
        .sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_replaced_file_keeps_its_permissions_except_denied_ones() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        for (mode, denied, expected) in [
            (0o640, 0, 0o640),
            (0o664, 0o007, 0o660),
            (0o644, 0o077, 0o600),
            (0o4755, 0, 0o755),
        ] {
            fs::write(&old, b"").unwrap();
            fs::set_permissions(&old, fs::Permissions::from_mode(mode)).unwrap();
            let file = File::create(&new).unwrap();
            FileMode { denied }.keep_owner(&file, &fs::metadata(&old).unwrap());
            assert_eq!(
                file.metadata().unwrap().mode() & 0o7777,
                expected,
                "{mode:o}"
            );
        }
    }

    #[test]
    fn output_mode_denies_whom_the_input_denies() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        for (mode, denied) in [
            (0o600, 0o077),
            (0o644, 0),
            (0o666, 0),
            (0o640, 0o007),
            (0o604, 0o070),
            (0o700, 0o077),
            (0o620, 0o077),
        ] {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(denied_to(&fs::metadata(&file).unwrap()), denied, "{mode:o}");
        }
        for (mode, denied) in [
            (0o700, 0o077),
            (0o750, 0o007),
            (0o755, 0),
            (0o711, 0o077),
            (0o744, 0o077),
        ] {
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(
                denied_to(&fs::metadata(folder.path()).unwrap()),
                denied,
                "{mode:o}"
            );
        }
    }

    #[test]
    fn files_in_a_folder_restrict_the_mode() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let set = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        fs::create_dir_all(path("a/b")).unwrap();
        for inner in [folder.path(), &path("a"), &path("a/b")] {
            set(inner, 0o755);
        }
        fs::write(path("a/b/inbox.mbox"), "").unwrap();
        std::os::unix::fs::symlink("/dev/null", path("link")).unwrap();
        for (mode, expected) in [(0o644, 0), (0o640, 0o007), (0o600, 0o077)] {
            set(&path("a/b/inbox.mbox"), mode);
            assert_eq!(denied([folder.path()]), expected, "{mode:o}");
        }
        set(&path("a/b/inbox.mbox"), 0o644);
        set(&path("a/b"), 0o750);
        assert_eq!(denied([folder.path(), Path::new("/nowhere")]), 0o007);
    }
    #[test]
    fn files_and_folders_are_created_with_the_mode() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("mail"), "").unwrap();
        fs::set_permissions(path("mail"), fs::Permissions::from_mode(0o600)).unwrap();
        let mode = FileMode::as_private_as([&*path("mail")]);
        mode.create_file(&path("out")).unwrap();
        mode.create_dir_all(&path("a/b")).unwrap();
        for name in ["out", "a", "a/b"] {
            let bits = fs::metadata(path(name)).unwrap().permissions().mode();
            assert_eq!(bits & 0o077, 0, "{name}");
        }
        assert!(mode.create_file(&path("out")).is_err());
        assert!(mode.create_dir(&path("a")).is_err());
    }
}
