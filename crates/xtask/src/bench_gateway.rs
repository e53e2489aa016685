//! The long trials of the gateway: the benchmark, for which the rival in C is built, and the killing under load.
//!
//! # Limits
//!
//! It starts a Postfix of its own and so needs root and Linux; two processors at least, one of them for the filter alone.

use crate::packages;
use crate::profile_guided::build_dist;
use crate::run::{build_release, checked, root, target};
use std::fs;
use std::process::Command;

/// Measures and prints tables in Markdown; fails where a goal is missed.
pub(crate) fn bench(runs: u32, no_bars: bool) -> anyhow::Result<()> {
    packages::for_gateway()?;
    let programs = build_dist()?;
    let folder = target()?.join("rivals");
    fs::create_dir_all(&folder)?;
    let peer = folder.join("milter-peer");
    let mut compiler = Command::new("cc");
    compiler
        .args(["-O2", "-o"])
        .arg(&peer)
        .arg(root().join("benches/milter/peer.c"));
    checked(compiler.args(["-lmilter", "-lpthread"]))?;
    let mut program = Command::new(programs.join("mailglot-trial"));
    program.env("MAILGLOT_BIN", programs.join("mailglot"));
    program
        .args(["bench", "--runs", &runs.to_string(), "--peer"])
        .arg(&peer);
    if no_bars {
        program.arg("--no-bars");
    }
    checked(&mut program)
}

/// Kills the milter under load: alone, while the disk fills and empties, and while it reads its file anew, as long as asked each. Fails where a
/// message was lost, doubled or left as it was, or an original is missing.
pub(crate) fn soak(seconds: u64) -> anyhow::Result<()> {
    packages::for_gateway()?;
    let programs = build_release()?;
    for disturbance in ["none", "full-disk", "reload"] {
        let mut program = Command::new(programs.join("mailglot-trial"));
        program.env("MAILGLOT_BIN", programs.join("mailglot"));
        program.args([
            "soak",
            "--seconds",
            &seconds.to_string(),
            "--disturbance",
            disturbance,
        ]);
        checked(&mut program)?;
    }
    Ok(())
}
