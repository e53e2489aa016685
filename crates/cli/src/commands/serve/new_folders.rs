//! Directories that a start makes, and a start that fails takes away.
//!
//! # Limits
//! Only directories without content go: whatever else was put into them stays.

use mailglot_gateway::config::Config;
use std::fs;
use std::path::{Path, PathBuf};

/// Directories of ledgers that were not there before the start. They go when this is dropped, unless it is told to keep them.
pub(super) struct NewFolders(Vec<PathBuf>);

impl NewFolders {
    /// Looks which directories the start will make.
    pub(super) fn before(config: &Config) -> Self {
        let ledgers = config
            .listeners
            .iter()
            .filter_map(|listener| listener.ledger.as_ref());
        let missing =
            |folder: &Path| !folder.as_os_str().is_empty() && fs::symlink_metadata(folder).is_err();
        let mut folders: Vec<PathBuf> = ledgers
            .flat_map(|ledger| ledger.folder.ancestors())
            .filter(|folder| missing(folder))
            .map(Path::to_owned)
            .collect();
        // What is inside another one first.
        folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
        Self(folders)
    }

    /// The start went well.
    pub(super) fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        for folder in &self.0 {
            // It was not made, or has content.
            let _ = fs::remove_dir(folder);
        }
    }
}
