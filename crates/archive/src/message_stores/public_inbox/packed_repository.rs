//! Recognizes git repositories among the members of a zip or tar archive, which `git` does not read.
//!
//! # Limits
//! Looks at the names of members only. Does not count the repository of a working tree, `.git`.

use std::path::Path;

use super::{parts, repository};
use crate::entry_type::EntryType;
use crate::file_tree::{FileTree, TreeEntry};

/// Returns true for a folder with a bare repository, also if it lacks `HEAD`, `refs` or `objects`, or has objects alone.
pub(super) fn is_repository(tree: &FileTree, path: &Path) -> bool {
    let is_bare = path.file_name().is_none_or(|name| name != ".git");
    is_bare
        && (tree.is_own_file(&path.join("HEAD")) && count_parts(tree, path) >= 2
            || has_objects(tree, path))
}

/// Returns true for an entry of a repository that `git` wrote. Mail may lie beside objects alone.
pub(super) fn owns(tree: &FileTree, folder: &Path, entry: &TreeEntry) -> bool {
    parts::is_of_git(entry) && count_parts(tree, folder) >= 2 && is_repository(tree, folder)
}

/// Returns true for a repository with nothing but what `git` wrote.
pub(super) fn fills_folder(tree: &FileTree, path: &Path) -> bool {
    count_parts(tree, path) >= 2 && is_repository(tree, path) && parts::has_git_alone(tree, path)
}

/// Returns how many of `HEAD`, `refs` and `objects` a folder has.
fn count_parts(tree: &FileTree, path: &Path) -> usize {
    let folders = ["refs", "objects"].into_iter();
    let folders = folders.filter(|name| tree.is_folder(&path.join(name)));
    folders.count() + usize::from(tree.is_own_file(&path.join("HEAD")))
}

/// Returns true if a repository has a file with the name of an object or of a pack.
fn has_objects(tree: &FileTree, path: &Path) -> bool {
    let objects = path.join("objects");
    let entries = |folder: &Path| tree.entries(folder).into_iter().flatten().flatten();
    tree.is_folder(&objects)
        && entries(&objects).any(|folder| {
            let is_object = |file: TreeEntry| {
                file.kind == EntryType::File && repository::is_object_name(&folder.name, &file.name)
            };
            folder.kind == EntryType::Folder
                && repository::is_objects_folder(&folder.name)
                && entries(&objects.join(&folder.name)).any(is_object)
        })
}
