//! Names the places at which several inputs are restored: their own paths, as far as these are below one folder.
//!
//! # Limits
//!
//! The path of an input that leads upwards (`../a.mbox`) is not kept, only its name.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

/// The places that were named, so that no two inputs are restored to the same place, or one below the other.
#[derive(Debug, Default)]
pub(crate) struct RestoredNames {
    /// The folder that contains all inputs with absolute paths.
    common: PathBuf,
    taken: HashSet<Vec<u8>>,
    /// The folders around the places that are taken.
    folders: HashSet<Vec<u8>>,
}

impl RestoredNames {
    /// Starts without a place.
    pub(crate) fn of(paths: &[PathBuf]) -> Self {
        let mut absolute = paths.iter().filter(|path| path.is_absolute());
        let first = absolute.next().and_then(|path| path.parent());
        let mut common = first.unwrap_or(Path::new(""));
        for path in absolute {
            while !path
                .parent()
                .is_some_and(|parent| parent.starts_with(common))
            {
                let Some(above) = common.parent() else { break };
                common = above;
            }
        }
        Self {
            common: common.to_owned(),
            ..Self::default()
        }
    }

    /// Takes a place for the input at `path`: its path, or `name` if that cannot be kept. Adds a number if the place is taken.
    pub(crate) fn add(&mut self, path: &Path, name: Vec<u8>) -> Vec<u8> {
        let mut place = self.kept(path).unwrap_or(name);
        if folders(&place).any(|folder| self.taken.contains(folder)) {
            let last = place.iter().rposition(|&byte| byte == b'/');
            place.drain(..last.map_or(0, |slash| slash + 1));
        }
        let name = last_component(&place).to_vec();
        let before = place.len() - name.len();
        let dot = memchr::memrchr(b'.', &name).filter(|&dot| dot > 0);
        let (stem, ending) = name.split_at(dot.unwrap_or(name.len()));
        let mut number = 1u64;
        while self.folders.contains(&place) || !self.taken.insert(place.clone()) {
            number += 1;
            place.truncate(before);
            place.extend_from_slice(stem);
            place.extend_from_slice(format!("-{number}").as_bytes());
            place.extend_from_slice(ending);
        }
        self.folders.extend(folders(&place).map(<[u8]>::to_vec));
        place
    }

    /// Returns the path below the common folder, or a relative path, with `/`.
    fn kept(&self, path: &Path) -> Option<Vec<u8>> {
        let below = if path.is_absolute() {
            path.strip_prefix(&self.common).ok()?
        } else {
            path
        };
        let mut kept = Vec::new();
        for component in below.components() {
            match component {
                Component::CurDir => {}
                Component::Normal(part) => {
                    if !kept.is_empty() {
                        kept.push(b'/');
                    }
                    kept.extend_from_slice(part.as_encoded_bytes());
                }
                _ => return None,
            }
        }
        (!kept.is_empty() && path != Path::new("-")).then_some(kept)
    }
}

/// Returns the folders around a place, the outermost first.
fn folders(place: &[u8]) -> impl Iterator<Item = &[u8]> {
    memchr::memchr_iter(b'/', place).map(|slash| &place[..slash])
}

fn last_component(place: &[u8]) -> &[u8] {
    let slash = memchr::memrchr(b'/', place);
    &place[slash.map_or(0, |slash| slash + 1)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_restored_to_their_paths() {
        for (paths, expected) in [
            (
                &["a/1.", "a/b/1.", "./c/2.", "x"][..],
                &["a/1.", "a/b/1.", "c/2.", "x"][..],
            ),
            (
                &["/m/a/1.", "/m/b/1.", "/m/b/c/2"],
                &["a/1.", "b/1.", "b/c/2"],
            ),
            (&["/m/a.mbox", "/m/b.mbox"], &["a.mbox", "b.mbox"]),
            (&["/m", "/n/x"], &["m", "n/x"]),
            (&["/m/a", "a", "a"], &["a", "a-2", "a-3"]),
            (&["../x/a.mbox", "a.mbox"], &["name", "a.mbox"]),
            (&["-", "."], &["name", "name-2"]),
            // One input lies below another.
            (&["d", "d/a.eml", "d/b.eml"], &["d", "a.eml", "b.eml"]),
            (&["d/a.eml", "d", "d-2/x"], &["d/a.eml", "d-2", "x"]),
            (&["d/a.eml", "d/a.eml"], &["d/a.eml", "d/a-2.eml"]),
        ] {
            let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
            let mut names = RestoredNames::of(&paths);
            let added = paths.iter().map(|path| names.add(path, b"name".to_vec()));
            let added: Vec<_> = added.map(|name| String::from_utf8(name).unwrap()).collect();
            assert_eq!(added, expected);
        }
    }
}
