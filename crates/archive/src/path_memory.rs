//! Remembers what was found out about paths, since finding it out again takes long.
//!
//! # Limits
//! Does not notice that a file or folder changes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An answer for each of some paths.
#[derive(Debug)]
pub(crate) struct PathMemory<T>(Mutex<HashMap<PathBuf, T>>);

impl<T> Default for PathMemory<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Copy> PathMemory<T> {
    /// Returns the kept answer for a path. Returns `None` for a path that was not asked for yet.
    pub(crate) fn get(&self, path: &Path) -> Option<T> {
        self.answers().get(path).copied()
    }

    /// Remembers the answer for a path.
    pub(crate) fn insert(&self, path: &Path, answer: T) {
        self.answers().insert(path.to_owned(), answer);
    }

    fn answers(&self) -> MutexGuard<'_, HashMap<PathBuf, T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
