//! Finds the outputs that were changed or removed after the ledger was written.
//!
//! # Limits
//!
//! Reads outputs that are files. Of an output that is a folder, only its existence is tested.

use crate::error::DamagedOutputs;
use crate::hash::ArchiveHash;
use crate::replay::below;
use mailglot_archive::ledger::{Archived, Footer};
use mailglot_archive::open_input;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

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
            Err(error)
                if error.kind() == io::ErrorKind::NotFound && (!from.folder || from.bytes > 0) =>
            {
                damaged.missing.push(path);
            }
            Ok(there) if !from.folder && there.is_file() => {
                // A file that cannot be read is neither changed nor intact.
                match is_changed(&path, from, there.len()) {
                    Ok(true) => damaged.changed.push(path),
                    Ok(false) => damaged.others_intact = true,
                    Err(_) => {}
                }
            }
            _ => {}
        }
    }
    let is_damaged = !damaged.changed.is_empty() || !damaged.missing.is_empty();
    is_damaged.then_some(damaged)
}

/// Returns true if the length or the digest of a file differs from that of the ledger.
fn is_changed(path: &Path, from: &Archived, length: u64) -> io::Result<bool> {
    if length != from.bytes {
        return Ok(true);
    }
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
