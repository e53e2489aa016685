//! Group commit: one sync of the disk for the records of many messages.
//!
//! ```text
//! connection 1 ─ submit ─► queue ─► committer: writes all that wait, syncs once ─► calls back for each
//! connection 2 ─ submit ─►   │
//! thread 3 ───── commit ─►   └───► waits for the next group
//! ```
//!
//! The committer is a thread. It waits for nobody, so a lone record costs one sync. While the disk works, other records queue up, and share the
//! next sync.
//!
//! # Limits
//! A record waits for at most two groups: the current one, and its own. A group takes one sync, and four more for each further
//! segment. The segment before is closed, and the header, the folder of the day and the ledger folder are synced.

use std::io;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// Most turns that the committer leaves to other threads before it writes a group.
const TURNS: usize = 8;
/// Bytes of the committer's stack.
const STACK: usize = 256 << 10;

/// A target of records.
pub(super) trait Append: Send + 'static {
    /// A record.
    type Item: Send + 'static;
    /// The place of an appended record.
    type Appended: Send + 'static;

    /// Appends all records and makes them durable. Returns a result for each, in their order. A record with an error is not in the target.
    fn append(&mut self, records: Vec<Self::Item>) -> Vec<io::Result<Self::Appended>>;
}

/// Appends records of many threads in groups. Dropping it waits until all submitted records are appended.
pub(super) struct GroupCommit<A: Append> {
    shared: Arc<CommitQueue<A>>,
    committer: Option<JoinHandle<()>>,
}

/// What the committer shares with the threads that submit.
struct CommitQueue<A: Append> {
    state: Mutex<QueueState<A>>,
    /// A record was submitted, or the queue was closed.
    changed: Condvar,
    target: Mutex<A>,
}

struct QueueState<A: Append> {
    waiting: Vec<Submitted<A>>,
    /// The committer appends a group, or is about to.
    is_busy: bool,
    closed: bool,
}

/// A record, and what is called with its result.
struct Submitted<A: Append> {
    record: A::Item,
    done: Box<dyn FnOnce(io::Result<A::Appended>) + Send>,
}

impl<A: Append> GroupCommit<A> {
    /// Starts the committer.
    ///
    /// # Errors
    /// No thread can be started.
    pub(super) fn new(target: A) -> io::Result<Self> {
        let shared = Arc::new(CommitQueue {
            state: Mutex::new(QueueState {
                waiting: Vec::new(),
                is_busy: false,
                closed: false,
            }),
            changed: Condvar::new(),
            target: Mutex::new(target),
        });
        let twin = shared.clone();
        let committer = thread::Builder::new()
            .name("commit".to_owned())
            .stack_size(STACK)
            .spawn(move || twin.commit_groups())?;
        Ok(Self {
            shared,
            committer: Some(committer),
        })
    }

    /// Queues a record. The committer calls `done` with its result: it is durable then, or no part of it is in the target. `done` must not wait.
    pub(super) fn submit(
        &self,
        record: A::Item,
        done: impl FnOnce(io::Result<A::Appended>) + Send + 'static,
    ) {
        let done = Box::new(done);
        let mut state = self.shared.state();
        state.waiting.push(Submitted { record, done });
        let wakes = !state.is_busy;
        drop(state);
        if wakes {
            self.shared.changed.notify_one();
        }
    }

    /// Appends a record. It is durable when this returns.
    ///
    /// # Errors
    /// The record cannot be written or made durable. The target contains no part of it.
    pub(super) fn commit(&self, record: A::Item) -> io::Result<A::Appended> {
        let (done, result) = sync_channel(1);
        self.submit(record, move |appended| {
            // Its receiver waits below.
            let _ = done.send(appended);
        });
        result
            .recv()
            .unwrap_or_else(|_| Err(io::Error::other("the write was given up")))
    }

    /// Locks the target, between two groups.
    pub(super) fn target(&self) -> MutexGuard<'_, A> {
        self.shared.target()
    }

    /// Returns when the committer has taken a group and no record waits for the next.
    #[cfg(test)]
    pub(super) fn wait_for_group(&self) {
        let has_taken = |state: &QueueState<A>| state.is_busy && state.waiting.is_empty();
        while !has_taken(&self.shared.state()) {
            thread::yield_now();
        }
    }

    /// Returns when so many records wait for the next group.
    #[cfg(test)]
    pub(super) fn wait_for_waiting(&self, records: usize) {
        while self.shared.state().waiting.len() < records {
            thread::yield_now();
        }
    }
}

