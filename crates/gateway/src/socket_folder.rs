//! Checks the directory of a socket: only this user and root may be able to change its content.
//!
//! Opens each component of the path inside the one before it, and follows no symbolic links. Each must belong to root or this user, and must
//! not be writable for its group or others. A sticky directory such as `/tmp` may be on the path, because nobody can replace the files of
//! others there. The socket itself must not be in one.
//!
//! # Limits
//! Checks owner, mode and links. Sees access control lists only as far as the mode shows them.

use mailglot_archive::words;
use rustix::fs::{
    AtFlags, CWD, FileType, Gid, Mode, OFlags, Stat, chmodat, chownat, openat, statat,
};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

/// A checked, open directory, and the name of the socket in it.
#[derive(Debug)]
pub(crate) struct SocketFolder {
    folder: OwnedFd,
    path: PathBuf,
    name: OsString,
}

/// Device and number of a file.
pub(crate) type Identity = (u64, u64);

impl SocketFolder {
    /// Opens the directory of a socket's path and checks every component of it.
    ///
    /// # Errors
    /// A component does not exist, is a symbolic link, or can be changed by others.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let path = std::path::absolute(path)?;
        let name = path.file_name().ok_or(ErrorKind::InvalidInput)?.to_owned();
        let parent = path.parent().unwrap_or(Path::new("/"));
        let mut components = parent.components().peekable();
        let mut at = PathBuf::from("/");
        let mut folder = opened(CWD, OsStr::new("/"), &at)?;
        while components
            .next_if(|component| !matches!(component, Component::Normal(_)))
            .is_some()
        {}
        check(&folder, &at, components.peek().is_none())?;
        while let Some(component) = components.next() {
            let Component::Normal(name) = component else {
                return Err(unsafe_place(
                    &at,
                    "is followed by `..`; write the path without it",
                ));
            };
            at.push(name);
            folder = opened(&folder, name, &at)?;
            check(&folder, &at, components.peek().is_none())?;
        }
        Ok(Self { folder, path, name })
    }

    /// Returns a path to `name` in this directory, even if the directory was renamed.
    pub(crate) fn path_of(&self, name: &OsStr) -> PathBuf {
        let path = PathBuf::from(format!("/proc/self/fd/{}", self.folder.as_raw_fd()));
        // Without /proc the original path is used: only this user and root can change it.
        let folder = if path.is_dir() {
            &path
        } else {
            self.path.parent().unwrap_or(Path::new("/"))
        };
        folder.join(name)
    }

    /// Sets group and permissions of a socket.
    pub(crate) fn give(&self, name: &OsStr, mode: u32, group: Option<u32>) -> io::Result<()> {
        // Nobody else can replace a file in this directory.
        if self.stat(name)?.1 != FileType::Socket {
            return Err(io::Error::new(
                ErrorKind::AlreadyExists,
                "what stands there is no socket",
            ));
        }
        if let Some(group) = group {
            let given = Gid::from_raw(group);
            chownat(&self.folder, name, None, Some(given), AtFlags::SYMLINK_NOFOLLOW).map_err(|error| {
                match error {
                    Errno::PERM => {
                        let words = format!(
                            "its group cannot be {group}: this process is neither in that group nor root's"
                        );
                        io::Error::new(ErrorKind::PermissionDenied, words)
                    }
                    error => error.into(),
                }
            })?;
        }
        Ok(chmodat(
            &self.folder,
            name,
            Mode::from_raw_mode(mode),
            AtFlags::empty(),
        )?)
    }

    /// Returns device and inode number of a file in the directory.
    pub(crate) fn identity(&self, name: &OsStr) -> io::Result<Identity> {
        self.stat(name).map(|(identity, _)| identity)
    }

    /// Renames a socket of this directory to its final name.
    pub(crate) fn place(&self, from: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::renameat(
            &self.folder,
            from,
            &self.folder,
            &self.name,
        )?)
    }

    pub(crate) fn remove(&self, name: &OsStr) {
        // It may have been removed already.
        let _ = rustix::fs::unlinkat(&self.folder, name, AtFlags::empty());
    }

    /// Removes the socket at the final name, if it is still this one.
    pub(crate) fn remove_own(&self, made: Identity) {
        if self.identity(&self.name).is_ok_and(|there| there == made) {
            self.remove(&self.name);
        }
    }

    fn stat(&self, name: &OsStr) -> io::Result<(Identity, FileType)> {
        let stat = statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok((
            (stat.st_dev, stat.st_ino),
            FileType::from_raw_mode(stat.st_mode),
        ))
    }
}

