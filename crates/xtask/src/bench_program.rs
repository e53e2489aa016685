//! The benchmark of whole programs: `convert`, `header decode`, `text --json`, `normalize`, `count` and small inputs beside rivals.
//!
//! Each program is copied as an installation does. It runs alone on one core and writes to `/dev/null`; only `normalize` writes
//! files. Processor time (user and system) counts, the best run of each. Outputs are compared before anything is timed.
//!
//! # Limits
//!
//! Linux only. Inputs lie in the page cache. Ratios within one call are what holds; absolute figures depend on the machine.

mod charset_rows;
mod cost;
mod inputs;
mod invocation;
mod mail_rows;
mod race;
mod row;
mod start_rows;
mod tools;

use crate::bench_codec::build_rivals;
use crate::profile_guided::build_dist;
use crate::run::{build_generator, target};
use anyhow::{Context, bail};
use inputs::Inputs;
use race::Race;
use std::fs;
use std::path::{Path, PathBuf};
use tools::Tools;

/// What is measured, and how often.
pub(crate) struct Options<'a> {
    /// Size of each mailbox.
    pub(crate) size: &'a str,
    /// Runs of each program.
    pub(crate) runs: u32,
    /// Part of the names of the rows to measure.
    pub(crate) only: &'a str,
    /// The program, if it is not to be built.
    pub(crate) program: Option<&'a Path>,
    /// Do not fail where a goal is missed.
    pub(crate) no_bars: bool,
}

/// Measures and prints tables in Markdown; fails where a goal is missed.
pub(crate) fn bench(options: &Options<'_>) -> anyhow::Result<()> {
    let (mailglot, generator) = if let Some(program) = options.program {
        let program = fs::canonicalize(program)
            .with_context(|| format!("no program at {}", program.display()))?;
        (program, build_generator()?)
    } else {
        let programs = build_dist()?;
        (programs.join("mailglot"), programs.join("mailglot-gen"))
    };
    let rivals = build_rivals()?;
    let folder = target()?.join("bench-program");
    fs::create_dir_all(&folder)?;
    let mailglot = installed(&mailglot, &folder)?;
    let rivals = installed(&rivals, &folder)?;
    let inputs = Inputs {
        folder: folder.clone(),
        rivals: rivals.clone(),
        generator,
        size: options.size.to_owned(),
    };
    let tools = Tools::find(mailglot, rivals.clone(), &folder);
    let mut race = Race::new(rivals, options.runs, options.only);
    charset_rows::charsets(&mut race, &tools, &inputs)?;
    charset_rows::header_values(&mut race, &tools, &inputs)?;
    mail_rows::mailboxes(&mut race, &tools, &inputs)?;
    start_rows::small_inputs(&mut race, &tools, &inputs)?;
    fs::remove_dir_all(&folder)?;
    finish(&race, options)
}

/// Copies a program, as `cargo install` does, and returns the path of the copy.
///
/// A file that a linker has just written starts more slowly than its copy. It is slower by a tenth to a third on ext4, measured with
/// this program.
fn installed(program: &Path, folder: &Path) -> anyhow::Result<PathBuf> {
    let copy = folder.join(program.file_name().context("not a file")?);
    fs::copy(program, &copy).with_context(|| program.display().to_string())?;
    Ok(copy)
}

/// Prints notes and goals.
fn finish(race: &Race, options: &Options<'_>) -> anyhow::Result<()> {
    if !race.notes.is_empty() {
        println!();
    }
    for note in &race.notes {
        println!("- {note}");
    }
    if race.is_empty() {
        bail!("no row has {:?} in its name", options.only);
    }
    println!("\n| goal | measured | asked | |\n|---|---:|---:|---|");
    for bar in &race.bars {
        let word = if bar.held { "held" } else { "MISSED" };
        println!(
            "| {} | {} | {} | {word} |",
            bar.what, bar.measured, bar.goal
        );
    }
    let missed = race.bars.iter().filter(|bar| !bar.held).count();
    if missed > 0 && !options.no_bars {
        bail!("{missed} of {} goals missed", race.bars.len());
    }
    Ok(())
}
