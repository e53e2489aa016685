//! Reads the ledger settings of a policy: folder and retention.

use super::file::PolicyTable;
use super::invalid::Invalid;
use std::path::PathBuf;
use std::time::Duration;

/// The ledger of a policy: the folder of originals, and their retention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger {
    /// The folder.
    pub folder: PathBuf,
    /// Maximum age; older records are removed. `None`: no limit.
    pub age: Option<Duration>,
    /// Maximum size in bytes; beyond it the oldest records are removed.
    pub bytes: Option<u64>,
}

impl Ledger {
    /// Returns true if both have the same retention.
    pub fn stays_as_long_as(&self, other: &Self) -> bool {
        (self.age, self.bytes) == (other.age, other.bytes)
    }

    /// Returns folder and retention of a ledger. Rejects a retention that keeps nothing, because a policy with a ledger may change messages that
    /// cannot be restored otherwise.
    pub(super) fn read(table: &PolicyTable, largest: u64) -> Result<Option<Self>, Invalid> {
        /// Bytes of a ledger beside its messages.
        const LEAST: u64 = 1 << 20;
        let Some(folder) = table.ledger.as_deref().filter(|folder| *folder != "none") else {
            if table.ledger_days.is_some() || table.ledger_bytes.is_some() {
                return Err(Invalid::of_content(
                    "ledger_days, ledger_bytes: this policy keeps no originals; set `ledger` to a folder, or remove these keys".to_owned(),
                ));
            }
            return Ok(None);
        };
        if folder.is_empty() {
            return Err(Invalid::of_content(
                "ledger: name a folder, or `none`".to_owned(),
            ));
        }
        if table.ledger_days == Some(0) {
            return Err(Invalid::of_content(
                "ledger_days: must be at least 1; leave it out to keep originals without a limit of age".to_owned(),
            ));
        }
        // A sweep frees a tenth more than necessary. The newest original stays if it needs at most half of the limit.
        let least = largest.saturating_mul(2).max(LEAST);
        if let Some(bytes) = table.ledger_bytes.filter(|bytes| *bytes < least) {
            return Err(Invalid::of_content(format!(
                "ledger_bytes: {bytes} may be too small for one message; must be at least {least} (twice limits.message_bytes, and {LEAST})"
            )));
        }
        let age = table
            .ledger_days
            .map(|days| Duration::from_secs(u64::from(days) * 86_400));
        Ok(Some(Self {
            folder: folder.into(),
            age,
            bytes: table.ledger_bytes,
        }))
    }
}
