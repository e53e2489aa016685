//! Generated files are committed; this checks that each says what it was made from.

use crate::run::root;
use anyhow::{Context, bail};
use std::fs;

/// Folders of generated sources, below the root.
const FOLDERS: [&str; 1] = ["crates/codec/src/generated"];

/// Checks every generated file.
pub(crate) fn check() -> anyhow::Result<()> {
    let mut files = 0;
    for folder in FOLDERS {
        let path = root().join(folder);
        if !path.is_dir() {
            continue;
        }
        for entry in fs::read_dir(&path).with_context(|| folder.to_owned())? {
            let path = entry?.path();
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            if !text.lines().next().is_some_and(|line| line.contains("data/")) {
                bail!("{}: the first line does not say from which file of data/ it was made", path.display());
            }
            files += 1;
        }
    }
    println!("generated files: {files} checked");
    Ok(())
}
