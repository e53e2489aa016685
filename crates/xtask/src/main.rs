//! The workshop of the repository: `cargo xtask COMMAND`.
//!
//! # Limits
//!
//! `bench` reads `/proc` and runs on Linux only. Programs are built with cargo and started as children; nothing here
//! links the crates that it checks.
#![forbid(unsafe_code)]
// A tool for the terminal prints.
#![allow(clippy::print_stdout)]

mod arrows;
mod bench;
mod generated;
mod measure;
mod run;
mod suite;
mod workshop;

use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// Builds, checks, measures and regenerates what lies in this repository.
#[derive(Parser)]
#[command(name = "cargo xtask", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the whole test set: tests of all crates, doc tests, laws.
    Test,
    /// Check that no crate depends on what it must not know.
    Arrows,
    /// Check the laws over seeded mutants of sample messages.
    Laws {
        /// Number of mutants.
        #[arg(long, default_value_t = 20_000)]
        mutants: u64,
        /// Seed; the same seed makes the same mutants.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Write the sample archives and their goldens anew.
    Bless,
    /// Check that generated files are current.
    CheckGenerated,
    /// Write a mailbox with ground truth (arguments: see `cargo xtask gen -- --help`).
    Gen {
        /// Arguments of the generator.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Normalize and restore big mailboxes of both profiles with one and two threads; every byte must come back.
    Roundtrip {
        /// Size of each mailbox: bytes, or with K, M, G (powers of ten).
        #[arg(long, default_value = "300M")]
        size: String,
        /// A mailbox to use instead of generated ones; may be given more than once.
        #[arg(long)]
        mailbox: Vec<PathBuf>,
    },
    /// Measure against rivals and `cp`, side by side in one run, and print a table in Markdown.
    Bench {
        /// Size of the two mailboxes.
        #[arg(long, default_value = "300M")]
        size: String,
        /// Runs of each program; the best counts.
        #[arg(long, default_value_t = 5)]
        runs: u32,
        /// Measure peak memory on a 2 GB mailbox, too.
        #[arg(long)]
        memory: bool,
        /// Print the result, but do not fail where a bar is missed.
        #[arg(long)]
        no_bars: bool,
    },
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Test => suite::test(),
        Command::Arrows => arrows::check(),
        Command::Laws { mutants, seed } => suite::laws(mutants, seed),
        Command::Bless => workshop::bless(),
        Command::CheckGenerated => generated::check(),
        Command::Gen { arguments } => workshop::generate(&arguments),
        Command::Roundtrip { size, mailbox } => workshop::roundtrip(&size, &mailbox),
        Command::Bench { size, runs, memory, no_bars } => bench::bench(&size, runs, memory, no_bars),
    }
}
