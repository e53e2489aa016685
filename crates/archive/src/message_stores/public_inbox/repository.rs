//! Finds the repositories of a public-inbox, and the newest commit of each.
//!
//! # Limits
//! Reads references in files (`HEAD`, `refs/heads/…`, `packed-refs`), not in reftable. Repositories on a disk only.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Component, Path, PathBuf};

use super::object_id::ObjectId;
use crate::entry_type::EntryType;
use crate::error::ErrorKind;
use crate::regular;

/// Largest number of bytes of a reference.
const LONGEST_REFERENCE: u64 = 4096;
/// Number of folders inside each other in which objects lie, below `objects`.
const DEEPEST: usize = 3;
/// Number of symbolic references that are followed.
const MOST_LINKS: usize = 4;

/// Returns true for a bare git repository. Symbolic links do not count.
pub(super) fn is_repository(path: &Path) -> bool {
    let own = |name: &str| path.join(name).symlink_metadata().ok();
    let is_folder = |name| own(name).is_some_and(|there| there.is_dir());
    is_folder("objects") && is_folder("refs") && own("HEAD").is_some_and(|there| there.is_file())
}

/// Returns the folders `git/0.git`, `git/1.git`, … in the order of their numbers. Symbolic links do not count.
pub(super) fn epochs(path: &Path) -> Vec<PathBuf> {
    let git = path.join("git");
    let is_own = git.symlink_metadata().is_ok_and(|there| there.is_dir());
    let Some(entries) = is_own.then(|| fs::read_dir(&git).ok()).flatten() else {
        return Vec::new();
    };
    let epoch = |entry: fs::DirEntry| {
        let number = epoch_number(entry.file_name().to_str()?)?;
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        is_folder.then(|| (number, entry.path()))
    };
    let mut found: Vec<_> = entries.flatten().filter_map(epoch).collect();
    found.sort();
    found.into_iter().map(|(_, path)| path).collect()
}

/// Returns the number of an epoch by its name: `7.git`.
pub(super) fn epoch_number(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(".git")?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_number)
}

/// Returns the newest commit of the branch that `HEAD` names. Returns `None` if the branch has no commit.
pub(super) fn head(repository: &Path) -> io::Result<Option<ObjectId>> {
    let mut name = "HEAD".to_owned();
    for _ in 0..=MOST_LINKS {
        let Some(text) = loose(repository, &name)? else {
            return packed(repository, &name);
        };
        let Some(target) = text.strip_prefix(b"ref:") else {
            return Ok(ObjectId::parse(&text));
        };
        let target = String::from_utf8_lossy(target.trim_ascii()).into_owned();
        if !is_safe(&target) {
            return Ok(None);
        }
        name = target;
    }
    Ok(None)
}

/// Returns true if the repository uses objects that lie in other folders.
pub(super) fn borrows_objects(repository: &Path) -> bool {
    let info = repository.join("objects/info");
    let is_used = |name| {
        fs::symlink_metadata(info.join(name)).is_ok_and(|there| !there.is_file() || there.len() > 0)
    };
    is_used("alternates") || is_used("http-alternates")
}

/// Returns the number of bytes of the files of objects.
///
/// # Errors
/// A link, a pipe, a socket or a device is among them. A link leads to objects in other folders, and a pipe would stop `git` forever.
pub(super) fn size_of_objects(repository: &Path) -> Result<u64, ErrorKind> {
    let objects = repository.join("objects");
    let mut size = 0;
    let mut waiting = vec![(objects.clone(), 0)];
    while let Some((folder, depth)) = waiting.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let (entry, path) = entry.map(|entry| (entry.metadata(), entry.path()))?;
            let Ok(metadata) = entry else { continue };
            match EntryType::of(metadata.file_type()) {
                EntryType::Folder if depth < DEEPEST => waiting.push((path, depth + 1)),
                EntryType::Folder => {}
                // Files of `info` are no objects.
                EntryType::File if folder.starts_with(objects.join("info")) => {}
                EntryType::File => size += metadata.len(),
                EntryType::Link => return Err(ErrorKind::BorrowedObjects),
                _ => regular::check(&path, &metadata)?,
            }
        }
    }
    Ok(size)
}

/// Returns true for the name of a reference that leads to a place in the repository.
fn is_safe(name: &str) -> bool {
    let mut components = Path::new(name).components();
    name.starts_with("refs/") && components.all(|part| matches!(part, Component::Normal(_)))
}

/// Returns the text of a reference that is a file of its own.
fn loose(repository: &Path, name: &str) -> io::Result<Option<Vec<u8>>> {
    let Some(file) = open(&repository.join(name))? else {
        return Ok(None);
    };
    let mut text = Vec::new();
    file.take(LONGEST_REFERENCE).read_to_end(&mut text)?;
    Ok(Some(text.trim_ascii().to_vec()))
}

/// Returns the commit of a reference in the list of packed ones.
fn packed(repository: &Path, name: &str) -> io::Result<Option<ObjectId>> {
    let Some(file) = open(&repository.join("packed-refs"))? else {
        return Ok(None);
    };
    let mut lines = BufReader::new(file);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = lines
            .by_ref()
            .take(LONGEST_REFERENCE)
            .read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(None);
        }
        let mut words = line.trim_ascii_end().splitn(2, |&byte| byte == b' ');
        let id = words.next().and_then(ObjectId::parse);
        if id.is_some() && words.next() == Some(name.as_bytes()) {
            return Ok(id);
        }
    }
}

/// Opens a file for reading. Returns `None` if no file has this path.
fn open(path: &Path) -> io::Result<Option<File>> {
    match regular::open(path) {
        Ok(file) if file.metadata()?.is_file() => Ok(Some(file)),
        Ok(_) => Ok(None),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
            _ => Err(error),
        },
    }
}
