//! Opens inputs: regular files and inherited streams, but no devices, sockets or named pipes.
//!
//! Opening a named pipe blocks until somebody writes, and a device may never end. Descriptors of the process (`/dev/stdin`, or
//! `/dev/fd/63` for a shell's `<(…)`) are read as streams of any type.
//!
//! # Limits
//! Recognizes descriptors by name.

use crate::error::{Error, ErrorKind, Operation, SpecialFile, at};
use rustix::fs::{Mode, OFlags, openat};
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// Opens a file for reading, without blocking.
///
/// # Errors
/// The file cannot be opened, or is a device, a socket or a named pipe.
pub fn open_input(path: &Path) -> Result<File, Error> {
    open(path).map_err(at(path, Operation::Open))
}

/// Like [`open_input`], but the error does not name the path.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    if is_descriptor(path) {
        return File::open(path);
    }
    check(path, &std::fs::metadata(path)?)?;
    // Another file may have taken its place since `check`.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits() as i32)
        .open(path)?;
    check(path, &file.metadata()?)?;
    Ok(file)
}

/// Opens a file below a folder for reading, without blocking and without following a symbolic link below the folder. Returns its
/// metadata, too.
///
/// # Errors
/// `ELOOP` if a component of `name` is a link. The file is a device, a socket or a named pipe.
pub(crate) fn open_below(folder: &File, name: &Path) -> io::Result<(File, Metadata)> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let flags = flags | OFlags::NOFOLLOW;
    let file = File::from(open_without_links(folder, name, flags)?);
    let metadata = file.metadata()?;
    check(name, &metadata)?;
    Ok((file, metadata))
}

#[cfg(target_os = "linux")]
fn open_without_links(folder: &File, name: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    use rustix::fs::{ResolveFlags, openat2};
    use rustix::io::Errno;
    match openat2(
        folder,
        name,
        flags,
        Mode::empty(),
        ResolveFlags::NO_SYMLINKS,
    ) {
        // Old kernels, and sandboxes that do not know the call.
        Err(Errno::NOSYS | Errno::PERM) => openat(folder, name, flags, Mode::empty()),
        opened => opened,
    }
}

/// Checks the last component only.
#[cfg(not(target_os = "linux"))]
fn open_without_links(folder: &File, name: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    openat(folder, name, flags, Mode::empty())
}

/// Rejects everything but files, folders and descriptors of the process.
pub(crate) fn check(path: &Path, metadata: &Metadata) -> io::Result<()> {
    let kind = metadata.file_type();
    let special = match () {
        () if kind.is_file() || kind.is_dir() || is_descriptor(path) => return Ok(()),
        () if kind.is_fifo() => SpecialFile::Pipe,
        () if kind.is_socket() => SpecialFile::Socket,
        () => SpecialFile::Device,
    };
    Err(ErrorKind::Special(special).into())
}

/// Returns true for the names of the process's own descriptors.
fn is_descriptor(path: &Path) -> bool {
    let folders = ["/dev/fd", "/proc/self/fd"];
    path == Path::new("/dev/stdin")
        || folders.iter().any(|folder| {
            path.parent() == Some(Path::new(folder))
                && path
                    .file_name()
                    .is_some_and(|name| name.as_encoded_bytes().iter().all(u8::is_ascii_digit))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn pipes_devices_and_sockets_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, socket) = (folder.path().join("pipe"), folder.path().join("socket"));
        let mode = Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let link = folder.path().join("link.mbox");
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        let start = Instant::now();
        for (path, word) in [
            (&*pipe, "named pipe"),
            (&link, "named pipe"),
            (&socket, "socket"),
            (Path::new("/dev/zero"), "device"),
            (Path::new("/dev/null"), "device"),
        ] {
            for error in [open_input(path).map(drop), crate::recognize(path).map(drop)] {
                let error = error.unwrap_err().to_string();
                assert!(error.contains(word), "{error}");
            }
        }
        assert!(start.elapsed() < Duration::from_secs(10));
        assert!(open_input(folder.path()).is_ok());
    }

    #[test]
    fn descriptors_are_read() {
        for name in ["/dev/stdin", "/dev/fd/0", "/dev/fd/63", "/proc/self/fd/7"] {
            assert!(is_descriptor(Path::new(name)), "{name}");
        }
        for name in [
            "/dev/fd",
            "/dev/fd/a",
            "/dev/fd/../sda",
            "/dev/fdx/1",
            "/dev/stdinx",
            "/proc/1/fd/0",
            "dev/fd/0",
        ] {
            assert!(!is_descriptor(Path::new(name)), "{name}");
        }
    }
}
