//! The whole way of messages: Postfix without a filter, with ours, with the rival, in turns.

use crate::bench::{Goal, latin, median, ours, theirs};
use anyhow::{Context, ensure};
use mailglot_tests::trial::postfix::{Postfix, Settings};
use mailglot_tests::trial::smtp::Letter;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// Connections at a time.
const CONNECTIONS: usize = 20;
/// Messages on each of them in a run.
const MESSAGES: usize = 25;

/// Measures rounds of all three; the ratio to the run without filter is taken within each round.
pub(crate) fn measure(peer: &Path, runs: usize, goals: &mut Vec<Goal>) -> anyhow::Result<()> {
    let plain = Postfix::start(&Settings::default());
    let mut with_ours = Postfix::start(&Settings::default());
    let mut with_theirs = Postfix::start(&Settings::default());
    let place = |postfix: &Postfix| format!("unix:{}", postfix.socket("filter").display());
    let log = with_ours.folder().join("filter.log");
    let _ours = ours(&place(&with_ours), &log);
    let _theirs = theirs(peer, &place(&with_theirs), &log);
    reachable(&with_ours)?;
    for postfix in [&mut with_ours, &mut with_theirs] {
        let settings = Settings::default().milter(&place(postfix));
        postfix.restart(&settings);
    }
    let letter = Letter::new(latin(4_000));
    let all = [&plain, &with_ours, &with_theirs];
    for (postfix, changed) in all.iter().zip([false, true, true]) {
        let mail = one(postfix, &letter)?;
        ensure!(
            String::from_utf8_lossy(&mail).contains("charset=utf-8") == changed,
            "the filter does not do its work"
        );
    }
    let mut rates: [Vec<f64>; 3] = Default::default();
    for _ in 0..runs {
        for (postfix, rates) in all.iter().zip(&mut rates) {
            rates.push(rate(postfix, &letter)?);
        }
    }
    println!(
        "\n| Postfix, {CONNECTIONS} connections, 4 KB | messages/s until delivered | of the rate without filter |"
    );
    println!("|---|---:|---:|");
    let share =
        |at: usize| median(rates[at].iter().zip(&rates[0]).map(|(with, without)| with / without).collect());
    for (at, name) in ["no filter", "ours", "libmilter"].iter().enumerate() {
        println!("| {name} | {:.0} | {:.0} % |", median(rates[at].clone()), 100.0 * share(at));
    }
    goals.push(Goal {
        what: format!("within Postfix at {CONNECTIONS} connections at least 90 % of the rate without filter (median of {runs} rounds)"),
        measured: format!("{:.0} % (libmilter {:.0} %)", 100.0 * share(1), 100.0 * share(2)),
        held: share(1) >= 0.9,
    });
    Ok(())
}

/// Postfix's daemons may use the filter's socket.
fn reachable(postfix: &Postfix) -> anyhow::Result<()> {
    use mailglot_tests::trial::postfix::owner;
    std::os::unix::fs::chown(postfix.socket("filter"), None, Some(owner().1)).context("the filter's socket")
}

/// Sends one letter, and gives what arrived.
fn one(postfix: &Postfix, letter: &Letter) -> anyhow::Result<Vec<u8>> {
    let reply = postfix.client().send(letter)?;
    ensure!(reply.is_good(), "{reply:?}\n{}", postfix.log());
    ensure!(postfix.sink.wait(1, Duration::from_secs(30)), "nothing arrived\n{}", postfix.log());
    Ok(postfix.sink.take().swap_remove(0).data)
}

/// Messages a second from the first connection until the last one has arrived.
fn rate(postfix: &Postfix, letter: &Letter) -> anyhow::Result<f64> {
    let start = Instant::now();
    let sent: anyhow::Result<()> = thread::scope(|scope| {
        let threads: Vec<_> = (0..CONNECTIONS)
            .map(|_| {
                scope.spawn(|| {
                    let mut client = postfix.client();
                    for _ in 0..MESSAGES {
                        let reply = client.send(letter)?;
                        ensure!(reply.is_good(), "{reply:?}");
                    }
                    Ok(())
                })
            })
            .collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
    });
    sent?;
    let all = CONNECTIONS * MESSAGES;
    ensure!(postfix.sink.wait(all, Duration::from_mins(2)), "not all arrived\n{}", postfix.log());
    let rate = all as f64 / start.elapsed().as_secs_f64();
    ensure!(postfix.drain(Duration::from_mins(1)), "the queue does not empty");
    postfix.sink.take();
    Ok(rate)
}
