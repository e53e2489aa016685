//! Keeps the files of the containers that were used last open.
//!
//! # Limits
//! Keeps 16 files. A compressed container that was closed meanwhile is decompressed again.

use std::collections::VecDeque;
use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

/// Largest number of files.
const MOST: usize = 16;

/// The files that were used last. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct OpenContainers(Arc<Mutex<VecDeque<Arc<File>>>>);

impl OpenContainers {
    /// Keeps a file open, and lets the oldest one go.
    pub(super) fn keep(&self, file: &Arc<File>) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.retain(|kept| !Arc::ptr_eq(kept, file));
        files.push_back(file.clone());
        if files.len() > MOST {
            files.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_file_is_closed() {
        let open = OpenContainers::default();
        let file = || Arc::new(File::open("/").unwrap());
        let first = file();
        open.keep(&first);
        let later: Vec<_> = (1..MOST).map(|_| file()).collect();
        for file in &later {
            open.keep(file);
        }
        open.keep(&first);
        open.keep(&file());
        assert_eq!(Arc::strong_count(&first), 2);
        assert_eq!(Arc::strong_count(&later[0]), 1);
    }
}
