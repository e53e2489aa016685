//! Measures the cost of keeping originals: eight connections with and without a ledger, beside a signer and the libmilter program.
//!
//! All programs have one processor, and the load generator the other. A ledger works beside the filter, so its filter is measured on both processors, too, which it
//! shares with the load generator then.
//!
//! # Limits
//! With eight connections, at most eight messages share a sync. On a disk that syncs in 5 ms, at most 1,600 messages per second can
//! be durable before their replies. The table shows how long a sync takes here, and the rate of 64 connections.

use crate::bench::{
    Goal, RunFigures, latin, pinned, start_filter, start_filter_with_ledger,
    start_rival_answering_each_step, start_unpinned_filter_with_ledger,
};
use anyhow::Context;
use mailglot_tests::trial::filter::Program;
use mailglot_tests::trial::load::{Load, WritePieces};
use mailglot_tests::trial::mta::Mail;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Number of writes timed to measure a sync.
const SYNCS: usize = 200;

/// Measures all configurations in turns.
pub(crate) fn measure(
    peer: &Path,
    runs: usize,
    at: &Path,
    goals: &mut Vec<Goal>,
) -> anyhow::Result<()> {
    // libmilter rejects a socket that a killed program left behind. No earlier table uses these names.
    let place = |name: &str| format!("unix:{}", at.join(format!("ledger-{name}")).display());
    let log = at.join("log");
    let without = start_filter(&place("without"), &log);
    let with = start_filter_with_ledger(&place("with"), &at.join("kept"), &log)?;
    let unpinned =
        start_unpinned_filter_with_ledger(&place("unpinned"), &at.join("kept-unpinned"), &log)?;
    let signer = opendkim(&place("signer"), at, &log)?;
    let theirs = start_rival_answering_each_step(peer, &place("theirs"), &log);
    let mail = Mail::new(&latin(4_000));
    let load = |connections, messages| Load {
        mail: mail.clone(),
        connections,
        messages,
        writes: WritePieces::By(usize::MAX),
    };
    let (eight, few, many) = (load(8, 1_500), load(8, 300), load(64, 300));
    let rows: [(&str, &Program, &str, &Load); 7] = [
        (
            "ours without ledger, 8 connections",
            &without,
            "without",
            &eight,
        ),
        ("ours with ledger, 8 connections", &with, "with", &eight),
        (
            "ours without ledger, 64 connections",
            &without,
            "without",
            &many,
        ),
        ("ours with ledger, 64 connections", &with, "with", &many),
        (
            "opendkim, which signs, 8 connections",
            &signer,
            "signer",
            &few,
        ),
        (
            "libmilter, each step answered, 8 connections",
            &theirs,
            "theirs",
            &few,
        ),
        (
            "ours with ledger, 8 connections, on both processors",
            &unpinned,
            "unpinned",
            &eight,
        ),
    ];
    let mut all: Vec<Vec<RunFigures>> = rows.iter().map(|_| Vec::new()).collect();
    let mut syncs = Vec::new();
    for round in 0..=runs {
        for ((_, program, name, load), runs) in rows.iter().zip(&mut all) {
            let run = RunFigures::of(program, &place(name), load)?;
            // The first round warms up.
            if round > 0 {
                runs.push(run);
            }
        }
        syncs.push(sync_time(at)?);
    }
    let sync = crate::bench::median(syncs);
    println!("\nA sync of 8 KB takes {sync:.2} ms here.\n");
    println!("| filter, 4 KB | messages/s | median µs | 99 % µs |");
    println!("|---|---:|---:|---:|");
    let medians: Vec<[f64; 4]> = all.iter().map(|runs| RunFigures::medians(runs)).collect();
    for ((name, ..), [rate, _, half, most]) in rows.iter().zip(&medians) {
        println!("| {name} | {rate:.0} | {half:.0} | {most:.0} |");
    }
    goals.push(Goal {
        what: "8 connections: at least 10,000 messages/s of 4 KB with a ledger, on both processors"
            .to_owned(),
        measured: format!(
            "{:.0}; {:.0} on one (a sync takes {sync:.2} ms)",
            medians[6][0], medians[1][0]
        ),
        held: medians[6][0] >= 10_000.0,
    });
    // Each of Postfix's own messages waits for a sync. This many connections stay below its default of 100 processes.
    goals.push(Goal {
        what: "64 connections: at least 10,000 messages/s of 4 KB with a ledger".to_owned(),
        measured: format!("{:.0}", medians[3][0]),
        held: medians[3][0] >= 10_000.0,
    });
    Ok(())
}

/// Returns the median time to append 8 KB to a file and sync it, in milliseconds.
fn sync_time(at: &Path) -> anyhow::Result<f64> {
    let path = at.join("sync");
    let mut file = File::create(&path)?;
    let mut times = Vec::with_capacity(SYNCS);
    for _ in 0..SYNCS {
        let start = Instant::now();
        file.write_all(&[b'x'; 8_192])?;
        file.sync_data()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    fs::remove_file(path)?;
    Ok(crate::bench::median(times))
}

/// Starts OpenDKIM, which signs mail of `example.org`, at `address`.
pub(crate) fn opendkim(address: &str, at: &Path, log: &Path) -> anyhow::Result<Program> {
    let (key, file) = (at.join("dkim.key"), at.join("opendkim.conf"));
    if !key.exists() {
        let made = Command::new("openssl")
            .args(["genrsa", "-out"])
            .arg(&key)
            .arg("2048")
            .output()?;
        anyhow::ensure!(
            made.status.success(),
            "openssl: {}",
            String::from_utf8_lossy(&made.stderr)
        );
    }
    let socket = address
        .strip_prefix("unix:")
        .context("a socket of this machine")?;
    let text = format!(
        "Socket local:{socket}\nMode s\nDomain example.org\nSelector s\nKeyFile {}\nBackground no\nSyslog no\nRequireSafeKeys no\n\
         Canonicalization relaxed/simple\n",
        key.display()
    );
    fs::write(&file, text)?;
    let file = file.display().to_string();
    let program = pinned(
        Path::new("/usr/sbin/opendkim"),
        &["-f", "-x", &file],
        address,
        log,
    );
    // It accepts connections before it has read its key.
    std::thread::sleep(Duration::from_millis(200));
    Ok(program)
}
