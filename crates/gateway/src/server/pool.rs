//! A pool of threads, one for each processor, that polls many connections with epoll.
//!
//! A thread for each connection costs a context switch for each message. A thread of the pool needs none while input is waiting. It sends its
//! output when it has processed all input that had come, on all connections together. The reason is that waking another processor costs as much
//! as a short message. It writes the log lines of these messages together, right behind.
//!
//! # Limits
//! Linux only; elsewhere each connection has its thread. A connection stays with its worker, however busy that is.

use super::heartbeat::Heartbeat;
use super::shared::{
    AFTER_FAILURE, Next, PooledConnection, Registration, STACK, Shared, WATCH_INTERVAL, in_thread,
};
use crate::fault::Fault;
use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::event::{EventfdFlags, Timespec, eventfd};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use std::collections::HashMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Epoll data of a worker's signal; connections are numbered from 1.
const SIGNAL: u64 = 0;
/// Events that one poll returns at most.
const AT_ONCE: usize = 64;
/// Longest delay of output, so that output of several connections goes together.
const TOGETHER: Duration = Duration::from_micros(500);
/// A worker that has not polled for so long gets no new connections.
pub(super) const BUSY: Duration = Duration::from_millis(100);

/// The threads of the pool.
pub(super) struct Pool {
    workers: Vec<Arc<Worker>>,
    threads: Vec<JoinHandle<()>>,
    given: usize,
}

struct Worker {
    epoll: OwnedFd,
    /// Wakes the thread (eventfd(2)).
    signal: OwnedFd,
    /// No connection is added any more.
    closed: AtomicBool,
    /// Numbers of connections that a waker wants to continue.
    woken: Mutex<Vec<u64>>,
    /// The thread ended by a panic.
    dead: AtomicBool,
    /// Added connections that the thread has not taken yet.
    given: Mutex<Vec<PooledEntry>>,
    start: Instant,
    /// Milliseconds from `start` to the begin of its current round, plus 1; 0 while it polls.
    since: AtomicU64,
    /// Its signs of life for the watchdog.
    heartbeat: Arc<Heartbeat>,
}

impl Pool {
    /// Starts a thread for each processor.
    pub(super) fn start(shared: &Arc<Shared>) -> io::Result<Self> {
        let mut pool = Self {
            workers: Vec::new(),
            threads: Vec::new(),
            given: 0,
        };
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            let worker = Arc::new(Worker::new(shared.heartbeat())?);
            let (twin, shared) = (worker.clone(), shared.clone());
            let work = move || {
                if catch_unwind(AssertUnwindSafe(|| twin.work(&shared))).is_err() {
                    // Its connections are closed, also those that it had not taken yet. It gets no more.
                    twin.dead.store(true, Ordering::SeqCst);
                    twin.given().clear();
                    twin.heartbeat.set_idle();
                    shared.flush();
                }
            };
            let thread = thread::Builder::new().stack_size(STACK).spawn(work)?;
            pool.workers.push(worker);
            pool.threads.push(thread);
        }
        Ok(pool)
    }

    /// Adds a connection. Returns it if all workers are busy or epoll fails.
    pub(super) fn take(
        &mut self,
        registration: Registration,
        mut served: Box<dyn PooledConnection>,
    ) -> Result<(), (Registration, Box<dyn PooledConnection>)> {
        self.given += 1;
        let count = self.workers.len();
        let mut workers = (0..count).map(|n| &self.workers[(self.given + n) % count]);
        let Some(worker) = workers.find(|worker| !worker.is_busy()) else {
            return Err((registration, served));
        };
        let (twin, number) = (worker.clone(), registration.number);
        served.set_waker(Arc::new(move || twin.wake(number)));
        // The thread may see an event before the connection is in `given`. Epoll is level-triggered, so it sees the event again.
        match epoll::add(
            &worker.epoll,
            served.stream(),
            EventData::new_u64(registration.number),
            EventFlags::IN,
        ) {
            Ok(()) => {
                worker.given().push(PooledEntry {
                    served,
                    interest: Interest::Words,
                    registration,
                });
                if worker.dead.load(Ordering::SeqCst) {
                    // The worker died just now.
                    worker.given().clear();
                }
                Ok(())
            }
            Err(_) => Err((registration, served)),
        }
    }
}

impl Pool {
    /// Drops the pool without a wait: the threads end when their connections do.
    pub(super) fn leave(mut self) {
        self.threads.clear();
    }
}

impl Drop for Pool {
    /// Waits until all connections have ended.
    fn drop(&mut self) {
        for worker in &self.workers {
            worker.closed.store(true, Ordering::SeqCst);
            worker.send_signal();
        }
        for thread in self.threads.drain(..) {
            // The panic hook has reported a panic.
            let _ = thread.join();
        }
    }
}

/// A connection of the pool.
struct PooledEntry {
    served: Box<dyn PooledConnection>,
    interest: Interest,
    registration: Registration,
}

