//! The benchmark: one run, side by side, against rivals and `cp`.
//!
//! Every program runs in turn, as often as asked; its best run counts. What the rivals read is compared with what the
//! project reads before anything is timed.
//!
//! # Limits
//!
//! The rivals decode only: they write nothing and report nothing, while `normalize` reads, splits, decodes, writes and
//! keeps a ledger. Ratios within one run are what holds; absolute figures depend on the machine.

use crate::measure::{Usage, measure};
use crate::profile_guided::build_dist;
use crate::run::{checked, output, target};
use crate::workshop::{PROFILES, mailbox, normalize};
use anyhow::bail;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const RIVALS: [&str; 2] = ["mailparse", "mail-parser"];

/// Two threads must be at least this many times as fast as one.
const TWO_THREADS: f64 = 1.7;

/// Peak memory beside the messages in work, in bytes.
const MEMORY: u64 = 64 << 20;

/// Size of the mailbox on which peak memory is measured.
const MEMORY_MAILBOX: &str = "2G";

/// Measures and prints a table in Markdown; fails where a bar is missed.
pub(crate) fn bench(size: &str, runs: u32, memory: bool, no_bars: bool) -> anyhow::Result<()> {
    let programs = build_dist()?;
    let folder = target()?.join("bench");
    fs::create_dir_all(&folder)?;
    let bench = ArchiveBench {
        programs,
        folder,
        runs: runs.max(1),
    };
    let mut bars = Vec::new();
    println!(
        "| mailbox | program | CPU s | MB per CPU s | wall s | peak MiB | times `normalize` |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|");
    for profile in PROFILES {
        bench.speed(profile, size, &mut bars)?;
    }
    if memory {
        bench.memory(&mut bars)?;
    }
    fs::remove_dir_all(&bench.folder)?;
    println!("\n| bar | measured | |\n|---|---:|---|");
    for bar in &bars {
        println!(
            "| {} | {} | {} |",
            bar.what,
            bar.measured,
            if bar.held { "held" } else { "MISSED" }
        );
    }
    let missed = bars.iter().filter(|bar| !bar.held).count();
    if missed > 0 && !no_bars {
        bail!("{missed} of {} bars missed", bars.len());
    }
    Ok(())
}

struct ArchiveBench {
    programs: PathBuf,
    folder: PathBuf,
    runs: u32,
}

/// A promise and what became of it.
struct Promise {
    what: String,
    measured: String,
    held: bool,
}

impl ArchiveBench {
    /// One profile: every program once a round, in turn.
    fn speed(&self, profile: &str, size: &str, bars: &mut Vec<Promise>) -> anyhow::Result<()> {
        let input = mailbox(&self.programs, profile, size)?;
        let megabytes = fs::metadata(&input)?.len() as f64 / 1e6;
        eprintln!("{profile}: comparing what the programs read");
        checked(
            Command::new(self.programs.join("mailglot-rival"))
                .arg("compare")
                .arg(&input),
        )?;
        let mut names = vec!["normalize".to_owned(), "normalize, 2 threads".to_owned()];
        names.extend(RIVALS.iter().map(|rival| (*rival).to_owned()));
        names.push("cp".to_owned());
        let mut best = vec![Usage::WORST; names.len()];
        for round in 1..=self.runs {
            eprintln!("{profile}: round {round} of {}", self.runs);
            for (slot, name) in best.iter_mut().zip(&names) {
                *slot = slot.best(self.once(name, &input)?);
            }
        }
        for (name, usage) in names.iter().zip(&best) {
            println!(
                "| {profile} | {name} | {:.2} | {:.0} | {:.2} | {:.0} | {:.2} |",
                usage.cpu,
                megabytes / usage.cpu.max(0.01),
                usage.wall,
                usage.peak as f64 / f64::from(1 << 20),
                usage.cpu / best[0].cpu,
            );
        }
        for (rival, usage) in RIVALS.iter().zip(&best[2..]) {
            // On mixed mail mailparse is shown, but is no bar: it does not decode attachments, we write them.
            if profile == "mixed" && *rival == "mailparse" {
                continue;
            }
            bars.push(Promise {
                what: format!("{profile}: `normalize` ahead of {rival} per CPU second"),
                measured: format!("{:.2}", usage.cpu / best[0].cpu),
                held: best[0].cpu < usage.cpu,
            });
        }
        let ratio = best[0].wall / best[1].wall;
        bars.push(Promise {
            what: format!("{profile}: two threads at least {TWO_THREADS} times one (wall)"),
            measured: format!("{ratio:.2}"),
            held: ratio >= TWO_THREADS,
        });
        Ok(())
    }

    fn once(&self, name: &str, input: &Path) -> anyhow::Result<Usage> {
        let out = self.folder.join("out.mbox");
        let usage = match name {
            "normalize" => measure(&mut self.normalize(input, &out, 1)),
            "normalize, 2 threads" => measure(&mut self.normalize(input, &out, 2)),
            "cp" => measure(Command::new("cp").arg(input).arg(&out)),
            rival => measure(
                Command::new(self.programs.join("mailglot-rival"))
                    .arg(rival)
                    .arg(input),
            ),
        }?;
        for file in [out.with_extension("mbox.ledger"), out] {
            if file.exists() {
                fs::remove_file(file)?;
            }
        }
        Ok(usage)
    }

    fn normalize(&self, input: &Path, out: &Path, threads: u32) -> Command {
        normalize(&self.programs.join("mailglot"), input, out, threads)
    }

    /// Peak memory on a big mailbox, against 64 MiB and four times the largest message.
    fn memory(&self, bars: &mut Vec<Promise>) -> anyhow::Result<()> {
        let input = mailbox(&self.programs, "mixed", MEMORY_MAILBOX)?;
        let largest = output(
            Command::new(self.programs.join("mailglot-rival"))
                .arg("largest")
                .arg(&input),
        )?;
        let largest = String::from_utf8(largest)?.trim().parse::<u64>()?;
        let out = self.folder.join("out.mbox");
        for threads in [1_u32, 2] {
            let usage = measure(&mut self.normalize(&input, &out, threads))?;
            fs::remove_file(&out)?;
            fs::remove_file(out.with_extension("mbox.ledger"))?;
            let bound = MEMORY + 4 * largest;
            bars.push(Promise {
                what: format!(
                    "{MEMORY_MAILBOX} mixed, {threads} thread(s): peak at most 64 MiB + 4 × {largest} bytes = {} MiB",
                    bound >> 20
                ),
                measured: format!("{} MiB", usage.peak >> 20),
                held: usage.peak <= bound,
            });
        }
        Ok(())
    }
}
