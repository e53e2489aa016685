//! The benchmark of the gateway: builds the rival in C, and runs the program that measures.
//!
//! # Limits
//!
//! It starts a Postfix of its own and so needs root and Linux; two processors at least, one of them for the filter alone.

use crate::packages;
use crate::run::{build_release, checked, root, target};
use std::fs;
use std::process::Command;

/// Measures and prints tables in Markdown; fails where a goal is missed.
pub(crate) fn bench(runs: u32, no_bars: bool) -> anyhow::Result<()> {
    packages::for_gateway()?;
    let programs = build_release()?;
    let folder = target()?.join("rivals");
    fs::create_dir_all(&folder)?;
    let peer = folder.join("milter-peer");
    let mut compiler = Command::new("cc");
    compiler.args(["-O2", "-o"]).arg(&peer).arg(root().join("benches/milter/peer.c"));
    checked(compiler.args(["-lmilter", "-lpthread"]))?;
    let mut program = Command::new(programs.join("mailglot-trial"));
    program.env("MAILGLOT_BIN", programs.join("mailglot"));
    program.args(["bench", "--runs", &runs.to_string(), "--peer"]).arg(&peer);
    if no_bars {
        program.arg("--no-bars");
    }
    checked(&mut program)
}
