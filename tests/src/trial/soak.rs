//! Kills the filter repeatedly while mail flows through Postfix, then counts every message.
//!
//! A message that Postfix accepted must arrive exactly once, correctly rewritten, and its whole original must be in the ledger. A
//! deferred message must not arrive: its sender will try again, so that it would arrive twice. Meanwhile the disk may be filled
//! repeatedly, or filters may reload their configuration.

use super::filter::Program;
use super::letters::read;
use super::postfix::{Postfix, Settings};
use super::sink::Arrived;
use super::small_disk::SmallDisk;
use super::smtp::{Client, Letter};
use mailglot_gateway::ledgers::{Catalog, Query};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{fmt, thread};

/// Sizes of bodies in bytes, in turn: one packet, several, and more than is kept in memory.
const SIZES: [usize; 4] = [4_000, 40_000, 400_000, 1_500_000];
/// Number of messages of each size per turn. Most mail is small.
const SHARES: [u64; 4] = [40, 8, 3, 1];

/// Options of a soak test.
#[derive(Clone, Copy, Debug)]
pub struct Soak {
    /// How long mail is sent.
    pub time: Duration,
    /// Lifetime of each filter.
    pub life: Duration,
    /// Number of concurrent connections.
    pub clients: usize,
    /// Additional disturbance.
    pub disturbance: Disturbance,
}

/// A disturbance while filters are killed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Disturbance {
    /// Nothing else.
    #[default]
    None,
    /// The disk with the ledger is filled and emptied, a second each.
    FullDisk,
    /// A filter gets SIGHUP every second.
    Reload,
}

/// Size in MiB of the disk that is filled.
const DISK: u32 = 400;
/// How long the disk stays full, and how long empty; and the time between two SIGHUP signals.
const PERIOD: Duration = Duration::from_secs(1);
/// Time limit for the last filter to close all segments and end.
const CLOSING: Duration = Duration::from_mins(1);

/// Results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SoakResults {
    /// Number of filters killed.
    pub kills: u64,
    /// Number of times that the disk was filled, or a filter got SIGHUP.
    pub disturbances: u64,
    /// Messages that Postfix accepted.
    pub accepted: u64,
    /// Messages that it deferred.
    pub deferred: u64,
    /// Messages that it rejected permanently.
    pub refused: u64,
    /// Messages that arrived.
    pub arrived: u64,
    /// Accepted, but not arrived.
    pub lost: u64,
    /// Arrived more than once, or arrived and deferred.
    pub doubled: u64,
    /// Arrived unchanged.
    pub unfiltered: u64,
    /// Arrived neither unchanged nor correctly rewritten.
    pub broken: u64,
    /// Accepted, but not whole in the ledger.
    pub unkept: u64,
    /// Ledger records that are unreadable or contain no message that was sent, and foreign files in the ledger folder.
    pub damaged: u64,
    /// Files in Postfix's queues `corrupt` and `hold`.
    pub set_aside: u64,
}

impl SoakResults {
    /// Returns true if every message had the required result.
    pub fn is_well(&self) -> bool {
        let bad = [
            self.refused,
            self.lost,
            self.doubled,
            self.unfiltered,
            self.broken,
            self.unkept,
            self.damaged,
            self.set_aside,
        ];
        bad.iter().all(|count| *count == 0) && self.arrived == self.accepted
    }
}

impl fmt::Display for SoakResults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "kills {}, disturbances {}, accepted {}, deferred {}, refused {}, arrived {}, lost {}, doubled {}, unfiltered {}, broken {}, unkept {}, damaged {}, set aside {}",
            self.kills,
            self.disturbances,
            self.accepted,
            self.deferred,
            self.refused,
            self.arrived,
            self.lost,
            self.doubled,
            self.unfiltered,
            self.broken,
            self.unkept,
            self.damaged,
            self.set_aside
        )
    }
}

/// Result of a message for its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SmtpResult {
    Accepted,
    Deferred,
    Refused,
}

