//! Long trials of the gateway: load, the benchmark against a libmilter program, killing under load.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod answer;
mod bench;
mod chain;
mod ledger;

use clap::{Parser, Subcommand};
use mailglot_tests::trial::load::{Load, WritePieces};
use mailglot_tests::trial::mta::Mail;
use mailglot_tests::trial::soak::{self, Disturbance, Soak};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// Trials of the gateway that take long.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Send one message again and again to a milter, and print rate and times.
    Load {
        /// `unix:PATH` or `tcp:HOST:PORT`.
        address: String,
        /// The message; by default one of about 4 KB in ISO-8859-1.
        #[arg(long)]
        file: Option<PathBuf>,
        /// Connections at a time.
        #[arg(long, default_value_t = 1)]
        connections: usize,
        /// Messages on each connection.
        #[arg(long, default_value_t = 20_000)]
        messages: usize,
        /// Bytes of a write.
        #[arg(long, default_value_t = 65_536)]
        piece: usize,
        /// Write in the pieces that Postfix writes, whatever `--piece` says.
        #[arg(long)]
        as_postfix: bool,
    },
    /// Kill the milter every quarter of a second while mail flows through Postfix, and count every message and its original.
    Soak {
        /// How long.
        #[arg(long, default_value_t = 600)]
        seconds: u64,
        /// Connections at a time.
        #[arg(long, default_value_t = 6)]
        clients: usize,
        /// What else goes on.
        #[arg(long, value_enum, default_value_t)]
        disturbance: Disturbance,
    },
    /// Serve as a milter that reads and answers, and does nothing else.
    Answer {
        /// `unix:PATH` or `tcp:HOST:PORT`.
        address: String,
    },
    /// Measure the gateway beside a libmilter program, and print tables in Markdown.
    Bench(bench::BenchArguments),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Load {
            address,
            file,
            connections,
            messages,
            piece,
            as_postfix,
        } => {
            let raw = file.map_or_else(|| Ok(bench::latin(4_000)), fs::read)?;
            let load = Load {
                mail: Mail::new(&raw),
                connections,
                messages,
                writes: if as_postfix {
                    WritePieces::AsPostfix
                } else {
                    WritePieces::By(piece)
                },
            };
            let measured = load.run(&address)?;
            println!(
                "{:.0} messages/s, {:.0} MB/s, µs: median {:.0}, 99 % {:.0}, most {:.0}",
                measured.rate,
                measured.rate * raw.len() as f64 / 1e6,
                measured.micros(0.5),
                measured.micros(0.99),
                measured.micros(1.0)
            );
            Ok(())
        }
        Command::Soak {
            seconds,
            clients,
            disturbance,
        } => {
            let (time, life) = (Duration::from_secs(seconds), Duration::from_millis(250));
            let counts = soak::run(&Soak {
                time,
                life,
                clients,
                disturbance,
            });
            println!("{seconds} s, disturbance {disturbance:?}: {counts}");
            anyhow::ensure!(
                counts.is_well(),
                "messages did not meet the end that they should"
            );
            Ok(())
        }
        Command::Answer { address } => answer::serve(&address),
        Command::Bench(arguments) => bench::run(&arguments),
    }
}