impl<A: Append> Drop for GroupCommit<A> {
    fn drop(&mut self) {
        self.shared.state().closed = true;
        self.shared.changed.notify_one();
        if let Some(committer) = self.committer.take() {
            // The panic hook has reported a panic.
            let _ = committer.join();
        }
    }
}

impl<A: Append> CommitQueue<A> {
    /// Appends group after group until the queue is closed and empty.
    fn commit_groups(&self) {
        loop {
            let mut state = self.state();
            while state.waiting.is_empty() {
                if state.closed {
                    return;
                }
                state = self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            state.is_busy = true;
            drop(state);
            self.gather();
            self.commit_group();
        }
    }

    /// Lets other threads run while that brings records: on a fast disk a sync costs more than a few of their turns. Where no other thread can run, this
    /// costs one system call.
    fn gather(&self) {
        let mut count = self.state().waiting.len();
        for _ in 0..TURNS {
            thread::yield_now();
            let before = mem::replace(&mut count, self.state().waiting.len());
            if count == before {
                return;
            }
        }
    }

    /// Appends all waiting records, and calls back for each.
    fn commit_group(&self) {
        let group = mem::take(&mut self.state().waiting);
        let (records, callbacks): (Vec<_>, Vec<_>) = group
            .into_iter()
            .map(|Submitted { record, done }| (record, done))
            .unzip();
        let mut target = self.target();
        let appended = catch_unwind(AssertUnwindSafe(|| target.append(records)));
        drop(target);
        // Before the callbacks: whoever gets its result finds the queue as it is.
        self.state().is_busy = false;
        let mut results = appended.unwrap_or_default().into_iter();
        for done in callbacks {
            // After a panic there are no results.
            let result = results
                .next()
                .unwrap_or_else(|| Err(io::Error::other("the write was given up")));
            // A panic in one callback must not cost the others their results.
            let _ = catch_unwind(AssertUnwindSafe(|| done(result)));
        }
    }

    fn target(&self) -> MutexGuard<'_, A> {
        self.target.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, QueueState<A>> {
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
        })
        .unwrap();
        let commit = |record| match commits.commit(record) {
            Ok(place) => assert_eq!(place, record * 2),
            Err(_) => assert_eq!(record % 10, 7),
        };
        thread::scope(|scope| {
            let busy = commits.target();
            scope.spawn(|| commit(0));
            commits.wait_for_group();
            for record in 1..20 {
                scope.spawn(move || commit(record));
            }
            commits.wait_for_waiting(19);
            drop(busy);
        });
        assert_eq!(commits.target().groups, [1, 19]);
        assert!(commits.shared.state().waiting.is_empty());
    }

    #[test]
    fn records_of_many_threads_all_get_their_own_result() {
        let commits = GroupCommit::new(Disk {
            groups: Vec::new(),
            fails: |record| record % 10 == 7,
        })
        .unwrap();
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
        })
        .unwrap();
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
        })
        .unwrap();
        assert!(commits.commit(1).is_err());
        assert_eq!(commits.commit(2).unwrap(), 4);
    }

    /// A daemon that stops, or reads its configuration anew, loses no record that it has submitted.
    #[test]
    fn submitted_records_are_appended_before_the_end() {
        let (done, results) = std::sync::mpsc::channel();
        let commits = GroupCommit::new(Disk {
            groups: Vec::new(),
            fails: |record| record == 3,
        })
        .unwrap();
        let busy = commits.target();
        for record in 0..10 {
            let done = done.clone();
            commits.submit(record, move |result| {
                done.send((record, result.ok())).unwrap();
                assert_ne!(record, 5, "a panic of one callback is its own");
            });
        }
        drop(busy);
        drop(commits);
        let told: Vec<_> = results.try_iter().collect();
        let expected: Vec<_> = (0..10)
            .map(|record| (record, (record != 3).then_some(record * 2)))
            .collect();
        assert_eq!(told, expected);
    }
}