/// Kills filters that keep originals, while mail is sent.
///
/// # Panics
/// If Postfix or a filter does not start, or the last filter does not end in order.
pub fn run(soak: &Soak) -> SoakResults {
    let mut postfix = Postfix::start(&Settings::default());
    let address = format!("unix:{}", postfix.socket("milter").display());
    let log = postfix.folder().join("milter.log");
    let settings = Settings::default()
        .milter(&address)
        .with("milter_connect_timeout", "5s");
    postfix.restart(&settings);
    let disk = (soak.disturbance == Disturbance::FullDisk)
        .then(|| SmallDisk::mount(&postfix.folder().join("disk"), DISK));
    let kept = postfix
        .folder()
        .join(if disk.is_some() { "disk/kept" } else { "kept" });
    let start = || Program::keeping(&address, &kept, &log);
    let wanted = wanted(&postfix, start);
    let over = AtomicBool::new(false);
    let kills = AtomicU64::new(0);
    let disturbances = AtomicU64::new(0);
    let number = AtomicU64::new(0);
    let (fates, arrived) = thread::scope(|scope| {
        let killer = scope.spawn(|| {
            let mut reloaded = Instant::now();
            while !over.load(Ordering::SeqCst) {
                let filter = start();
                thread::sleep(soak.life / 2);
                if soak.disturbance == Disturbance::Reload && reloaded.elapsed() >= PERIOD {
                    filter.signal("HUP");
                    reloaded = Instant::now();
                    disturbances.fetch_add(1, Ordering::SeqCst);
                }
                thread::sleep(soak.life / 2);
                // Dropping it kills it.
                drop(filter);
                kills.fetch_add(1, Ordering::SeqCst);
            }
        });
        let filler = disk
            .as_ref()
            .map(|disk| scope.spawn(|| fill_and_empty(disk, &over, &disturbances)));
        let collector = scope.spawn(|| {
            let mut judged = HashMap::new();
            while !over.load(Ordering::SeqCst) {
                collect(&postfix, &wanted, &mut judged);
                thread::sleep(Duration::from_millis(50));
            }
            judged
        });
        let senders: Vec<_> = (0..soak.clients)
            .map(|_| scope.spawn(|| send(&postfix, soak.time, &number)))
            .collect();
        let fates: HashMap<u64, SmtpResult> = senders
            .into_iter()
            .flat_map(|sender| sender.join().expect("no panic"))
            .collect();
        // A filter runs undisturbed while the queue drains, although Postfix no longer uses it.
        let drained = postfix.drain(Duration::from_mins(2));
        over.store(true, Ordering::SeqCst);
        killer.join().expect("no panic");
        if let Some(filler) = filler {
            filler.join().expect("no panic");
        }
        let mut arrived = collector.join().expect("no panic");
        assert!(drained, "the queue does not empty:\n{}", postfix.log());
        collect(&postfix, &wanted, &mut arrived);
        (fates, arrived)
    });
    let (kills, disturbances) = (kills.into_inner(), disturbances.into_inner());
    let mut counts = SoakResults {
        kills,
        disturbances,
        ..SoakResults::default()
    };
    count(&fates, &arrived, &mut counts);
    counts.set_aside = postfix.queued(&["corrupt", "hold"]) as u64;
    // One more filter closes the segments that the last kill left open. It does so after it listens, and before it ends in order.
    let end = start().terminate(CLOSING);
    assert!(end.success(), "{end}");
    check_originals(&kept, &fates, &mut counts);
    counts
}

/// Fills and empties a disk until `over`, and counts how often.
fn fill_and_empty(disk: &SmallDisk, over: &AtomicBool, count: &AtomicU64) {
    while !over.load(Ordering::SeqCst) {
        thread::sleep(PERIOD);
        disk.fill();
        thread::sleep(PERIOD);
        disk.empty();
        count.fetch_add(1, Ordering::SeqCst);
    }
}

