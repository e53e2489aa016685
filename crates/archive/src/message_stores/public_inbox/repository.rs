//! Finds the repositories of a public-inbox, and the newest commit of each.
//!
//! # Limits
//! Reads references in files (`HEAD`, `refs/heads/…`, `packed-refs`), not in reftable. Repositories on a disk only.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Component, Path, PathBuf};

use super::object_id::ObjectId;
use crate::entry_type::EntryType;
use crate::error::ErrorKind;
use crate::open_input;

/// Largest number of bytes of a reference.
const LONGEST_REFERENCE: u64 = 4096;
/// Number of folders inside each other in which objects lie, below `objects`.
const DEEPEST: usize = 3;
/// Number of symbolic references that are followed.
const MOST_LINKS: usize = 4;

/// Returns true for a bare git repository. Symbolic links do not count.
pub(super) fn is_whole(path: &Path) -> bool {
    count_parts(path) == 3
}

/// Returns true for a bare git repository, also for a damaged one: it lacks `HEAD`, `refs` or `objects`, or has objects alone.
pub(super) fn is_repository(path: &Path) -> bool {
    has_most_parts(path) || has_objects(path).unwrap_or(false)
}

/// Returns true if a folder has at least two of `HEAD`, `refs` and `objects`.
pub(super) fn has_most_parts(path: &Path) -> bool {
    count_parts(path) >= 2
}

/// Returns how many of `HEAD`, `refs` and `objects` a folder has.
fn count_parts(path: &Path) -> usize {
    let own = |name: &str| path.join(name).symlink_metadata();
    let has_head = own("HEAD").is_ok_and(|there| there.is_file());
    let has_refs = own("refs").is_ok_and(|there| there.is_dir());
    usize::from(has_head) + usize::from(has_refs) + usize::from(has_objects_folder(path))
}

/// Returns true for a repository with a folder for its objects. A symbolic link does not count.
pub(super) fn has_objects_folder(path: &Path) -> bool {
    let own = path.join("objects").symlink_metadata();
    own.is_ok_and(|there| there.is_dir())
}

/// Returns true if a repository has a file with the name of an object or of a pack.
pub(super) fn has_objects(path: &Path) -> io::Result<bool> {
    if !has_objects_folder(path) {
        return Ok(false);
    }
    for folder in fs::read_dir(path.join("objects"))? {
        let folder = folder?;
        let name = folder.file_name();
        if !folder.file_type()?.is_dir() || !is_objects_folder(&name) {
            continue;
        }
        for file in fs::read_dir(folder.path())? {
            let file = file?;
            if is_object_name(&name, &file.file_name()) && file.file_type()?.is_file() {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Returns true for the name of a folder of `objects` that has objects or packs: `ab`, `pack`.
pub(super) fn is_objects_folder(name: &OsStr) -> bool {
    name == "pack" || name.len() == 2 && is_hex(name)
}

/// Returns true for the name of an object or of a pack in such a folder.
pub(super) fn is_object_name(folder: &OsStr, name: &OsStr) -> bool {
    if folder == "pack" {
        let name = name.as_encoded_bytes();
        return name.starts_with(b"pack-") && name.ends_with(b".pack");
    }
    matches!(name.len(), 38 | 62) && is_hex(name)
}

fn is_hex(name: &OsStr) -> bool {
    name.as_encoded_bytes().iter().all(u8::is_ascii_hexdigit)
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
/// A folder cannot be read. A link, a pipe, a socket or a device is among the files. A link leads to objects in other folders, and a
/// pipe would stop `git` forever.
pub(super) fn size_of_objects(repository: &Path) -> Result<u64, ErrorKind> {
    let objects = repository.join("objects");
    let info = objects.join("info");
    let mut size = 0;
    let mut waiting = vec![(objects, 0)];
    while let Some((folder, depth)) = waiting.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            // `git` removes folders that became empty.
            Err(error) if depth > 0 && error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error.into()),
        };
        for entry in entries {
            let (entry, path) = entry.map(|entry| (entry.metadata(), entry.path()))?;
            let metadata = match entry {
                Ok(metadata) => metadata,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error.into()),
            };
            match EntryType::of(metadata.file_type()) {
                EntryType::Folder if depth < DEEPEST => waiting.push((path, depth + 1)),
                EntryType::Folder => {}
                // Files of `info` are no objects.
                EntryType::File if folder.starts_with(&info) => {}
                EntryType::File => size += metadata.len(),
                EntryType::Link => return Err(ErrorKind::BorrowedObjects),
                _ => open_input::check(&path, &metadata)?,
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
    match open_input::open(path) {
        Ok(file) if file.metadata()?.is_file() => Ok(Some(file)),
        Ok(_) => Ok(None),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
            _ => Err(error),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_measured_or_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        // A folder that cannot be listed does not count as an empty one.
        assert!(matches!(size_of_objects(path), Err(ErrorKind::Io(_))));
        for (name, length) in [("ab/cd", 3), ("pack/pack-1.pack", 40), ("info/packs", 500)] {
            let file = path.join("objects").join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, vec![0; length]).unwrap();
        }
        assert_eq!(size_of_objects(path).unwrap(), 43);
    }

    #[test]
    fn objects_are_known_by_their_names() {
        let long = |length: usize| format!("ab/{}", "0".repeat(length));
        for (name, expected) in [
            (long(38), true),
            (long(62), true),
            (long(37), false),
            (format!("abc/{}", "0".repeat(38)), false),
            (format!("ab/{}.eml", "0".repeat(34)), false),
            ("pack/pack-0.pack".to_owned(), true),
            ("pack/pack-0.idx".to_owned(), false),
            ("pack/1.eml".to_owned(), false),
            ("readme".to_owned(), false),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("objects").join(&name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, b"x").unwrap();
            assert_eq!(has_objects(folder.path()).unwrap(), expected, "{name}");
            assert_eq!(is_repository(folder.path()), expected, "{name}");
        }
    }
}
