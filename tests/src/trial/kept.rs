//! Restores originals from the gateway's ledger with the program's own commands.

use crate::binary;
use std::path::Path;

/// Finds every record of a ledger folder, and restores each by its name.
///
/// # Panics
/// If a command fails.
pub fn originals(folder: &Path) -> Vec<Vec<u8>> {
    let folder = folder.display().to_string();
    let found = binary::run(["ledger", "find", "--folder", &folder]);
    assert!(found.status.success(), "{}", binary::shown(&found));
    let lines = String::from_utf8(found.stdout).expect("text");
    let restore = |line: &str| {
        let name = line.rsplit('\t').next().unwrap_or_default();
        let restored = binary::run(["ledger", "restore", "--folder", &folder, name]);
        assert!(restored.status.success(), "{}", binary::shown(&restored));
        restored.stdout
    };
    lines.lines().map(restore).collect()
}
