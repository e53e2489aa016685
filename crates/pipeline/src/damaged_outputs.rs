//! Finds the outputs that were changed or removed after the ledger was written.
//!
//! # Limits
//!
//! Reads outputs that are files. Of an output that is a folder, only its existence is tested.

use crate::hash::ArchiveHash;
use crate::replay::below;
use mailglot_archive::ledger::{Archived, Footer};
use mailglot_archive::open_input;
use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The outputs of a ledger that differ from its footer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DamagedOutputs {
    /// Outputs with another content, in the order of the ledger.
    pub changed: Vec<PathBuf>,
    /// Outputs that do not exist.
    pub missing: Vec<PathBuf>,
    /// True if another output is as the ledger describes it. Otherwise the ledger may belong to another archive.
    pub others_intact: bool,
}

/// Compares each output below `output` with its digest. Returns None if all are intact.
///
/// An output that cannot be read is left out.
pub(crate) fn damaged_outputs(output: &Path, footer: &Footer) -> Option<DamagedOutputs> {
    let mut damaged = DamagedOutputs::default();
    for from in &footer.outputs {
        let path = if footer.alone {
            output.to_owned()
        } else {
            below(output, &from.name)?
        };
        match fs::metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if !from.folder || from.bytes > 0 {
                    damaged.missing.push(path);
                }
            }
            Ok(there) if !from.folder && there.is_file() => {
                if there.len() != from.bytes || is_changed(&path, from).unwrap_or(false) {
                    damaged.changed.push(path);
                } else {
                    damaged.others_intact = true;
                }
            }
            _ => {}
        }
    }
    let is_damaged = !damaged.changed.is_empty() || !damaged.missing.is_empty();
    is_damaged.then_some(damaged)
}

impl fmt::Display for DamagedOutputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let changed = self.changed.iter();
        let changed = changed.map(|path| (path, "was changed after it was written"));
        let missing = self.missing.iter().map(|path| (path, "is missing"));
        f.write_str("nothing was restored: ")?;
        for (index, (path, damage)) in changed.chain(missing).enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{} {damage}", path.display())?;
        }
        if self.others_intact || !self.missing.is_empty() {
            return Ok(());
        }
        f.write_str(", or the ledger belongs to another archive")
    }
}

/// Returns true if the digest of a file differs from that of the ledger.
fn is_changed(path: &Path, from: &Archived) -> io::Result<bool> {
    let mut file = open_input(path).map_err(io::Error::other)?;
    let mut hash = ArchiveHash::quick(false);
    let mut buffer = vec![0; 256 << 10];
    loop {
        let length = file.read(&mut buffer)?;
        if length == 0 {
            return Ok(hash.finish() != from.blake3);
        }
        hash.update(&buffer[..length]);
    }
}
