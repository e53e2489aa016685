//! Finds the repositories of a public-inbox, and the newest commit of each.
//!
//! # Limits
//! Reads references in files (`HEAD`, `refs/heads/…`, `packed-refs`), not in reftable. Repositories on a disk only.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Component, Path, PathBuf};

use super::object_id::ObjectId;
use crate::regular;

/// Largest number of bytes of a reference.
const LONGEST_REFERENCE: u64 = 4096;
/// Number of symbolic references that are followed.
const MOST_LINKS: usize = 4;

/// Returns true for a bare git repository. Symbolic links do not count.
pub(super) fn is_repository(path: &Path) -> bool {
    let own = |name: &str| path.join(name).symlink_metadata().ok();
    let is_folder = |name| own(name).is_some_and(|there| there.is_dir());
    is_folder("objects") && is_folder("refs") && own("HEAD").is_some_and(|there| there.is_file())
}

/// Returns the repositories of a public-inbox of version 2 (`git/0.git`, `git/1.git`, …) with their numbers, the oldest first.
///
/// A folder that is no repository is among them, and without a commit. Empty for any other folder.
pub(super) fn epochs(path: &Path) -> Vec<(u64, PathBuf)> {
    let git = path.join("git");
    let is_own = git.symlink_metadata().is_ok_and(|there| there.is_dir());
    let Some(entries) = is_own.then(|| fs::read_dir(&git).ok()).flatten() else {
        return Vec::new();
    };
    let epoch = |entry: fs::DirEntry| {
        let name = entry.file_name();
        let digits = name.to_str()?.strip_suffix(".git")?;
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.parse().ok().filter(|_| is_number)?;
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        is_folder.then(|| (number, entry.path()))
    };
    let mut found: Vec<_> = entries.flatten().filter_map(epoch).collect();
    found.sort();
    if found.iter().any(|(_, path)| is_repository(path)) {
        found
    } else {
        Vec::new()
    }
}

/// Returns the newest commit of the branch that `HEAD` names. `None` if there is none.
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
pub(super) fn size_of_objects(repository: &Path) -> u64 {
    let size = |folder: &Path| -> u64 {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let sizes = entries.filter_map(|entry| entry.metadata().ok());
        sizes
            .filter(fs::Metadata::is_file)
            .map(|file| file.len())
            .sum()
    };
    let objects = repository.join("objects");
    let folders = fs::read_dir(&objects).into_iter().flatten().flatten();
    folders.map(|folder| size(&folder.path())).sum()
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

/// Opens a file for reading. `None` if there is none.
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
