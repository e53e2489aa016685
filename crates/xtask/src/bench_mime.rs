//! The benchmark of reading mail: header values, transfer encodings, the text of whole mailboxes, and rewriting, beside the rivals.
//!
//! # Limits
//!
//! Whole programs are measured by the processor time of the kernel, in ticks of 10 ms, so small mailboxes show little. Each program has one
//! thread, because threads that share a core slow each other down. Both programs discard their JSON. The rival writes it with `serde_json`, as
//! its users do, and once more with mailglot's writer. The second run shows the cost of its reading alone and has no goal. Rewriting is compared
//! with that JSON, too, and with a rival that reads and writes nothing. Compared is the text of the parts; the rival has no section numbers and
//! charset names.

use crate::bench_codec::build_rivals;
use crate::measure::{Usage, measure};
use crate::profile_guided::build_dist;
use crate::run::{checked, output, target};
use crate::text_parts;
use crate::workshop::{PROFILES, mailbox, normalize};
use anyhow::bail;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Share of text parts that both must read alike before anything is timed.
const ALIKE: f64 = 0.9;

/// Measures and prints tables in Markdown; fails where a goal is missed.
pub(crate) fn bench(size: &str, runs: u32, no_bars: bool) -> anyhow::Result<()> {
    let rivals = build_rivals()?;
    let mut micro = Command::new(&rivals);
    micro.args(["mime", "--no-bars", "--rounds", &runs.max(5).to_string()]);
    checked(&mut micro)?;
    let programs = build_dist()?;
    let folder = target()?.join("bench-mime");
    fs::create_dir_all(&folder)?;
    let bench = MimeBench {
        programs,
        rivals,
        folder,
        runs: runs.max(1),
    };
    let mut missed = 0;
    println!("| mailbox | what | MB per CPU s | mail-parser 1.0.1 | ratio | goal | |");
    println!("|---|---|---:|---:|---:|---:|---|");
    for profile in PROFILES {
        missed += bench.profile(profile, size)?;
    }
    missed += bench.attacks()?;
    fs::remove_dir_all(&bench.folder)?;
    if missed > 0 && !no_bars {
        bail!("{missed} goals missed");
    }
    Ok(())
}

struct MimeBench {
    programs: PathBuf,
    rivals: PathBuf,
    folder: PathBuf,
    runs: u32,
}

impl MimeBench {
    fn profile(&self, profile: &str, size: &str) -> anyhow::Result<u32> {
        let input = mailbox(&self.programs, profile, size)?;
        let megabytes = fs::metadata(&input)?.len() as f64 / 1e6;
        self.compare(profile, &input)?;
        let mut best = [Usage::WORST; 5];
        for _ in 0..self.runs {
            let out = self.folder.join("out.mbox");
            let commands = [
                self.text(&input),
                self.rival("json", &input),
                normalize(&self.programs.join("mailglot"), &input, &out, 1),
                self.rival("decode", &input),
                self.rival("json-ours", &input),
            ];
            for (best, mut command) in best.iter_mut().zip(commands) {
                *best = best.best(measure(&mut command)?);
            }
            for file in [out.with_extension("mbox.ledger"), out] {
                fs::remove_file(file)?;
            }
        }
        let goals = [
            (
                "`text --json`",
                0,
                1,
                Some(if profile == "list" { 1.2 } else { 1.0 }),
            ),
            ("`text --json`, the rival with our writer", 0, 4, None),
            (
                "`normalize` with ledger, to the rival's `text --json`",
                2,
                1,
                Some(0.5),
            ),
            (
                "`normalize` with ledger, to decoding that writes nothing",
                2,
                3,
                None,
            ),
        ];
        let mut missed = 0;
        for (what, ours, theirs, goal) in goals {
            let speed = |index: usize| megabytes / best[index].cpu.max(0.01);
            let ratio = speed(ours) / speed(theirs);
            let (goal, verdict) = match goal {
                Some(goal) if ratio >= goal => (goal.to_string(), "held"),
                Some(goal) => (goal.to_string(), "MISSED"),
                None => ("–".to_owned(), ""),
            };
            missed += u32::from(verdict == "MISSED");
            println!(
                "| {profile} | {what} | {:.0} | {:.0} | {ratio:.2} | {goal} | {verdict} |",
                speed(ours),
                speed(theirs),
            );
        }
        Ok(missed)
    }

    /// All hostile messages of the shared material, read by one process within a second.
    fn attacks(&self) -> anyhow::Result<u32> {
        let Some(shared) = env::var_os("MAILGLOT_SHARED") else {
            println!("MAILGLOT_SHARED is not set: the attacks were not read");
            return Ok(0);
        };
        let mut best = Usage::WORST;
        for _ in 0..self.runs {
            best = best.best(measure(
                &mut self.text(&Path::new(&shared).join("attacks")),
            )?);
        }
        let seconds = best.wall;
        let held = seconds <= 1.0;
        println!(
            "all attacks: {seconds:.2} s, goal 1 s: {}",
            if held { "held" } else { "MISSED" }
        );
        Ok(u32::from(!held))
    }

    fn text(&self, input: &Path) -> Command {
        let mut command = Command::new(self.programs.join("mailglot"));
        command
            .args(["-q", "text", "--json", "--threads", "1"])
            .arg(input);
        command
    }

    fn rival(&self, what: &str, input: &Path) -> Command {
        let mut command = Command::new(&self.rivals);
        command.arg(what).arg(input);
        command
    }

    /// The share of text parts that both read alike; too small a share is an error.
    fn compare(&self, profile: &str, input: &Path) -> anyhow::Result<()> {
        let (ours, theirs) = (
            output(&mut self.text(input))?,
            output(&mut self.rival("json", input))?,
        );
        let (ours, theirs) = (
            text_parts::from_json(&ours)?,
            text_parts::from_json(&theirs)?,
        );
        let (all, others) = (ours.len(), theirs.len());
        let share = text_parts::share_alike(&ours, theirs);
        eprintln!(
            "{profile}: {all} text parts, {others} of mail-parser, {:.1} % alike",
            100.0 * share
        );
        if share < ALIKE {
            bail!("{profile}: the programs do not read the same text");
        }
        Ok(())
    }
}
