//! The benchmark of decoders: builds and runs the program of `benches/rivals`, a workspace of its own.
//!
//! # Limits
//!
//! The rivals are built whatever compiler they ask for. The function `iconv` is glibc's, so this runs on Linux
//! only. Without ICU's headers ICU is left out, and the output says so.

use crate::run::{cargo, checked, root, target};
use std::path::PathBuf;
use std::process::Command;

/// Measures decoders and prints tables in Markdown; fails where a goal is missed.
pub(crate) fn bench(size: &str, runs: u32, only: &str, no_bars: bool) -> anyhow::Result<()> {
    let mut program = Command::new(build_rivals()?);
    program.args([
        "--size",
        size,
        "--rounds",
        &runs.to_string(),
        "--only",
        only,
    ]);
    if no_bars {
        program.arg("--no-bars");
    }
    checked(&mut program)
}

/// Builds the program of the rivals and returns its path.
pub(crate) fn build_rivals() -> anyhow::Result<PathBuf> {
    let target = target()?.join("rivals");
    checked(
        cargo()
            .args([
                "build",
                "--quiet",
                "--release",
                "--locked",
                "--ignore-rust-version",
                "--manifest-path",
            ])
            .arg(root().join("benches/rivals/Cargo.toml"))
            .arg("--target-dir")
            .arg(&target),
    )?;
    Ok(target.join("release/mailglot-rivals"))
}
