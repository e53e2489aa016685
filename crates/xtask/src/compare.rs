//! Compares mailglot with other programs, and rewrites the tables of `docs/compare.md`: `cargo xtask compare`.
//!
//! # Limits
//!
//! Readers that are not installed are left out; `--install` installs Debian's packages first.

use crate::packages;
use crate::profile_guided::build_dist;
use crate::run::{cargo, checked, output, root, target};
use anyhow::Context;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The page, and the line after which its tables stand.
const PAGE: &str = "docs/compare.md";
const MARK: &str = "<!-- The rest of this page is written by `cargo xtask compare`. -->\n";

/// Runs `benches/compare/compare.py` and writes its tables into the page.
pub(crate) fn compare(program: Option<&Path>, install: bool) -> anyhow::Result<()> {
    if install {
        packages::for_comparison()?;
    }
    let program = match program {
        Some(program) => program.to_owned(),
        None => build_dist()?.join("mailglot"),
    };
    let tables = output(
        Command::new("python3")
            .arg(root().join("benches/compare/compare.py"))
            .arg(program)
            .arg(readers()?),
    )?;
    let page = root().join(PAGE);
    let text = fs::read_to_string(&page)?;
    let (above, _) = text
        .split_once(MARK)
        .with_context(|| format!("{PAGE} lacks the line {MARK}"))?;
    let tables = String::from_utf8(tables)?;
    fs::write(&page, format!("{above}{MARK}\n{tables}"))?;
    print!("{tables}");
    Ok(())
}

/// Builds the program that reads with mail-parser and mailparse.
fn readers() -> anyhow::Result<PathBuf> {
    checked(cargo().args([
        "build",
        "--quiet",
        "--release",
        "--package",
        "mailglot-tests",
        "--example",
        "compare_readers",
    ]))?;
    Ok(target()?.join("release/examples/compare_readers"))
}
