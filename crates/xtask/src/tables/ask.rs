//! Asking the installed converters, through `crates/xtask/oracles/ask.py`.
//!
//! # Limits
//! Needs `python3`. Converters that are not installed do not answer.

use super::answers::Answers;
use super::asked::ConverterTables;
use super::page_tables::{lines, table};
use crate::run::{output_for, root};
use anyhow::bail;
use std::process::Command;

/// Asks for everything that is stored.
pub(super) fn all(stored: &Answers) -> anyhow::Result<ConverterTables> {
    let requests = lines(
        stored
            .0
            .iter()
            .map(|answer| format!("{}\t{}", answer.system, answer.own)),
    );
    let output = output_for(
        Command::new("python3")
            .args(["-B", "crates/xtask/oracles/ask.py"])
            .current_dir(root()),
        requests.into_bytes(),
    )?;
    let mut asked = ConverterTables::default();
    for line in String::from_utf8(output)?.lines() {
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
