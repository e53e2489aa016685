//! Measures Postfix end to end in turns: without a filter, with ours, with ours and a ledger, with a signer and with the rival.

use crate::bench::{Goal, latin, median, start_filter, start_filter_with_ledger, start_rival};
use crate::ledger::opendkim;
use anyhow::{Context, ensure};
use mailglot_tests::trial::filter::Program;
use mailglot_tests::trial::postfix::{Postfix, Settings};
use mailglot_tests::trial::smtp::Letter;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// Number of concurrent connections.
const CONNECTIONS: usize = 20;
/// Number of messages per connection and run.
const MESSAGES: usize = 25;

/// A configuration to compare.
struct ComparedSetup {
    name: &'static str,
    postfix: Postfix,
    _filter: Option<Program>,
    rounds: Vec<Round>,
}

/// Results of a round.
struct Round {
    /// Messages per second, from the first connection to the last arrival.
    rate: f64,
    /// Milliseconds from MAIL to the reply to the end of the data: median and 99th percentile.
    times: [f64; 2],
}

/// Measures rounds of all configurations in turns. A ratio or difference is taken within each round, and its median counts.
pub(crate) fn measure(peer: &Path, runs: usize, goals: &mut Vec<Goal>) -> anyhow::Result<()> {
    type Start<'a> = &'a dyn Fn(&Postfix, &str, &Path) -> anyhow::Result<Program>;
    let plain = |_: &Postfix, place: &str, log: &Path| Ok(start_filter(place, log));
    let with_ledger = |postfix: &Postfix, place: &str, log: &Path| {
        start_filter_with_ledger(place, &postfix.folder().join("kept"), log)
    };
    let signer =
        |postfix: &Postfix, place: &str, log: &Path| opendkim(place, postfix.folder(), log);
    let rival = |_: &Postfix, place: &str, log: &Path| Ok(start_rival(peer, place, log));
    let kinds: [(&str, &str, Option<Start>); 5] = [
        ("no filter", "charset=iso-8859-1", None),
        ("ours, no ledger", "charset=utf-8", Some(&plain)),
        ("ours, ledger", "charset=utf-8", Some(&with_ledger)),
        ("opendkim", "DKIM-Signature:", Some(&signer)),
        ("libmilter", "charset=utf-8", Some(&rival)),
    ];
    let letter = Letter::new(latin(4_000));
    let mut chains = Vec::new();
    for (name, mark, start) in kinds {
        let mut postfix = Postfix::start(&Settings::default());
        let place = format!("unix:{}", postfix.socket("filter").display());
        let log = postfix.folder().join("filter.log");
        let filter = start
            .map(|start| start(&postfix, &place, &log))
            .transpose()?;
        if filter.is_some() {
            reachable(&postfix)?;
            postfix.restart(&Settings::default().milter(&place));
        }
        let mail = one(&postfix, &letter)?;
        ensure!(
            String::from_utf8_lossy(&mail).contains(mark),
            "{name} does not do its work"
        );
        chains.push(ComparedSetup {
            name,
            postfix,
            _filter: filter,
            rounds: Vec::new(),
        });
    }
    for _ in 0..runs {
        for chain in &mut chains {
            chain.rounds.push(round(&chain.postfix, &letter)?);
        }
    }
    println!(
        "\n| Postfix, {CONNECTIONS} connections, 4 KB | messages/s until delivered | of the rate without filter | median ms | 99 % ms |"
    );
    println!("|---|---:|---:|---:|---:|");
    let share = |at: usize, of: usize| {
        let pairs = chains[at].rounds.iter().zip(&chains[of].rounds);
        100.0 * median(pairs.map(|(one, other)| one.rate / other.rate).collect())
    };
    let more = |at: usize, of: usize, which: usize| {
        let pairs = chains[at].rounds.iter().zip(&chains[of].rounds);
        median(
            pairs
                .map(|(one, other)| one.times[which] - other.times[which])
                .collect(),
        )
    };
    for (at, chain) in chains.iter().enumerate() {
        let middle = |of: &dyn Fn(&Round) -> f64| median(chain.rounds.iter().map(of).collect());
        println!(
            "| {} | {:.0} | {:.0} % | {:.1} | {:.1} |",
            chain.name,
            middle(&|round| round.rate),
            share(at, 0),
            middle(&|round| round.times[0]),
            middle(&|round| round.times[1])
        );
    }
    let within = format!("within Postfix at {CONNECTIONS} connections");
    let rounds = format!("(median of {runs} rounds)");
    goals.push(Goal {
        what: format!("{within} at least 90 % of the rate without filter {rounds}"),
        measured: format!("{:.0} % (libmilter {:.0} %)", share(1, 0), share(4, 0)),
        held: share(1, 0) >= 90.0,
    });
    goals.push(Goal {
        what: format!("{within} with a ledger at least 90 % of the rate without {rounds}"),
        measured: format!("{:.0} %", share(2, 1)),
        held: share(2, 1) >= 90.0,
    });
    for (words, which, most) in [("median", 0, 10.0), ("99 %", 1, 40.0)] {
        goals.push(Goal {
            what: format!("{within} a ledger costs at most {most} ms at the {words} {rounds}"),
            measured: format!("{:.1} ms", more(2, 1, which)),
            held: more(2, 1, which) <= most,
        });
    }
    Ok(())
}

/// Makes the filter's socket accessible to Postfix's daemons.
fn reachable(postfix: &Postfix) -> anyhow::Result<()> {
    use mailglot_tests::trial::postfix::owner;
    std::os::unix::fs::chown(postfix.socket("filter"), None, Some(owner().1))
        .context("the filter's socket")
}

/// Sends one letter, and returns it as it arrived.
fn one(postfix: &Postfix, letter: &Letter) -> anyhow::Result<Vec<u8>> {
    let reply = postfix.client().send(letter)?;
    ensure!(reply.is_good(), "{reply:?}\n{}", postfix.log());
    ensure!(
        postfix.sink.wait(1, Duration::from_secs(30)),
        "nothing arrived\n{}",
        postfix.log()
    );
    Ok(postfix.sink.take().swap_remove(0).data)
}

fn round(postfix: &Postfix, letter: &Letter) -> anyhow::Result<Round> {
    let start = Instant::now();
    let sent: anyhow::Result<Vec<Vec<f64>>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..CONNECTIONS)
            .map(|_| {
                scope.spawn(|| {
                    let mut client = postfix.client();
                    let mut times = Vec::with_capacity(MESSAGES);
                    for _ in 0..MESSAGES {
                        let begin = Instant::now();
                        let reply = client.send(letter)?;
                        ensure!(reply.is_good(), "{reply:?}");
                        times.push(begin.elapsed().as_secs_f64() * 1e3);
                    }
                    Ok(times)
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .collect()
    });
    let mut times = sent?.concat();
    times.sort_by(f64::total_cmp);
    let all = CONNECTIONS * MESSAGES;
    ensure!(
        postfix.sink.wait(all, Duration::from_mins(2)),
        "not all arrived\n{}",
        postfix.log()
    );
    let rate = all as f64 / start.elapsed().as_secs_f64();
    ensure!(
        postfix.drain(Duration::from_mins(1)),
        "the queue does not empty"
    );
    postfix.sink.take();
    Ok(Round {
        rate,
        times: [times[all / 2], times[all * 99 / 100]],
    })
}
