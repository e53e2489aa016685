//! Recognizes a public-inbox, and the files that belong to it.
//!
//! # Limits
//! Reads the list of files of the newest commit only. A repository without a readable `HEAD` is an epoch by its name alone.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::deletions::InboxVersion;
use super::{epoch, repository};
use crate::error::{Error, Operation, at};

/// Bytes of the list of files that show what a repository is.
const BEGINNING: u64 = 4096;

/// Returns the repositories of an inbox of version 2, the oldest first. Empty for any other folder.
///
/// A folder with the name of an epoch is among them even if it has no commit. An inbox of version 1 is not: it is an archive of its own.
pub(super) fn epochs(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let (mut found, mut is_inbox) = (Vec::new(), false);
    for repository in repository::epochs(path) {
        let version = version_of(&repository)?;
        if version == Some(InboxVersion::V1) {
            continue;
        }
        is_inbox |= version.is_some() || lacks_head(&repository);
        found.push(repository);
    }
    found.retain(|_| is_inbox);
    Ok(found)
}

/// Returns true for an inbox of version 2. Does not look at more repositories than it must.
fn is_inbox(path: &Path) -> Result<bool, Error> {
    for repository in repository::epochs(path) {
        let version = version_of(&repository)?;
        if version.is_some_and(|version| version != InboxVersion::V1)
            || version.is_none() && lacks_head(&repository)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns true for an inbox.
pub(super) fn is_store(path: &Path) -> Result<bool, Error> {
    Ok(is_inbox(path)? || version_of(path)?.is_some())
}

/// Returns true for an epoch or an index of an inbox in `root` or below it.
pub(super) fn is_part(root: &Path, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let Some(folder) = path.parent() else {
        return false;
    };
    // A folder that cannot be read is reported as an inbox, and once.
    let is_below = |inbox: &Path| inbox.starts_with(root) && !matches!(is_inbox(inbox), Ok(false));
    if repository::epoch_number(&name).is_some() {
        let is_own = path.symlink_metadata().is_ok_and(|there| there.is_dir());
        let inbox = folder.parent().filter(|_| folder.ends_with("git"));
        return is_own
            && inbox.is_some_and(is_below)
            && !matches!(version_of(path), Ok(Some(InboxVersion::V1)));
    }
    is_index(&name) && is_below(folder)
}

/// Returns true for the names of files and folders with which public-inbox searches an inbox.
fn is_index(name: &str) -> bool {
    let is_xapian =
        |digits: &str| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    matches!(name, "all.git" | "inbox.lock")
        || name.starts_with("msgmap.sqlite3")
        || name.strip_prefix("xap").is_some_and(is_xapian)
}

/// Returns true for a repository with objects, but without a newest commit that can be found.
fn lacks_head(path: &Path) -> bool {
    !matches!(repository::head(path), Ok(Some(_)))
        && repository::size_of_objects(path).is_ok_and(|size| size > 0)
}

/// Returns the version of the inbox that a bare repository is, by the files of its newest commit. `None` for any other folder.
pub(super) fn version_of(path: &Path) -> Result<Option<InboxVersion>, Error> {
    if !repository::is_repository(path) || path.file_name().is_some_and(|name| name == ".git") {
        return Ok(None);
    }
    let failed = at(path, Operation::Read);
    let Some(head) = repository::head(path).map_err(&failed)? else {
        return Ok(None);
    };
    let git = epoch::objects(path, head)?;
    let head = head.to_string();
    let mut list = git
        .start(&["ls-tree", "-z", &head])
        .map_err(at(path, Operation::Read))?;
    list.end_requests();
    let mut files = Vec::new();
    let read = list.by_ref().take(BEGINNING).read_to_end(&mut files);
    read.map_err(failed)?;
    if files.len() as u64 == BEGINNING {
        return Ok(version_by(&files, false));
    }
    let end = list.end().map_err(at(path, Operation::Read))?;
    if end.is_success() {
        return Ok(version_by(&files, true));
    }
    // It is read as an inbox, and `History` or `FileChanges` say what is damaged.
    end.failure().map_err(at(path, Operation::Read))?;
    Ok(Some(InboxVersion::Unknown))
}

/// Returns the version of an inbox by the beginning of the list of its files.
fn version_by(list: &[u8], is_whole: bool) -> Option<InboxVersion> {
    let mut files: Vec<_> = list.split(|&byte| byte == 0).collect();
    // Behind the last NUL.
    files.pop();
    let parse = |line: &&[u8]| {
        let tab = memchr::memchr(b'\t', line)?;
        let kind = line[..tab].split(|&byte| byte == b' ').nth(1)?.to_vec();
        Some((kind, line[tab + 1..].to_vec()))
    };
    let files: Vec<_> = files.iter().filter_map(parse).collect();
    let is_v1 = |(kind, name): &(Vec<u8>, Vec<u8>)| {
        kind == b"tree" && name.len() == 2 && name.iter().all(u8::is_ascii_hexdigit)
    };
    match &files[..] {
        [] => None,
        [(kind, name)] if is_whole && kind == b"blob" && (name == b"m" || name == b"d") => {
            Some(InboxVersion::V2)
        }
        files => files.iter().all(is_v1).then_some(InboxVersion::V1),
    }
}
