//! Truncates one message in a hundred of real and generated mailboxes, and compares the messages found.
//!
//! Each form of mailbox is read twice: as it is, and with replies after the truncated messages that contain their source. The last
//! lines sum up both halves.
//!
//! Exit code 1 means one of these:
//! - A separator was missed or added without an event.
//! - A separator was missed in a mailbox with quoted lines or without replies.
//! - A line of a message was read as a separator.
//! - With `--ranges`, ranges that were cut at random bytes have other messages than the whole.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use clap::Parser;
use mailglot_archive::ReadOptions;
use mailglot_tests::splitting::{FORMS, Messages, SeparatorCounts, read, read_ranges};
use mailglot_tests::{generate, shared};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

/// Cuts off a message in a hundred at a random byte, and compares the messages that are found with those that were written.
#[derive(Parser)]
struct Arguments {
    /// Number of seeds.
    #[arg(long, default_value_t = 1000)]
    seeds: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    first: u64,
    /// Threads; all cores without it.
    #[arg(long)]
    threads: Option<usize>,
    /// Also reads each mailbox in 1 to 97 ranges, cut at random bytes.
    #[arg(long)]
    ranges: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let threads = arguments
        .threads
        .unwrap_or_else(|| thread::available_parallelism().map_or(1, Into::into));
    let mut faults = 0;
    let mut halves = [[SeparatorCounts::default(); 2]; 2];
    let real = shared::real_messages();
    for form in FORMS {
        let made = generate::divided(4_000_000, form);
        let real = (!real.is_empty()).then(|| Messages::new(&real, form));
        for returns in [false, true] {
            let name = format!("{form:?}, replies: {returns}");
            let mut kinds = vec![("generated", &made)];
            kinds.extend(real.as_ref().map(|real| ("real", real)));
            for (kind, messages) in kinds {
                let (tally, found) = run(
                    &format!("{kind} {name}"),
                    messages,
                    returns,
                    &arguments,
                    threads,
                );
                let quotes = messages.have_quoted_lines();
                let is_sure = quotes || !returns;
                faults +=
                    found + usize::from(is_sure && tally.missed > 0) + usize::from(tally.added > 0);
                halves[usize::from(returns)][usize::from(!quotes)].add(tally);
            }
        }
    }
    for (half, replies) in halves.iter().zip(["without", "with"]) {
        for (tally, quoting) in half
            .iter()
            .zip(["with quoted lines", "without quoted lines"])
        {
            println!(
                "{replies} replies, mailboxes {quoting}: {} separators, {} missed, {} added",
                tally.separators, tally.missed, tally.added
            );
        }
    }
    if faults == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Checks all seeds of one mailbox and prints a line. Returns the tally, and the number of seeds with a difference without an
/// event.
fn run(
    name: &str,
    messages: &Messages,
    returns: bool,
    arguments: &Arguments,
    threads: usize,
) -> (SeparatorCounts, usize) {
    let start = Instant::now();
    let next = AtomicU64::new(arguments.first);
    let end = arguments.first + arguments.seeds;
    let work = || {
        let folder = tempfile::tempdir().expect("the system has room for a mailbox");
        let (mut tally, mut faults) = (SeparatorCounts::default(), Vec::new());
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= end {
                return (tally, faults);
            }
            let (mailbox, truth) = messages.mailbox(Some(seed), returns);
            let options = ReadOptions::default();
            let reading = read(&mailbox, folder.path(), &options);
            if arguments.ranges && read_ranges(folder.path(), seed, &options) != reading.offsets {
                faults.push(format!("seed {seed}: ranges have other messages"));
            }
            let compared = tally.compare(&truth, &reading);
            faults.extend(compared.err().map(|fault| format!("seed {seed}: {fault}")));
        }
    };
    let (mut tally, mut faults) = (SeparatorCounts::default(), Vec::new());
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            let (own, found) = worker.join().expect("a worker ends");
            tally.add(own);
            faults.extend(found);
        }
    });
    println!(
        "{name}: {} seeds, {tally:?}, {:.1} s",
        arguments.seeds,
        start.elapsed().as_secs_f64()
    );
    for fault in &faults {
        println!("  {fault}");
    }
    (tally, faults.len())
}
