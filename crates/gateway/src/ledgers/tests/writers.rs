//! Many writers, and large records.

use super::*;
use crate::engine::Engine;
use crate::envelope::Envelope;
use crate::event::Record;
use crate::limits::Limits;
use crate::semaphore::{Processing, Semaphore};
use crate::spool::Budget;

#[test]
fn many_writers_share_syncs_and_none_is_lost() {
    let at = tempfile::tempdir().unwrap();
    let ledgers = open(at.path(), Retention::default());
    let (ledgers, now) = (&ledgers, SystemTime::now());
    let keep = move |writer: usize| {
        let message = format!("Subject: {writer}\r\n\r\n");
        ledgers
            .keep(message.as_bytes(), "{}", entry(b"A"), now)
            .unwrap();
    };
    let commits = &ledgers.store.commits;
    // The first segment has its folder and its header synced.
    keep(0);
    let before = ledgers.syncs();
    thread::scope(|scope| {
        let busy = commits.target();
        scope.spawn(move || keep(1));
        commits.wait_for_group();
        for writer in 2..17 {
            scope.spawn(move || keep(writer));
        }
        commits.wait_for_waiting(15);
        drop(busy);
    });
    assert_eq!(
        ledgers.syncs() - before,
        2,
        "the first record alone, then fifteen at once"
    );
    let mut all = originals(at.path());
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 17);
}

/// Messages that are written without a copy, among small ones.
#[test]
fn large_records_come_back() {
    let at = tempfile::tempdir().unwrap();
    let ledgers = open(at.path(), Retention::default());
    let now = SystemTime::now();
    let messages: Vec<_> = [10, 200_000, 70_000, 5, 3_000_000].map(random(1)).into();
    let records = messages
        .iter()
        .map(|message| ledgers.prepare(message, "{}", entry(b"A"), now).unwrap().0);
    let records: Vec<_> = records.collect();
    let kept = group_commit::Append::append(&mut *ledgers.store.commits.target(), records);
    assert!(kept.iter().all(Result::is_ok));
    assert_eq!(originals(at.path()), messages);
    let mut file = File::options()
        .append(true)
        .open(at.path().join(&names(at.path())[0]))
        .unwrap();
    file.write_all(b"torn").unwrap();
    assert_eq!(originals(at.path()).len(), 5);
}

/// Messages that wait for the disk take their bytes from the shared memory; those that get none keep their turn.
#[test]
fn messages_that_wait_for_the_disk_are_within_the_shared_memory() {
    const MESSAGES: usize = 20;
    let at = tempfile::tempdir().unwrap();
    let ledgers = Arc::new(open(at.path(), Retention::default()));
    let budget = Arc::new(Budget::of(&Limits {
        memory_bytes: 1 << 20,
        ..Limits::default()
    }));
    let semaphore = Semaphore::new(MESSAGES);
    let engine = Engine {
        ledgers: Some(ledgers.clone()),
        ..Engine::default()
    };
    thread::scope(|scope| {
        let disk = ledgers.store.commits.target();
        let mut threads = Vec::new();
        for number in 0..MESSAGES {
            let (engine, budget, semaphore) = (&engine, &budget, &semaphore);
            threads.push(scope.spawn(move || {
                let raw = random(number as u64 + 1)(100 << 10);
                let mut processing = Processing::new(Some(semaphore.acquire()), budget);
                let mut record = Record::new(Envelope::default(), "", 0);
                engine
                    .keep(&raw, &[], &mut record, &mut processing)
                    .unwrap();
                record.ledger.unwrap()
            }));
            if number == 0 {
                ledgers.store.commits.wait_for_group();
            }
        }
        ledgers.store.commits.wait_for_waiting(MESSAGES - 1);
        // Each has the message and its record, which is as long: five of them fit into 1 MiB.
        assert_eq!(semaphore.free(), 5);
        assert!((5 * (200 << 10)..=1 << 20).contains(&budget.memory()));
        drop(disk);
        for thread in threads {
            assert!(thread.join().unwrap().contains(".segment:"));
        }
    });
    assert_eq!((semaphore.free(), budget.memory()), (MESSAGES, 0));
    assert_eq!(originals(at.path()).len(), MESSAGES);
}
