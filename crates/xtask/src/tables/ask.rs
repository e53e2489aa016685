//! Asking the installed converters, through `crates/xtask/oracles/ask.py`.
//!
//! # Limits
//! Needs `python3`. Converters that are not installed do not answer.

use super::answers::Answers;
use super::lines;
use super::vote::{Table, table};
use crate::run::root;
use anyhow::{Context, bail};
use std::collections::HashMap;
use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

/// The versions of the converters that are installed, and their tables by system and own name.
#[derive(Default)]
pub(super) struct Asked {
    versions: HashMap<String, String>,
    tables: HashMap<(String, String), Table>,
}

impl Asked {
    pub(super) fn version(&self, system: &str) -> Option<&str> {
        self.versions.get(system).map(String::as_str)
    }

    pub(super) fn table(&self, system: &str, own: &str) -> Option<&Table> {
        self.tables.get(&(system.to_owned(), own.to_owned()))
    }
}

/// Asks for everything that is stored.
pub(super) fn all(stored: &Answers) -> anyhow::Result<Asked> {
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
    let mut asked = Asked::default();
    for line in String::from_utf8(output.stdout)?.lines() {
        match line.split('\t').collect::<Vec<_>>()[..] {
            ["#", system, version] => {
                asked.versions.insert(system.to_owned(), version.to_owned());
            }
            [_, _, "?"] => {}
            [system, own, cells] => {
                asked
                    .tables
                    .insert((system.to_owned(), own.to_owned()), table(cells)?);
            }
            _ => bail!("{line:?}"),
        }
    }
    Ok(asked)
}