/// What a connection waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interest {
    /// Input.
    Words,
    /// Its turn to send its output, together with others.
    ToSay,
    /// Room in the socket for the rest of its output.
    Room,
    /// A record of it becoming durable.
    Commit,
    /// The same, without epoll, because its peer sends on or has closed.
    CommitUnpolled,
}

/// The connections of a worker by number.
type All = HashMap<u64, PooledEntry>;

impl Worker {
    fn new(heartbeat: Arc<Heartbeat>) -> io::Result<Self> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let signal = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        epoll::add(&epoll, &signal, EventData::new_u64(SIGNAL), EventFlags::IN)?;
        let (closed, dead) = (AtomicBool::new(false), AtomicBool::new(false));
        let (woken, given) = (Mutex::default(), Mutex::default());
        let (start, since) = (Instant::now(), AtomicU64::new(0));
        Ok(Self {
            epoll,
            signal,
            closed,
            woken,
            dead,
            given,
            start,
            since,
            heartbeat,
        })
    }

    /// Makes the thread continue a connection.
    fn wake(&self, number: u64) {
        let mut woken = self.woken();
        woken.push(number);
        let is_first = woken.len() == 1;
        drop(woken);
        if is_first {
            self.send_signal();
        }
    }

    fn send_signal(&self) {
        // If it fails, the thread continues after its next poll.
        let _ = rustix::io::write(&self.signal, &1_u64.to_ne_bytes());
    }

    fn woken(&self) -> MutexGuard<'_, Vec<u64>> {
        self.woken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn given(&self) -> MutexGuard<'_, Vec<PooledEntry>> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the milliseconds since `start`, plus 1.
    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis())
            .unwrap_or(u64::MAX)
            .saturating_add(1)
    }

    fn is_busy(&self) -> bool {
        if self.dead.load(Ordering::SeqCst) {
            return true;
        }
        let since = self.since.load(Ordering::SeqCst);
        since > 0 && u128::from(self.now().saturating_sub(since)) >= BUSY.as_millis()
    }

    /// Runs until the pool is closed and all connections have ended.
    fn work(&self, shared: &Arc<Shared>) {
        let step = step(shared);
        let time = Timespec {
            tv_sec: 0,
            tv_nsec: step.subsec_nanos().into(),
        };
        let mut all = All::new();
        let mut events = Vec::with_capacity(AT_ONCE);
        let mut due = Vec::with_capacity(AT_ONCE);
        let mut looked = Instant::now();
        loop {
            events.clear();
            match epoll::wait(&self.epoll, spare_capacity(&mut events), Some(&time)) {
                Ok(_) | Err(Errno::INTR) => (),
                // Epoll fails only without memory.
                Err(_) => thread::sleep(AFTER_FAILURE),
            }
            self.since.store(self.now(), Ordering::SeqCst);
            self.heartbeat.beat();
            let mut began = Instant::now();
            for event in &events {
                let number = event.data.u64();
                if number == SIGNAL {
                    // `closed` and `woken` are checked below.
                    let _ = rustix::io::read(&self.signal, &mut [0; 8]);
                    continue;
                }
                if !all.contains_key(&number) {
                    self.take_given(&mut all);
                }
                if self.serve_polled(number, &mut all) {
                    due.push(number);
                }
                if !due.is_empty() && began.elapsed() >= TOGETHER {
                    self.send(&mut due, &mut all, shared);
                    began = Instant::now();
                }
            }
            for number in std::mem::take(&mut *self.woken()) {
                if self.serve_woken(number, &mut all) {
                    due.push(number);
                }
            }
            self.send(&mut due, &mut all, shared);
            if looked.elapsed() >= step || self.closed.load(Ordering::SeqCst) {
                self.take_given(&mut all);
                self.end_late(&mut due, &mut all, shared);
                looked = Instant::now();
                if self.closed.load(Ordering::SeqCst) && all.is_empty() {
                    self.heartbeat.set_idle();
                    return;
                }
            }
            self.since.store(0, Ordering::SeqCst);
            self.heartbeat.set_idle();
        }
    }

    fn take_given(&self, all: &mut All) {
        let given = std::mem::take(&mut *self.given());
        all.extend(
            given
                .into_iter()
                .map(|entry| (entry.registration.number, entry)),
        );
    }

    /// Sends the delayed output of connections, then writes the log lines of their messages.
    fn send(&self, due: &mut Vec<u64>, all: &mut All, shared: &Shared) {
        for number in due.drain(..) {
            // What the socket does not take waits for room.
            self.serve(number, all);
        }
        shared.flush();
    }

    /// Continues a connection whose stream has an event. Returns true if its output may wait for that of others.
    fn serve_polled(&self, number: u64, all: &mut All) -> bool {
        match all.get_mut(&number) {
            Some(entry) if entry.interest == Interest::Commit => {
                // The peer is not read before. Epoll would report it again and again.
                entry.interest = Interest::CommitUnpolled;
                let _ = epoll::delete(&self.epoll, entry.served.stream());
                false
            }
            _ => self.serve(number, all),
        }
    }

    /// Continues a connection whose waker was called. Returns true if its output may wait for that of others.
    fn serve_woken(&self, number: u64, all: &mut All) -> bool {
        let Some(entry) = all.get_mut(&number) else {
            return false;
        };
        let unpolled = entry.interest == Interest::CommitUnpolled;
        if unpolled || entry.interest == Interest::Commit {
            entry.interest = Interest::Words;
        }
        let is_due = self.serve(number, all);
        let Some(entry) = all.get(&number).filter(|_| unpolled) else {
            return is_due;
        };
        let data = EventData::new_u64(number);
        if epoll::add(&self.epoll, entry.served.stream(), data, EventFlags::IN).is_err()
            && let Some(entry) = self.leave(number, all)
        {
            // If no thread can be started, it reports its message.
            let _ = in_thread(entry.registration, entry.served);
        }
        is_due
    }

    /// Continues a connection. Returns true if its output may wait for that of others.
    fn serve(&self, number: u64, all: &mut All) -> bool {
        self.heartbeat.beat();
        let Some(entry) = all.get_mut(&number) else {
            return false;
        };
        let next = catch_unwind(AssertUnwindSafe(|| entry.served.serve()));
        let thread = match next {
            Ok(Next::Write) if entry.interest == Interest::Words => {
                entry.interest = Interest::ToSay;
                return true;
            }
            Ok(Next::Read) if entry.interest != Interest::Room => {
                entry.interest = Interest::Words;
                return false;
            }
            Ok(Next::Write) if entry.interest == Interest::Room => return false,
            Ok(Next::Commit) => {
                if entry.interest == Interest::Room {
                    // Epoll would report the room.
                    let _ = epoll::delete(&self.epoll, entry.served.stream());
                    entry.interest = Interest::CommitUnpolled;
                } else if entry.interest != Interest::CommitUnpolled {
                    entry.interest = Interest::Commit;
                }
                return false;
            }
            Ok(next @ (Next::Read | Next::Write)) => {
                let (interest, flags) = match next {
                    Next::Read => (Interest::Words, EventFlags::IN),
                    _ => (Interest::Room, EventFlags::OUT),
                };
                entry.interest = interest;
                let data = EventData::new_u64(number);
                if epoll::modify(&self.epoll, entry.served.stream(), data, flags).is_ok() {
                    return false;
                }
                true
            }
            Ok(Next::Thread) => true,
            Ok(Next::End) => false,
            Err(_) => {
                // Its streams are closed at once, so the client keeps its message.
                if let Some(entry) = self.leave(number, all) {
                    entry.registration.fault(&Fault::Panic);
                }
                false
            }
        };
        let Some(PooledEntry {
            served,
            registration,
            ..
        }) = self.leave(number, all)
        else {
            return false;
        };
        if thread {
            // If no thread can be started, it reports its message.
            let _ = in_thread(registration, served);
        }
        false
    }

    /// Removes a connection.
    fn leave(&self, number: u64, all: &mut All) -> Option<PooledEntry> {
        let entry = all.remove(&number)?;
        // Other threads hold its stream, too, so it would stay in epoll.
        let _ = epoll::delete(&self.epoll, entry.served.stream());
        Some(entry)
    }

    /// Closes connections whose peer was silent for too long. Reads or writes once more before that: this thread may have been busy while input came or room
    /// became free.
    fn end_late(&self, due: &mut Vec<u64>, all: &mut All, shared: &Shared) {
        let is_late =
            |entry: &mut PooledEntry| catch_unwind(AssertUnwindSafe(|| entry.served.is_late()));
        let late = |(number, entry): (&u64, &mut PooledEntry)| {
            (!matches!(is_late(entry), Ok(false))).then_some(*number)
        };
        let late: Vec<u64> = all.iter_mut().filter_map(late).collect();
        for &number in &late {
            if self.serve(number, all) {
                due.push(number);
            }
        }
        self.send(due, all, shared);
        for number in late {
            let stays = |entry: &mut PooledEntry| matches!(is_late(entry), Ok(false));
            if all.get_mut(&number).is_none_or(stays) {
                continue;
            }
            if let Some(mut entry) = self.leave(number, all) {
                let end = || entry.served.give_up(io::ErrorKind::TimedOut.into());
                if catch_unwind(AssertUnwindSafe(end)).is_err() {
                    entry.registration.fault(&Fault::Panic);
                }
            }
        }
    }
}

/// Returns the time between two checks for silent peers.
fn step(shared: &Shared) -> Duration {
    let limits = &shared.limits;
    let shortest = limits.idle.min(limits.negotiation).min(limits.stall);
    (shortest / 4).clamp(Duration::from_millis(1), WATCH_INTERVAL)
}
