//! Describes archives that a restore left out because of their outputs.
//!
//! # Limits
//!
//! An output that is a folder is left out as a whole, even if only one of its messages was changed.

use crate::error::Mismatch;
use crate::replay::Fault;
use mailglot_archive::ledger::Archived;
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// An archive that was not restored, because its output was changed, is missing or cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnrestoredSource {
    /// Path of the archive below the restored folder.
    pub source: PathBuf,
    /// Path of its output.
    pub output: PathBuf,
    /// The reason, a sentence about the output: `out/b.mbox is missing`.
    pub reason: String,
}

impl UnrestoredSource {
    /// Describes the archive `source` with the output at `output`, which has a fault.
    pub(crate) fn of(source: &Archived, output: PathBuf, fault: &Fault) -> Self {
        let name = output.display();
        let reason = match fault {
            Fault::Output(_) if output.symlink_metadata().is_err() => format!("{name} is missing"),
            Fault::Output(error) => error.to_string(),
            Fault::Mismatch(mismatch) => match mismatch {
                Mismatch::OtherSource => format!("{name}: {mismatch}"),
                _ => format!("{name} was changed after it was written"),
            },
            Fault::Original(error) => error.to_string(),
        };
        Self {
            source: PathBuf::from(OsStr::from_bytes(&source.name)),
            output,
            reason,
        }
    }
}

impl fmt::Display for UnrestoredSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = self.source.display();
        write!(f, "{}; {source} was not restored", self.reason)
    }
}

impl Fault {
    /// Returns true if the output of a source may be the reason, not the ledger or the target.
    pub(crate) fn is_of_output(&self) -> bool {
        match self {
            Self::Output(_) => true,
            Self::Original(_) => false,
            Self::Mismatch(mismatch) => matches!(
                mismatch,
                Mismatch::EditOutside(_)
                    | Mismatch::TooShort(_)
                    | Mismatch::TooLong(_)
                    | Mismatch::OtherArchive(_)
                    | Mismatch::OtherSource
            ),
        }
    }
}
