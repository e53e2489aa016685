//! Group commit: one sync of the disk for the records of many messages.
//!
//! ```text
//! thread 1 ─ commit ─► queue ─► leader: writes all that wait, syncs once ─► wakes all
//! thread 2 ─ commit ─►   │
//! thread 3 ─ commit ─►   └───► waits; the first of them becomes the next leader
//! ```
//!
//! A thread that finds no leader becomes the leader. It waits for nobody, so a lone record costs one sync. While the disk works, other records
//! queue up, and share the next sync.
//!
//! # Limits
//! A record waits for at most two groups: the current one, and its own. A group takes one sync, and four more for each further
//! segment: the segment before is closed, and the header, the folder of the day and the ledger folder are synced.

use std::io;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};

/// A target of records.
pub(super) trait Append {
    /// A record.
    type Item;
    /// The place of an appended record.
    type Appended;

    /// Appends all records and makes them durable. Returns a result for each, in their order. A record with an error is not in the target.
    fn append(&mut self, records: Vec<Self::Item>) -> Vec<io::Result<Self::Appended>>;
}

/// Appends records of many threads in groups.
pub(super) struct GroupCommit<A: Append> {
    state: Mutex<CommitState<A>>,
    target: Mutex<A>,
}

struct CommitState<A: Append> {
    waiting: Vec<Waiting<A>>,
    /// A thread is the leader, or was told to become it.
    has_leader: bool,
}

/// A record, and the thread that waits for it.
struct Waiting<A: Append> {
    waiter: Arc<Waiter<A::Appended>>,
    record: A::Item,
}

/// A thread that waits, and its signal.
struct Waiter<P> {
    thread: Thread,
    signal: Mutex<Signal<P>>,
}

/// What a waiting thread does next.
enum Signal<P> {
    Wait,
    /// Lead the next group.
    Lead,
    Done(io::Result<P>),
}

impl<P> Waiter<P> {
    fn send(&self, signal: Signal<P>) {
        *self.signal.lock().unwrap_or_else(PoisonError::into_inner) = signal;
        self.thread.unpark();
    }

    /// Waits for a signal.
    fn wait(&self) -> Signal<P> {
        loop {
            let signal = mem::replace(
                &mut *self.signal.lock().unwrap_or_else(PoisonError::into_inner),
                Signal::Wait,
            );
            if !matches!(signal, Signal::Wait) {
                return signal;
            }
            thread::park();
        }
    }
}

impl<A: Append> GroupCommit<A> {
    pub(super) fn new(target: A) -> Self {
        Self {
            state: Mutex::new(CommitState {
                waiting: Vec::new(),
                has_leader: false,
            }),
            target: Mutex::new(target),
        }
    }

    /// Appends a record. It is durable when this returns.
    ///
    /// # Errors
    /// The record cannot be written or made durable. The target contains no part of it.
    pub(super) fn commit(&self, record: A::Item) -> io::Result<A::Appended> {
        let waiter = Arc::new(Waiter {
            thread: thread::current(),
            signal: Mutex::new(Signal::Wait),
        });
        let mut state = self.state();
        state.waiting.push(Waiting {
            waiter: waiter.clone(),
            record,
        });
        let leads = !mem::replace(&mut state.has_leader, true);
        drop(state);
        if leads {
            self.lead();
        }
        loop {
            match waiter.wait() {
                Signal::Lead => self.lead(),
                Signal::Done(result) => return result,
                Signal::Wait => (),
            }
        }
    }

    /// Appends all waiting records, including its own, and appoints the next leader.
    fn lead(&self) {
        let group = mem::take(&mut self.state().waiting);
        let (waiters, records): (Vec<_>, Vec<_>) = group
            .into_iter()
            .map(|Waiting { waiter, record }| (waiter, record))
            .unzip();
        let mut target = self.target();
        let appended = catch_unwind(AssertUnwindSafe(|| target.append(records)));
        drop(target);
        // Wakes the next leader first: the disk works while these threads send their verdicts.
        let mut state = self.state();
        match state.waiting.first() {
            Some(next) => next.waiter.send(Signal::Lead),
            None => state.has_leader = false,
        }
        drop(state);
        let mut results = appended.unwrap_or_default().into_iter();
        for waiter in waiters {
            // After a panic there are no results.
            let result = results
                .next()
                .unwrap_or_else(|| Err(io::Error::other("the write was given up")));
            waiter.send(Signal::Done(result));
        }
    }

