//! Asking the installed converters, through `crates/xtask/oracles/ask.py`.
//!
//! # Limits
//! Needs `python3`. Converters that are not installed do not answer.

use super::answers::Answers;
use super::asked::ConverterTables;
use super::page_tables::{lines, table};
use crate::run::root;
use anyhow::{Context, bail};
use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

/// Asks for everything that is stored.
pub(super) fn all(stored: &Answers) -> anyhow::Result<ConverterTables> {
    let requests = lines(
        stored
            .0
            .iter()
            .map(|answer| format!("{}\t{}", answer.system, answer.own)),
    );
    let mut child = Command::new("python3")
        .args(["-B", "crates/xtask/oracles/ask.py"])
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("python3")?;
    let mut stdin = child.stdin.take().context("no input")?;
    let writer = thread::spawn(move || stdin.write_all(requests.as_bytes()));
    let output = child.wait_with_output()?;
    if !output.status.success() {
        bail!("ask.py: {}", output.status);
    }
    writer.join().ok().context("writing failed")??;
    let mut asked = ConverterTables::default();
    for line in String::from_utf8(output.stdout)?.lines() {
        match line.split('\t').collect::<Vec<_>>()[..] {
            ["#", system, version] => {
                asked.add_version(system, version);
            }
            [_, _, "?"] => {}
            [system, own, cells] => {
                asked.add_table(system, own, table(cells)?);
            }
            _ => bail!("{line:?}"),
        }
    }
    Ok(asked)
}
