//! The manifest of a part: what was read and written, and digests.
//!
//! # Limits
//!
//! Readable by the version of the program that wrote it.

use super::counts::PieceCounts;
use super::layout::{DATA, MANIFEST};
use crate::error::Error;
use crate::parts_error::{PartsError, PartsFault};
use crate::staged_ledger::exists;
use mailglot_archive::FolderRange;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// The manifest of a part.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// Digest of the job.
    pub(super) job: String,
    /// Number of the split.
    pub(super) split: usize,
    /// Size of the data in bytes.
    pub(super) part_bytes: u64,
    /// BLAKE3 of the data.
    pub(super) part_blake3: String,
    /// The pieces, in the order of the plan.
    pub(super) pieces: Vec<DonePiece>,
}

/// A piece of a split that was processed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct DonePiece {
    /// Number of the source.
    pub(super) source: usize,
    /// First byte that was read, and the byte after the last. None for a whole source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) range: Option<(u64, u64)>,
    /// The files of a folder that were read. None for a whole source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) files: Option<FolderRange>,
    /// Number of messages that are selected.
    pub(super) selected: u64,
    /// Number of bytes in the output.
    pub(super) output_bytes: u64,
    /// Number of batches.
    pub(super) batches: u64,
    /// BLAKE3 of a whole source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) blake3: Option<String>,
    /// BLAKE3 values of the cells of the source (see `source_digest`) in the piece's share of its bytes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) cells: Vec<String>,
    /// The counts.
    pub(super) counts: PieceCounts,
}

impl Manifest {
    /// Reads the manifest of the part at `part`. Returns `None` if the part does not exist.
    ///
    /// # Errors
    /// The manifest is damaged or missing, or belongs to another job or split. The data have another length than it says. A file is in the place of the folder of parts.
    pub(super) fn read(part: &Path, job: &str, split: usize) -> Result<Option<Self>, Error> {
        let damaged =
            |reason: String| Error::Parts(PartsError::new(part, PartsFault::Damaged(reason)));
        let place = part.join(MANIFEST);
        let mut read = fs::read(&place);
        if read.is_err() && exists(part) {
            // The part may have appeared in between.
            read = fs::read(&place);
        }
        let text = match read {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if exists(part) {
                    return Err(damaged("it has no manifest".to_owned()));
                }
                return Ok(None);
            }
            Err(error) if error.kind() == ErrorKind::NotADirectory && !exists(part) => {
                let folder = part.parent().unwrap_or(part);
                return Err(Error::Parts(PartsError::new(
                    folder,
                    PartsFault::NotAFolder,
                )));
            }
            Err(error) => return Err(damaged(error.to_string())),
        };
        let manifest: Self = serde_json::from_slice(&text)
            .map_err(|error| damaged(format!("its manifest: {error}")))?;
        if manifest.job != job || manifest.split != split {
            return Err(damaged(
                "its manifest is of another job or split".to_owned(),
            ));
        }
        let data = fs::metadata(part.join(DATA));
        if data.is_err() && !exists(part) {
            // `commit` removed the part meanwhile.
            return Ok(None);
        }
        let bytes = data.map_or(0, |data| data.len());
        if bytes != manifest.part_bytes {
            let complete = manifest.part_bytes;
            let fault = PartsFault::Cut {
                split,
                bytes,
                complete,
            };
            return Err(Error::Parts(PartsError::new(part, fault)));
        }
        Ok(Some(manifest))
    }
}
