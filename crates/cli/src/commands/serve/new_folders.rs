//! Removes the ledger directories that a failed start has created.
//!
//! # Limits
//! Removes only empty directories.

use mailglot_gateway::config::Config;
use std::fs;
use std::path::{Path, PathBuf};

/// Ledger directories that did not exist before the start. Drop removes them, unless [`NewFolders::keep`] was called.
pub(super) struct NewFolders(Vec<PathBuf>);

impl NewFolders {
    /// Lists the directories that the start will create.
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
        // The innermost first.
        folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
        Self(folders)
    }

    /// Keeps the directories, because the start succeeded.
    pub(super) fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        for folder in &self.0 {
            // Fails if it was not created or is not empty.
            let _ = fs::remove_dir(folder);
        }
    }
}
