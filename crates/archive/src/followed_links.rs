//! Decides which symbolic links below a folder are followed.
//!
//! Walks the folder before anything in it is read: first the folders in it, then the links to folders, by depth and then by path. So the
//! decisions do not depend on the order in which the system lists names. Each folder is read at one path only, which ends loops.
//!
//! # Limits
//! Keeps 16 bytes for each folder, and the path of each link. A file that several links lead to is read once for each. A link that
//! appears later, or a path of more than 40 links, is not followed.

use crate::entry_type::EntryType;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The links below a folder.
#[derive(Debug, Default)]
pub(crate) struct FollowedLinks {
    /// What each link counts as. Has folders, too, that are read at another path.
    kinds: HashMap<PathBuf, EntryType>,
}

impl FollowedLinks {
    /// Finds the links below a folder.
    pub(crate) fn below(root: &Path) -> Self {
        let mut walk = Walk::default();
        walk.folder(root);
        while let Some((_, link)) = walk.waiting.pop_first() {
            let kind = if walk.folder(&link) {
                EntryType::Folder
            } else {
                EntryType::Repeated
            };
            walk.kinds.insert(link, kind);
        }
        Self { kinds: walk.kinds }
    }

    /// Returns what the entry at a path counts as, if that differs from what it is.
    pub(crate) fn kind(&self, path: &Path) -> Option<EntryType> {
        self.kinds.get(path).copied()
    }

    /// Returns the links that are followed: to folders and to files.
    pub(crate) fn followed(&self) -> impl Iterator<Item = &Path> {
        let followed = self
            .kinds
            .iter()
            .filter(|(_, kind)| matches!(kind, EntryType::Folder | EntryType::File));
        followed.map(|(link, _)| &**link)
    }
}

/// State of the walk.
#[derive(Default)]
struct Walk {
    /// Device and inode number of each folder so far.
    seen: HashSet<(u64, u64)>,
    /// Links to folders whose turn comes later, with the number of their components.
    waiting: BTreeSet<(usize, PathBuf)>,
    kinds: HashMap<PathBuf, EntryType>,
}

impl Walk {
    /// Walks a folder and the folders in it. Returns false if it was walked before.
    fn folder(&mut self, folder: &Path) -> bool {
        if !self.is_new(folder) {
            return false;
        }
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            // What cannot be listed is reported when it is read.
            let Ok(entries) = fs::read_dir(&folder) else {
                continue;
            };
            let mut inner = BTreeSet::new();
            for entry in entries.flatten() {
                match entry.file_type().map(EntryType::of) {
                    Ok(EntryType::Folder) => {
                        inner.insert(entry.path());
                    }
                    Ok(EntryType::Link) => self.link(entry.path()),
                    _ => {}
                }
            }
            for path in inner.into_iter().rev() {
                if self.is_new(&path) {
                    folders.push(path);
                } else {
                    self.kinds.insert(path, EntryType::Repeated);
                }
            }
        }
        true
    }

    /// Returns true for a folder that was not walked before.
    fn is_new(&mut self, folder: &Path) -> bool {
        // One that vanished is reported when it is read.
        fs::metadata(folder).is_ok_and(|there| self.seen.insert((there.dev(), there.ino())))
    }

    fn link(&mut self, link: PathBuf) {
        let kind = match fs::metadata(&link) {
            Ok(target) if target.is_dir() => {
                self.waiting.insert((link.components().count(), link));
                return;
            }
            Ok(target) => EntryType::of(target.file_type()),
            Err(_) => EntryType::Dangling,
        };
        self.kinds.insert(link, kind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn each_folder_is_read_once_and_loops_end() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        for folder in ["root/a/deep", "outside/inner"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        fs::write(at("outside/x"), b"x").unwrap();
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let fifo = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, at("outside/pipe"), fifo, mode, 0).unwrap();
        for (target, link) in [
            (".", "root/self"),
            ("../a/deep", "root/a/near"),
            ("../../outside", "root/a/out"),
            ("../outside/inner", "root/again"),
            ("../outside/x", "root/file"),
            ("../outside/pipe", "root/pipe"),
            ("nowhere", "root/none"),
            ("knot", "root/knot"),
            ("../..", "outside/inner/up"),
            ("../root", "outside/back"),
        ] {
            symlink(target, at(link)).unwrap();
        }
        let links = FollowedLinks::below(&at("root"));
        for (path, kind) in [
            ("root/self", Some(EntryType::Repeated)),
            ("root/a/near", Some(EntryType::Repeated)),
            ("root/a/out", Some(EntryType::Folder)),
            ("root/again", Some(EntryType::Folder)),
            ("root/file", Some(EntryType::File)),
            ("root/pipe", Some(EntryType::Special)),
            ("root/none", Some(EntryType::Dangling)),
            ("root/knot", Some(EntryType::Dangling)),
            ("root/a/out/back", Some(EntryType::Repeated)),
            // Read at the shorter path.
            ("root/a/out/inner", Some(EntryType::Repeated)),
            // Leads to the folder above both, whose folders are known.
            ("root/again/up", Some(EntryType::Folder)),
            ("root/again/up/root", Some(EntryType::Repeated)),
            ("root/again/up/outside", Some(EntryType::Repeated)),
            ("root/a", None),
            ("root/a/deep", None),
            ("root/a/out/x", None),
        ] {
            assert_eq!(links.kind(&at(path)), kind, "{path}");
        }
        let mut followed: Vec<_> = links.followed().collect();
        followed.sort();
        let expected = ["root/a/out", "root/again", "root/again/up", "root/file"].map(at);
        assert_eq!(followed, expected);
    }

    /// Without the rule, the number of paths would be the factorial of the number of folders.
    #[test]
    fn folders_that_link_to_each_other_take_linear_time() {
        let place = tempfile::tempdir().unwrap();
        let at = |number: u32| place.path().join(number.to_string());
        for number in 0..30 {
            fs::create_dir(at(number)).unwrap();
        }
        for (from, to) in (0..30).flat_map(|from| (0..30).map(move |to| (from, to))) {
            symlink(at(to), at(from).join(to.to_string())).unwrap();
        }
        let links = FollowedLinks::below(&at(7));
        assert_eq!(links.followed().count(), 29);
        assert_eq!(links.kinds.len(), 900);
    }
}
