//! Recognizes a public-inbox and the kinds of its repositories.
//!
//! # Limits
//! Reads the list of files of the newest commit only. A repository without a readable `HEAD` counts as an inbox if it has objects.
//! The kinds of repositories are kept with the tree of files, since each costs a process.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::{epoch, repository};
use crate::error::{Error, Operation, at};
use crate::file_tree::FileTree;
use crate::repository_kind::RepositoryKind;

/// Bytes of the list of files that show what a repository is.
const BEGINNING: u64 = 4096;

/// Returns the repositories of an inbox of version 2, the oldest first. Empty for any other folder.
///
/// A repository with the name of an epoch is among them even if it has no commit. An inbox of version 1 is not: it is an archive of
/// its own.
pub(super) fn epochs(
    tree: &FileTree,
    path: &Path,
) -> Result<Vec<(PathBuf, RepositoryKind)>, Error> {
    let mut found = Vec::new();
    for repository in repository::epochs(path) {
        match kind_of(tree, &repository)? {
            None | Some(RepositoryKind::InboxV1) => {}
            Some(kind) => found.push((repository, kind)),
        }
    }
    if !found.iter().any(|(_, kind)| makes_inbox(*kind)) {
        found.clear();
    }
    Ok(found)
}

/// Returns true if a repository with the name of an epoch shows that it belongs to an inbox of version 2.
fn makes_inbox(kind: RepositoryKind) -> bool {
    use RepositoryKind::{DamagedCommit, InboxV2, NoHead};
    matches!(kind, InboxV2 | DamagedCommit | NoHead)
}

/// Returns true for an inbox of version 2. Does not look at more repositories than it must.
pub(super) fn is_inbox(tree: &FileTree, path: &Path) -> Result<bool, Error> {
    for repository in repository::epochs(path) {
        if kind_of(tree, &repository)?.is_some_and(makes_inbox) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns true for an inbox.
pub(super) fn is_store(tree: &FileTree, path: &Path) -> Result<bool, Error> {
    use RepositoryKind::{Emptied, InboxV1};
    let is_own = |kind| makes_inbox(kind) || matches!(kind, InboxV1 | Emptied);
    Ok(is_inbox(tree, path)? || kind_of(tree, path)?.is_some_and(is_own))
}

/// Returns the kind of a bare repository. `None` for any other folder.
pub(super) fn kind_of(tree: &FileTree, path: &Path) -> Result<Option<RepositoryKind>, Error> {
    match tree.repositories.get(path) {
        // An error cannot be kept, so the repository is read again to return it.
        None | Some(RepositoryKind::Unreadable) => {}
        known => return Ok(known),
    }
    let kind = find_kind(path);
    match &kind {
        Ok(None) => {}
        Ok(Some(kind)) => tree.repositories.insert(path, *kind),
        Err(_) => tree.repositories.insert(path, RepositoryKind::Unreadable),
    }
    kind
}

/// Reads a repository to find its kind. [`kind_of`] keeps the answer.
fn find_kind(path: &Path) -> Result<Option<RepositoryKind>, Error> {
    let failed = at(path, Operation::Read);
    if !repository::is_repository(path) || path.file_name().is_some_and(|name| name == ".git") {
        return Ok(None);
    }
    let Some(head) = repository::head(path).map_err(&failed)? else {
        let is_whole = repository::is_whole(path);
        return match repository::has_objects(path) {
            Ok(true) => Ok(Some(RepositoryKind::NoHead)),
            Ok(false) => Ok(is_whole.then_some(RepositoryKind::Empty)),
            Err(error) if is_whole => Err(failed(error)),
            // The search reports the folder that it cannot list.
            Err(_) => Ok(None),
        };
    };
    if !repository::has_objects_folder(path) {
        return Ok(Some(RepositoryKind::NoHead));
    }
    let (git, _) = epoch::objects(path, head)?;
    let head = head.to_string();
    let mut list = git
        .start(&["ls-tree", "-z", &head])
        .map_err(at(path, Operation::Read))?;
    list.end_requests();
    let mut files = Vec::new();
    let read = list.by_ref().take(BEGINNING).read_to_end(&mut files);
    read.map_err(failed)?;
    if files.len() as u64 == BEGINNING {
        return Ok(Some(kind_by(&files, false)));
    }
    let end = list.end().map_err(at(path, Operation::Read))?;
    if end.is_success() {
        return Ok(Some(kind_by(&files, true)));
    }
    // It is read as an inbox, and `History` or `FileChanges` say what is damaged.
    end.failure().map_err(at(path, Operation::Read))?;
    Ok(Some(RepositoryKind::DamagedCommit))
}

/// Returns the kind of a repository by the beginning of the list of its files.
fn kind_by(list: &[u8], is_whole: bool) -> RepositoryKind {
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
        [] if is_whole => RepositoryKind::Emptied,
        [] => RepositoryKind::Other,
        [(kind, name)] if is_whole && kind == b"blob" && (name == b"m" || name == b"d") => {
            RepositoryKind::InboxV2
        }
        files if files.iter().all(is_v1) => RepositoryKind::InboxV1,
        _ => RepositoryKind::Other,
    }
}
