//! How many messages an input holds.

use crate::{Error, layout};
use mailglot_archive::{Batch, EntryKind};
use mailglot_mime::Limits;
use std::path::{Path, PathBuf};

/// Number of messages of each archive under `input`, with its path (one line each for a single file; every archive found below a plain folder).
pub fn count(input: &Path) -> Result<Vec<(u64, PathBuf)>, Error> {
    let mut counts = Vec::new();
    let mut batch = Batch::default();
    for input in layout::find(&[input.to_owned()])? {
        let mut source = input.open(&Limits::default())?;
        let mut messages = 0;
        let mut more = false;
        while source.next(&mut batch).map_err(|error| input.error(error))? {
            for entry in &batch.entries {
                let message = matches!(entry.kind, EntryKind::Message | EntryKind::Oversize);
                messages += u64::from(message && !more);
                more = entry.more;
            }
        }
        counts.push((messages, input.found.path));
    }
    Ok(counts)
}
