//! Finds the shared test material, a folder named by the environment variable `MAILGLOT_SHARED`.

use std::io::Write;
use std::path::PathBuf;

/// Returns the folder. Without it, writes the name of the test to standard error, past the capture of the test harness.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("MAILGLOT_SHARED").map(PathBuf::from);
    if folder.is_none() {
        let test = std::thread::current();
        let test = test.name().unwrap_or("a test");
        let line = format!("SKIPPED (MAILGLOT_SHARED is not set): shared material in {test}\n");
        // The harness captures `eprintln!`, but not this.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
    folder
}
