//! The worker pool: reads batches in order, processes them on any thread, and hands results on in order.
//!
//! Every worker does all three steps, so that no thread waits for one kind of work. It takes the next batch under the reader's
//! lock, processes it without a lock, and puts the result into a window. If it is the next batch in order, the worker hands on all
//! finished results. With one worker, everything runs on the calling thread.
//!
//! In a folder of files, a worker reads in two phases. First it opens and reads files without the lock, a group at a time, until
//! the next batch needs no other. Then it takes the batch from them under the lock. So order, batches and events are those of one worker.
//!
//! # Limits
//!
//! One thread at a time reads a mailbox, a container, or a large file of a folder. Small archives are processed one after the other.

use crate::lock::lock;
use crate::reader::{NumberedBatch, Reader};
use crate::work_times::{Phase, PhaseClock, WorkTimes};
use mailglot_archive::FilesAhead;
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder};
use std::time::Instant;

/// Number of batches per worker that are read but not yet handed on.
const WINDOW: usize = 4;
/// Bytes of these batches per worker. A batch with a large message can be much larger than planned.
const WINDOW_BYTES: usize = 5 << 20;
/// Bytes of these batches, for few workers, from which no other batch is read. So few large messages are in memory at once.
const IN_WORK: usize = 64 << 20;

/// Processes batches on the worker threads.
pub(crate) trait BatchWorker: Sync {
    /// The state that a worker keeps between batches.
    type WorkerState;
    /// The result of a batch. The pool reuses results.
    type BatchResult: Default + Send;

    /// Returns true if the caller wants to stop. Called before each batch.
    fn is_interrupted(&self) -> bool;
    /// Takes the times of a worker, or of all together, when they end.
    fn add_times(&self, times: &WorkTimes);
    /// Creates the state of a worker. Called once per worker.
    fn worker_state(&self) -> io::Result<Self::WorkerState>;
    /// Processes one batch. May take the bytes of the batch. `done` may contain the result of an earlier batch, to reuse its buffers.
    fn work(
        &self,
        worker_state: &mut Self::WorkerState,
        feed: &mut NumberedBatch,
        done: &mut Self::BatchResult,
    ) -> io::Result<()>;
}

/// The reason why the pool stopped.
#[derive(Debug)]
pub(crate) enum StopReason<E> {
    /// The source could not be read.
    Read(mailglot_archive::Error),
    /// A batch could not be processed.
    Work(io::Error),
    /// `hand_on` failed.
    HandOn(E),
    /// The caller requested to stop.
    Interrupted,
}

/// Processes all batches of `reader` on `threads` threads and calls `hand_on` with each result in archive order. Returns the reader, also after an
/// error.
pub(crate) fn run<W, E, F>(
    reader: Reader,
    threads: usize,
    work: &W,
    hand_on: &mut F,
) -> (Reader, Result<(), StopReason<E>>)
where
    W: BatchWorker,
    E: Send,
    F: FnMut(&mut W::BatchResult) -> Result<(), E> + Send,
{
    let shared = Shared {
        reader: Mutex::new(reader),
        hand_on: Mutex::new(hand_on),
        window: Mutex::new(OrderedBatches {
            next: 0,
            ready: BTreeMap::new(),
            spare: Vec::new(),
            batches: 0,
            bytes: 0,
            handing_on: false,
            stop: None,
        }),
        moved: Condvar::new(),
        given: Condvar::new(),
        work,
        threads,
        most_batches: WINDOW * threads.max(1),
        most_bytes: WINDOW_BYTES * threads.max(1),
    };
    let (start, mut workers) = (Instant::now(), 1);
    thread::scope(|scope| {
        // Fewer threads than requested give the same results, so a limit of the system is no error.
        let spawn = || Builder::new().spawn_scoped(scope, || shared.worker());
        while workers < threads && spawn().is_ok() {
            workers += 1;
        }
        shared.worker();
    });
    work.add_times(&WorkTimes {
        threads: workers,
        elapsed: start.elapsed(),
        ..WorkTimes::default()
    });
    let result = match into_inner(shared.window).stop {
        None => Ok(()),
        Some(stop) => Err(stop),
    };
    (into_inner(shared.reader), result)
}

struct Shared<'a, W: BatchWorker, E, F> {
    reader: Mutex<Reader>,
    hand_on: Mutex<&'a mut F>,
    window: Mutex<OrderedBatches<W::BatchResult, E>>,
    moved: Condvar,
    /// Notified, with the lock of the reader, when files of a folder were read.
    given: Condvar,
    work: &'a W,
    threads: usize,
    most_batches: usize,
    most_bytes: usize,
}

/// The batches between reader and `hand_on`.
struct OrderedBatches<T, E> {
    next: u64,
    ready: BTreeMap<u64, (T, usize)>,
    spare: Vec<T>,
    batches: usize,
    bytes: usize,
    handing_on: bool,
    stop: Option<StopReason<E>>,
}