/// Opens a directory inside another one without following links.
fn opened(parent: impl std::os::fd::AsFd, name: &OsStr, at: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | search();
    openat(&parent, name, flags, Mode::empty()).map_err(|error| match error {
        Errno::LOOP | Errno::NOTDIR => {
            let link = std::fs::read_link(at);
            match link {
                Ok(to) => {
                    let words = format!(
                        "is a symbolic link to {}; write the path without links",
                        to.display()
                    );
                    unsafe_place(at, &words)
                }
                Err(_) => unsafe_place(at, "is not a directory"),
            }
        }
        error => {
            let error = io::Error::from(error);
            io::Error::new(error.kind(), format!("{}: {}", at.display(), words(&error)))
        }
    })
}

/// Opens a directory for lookups only: it need not be readable.
#[cfg(target_os = "linux")]
fn search() -> OFlags {
    OFlags::PATH
}

#[cfg(not(target_os = "linux"))]
fn search() -> OFlags {
    OFlags::RDONLY
}

/// Rejects a directory that others can change. `last` is true for the directory of the socket.
fn check(folder: &OwnedFd, at: &Path, last: bool) -> io::Result<()> {
    let stat = rustix::fs::fstat(folder)?;
    refusal(&stat, geteuid().as_raw(), last).map_or(Ok(()), |why| Err(unsafe_place(at, &why)))
}

/// Returns why user `me` cannot trust a directory; `None` if only `me` and root can change its content.
fn refusal(stat: &Stat, me: u32, last: bool) -> Option<String> {
    const STICKY: u32 = 0o1000;
    let mode = stat.st_mode;
    if stat.st_uid != 0 && stat.st_uid != me {
        return Some(format!(
            "belongs to user {}, who can replace what is in it",
            stat.st_uid
        ));
    }
    let others = mode & 0o022;
    if others == 0 || (!last && mode & STICKY != 0) {
        return None;
    }
    let who = if others & 0o002 != 0 {
        "everybody"
    } else {
        "its group"
    };
    Some(format!(
        "can be written by {who} (mode {:04o}); sockets need a directory of their own",
        mode & 0o7777
    ))
}

fn unsafe_place(at: &Path, why: &str) -> io::Error {
    io::Error::new(
        ErrorKind::PermissionDenied,
        format!("directory {} {why}", at.display()),
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_directory_is_refused_by_every_mode_that_lets_others_write() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).unwrap();
        for bits in 0..=0o1777 {
            mode(&inner, bits | 0o700);
            let writable = bits & 0o022 != 0;
            assert_eq!(
                SocketFolder::open(&inner.join("s")).is_err(),
                writable,
                "{bits:o}"
            );
            // On the way a sticky one keeps each his own.
            let below = inner.join("below");
            fs::create_dir_all(&below).unwrap();
            let refused = writable && bits & 0o1000 == 0;
            assert_eq!(
                SocketFolder::open(&below.join("s")).is_err(),
                refused,
                "{bits:o}"
            );
        }
    }

    #[test]
    fn a_directory_of_another_user_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut stat = rustix::fs::stat(folder.path()).unwrap();
        for (owner, me, trusted) in [
            (65_534, 0, false),
            (65_534, 1_000, false),
            (65_534, 65_534, true),
            (0, 1_000, true),
            (0, 0, true),
        ] {
            stat.st_uid = owner;
            for last in [false, true] {
                let refusal = refusal(&stat, me, last);
                let want = format!("belongs to user {owner}, who can replace what is in it");
                assert_eq!(refusal, (!trusted).then_some(want), "{owner} {me} {last}");
            }
        }
    }

    #[test]
    fn no_link_is_followed_on_the_way() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().join("real");
        fs::create_dir_all(real.join("below")).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        for path in [link.join("s"), link.join("below/s")] {
            let error = SocketFolder::open(&path).unwrap_err().to_string();
            assert!(error.contains("is a symbolic link to"), "{error}");
        }
        assert!(SocketFolder::open(&real.join("below/../s")).is_err());
        assert!(SocketFolder::open(&folder.path().join("none/s")).is_err());
        fs::write(folder.path().join("file"), "").unwrap();
        assert!(SocketFolder::open(&folder.path().join("file/s")).is_err());
        assert!(SocketFolder::open(Path::new("/tmp/s")).is_err());
    }
}