/// Sends messages until the time is over. Each has its own number, whatever its result.
fn send(postfix: &Postfix, time: Duration, number: &AtomicU64) -> Vec<(u64, SmtpResult)> {
    let end = Instant::now() + time;
    let mut fates = Vec::new();
    let mut client: Option<Client> = None;
    while Instant::now() < end {
        // After its filter was killed, a connection gets no other filter: opens a new connection.
        let Some(connection) = client.as_mut() else {
            client = Client::connect(postfix.port()).ok();
            if client.is_none() {
                thread::sleep(Duration::from_millis(10));
            }
            continue;
        };
        let number = number.fetch_add(1, Ordering::SeqCst);
        let fate = match connection.send(&Letter::new(letter(number))) {
            Ok(reply) if reply.is_good() => SmtpResult::Accepted,
            Ok(reply) if reply.is_temporary() => SmtpResult::Deferred,
            Ok(_) => SmtpResult::Refused,
            // Postfix itself is not killed: its connections only end with 421.
            Err(_) => SmtpResult::Deferred,
        };
        if fate != SmtpResult::Accepted {
            client = None;
        }
        fates.push((number, fate));
    }
    fates
}

/// Returns the size of a message by its number.
fn size(number: u64) -> usize {
    let mut at = number % SHARES.iter().sum::<u64>();
    for (share, size) in SHARES.iter().zip(SIZES) {
        if at < *share {
            return size;
        }
        at -= share;
    }
    SIZES[0]
}

/// Returns a message in ISO-8859-1. Its body depends only on its size.
fn letter(number: u64) -> Vec<u8> {
    let size = size(number);
    let mut raw = format!(
        "From: a@test.invalid\r\nTo: b@test.invalid\r\nDate: Mon, 1 Jan 2001 10:00:00 +0000\r\n\
         Message-ID: <{number}@test.invalid>\r\nSubject: soak {number} {size}\r\nMIME-Version: 1.0\r\n\
         Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
    )
    .into_bytes();
    let end = raw.len() + size;
    while raw.len() < end {
        raw.extend_from_slice(
            b"Die Sitzung f\xe4llt aus; wir treffen uns daf\xfcr am Donnerstag im gro\xdfen Saal.\r\n",
        );
    }
    raw
}

/// Returns the expected bodies by size, as an undisturbed filter rewrites them. Checks that their text is that of the message.
fn wanted(postfix: &Postfix, start: impl Fn() -> Program) -> HashMap<usize, Vec<u8>> {
    let _filter = start();
    let mut client = postfix.client();
    SIZES
        .iter()
        .map(|size| {
            let number = (0..SHARES.iter().sum())
                .find(|number| self::size(*number) == *size)
                .unwrap_or_default();
            let sent = letter(number);
            let reply = client.send(&Letter::new(sent.clone())).expect("an answer");
            assert!(reply.is_good(), "{reply:?}\n{}", postfix.log());
            assert!(
                postfix.sink.wait(1, Duration::from_secs(30)),
                "{}",
                postfix.log()
            );
            let arrived = postfix.sink.take().swap_remove(0).data;
            let (now, before) = (read(&arrived).1, read(&sent).1);
            assert_eq!(now[0].0.as_deref(), Some("utf-8"));
            assert!(now[0].1 == before[0].1, "the text is another");
            (*size, body(&arrived).to_vec())
        })
        .collect()
}

fn body(data: &[u8]) -> &[u8] {
    let end = memchr::memmem::find(data, b"\r\n\r\n").map_or(data.len(), |at| at + 4);
    &data[end..]
}

/// State in which a message arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Rewritten,
    Unfiltered,
    Broken,
}

/// Checks and drops the messages that arrived, because all of them would not fit into memory.
fn collect(
    postfix: &Postfix,
    wanted: &HashMap<usize, Vec<u8>>,
    judged: &mut HashMap<u64, Vec<State>>,
) {
    for Arrived { data, .. } in postfix.sink.take() {
        let head = String::from_utf8_lossy(&data[..data.len() - body(&data).len()]).into_owned();
        let words = head
            .lines()
            .find_map(|line| line.strip_prefix("Subject: soak "));
        let number = words.and_then(|words| words.split(' ').next()?.parse().ok());
        let Some(number) = number else {
            judged.entry(u64::MAX).or_default().push(State::Broken);
            continue;
        };
        let is = |charset: &str| head.contains(&format!("charset={charset}"));
        let state = if is("utf-8")
            && wanted
                .get(&size(number))
                .is_some_and(|want| want == body(&data))
        {
            State::Rewritten
        } else if is("iso-8859-1") && body(&data) == body(&letter(number)) {
            State::Unfiltered
        } else {
            State::Broken
        };
        judged.entry(number).or_default().push(state);
    }
}

