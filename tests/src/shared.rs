//! The shared test material, a folder named by the environment variable `MAILGLOT_SHARED`.

use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Returns the folder. Without it, writes the name of the test to standard error, past the capture of the test harness.
///
/// # Panics
///
/// If the variable does not name a folder: a run that requests the material must not pass without it.
pub fn folder() -> Option<PathBuf> {
    let Some(folder) = env::var_os("MAILGLOT_SHARED").map(PathBuf::from) else {
        let test = std::thread::current();
        let test = test.name().unwrap_or("a test");
        let line = format!("SKIPPED (MAILGLOT_SHARED is not set): shared material in {test}\n");
        // The harness captures `eprintln!`, but not this.
        let _ = std::io::stderr().write_all(line.as_bytes());
        return None;
    };
    assert!(
        folder.is_dir(),
        "MAILGLOT_SHARED names no folder: {}",
        folder.display()
    );
    Some(folder)
}

/// Returns all `.eml` files of the corpus and of the attacks, sorted. Empty without the shared material.
///
/// # Panics
///
/// If one of its folders is missing or cannot be read.
pub fn messages() -> Vec<PathBuf> {
    let Some(folder) = folder() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for below in ["corpus/eml", "attacks"] {
        let before = found.len();
        collect(&folder.join(below), &mut found);
        assert!(
            found.len() > before,
            "no messages in {below} of the shared material"
        );
    }
    found.sort();
    found
}

/// Returns the files of real messages of the corpus, sorted. Empty without the shared material.
///
/// # Panics
///
/// If their folder is missing or cannot be read.
pub fn real_paths() -> Vec<PathBuf> {
    let Some(folder) = folder() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    collect(&folder.join("corpus/real/eml"), &mut found);
    assert!(
        !found.is_empty(),
        "no messages in corpus/real/eml of the shared material"
    );
    found.sort();
    found
}

/// Returns the real messages of the corpus, in the order of their names. Empty without the shared material.
///
/// # Panics
///
/// If one cannot be read.
pub fn real_messages() -> Vec<Vec<u8>> {
    let read = |path: PathBuf| {
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    real_paths().into_iter().map(read).collect()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let entries =
            fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for entry in entries {
            let path = entry
                .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
                .path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "eml") {
                found.push(path);
            }
        }
    }
}
