//! Writes the sample archives and their goldens, and removes obsolete ones.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use anyhow::Context;
use mailglot_tests::{golden, samples, tree};
use std::fs;

fn main() -> anyhow::Result<()> {
    let folder = samples::folder();
    let files = golden::everything()?;
    let mut written = 0;
    for (name, bytes) in &files {
        let path = folder.join(name);
        if fs::read(&path).is_ok_and(|found| &found == bytes) {
            continue;
        }
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, bytes).with_context(|| path.display().to_string())?;
        written += 1;
    }
    let mut removed = 0;
    for (name, content) in tree::read(&folder)? {
        if content.is_some() && !files.contains_key(&name) && name != "README.md" {
            fs::remove_file(folder.join(&name))?;
            removed += 1;
        }
    }
    println!(
        "samples: {} files, {written} written anew, {removed} removed",
        files.len()
    );
    Ok(())
}