fn count(
    fates: &HashMap<u64, SmtpResult>,
    arrived: &HashMap<u64, Vec<State>>,
    counts: &mut SoakResults,
) {
    for (number, fate) in fates {
        let times = arrived.get(number).map_or(0, Vec::len) as u64;
        match fate {
            SmtpResult::Accepted => {
                counts.accepted += 1;
                counts.lost += u64::from(times == 0);
                counts.doubled += times.saturating_sub(1);
            }
            SmtpResult::Deferred => {
                counts.deferred += 1;
                counts.doubled += times;
            }
            SmtpResult::Refused => counts.refused += 1,
        }
    }
    for state in arrived.values().flatten() {
        counts.arrived += 1;
        counts.unfiltered += u64::from(*state == State::Unfiltered);
        counts.broken += u64::from(*state == State::Broken);
    }
}

/// Reads every record of the ledger.
fn check_originals(kept: &Path, fates: &HashMap<u64, SmtpResult>, counts: &mut SoakResults) {
    let catalog = Catalog::open(kept).expect("the ledger");
    let mut names = Vec::new();
    let unread = catalog
        .find(&Query::default(), |found| names.push(found.name))
        .expect("the ledger");
    counts.damaged = unread.len() as u64;
    let mut whole = HashSet::new();
    for name in names {
        let original = catalog
            .read(&name)
            .map(|reading| reading.original)
            .unwrap_or_default();
        let text = String::from_utf8_lossy(&original[..original.len().min(400)]).into_owned();
        let words = text
            .lines()
            .find_map(|line| line.strip_prefix("Subject: soak "));
        let number = words.and_then(|words| words.split(' ').next()?.parse().ok());
        match number {
            Some(number) if original == letter(number) => _ = whole.insert(number),
            _ => counts.damaged += 1,
        }
    }
    let accepted = fates
        .iter()
        .filter(|(_, fate)| **fate == SmtpResult::Accepted);
    counts.unkept = accepted
        .filter(|(number, _)| !whole.contains(number))
        .count() as u64;
    for day in std::fs::read_dir(kept).expect("the ledger").flatten() {
        let files = std::fs::read_dir(day.path())
            .into_iter()
            .flatten()
            .flatten();
        counts.damaged += files
            .filter(|file| file.path().extension() != Some("segment".as_ref()))
            .count() as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_counted() {
        use SmtpResult::{Accepted, Deferred};
        use State::{Broken, Rewritten, Unfiltered};
        let well = |fates: &[(u64, SmtpResult)], arrived: &[(u64, Vec<State>)]| {
            let mut counts = SoakResults::default();
            count(
                &fates.iter().copied().collect(),
                &arrived.iter().cloned().collect(),
                &mut counts,
            );
            counts.is_well()
        };
        assert!(well(
            &[(1, Accepted), (2, Deferred)],
            &[(1, vec![Rewritten])]
        ));
        for (fates, arrived) in [
            (vec![(1, Accepted)], vec![]),
            (vec![(1, Accepted)], vec![(1, vec![Rewritten; 2])]),
            (vec![(1, Deferred)], vec![(1, vec![Rewritten])]),
            (vec![(1, Accepted)], vec![(1, vec![Unfiltered])]),
            (vec![(1, Accepted)], vec![(1, vec![Broken])]),
            (vec![], vec![(1, vec![Rewritten])]),
        ] {
            assert!(!well(&fates, &arrived), "{fates:?} {arrived:?}");
        }
    }
}
