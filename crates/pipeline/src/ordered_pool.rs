//! The loop: batches are read in order, worked on by any thread, and handed on in order.
//!
//! Every worker does all three steps, so that no thread waits for work of a kind: it takes the next batch under the
//! reader's lock, works on it without a lock, puts the result into a window, and, when it holds the batch whose turn
//! it is, hands on all that is ready. With one worker everything runs on the calling thread.
//!
//! # Limits
//!
//! One archive is read by one thread at a time; many small archives are worked on one after the other.

use crate::reader::{NumberedBatch, Reader};
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Batches read and not yet handed on, per worker.
const WINDOW: usize = 4;
/// Bytes of them, per worker: a batch can be much larger than planned, when it holds a large message.
const WINDOW_BYTES: usize = 5 << 20;

/// Processes batches on the worker threads.
pub(crate) trait BatchWorker: Sync {
    /// The state that a worker keeps between batches.
    type WorkerState;
    /// The result of a batch. The pool reuses results.
    type BatchResult: Default + Send;

    /// Returns true if the caller wants to stop. Called before each batch.
    fn is_interrupted(&self) -> bool;
    /// Creates the state of a worker. Called once per worker.
    fn worker_state(&self) -> io::Result<Self::WorkerState>;
    /// Processes one batch. `done` may hold the result of an earlier batch.
    fn work(
        &self,
        worker_state: &mut Self::WorkerState,
        feed: &NumberedBatch,
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
    /// The caller wanted to stop.
    Interrupted,
}

/// Runs `work` over all batches of `reader` on `threads` threads and calls `hand_on` with each result in archive order.
pub(crate) fn run<W, E, F>(
    reader: Reader,
    threads: usize,
    work: &W,
    hand_on: &mut F,
) -> Result<Reader, StopReason<E>>
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
        work,
        most_batches: WINDOW * threads.max(1),
        most_bytes: WINDOW_BYTES * threads.max(1),
    };
    if threads <= 1 {
        shared.worker();
    } else {
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|| shared.worker());
            }
            shared.worker();
        });
    }
    let reader = into_inner(shared.reader);
    match into_inner(shared.window).stop {
        None => Ok(reader),
        Some(stop) => Err(stop),
    }
}

struct Shared<'a, W: BatchWorker, E, F> {
    reader: Mutex<Reader>,
    hand_on: Mutex<&'a mut F>,
    window: Mutex<OrderedBatches<W::BatchResult, E>>,
    moved: Condvar,
    work: &'a W,
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
    /// A panic outside a message's own guard must not leave the other workers waiting.
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
        let mut worker_state = self.work.worker_state().map_err(StopReason::Work)?;
        let mut feed = NumberedBatch::default();
        while let Some(mut done) = self.enter() {
            if self.work.is_interrupted() {
                return Err(StopReason::Interrupted);
            }
            if !self.read(&mut feed)? {
                self.leave(done);
                break;
            }
            let size = feed.batch.bytes.len();
            self.work
                .work(&mut worker_state, &feed, &mut done)
                .map_err(StopReason::Work)?;
            self.deliver(feed.number, done, size)?;
        }
        Ok(())
    }

    /// Waits for room in the window; None when the loop was stopped.
    fn enter(&self) -> Option<W::BatchResult> {
        let mut window = lock(&self.window);
        loop {
            if window.stop.is_some() {
                return None;
            }
            // The worker that holds the batch whose turn it is never waits here, so the window always moves.
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

    /// The room that was taken is not needed: the archive is at its end.
    fn leave(&self, done: W::BatchResult) {
        let mut window = lock(&self.window);
        window.batches -= 1;
        window.spare.push(done);
        drop(window);
        self.moved.notify_all();
    }

    fn read(&self, feed: &mut NumberedBatch) -> Result<bool, StopReason<E>> {
        let more = lock(&self.reader).next(feed).map_err(StopReason::Read)?;
        lock(&self.window).bytes += if more { feed.batch.bytes.len() } else { 0 };
        Ok(more)
    }

    /// Puts a result into the window, and hands on what is ready unless another worker is doing so.
    fn deliver(&self, number: u64, done: W::BatchResult, size: usize) -> Result<(), StopReason<E>> {
        let mut window = lock(&self.window);
        window.ready.insert(number, (done, size));
        if window.handing_on {
            return Ok(());
        }
        window.handing_on = true;
        loop {
            let turn = window.next;
            let Some((mut done, size)) = window.ready.remove(&turn) else {
                break;
            };
            drop(window);
            (lock(&self.hand_on))(&mut done).map_err(StopReason::HandOn)?;
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
    }
}

/// A poisoned lock only says that another worker panicked; that is told by [`Shared::worker`].
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
