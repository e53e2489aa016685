//! Reads files of the repository, for tests that compare them with this crate.

use std::fs;
use std::io::Write;
use std::path::Path;

/// Reads a file of the repository. Returns `None` and says so in a crate from a package, which lacks the repository.
pub(crate) fn read(path: &str) -> Option<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Cargo writes this file when it packages a crate.
    if folder.join("Cargo.toml.orig").exists() {
        // Directly, since the test runner hides what a passed test prints.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: the package lacks {path}, which one test reads"
        );
        return None;
    }
    let path = folder.join("../..").join(path);
    Some(fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}
