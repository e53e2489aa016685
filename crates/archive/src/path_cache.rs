//! Caches answers about paths that take long to find, such as whether a folder is a git repository.
//!
//! # Limits
//! Does not notice that a file or folder changes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A cache with one answer for each path.
#[derive(Debug)]
pub(crate) struct PathCache<T>(Mutex<HashMap<PathBuf, T>>);

impl<T> Default for PathCache<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Copy> PathCache<T> {
    /// Returns the cached answer for a path, or `None`.
    pub(crate) fn get(&self, path: &Path) -> Option<T> {
        self.answers().get(path).copied()
    }

    /// Stores the answer for a path.
    pub(crate) fn insert(&self, path: &Path, answer: T) {
        self.answers().insert(path.to_owned(), answer);
    }

    fn answers(&self) -> MutexGuard<'_, HashMap<PathBuf, T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