impl<W, E, F> Shared<'_, W, E, F>
where
    W: BatchWorker,
    F: FnMut(&mut W::BatchResult) -> Result<(), E>,
{
    /// Runs a worker. A panic outside the handling of a message must not block the other workers.
    fn worker(&self) {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            if let Err(stop) = self.work_until_end() {
                self.stop(stop);
            }
        }));
        if outcome.is_err() {
            self.stop(StopReason::Work(io::Error::other("internal fault")));
        }
    }

    fn work_until_end(&self) -> Result<(), StopReason<E>> {
        let mut clock = PhaseClock::start();
        let ended = self.work_by(&mut clock);
        clock.end(Phase::Waiting);
        self.work.add_times(&clock.times);
        ended
    }

    fn work_by(&self, clock: &mut PhaseClock) -> Result<(), StopReason<E>> {
        let mut worker_state = self.work.worker_state().map_err(StopReason::Work)?;
        let mut feed = NumberedBatch::default();
        clock.end(Phase::Processing);
        while let Some(mut done) = self.enter() {
            if self.work.is_interrupted() {
                return Err(StopReason::Interrupted);
            }
            if !self.read(&mut feed, clock)? {
                self.leave(done);
                break;
            }
            let size = feed.batch.bytes.len();
            self.work
                .work(&mut worker_state, &mut feed, &mut done)
                .map_err(StopReason::Work)?;
            feed.free_large();
            clock.end(Phase::Processing);
            self.deliver(feed.number, done, size, clock)?;
        }
        Ok(())
    }

    /// Waits for space in the window. Returns None if the pool was stopped.
    fn enter(&self) -> Option<W::BatchResult> {
        let mut window = lock(&self.window);
        loop {
            if window.stop.is_some() {
                return None;
            }
            // The worker with the next batch in order never waits here, so the window always moves.
            if window.batches == 0
                || (window.batches < self.most_batches && window.bytes < self.most_bytes)
            {
                window.batches += 1;
                return Some(window.spare.pop().unwrap_or_default());
            }
            window = self
                .moved
                .wait(window)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Frees the reserved space at the end of the archive.
    fn leave(&self, done: W::BatchResult) {
        let mut window = lock(&self.window);
        window.batches -= 1;
        window.spare.push(done);
        drop(window);
        self.moved.notify_all();
    }

    /// Reads the next batch, after waiting for large messages before it. Returns false at the end.
    fn read(
        &self,
        feed: &mut NumberedBatch,
        clock: &mut PhaseClock,
    ) -> Result<bool, StopReason<E>> {
        let mut reader = lock(&self.reader);
        // One worker would only copy what it reads.
        if self.threads > 1 {
            reader = self.read_files(reader, clock);
        }
        let mut window = lock(&self.window);
        // All batches in the window were read before, so other workers finish them.
        while window.bytes >= self.most_bytes.max(IN_WORK) && window.stop.is_none() {
            window = self
                .moved
                .wait(window)
                .unwrap_or_else(PoisonError::into_inner);
        }
        drop(window);
        clock.end(Phase::Waiting);
        let more = reader.next(feed);
        clock.end(Phase::Reading);
        let more = more.map_err(StopReason::Read)?;
        lock(&self.window).bytes += if more { feed.batch.bytes.len() } else { 0 };
        Ok(more)
    }

    /// Opens and reads files of a folder, without the lock of the reader, until the next batch needs no other.
    fn read_files<'g>(
        &'g self,
        mut reader: MutexGuard<'g, Reader>,
        clock: &mut PhaseClock,
    ) -> MutexGuard<'g, Reader> {
        loop {
            match reader.files_ahead(self.threads) {
                FilesAhead::Enough => return reader,
                FilesAhead::Unread(files) => {
                    let hashes = reader.hashes_files();
                    drop(reader);
                    clock.end(Phase::Waiting);
                    let files = files.read(hashes);
                    clock.end(Phase::ReadingFiles);
                    reader = lock(&self.reader);
                    reader.give(files);
                    self.given.notify_all();
                }
                FilesAhead::Waiting => {
                    // A worker that failed gives nothing back.
                    if lock(&self.window).stop.is_some() {
                        return reader;
                    }
                    reader = self
                        .given
                        .wait(reader)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// Puts a result into the window, and hands on finished results unless another worker is doing so.
    fn deliver(
        &self,
        number: u64,
        done: W::BatchResult,
        size: usize,
        clock: &mut PhaseClock,
    ) -> Result<(), StopReason<E>> {
        let mut window = lock(&self.window);
        window.ready.insert(number, (done, size));
        if window.handing_on {
            return Ok(());
        }
        window.handing_on = true;
        loop {
            if self.work.is_interrupted() {
                return Err(StopReason::Interrupted);
            }
            let turn = window.next;
            let Some((mut done, size)) = window.ready.remove(&turn) else {
                break;
            };
            drop(window);
            let mut hand_on = lock(&self.hand_on);
            clock.end(Phase::Waiting);
            let handed = hand_on(&mut done);
            clock.end(Phase::Writing);
            drop(hand_on);
            handed.map_err(StopReason::HandOn)?;
            window = lock(&self.window);
            window.next += 1;
            window.batches -= 1;
            window.bytes -= size;
            window.spare.push(done);
            self.moved.notify_all();
        }
        window.handing_on = false;
        Ok(())
    }

    fn stop(&self, stop: StopReason<E>) {
        lock(&self.window).stop.get_or_insert(stop);
        self.moved.notify_all();
        // A worker that found no `stop` waits as soon as the lock is free.
        drop(lock(&self.reader));
        self.given.notify_all();
    }
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