    /// Locks the target, between two groups.
    pub(super) fn target(&self) -> MutexGuard<'_, A> {
        self.target.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns when a thread leads a group and no record waits for the next.
    #[cfg(test)]
    pub(super) fn wait_for_leader(&self) {
        let leads = |state: &CommitState<A>| state.has_leader && state.waiting.is_empty();
        while !leads(&self.state()) {
            thread::yield_now();
        }
    }

    /// Returns when so many records wait for the next group.
    #[cfg(test)]
    pub(super) fn wait_for_waiting(&self, records: usize) {
        while self.state().waiting.len() < records {
            thread::yield_now();
        }
    }

    fn state(&self) -> MutexGuard<'_, CommitState<A>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use super::*;

    /// A disk that notes the sizes of its groups.
    struct Disk {
        groups: Vec<usize>,
        fails: fn(usize) -> bool,
    }

    impl Append for Disk {
        type Item = usize;
        type Appended = usize;

        fn append(&mut self, records: Vec<usize>) -> Vec<io::Result<usize>> {
            self.groups.push(records.len());
            let result = |record| {
                if (self.fails)(record) {
                    Err(io::Error::other("full"))
                } else {
                    Ok(record * 2)
                }
            };
            records.into_iter().map(result).collect()
        }
    }

    #[test]
    fn records_that_come_during_a_sync_share_the_next() {
        let commits = GroupCommit::new(Disk {
            groups: Vec::new(),
            fails: |record| record % 10 == 7,
        });
        let commit = |record| match commits.commit(record) {
            Ok(place) => assert_eq!(place, record * 2),
            Err(_) => assert_eq!(record % 10, 7),
        };
        thread::scope(|scope| {
            let busy = commits.target();
            scope.spawn(|| commit(0));
            commits.wait_for_leader();
            for record in 1..20 {
                scope.spawn(move || commit(record));
            }
            commits.wait_for_waiting(19);
            drop(busy);
        });
        assert_eq!(commits.target().groups, [1, 19]);
        let state = commits.state();
        assert!(state.waiting.is_empty() && !state.has_leader);
    }

    #[test]
    fn records_of_many_threads_all_get_their_own_result() {
        let commits = GroupCommit::new(Disk {
            groups: Vec::new(),
            fails: |record| record % 10 == 7,
        });
        let commits = &commits;
        thread::scope(|scope| {
            for thread in 0..20 {
                scope.spawn(move || {
                    for number in 0..100 {
                        match commits.commit(thread * 100 + number) {
                            Ok(place) => assert_eq!(place, (thread * 100 + number) * 2),
                            Err(_) => assert_eq!(number % 10, 7),
                        }
                    }
                });
            }
        });
        assert_eq!(commits.target().groups.iter().sum::<usize>(), 2000);
    }

    #[test]
    fn a_lone_record_waits_for_nobody() {
        let commits = GroupCommit::new(Disk {
            groups: Vec::new(),
            fails: |_| false,
        });
        for record in 0..5 {
            assert_eq!(commits.commit(record).unwrap(), record * 2);
        }
        assert_eq!(commits.target().groups, [1; 5]);
    }

    #[test]
    fn a_panic_is_an_error_of_its_group_alone() {
        let commits = GroupCommit::new(Disk {
            groups: Vec::new(),
            fails: |record| {
                assert_ne!(record, 1);
                false
            },
        });
        assert!(commits.commit(1).is_err());
        assert_eq!(commits.commit(2).unwrap(), 4);
    }
}
