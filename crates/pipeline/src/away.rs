//! Old outputs that give way to new ones, and back when the new ones do not come.
//!
//! # Limits
//!
//! Killed between its renames, a job leaves the old output under `NAME.<process>.old.tmp`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What stood at a place and was moved away for a new thing. Dropped, it is removed, unless it was put back.
#[derive(Debug)]
pub(crate) struct Away {
    place: PathBuf,
    old: PathBuf,
    settled: bool,
}

impl Away {
    /// Moves away what stands at a place; None when nothing does.
    pub(crate) fn new(place: &Path) -> io::Result<Option<Self>> {
        if !exists(place) {
            return Ok(None);
        }
        let old = beside(place, "old.tmp")?;
        fs::rename(place, &old)?;
        Ok(Some(Self { place: place.to_owned(), old, settled: false }))
    }

    /// Removes it.
    pub(crate) fn discard(mut self) -> io::Result<()> {
        self.settled = true;
        remove(&self.old)
    }
}

impl Drop for Away {
    fn drop(&mut self) {
        if !self.settled {
            let _ = fs::rename(&self.old, &self.place);
        }
    }
}

/// A new file or folder that is removed again unless the whole job is done. Dropped before the old one comes back.
#[derive(Debug)]
pub(crate) struct Placed(Option<PathBuf>);

impl Placed {
    /// It stands at `place` now.
    pub(crate) fn new(place: &Path) -> Self {
        Self(Some(place.to_owned()))
    }

    /// It stays.
    pub(crate) fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        if let Some(place) = &self.0 {
            let _ = remove(place);
        }
    }
}

/// True when anything stands there, a dangling link too.
pub(crate) fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn remove(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

/// `NAME.<process>.<suffix>` in the same folder, so that renaming stays within one file system.
fn beside(place: &Path, suffix: &str) -> io::Result<PathBuf> {
    let name = place.file_name().ok_or_else(|| io::Error::other("a file name is expected"))?;
    let mut name = name.to_owned();
    name.push(format!(".{}.{suffix}", std::process::id()));
    Ok(place.with_file_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_placed_goes_unless_kept() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("x");
        fs::write(&place, b"old").unwrap();
        let away = Away::new(&place).unwrap();
        fs::write(&place, b"new").unwrap();
        drop(Placed::new(&place));
        drop(away);
        assert_eq!(fs::read(&place).unwrap(), b"old");
        Placed::new(&place).keep();
        assert!(exists(&place));
    }

    #[test]
    fn the_old_comes_back_unless_discarded() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("x");
        assert!(Away::new(&place).unwrap().is_none());
        fs::create_dir(&place).unwrap();
        fs::write(place.join("a"), b"old").unwrap();
        drop(Away::new(&place).unwrap());
        assert_eq!(fs::read(place.join("a")).unwrap(), b"old");
        let away = Away::new(&place).unwrap().unwrap();
        assert!(!exists(&place));
        fs::write(&place, b"new").unwrap();
        away.discard().unwrap();
        assert_eq!(fs::read(&place).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
