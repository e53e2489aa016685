//! Checks the laws over seeded mutants and prints how often each was checked.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use clap::Parser;
use mailglot_tests::laws::{self, LAWS};
use std::io::{self, Write};
use std::panic;
use std::process::ExitCode;
use std::thread;
use std::time::Instant;

/// Checks the laws over seeded mutants.
#[derive(Parser)]
struct Arguments {
    /// Number of mutants: so many with damage of any kind, and as many whose text mixes line ends.
    #[arg(long, default_value_t = 20_000)]
    mutants: u64,
    /// Seed of the mutants.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads; all cores without it.
    #[arg(long)]
    threads: Option<usize>,
    /// Write this mutant to stdout and do nothing else.
    #[arg(long)]
    show: Option<u64>,
    /// With `--show`: the mutant of this number whose text mixes line ends.
    #[arg(long, requires = "show")]
    line_ends: bool,
}

fn main() -> io::Result<ExitCode> {
    let arguments = Arguments::parse();
    let seeds = laws::seeds();
    if let Some(number) = arguments.show {
        let make = if arguments.line_ends {
            laws::make_line_ends
        } else {
            laws::make
        };
        io::stdout().write_all(&make(&seeds, arguments.seed, number))?;
        return Ok(ExitCode::SUCCESS);
    }
    // A panic is caught, counted and attributed to its mutant. The default hook would only clutter the output.
    panic::set_hook(Box::new(|_| {}));
    let threads = arguments
        .threads
        .unwrap_or_else(|| thread::available_parallelism().map_or(1, Into::into));
    let start = Instant::now();
    let tally = laws::check(&seeds, arguments.mutants, arguments.seed, threads);
    for fault in &tally.kept {
        println!("{fault}");
    }
    println!(
        "laws: {} mutants of {} messages, and {} that mix line ends, seed {}",
        tally.mutants,
        seeds.len(),
        tally.line_ends,
        arguments.seed
    );
    for (law, says) in LAWS {
        println!(
            "{law:>4}  {:>8} checks  {:>4} broken  {says}",
            tally.checks[law], tally.failures[law]
        );
    }
    println!(
        "      panics: {}; {:.1} s",
        tally.failures[0],
        start.elapsed().as_secs_f64()
    );
    Ok(if tally.held() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
