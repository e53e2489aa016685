//! What a ledger costs: `cargo run --release -p mailglot-gateway --example ledger_speed -- FOLDER`.
//!
//! Prints how many messages of 4 KB a second 1, 8, 20 and 64 writers keep in FOLDER, and how many for each sync. Also prints how long a search
//! through all of them takes, and how many are judged if nothing is kept.
#![allow(clippy::print_stdout, reason = "a program that prints")]

use mailglot_archive::ledger::IndexEntry;
use mailglot_gateway::ledgers::{Catalog, Ledgers, Query, Retention};
use mailglot_gateway::{Engine, Envelope};
use std::time::{Duration, Instant, SystemTime};
use std::{io, thread};

fn main() -> io::Result<()> {
    let folder = std::env::args_os()
        .nth(1)
        .unwrap_or_else(|| std::env::temp_dir().into_os_string());
    let folder = tempfile::tempdir_in(folder)?;
    let ledgers = Ledgers::open(folder.path(), Retention::default(), |error| {
        println!("{error}");
    })?;
    let mut message =
        b"Subject: =?iso-8859-1?Q?Gr=FC=DFe?=\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\n"
            .to_vec();
    while message.len() < 4_096 {
        message.extend_from_slice(b"Sch\xf6ne Gr\xfc\xdfe aus K\xf6ln, und bis bald\r\n");
    }
    for writers in [1, 8, 20, 64] {
        let syncs = ledgers.syncs();
        let count = rate(writers, || {
            ledgers
                .keep(&message, "{}", entry(), SystemTime::now())
                .map(drop)
        });
        let count = count?;
        let each = count * 2.0 / (ledgers.syncs() - syncs).max(1) as f64;
        println!("kept, {writers:>2} writers: {count:>8.0} messages/s, {each:.1} for each sync");
    }
    let bytes = ledgers.bytes() as f64 / 1e6;
    // All segments have an index then.
    drop(ledgers);
    let query = Query {
        recipient: Some(b"nobody@example.net".to_vec()),
        ..Query::default()
    };
    let catalog = Catalog::open(folder.path())?;
    let start = Instant::now();
    catalog.find(&query, |_| ())?;
    let time = start.elapsed().as_secs_f64() * 1e3;
    let mut count = 0_u64;
    catalog.find(&Query::default(), |_| count += 1)?;
    println!("searched:          {time:>8.0} ms for {count} records in {bytes:.0} MB");
    let engine = Engine::default();
    let judged = rate(1, || {
        let judgement = engine.judge(&message, &Envelope::default());
        if judgement.edits.is_empty() {
            Err(io::Error::other("nothing changes"))
        } else {
            Ok(())
        }
    });
    println!("judged, not kept:  {:>8.0} messages/s", judged?);
    Ok(())
}

/// What a message is found by, as long as that of most mail.
fn entry() -> IndexEntry {
    IndexEntry {
        queue_id: b"4WvQxJ0Xyzz9sP2".to_vec(),
        message_id: b"<20261122102315.4711.a5b7c9@mail.example.org>".to_vec(),
        sender: Some(b"first.last@example.org".to_vec()),
        recipients: vec![b"somebody.else@example.net".to_vec()],
        recipient_count: 1,
        ..IndexEntry::default()
    }
}

/// How often a second something is done by so many threads, over two seconds.
fn rate(threads: usize, each: impl Fn() -> io::Result<()> + Sync) -> io::Result<f64> {
    let start = Instant::now();
    let counts = thread::scope(|scope| {
        let work = || {
            let mut count = 0_u32;
            while start.elapsed() < Duration::from_secs(2) {
                each()?;
                count += 1;
            }
            Ok(count)
        };
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let ended = running.into_iter().map(|thread| {
            thread
                .join()
                .unwrap_or_else(|_| Err(io::Error::other("panic")))
        });
        ended.collect::<io::Result<Vec<u32>>>()
    })?;
    Ok(f64::from(counts.iter().sum::<u32>()) / start.elapsed().as_secs_f64())
}
