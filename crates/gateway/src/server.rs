//! The frame of a daemon: listens, gives each connection a thread or a place among those that are served by turns, ends in order.
//! What is spoken on a connection is its service's.
//!
//! # Limits
//! A thread for each connection that has one: good for some thousand. Messages at work are as many as there are processors, for all servers
//! that share [`Resources`](crate::Resources), and as many short ones for each server.

use crate::address::{Address, Listener, Socket, Stream};
use crate::engine::Engine;
use crate::event::{Notice, Record};
use crate::fault::Fault;
use crate::limits::Limits;
use crate::resources::Bounds;
use crate::semaphore::Turns;
use crate::spool::Budget;
use acceptor::{Bell, Door};
pub(crate) use admission::Standing;
use admission::tell_of;
use pool::Pool;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Threads beyond the limit of connections, for those that hear that there are too many; more wait unaccepted.
const REFUSED: usize = 64;
/// Bytes of a connection's stack.
const STACK: usize = 512 << 10;
/// How long a failed `accept` is waited out.
const AFTER_FAILURE: Duration = Duration::from_millis(50);
/// How often a server that stops looks whether its connections have ended.
const DRAINING: Duration = Duration::from_millis(10);
/// The longest time between two beats.
const BEAT: Duration = Duration::from_millis(250);
/// A thread that many wait for, and that is at work for so long without a step, stands still.
const STILL: Duration = Duration::from_secs(10);
/// How long connections that were ended may take to be over.
const ENDING: Duration = Duration::from_secs(5);

/// What is spoken on the connections of a server.
pub(crate) trait Service: Send {
    /// Takes a connection up. Where there are as many as there may be, `full`, the client is to hear so: in a thread of its own, or here
    /// by a word that fits into every socket's buffer, and there is no work.
    ///
    /// # Errors
    /// The system has no means for it.
    fn take_up(
        &self,
        number: u64,
        stream: Stream,
        full: bool,
        shared: &Arc<Shared>,
    ) -> io::Result<Option<Work>>;
}

/// A connection that was taken up.
pub(crate) struct Work {
    pub(crate) live: Arc<dyn Live>,
    pub(crate) run: Run,
}

/// How the work on a connection is done.
pub(crate) enum Run {
    /// In a thread of its own.
    Thread(Box<dyn FnOnce() + Send>),
    /// By turns with others.
    Turns(Box<dyn Served>),
}

/// A connection that can be served by turns. Nothing that is done here may wait for the other side.
pub(crate) trait Served: Send {
    /// What is waited for.
    fn stream(&self) -> &Stream;

    /// Goes on: there is something to be read, or room for what is to be written.
    fn serve(&mut self) -> Next;

    /// Whether the other side has been silent for too long. Asked from time to time: who is silent for less can give memory back.
    fn is_late(&mut self) -> bool;

    /// Ends: the other side has been silent for too long, or the system has no means to go on.
    fn give_up(&mut self, why: io::Error);

    /// Goes on to the end, in a thread of its own.
    fn run(self: Box<Self>);
}

/// What a connection waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Words of the other side.
    Read,
    /// That the other side takes what is said.
    Write,
    /// Work that takes long: a thread of its own.
    Thread,
    /// It is over.
    End,
}

/// What others see of a connection.
pub(crate) trait Live: Send + Sync {
    /// Ends the connection, where no message is on it.
    fn end_idle(&self);

    /// Ends the connection, whatever it waits for.
    fn end(&self);

    /// What is known of it by those who choose which connection to close for another one; none where it is never closed.
    fn standing(&self) -> Option<&Standing> {
        None
    }

    /// Returns true if the connection's thread ends soon after [`Live::dismiss`].
    fn can_be_dismissed(&self) -> bool {
        true
    }

    /// Ends the connection for another one. Returns false, and leaves it open, if its thread cannot end soon.
    fn dismiss(&self) -> bool {
        self.end();
        true
    }

    /// A look at it, several times a second.
    fn pulse(&self, _: &Shared) {}
}

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) limits: Limits,
    pub(crate) budget: Arc<Budget>,
    pub(crate) turns: Arc<Turns>,
    engine: RwLock<Arc<Engine>>,
    tell: Box<dyn Fn(&Notice<'_>) + Send + Sync>,
    stopping: AtomicBool,
    /// Counts on while the threads of the server get their time, and none of those that many wait for stands still.
    beats: AtomicU64,
    hands: Mutex<Vec<Arc<Hand>>>,
    live: Mutex<BTreeMap<u64, Arc<dyn Live>>>,
}

impl Shared {
    pub(crate) fn new(
        engine: Engine,
        bounds: Bounds,
        tell: Box<dyn Fn(&Notice<'_>) + Send + Sync>,
    ) -> Self {
        let Bounds { limits, resources } = bounds;
        Self {
            budget: resources.budget,
            limits,
            turns: resources.turns,
            engine: RwLock::new(Arc::new(engine)),
            tell,
            stopping: AtomicBool::new(false),
            beats: AtomicU64::new(0),
            hands: Mutex::default(),
            live: Mutex::default(),
        }
    }

    /// Tells, and has it written.
    pub(crate) fn tell(&self, notice: &Notice<'_>) {
        (self.tell)(notice);
        self.pause();
    }

    /// Tells of a message; [`Shared::pause`] must follow before whoever does so waits.
    pub(crate) fn tell_with_others(&self, record: &Record) {
        (self.tell)(&Notice::Message(record));
    }

    /// Has everything written that was told.
    pub(crate) fn pause(&self) {
        (self.tell)(&Notice::Pause);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// What messages are judged by from now on.
    pub(crate) fn engine(&self) -> Arc<Engine> {
        self.engine
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// A thread from now on that many wait for.
    fn hand(&self) -> Arc<Hand> {
        let hand = Arc::<Hand>::default();
        self.hands
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(hand.clone());
        hand
    }

    fn hands(&self) -> Vec<Arc<Hand>> {
        self.hands
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn live(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<dyn Live>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is seen of a thread that many wait for: the one that accepts, and those that serve by turns.
#[derive(Debug, Default)]
struct Hand {
    steps: AtomicU64,
    at_work: AtomicBool,
}

impl Hand {
    /// It does something, and has done what it did before.
    fn step(&self) {
        self.at_work.store(true, Ordering::Relaxed);
        self.steps.fetch_add(1, Ordering::Relaxed);
    }

    /// It waits for others, or has ended.
    fn rest(&self) {
        self.at_work.store(false, Ordering::Relaxed);
    }
}

/// What was seen of hands, each with its steps and since when it has made none.
#[derive(Debug, Default)]
struct Watch(Vec<(u64, Instant)>);

impl Watch {
    /// Looks at all hands, which only become more; whether each of them moves.
    fn all_move(&mut self, hands: &[Arc<Hand>], now: Instant, still: Duration) -> bool {
        self.0.resize(hands.len(), (u64::MAX, now));
        let mut all = true;
        for (hand, seen) in hands.iter().zip(&mut self.0) {
            let steps = hand.steps.load(Ordering::Relaxed);
            if steps != seen.0 || !hand.at_work.load(Ordering::Relaxed) {
                *seen = (steps, now);
            }
            all &= now.duration_since(seen.1) < still;
        }
        all
    }
}

/// A filter or a proxy that listens: [`Server::milter`], [`Server::proxy`].
pub struct Server {
    door: Door,
    bell: Bell,
    service: Box<dyn Service>,
    shared: Arc<Shared>,
    /// How long new connections may wait for idle ones, as of a time.
    waits: Cell<(Duration, Instant)>,
}

/// Ends a server from another thread, or has it judge otherwise.
#[derive(Clone)]
pub struct Stop {
    bell: Bell,
    shared: Arc<Shared>,
}

impl Stop {
    /// Judges by another engine from the next message on.
    pub fn change(&self, engine: Engine) {
        *self
            .shared
            .engine
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Arc::new(engine);
    }

    /// Connections of clients that are open.
    pub fn connections(&self) -> usize {
        self.shared.live().len()
    }

    /// Bytes of messages in temporary files, of all servers that share them.
    pub fn spool_bytes(&self) -> u64 {
        self.shared.budget.used()
    }

    /// A number that grows several times a second while the server is alive: while it accepts, and none of the threads that serve by turns
    /// stands still for ten seconds.
    pub fn beats(&self) -> u64 {
        self.shared.beats.load(Ordering::Relaxed)
    }

    /// No connection is accepted any more; messages that have begun may end.
    pub fn stop(&self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        self.bell.ring();
    }
}

impl Server {
    /// Listens; what happens is told to `tell`.
    ///
    /// # Errors
    /// The address cannot be taken, or the socket not be used.
    pub(crate) fn listen(
        socket: Socket,
        service: Box<dyn Service>,
        engine: Engine,
        bounds: Bounds,
        tell: impl Fn(&Notice<'_>) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let limits = &bounds.limits;
        if let Some(why) = limits.refusal(&socket.address()?, None) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        let listener = match socket {
            Socket::New(address) => {
                Listener::bind(&address, limits.socket_mode, limits.socket_group)?
            }
            Socket::Given(socket) => Listener::inherit(socket)?,
        };
        if let Address::Tcp(place) = listener.address()?
            && let Ok(address) = place.parse()
        {
            limits.check_local(address, false)?;
        }
        let (door, bell) = Door::new(listener)?;
        let shared = Arc::new(Shared::new(engine, bounds, Box::new(tell)));
        Ok(Self {
            door,
            bell,
            service,
            shared,
            waits: admission::waits(),
        })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// The system does not tell.
    pub fn address(&self) -> io::Result<Address> {
        self.door.listener().address()
    }

    /// Whether who connects to this address comes to this server.
    pub(crate) fn is_at(&self, address: &Address) -> bool {
        self.door.listener().is_at(address)
    }

    /// What ends it.
    pub fn stopper(&self) -> Stop {
        Stop {
            bell: self.bell.clone(),
            shared: self.shared.clone(),
        }
    }

    /// Serves until it is stopped and the messages that have begun have ended. Where threads do not end even some seconds after their
    /// connections were closed, that is told, and they are left to the end of the program.
    ///
    /// # Errors
    /// The thread that looks at the connections cannot be made.
    pub fn run(mut self) -> io::Result<()> {
        let beat = self.beat()?;
        let mut number = 0;
        let mut pool = None;
        let hand = self.shared.hand();
        while !self.shared.is_stopping() {
            hand.step();
            if self.shared.live().len() >= self.shared.limits.connections + REFUSED
                && !self.close_one()
            {
                thread::sleep(AFTER_FAILURE);
                continue;
            }
            hand.rest();
            let next = self.door.next();
            hand.step();
            let taken = match next {
                Ok(None) => continue,
                Ok(Some(stream)) => {
                    number += 1;
                    self.take(number, stream, &mut pool)
                }
                Err(error) => Err(error),
            };
            if let Err(error) = taken {
                let fault = Fault::Accept(error);
                self.shared.tell(&Notice::Fault {
                    connection: number,
                    peer: "",
                    fault: &fault,
                });
                thread::sleep(AFTER_FAILURE);
            }
        }
        hand.rest();
        if !self.drain(ENDING) {
            if let Some(pool) = pool {
                pool.leave();
            }
            return Ok(());
        }
        drop(pool);
        // It may be between two looks.
        beat.thread().unpark();
        // Its panic has been told where it happened.
        let _ = beat.join();
        Ok(())
    }

    /// Has a client served.
    fn take(&self, number: u64, stream: Stream, pool: &mut Option<Pool>) -> io::Result<()> {
        // A client that is gone by now has no address any more.
        let Ok(client) = stream.client() else {
            return Ok(());
        };
        if !self.shared.limits.admits(client) {
            tell_of(&self.shared, number, client, &Fault::ClientNetwork);
            return Ok(());
        }
        let full = !self.has_room(client);
        if full {
            tell_of(&self.shared, number, client, &Fault::Connections);
        }
        let Some(Work { live, run }) = self.service.take_up(number, stream, full, &self.shared)?
        else {
            return Ok(());
        };
        let known = Known::new(&self.shared, number, live);
        let served = match run {
            Run::Thread(run) => return spawn(known, run),
            Run::Turns(served) => served,
        };
        if pool.is_none() {
            // Without it each connection has its thread.
            *pool = Pool::start(&self.shared).ok();
        }
        let refused = match pool {
            Some(pool) => pool.take(known, served).err(),
            None => Some((known, served)),
        };
        refused.map_or(Ok(()), |(known, served)| in_thread(known, served))
    }

    /// A thread that looks at all connections again and again.
    fn beat(&self) -> io::Result<JoinHandle<()>> {
        let shared = self.shared.clone();
        let step = (shared.limits.progress / 4).min(BEAT);
        thread::Builder::new().stack_size(STACK).spawn(move || {
            let mut watch = Watch::default();
            // Messages that have begun when the server stops may be slow too.
            while !shared.is_stopping() || !shared.live().is_empty() {
                thread::park_timeout(step);
                if watch.all_move(&shared.hands(), Instant::now(), STILL) {
                    shared.beats.fetch_add(1, Ordering::Relaxed);
                }
                let live: Vec<_> = shared.live().values().cloned().collect();
                for live in live {
                    live.pulse(&shared);
                }
            }
        })
    }

    /// Ends idle connections at once, the others when their message has ended or too much time has gone by; false where some of them are
    /// not over so long after that, which is told.
    fn drain(&self, ending: Duration) -> bool {
        let start = Instant::now();
        loop {
            let late = start.elapsed() >= self.shared.limits.drain;
            let live = self.shared.live();
            if live.is_empty() {
                return true;
            }
            if start.elapsed() >= self.shared.limits.drain.saturating_add(ending) {
                let fault = Fault::Stuck(live.len());
                drop(live);
                self.shared.tell(&Notice::Fault {
                    connection: 0,
                    peer: "",
                    fault: &fault,
                });
                return false;
            }
            for live in live.values() {
                if late { live.end() } else { live.end_idle() }
            }
            drop(live);
            thread::sleep(DRAINING);
        }
    }
}

/// A connection that others see: they do no longer, and its streams are closed, when this is dropped.
struct Known {
    number: u64,
    shared: Arc<Shared>,
}

impl Known {
    fn new(shared: &Arc<Shared>, number: u64, live: Arc<dyn Live>) -> Self {
        shared.live().insert(number, live);
        Self {
            number,
            shared: shared.clone(),
        }
    }

    /// Tells of a fault, and of nothing where that itself is at fault.
    fn fault(&self, fault: &Fault) {
        let notice = Notice::Fault {
            connection: self.number,
            peer: "",
            fault,
        };
        let _ = catch_unwind(AssertUnwindSafe(|| self.shared.tell(&notice)));
    }
}

impl Drop for Known {
    fn drop(&mut self) {
        let live = self.shared.live().remove(&self.number);
        if let Some(live) = live {
            live.end();
        }
    }
}

/// Gives a connection a thread.
fn spawn(known: Known, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let run = move || {
        if catch_unwind(AssertUnwindSafe(run)).is_err() {
            // Its streams are closed by now: the client keeps its message.
            known.fault(&Fault::Panic);
        }
    };
    thread::Builder::new()
        .stack_size(STACK)
        .spawn(run)
        .map(drop)
}

/// Gives a connection that can be served by turns a thread of its own; where there is none to be had, it ends, and tells of its message.
fn in_thread(known: Known, served: Box<dyn Served>) -> io::Result<()> {
    let place = Arc::new(Mutex::new(Some(served)));
    let taken =
        |place: &Mutex<Option<_>>| place.lock().unwrap_or_else(PoisonError::into_inner).take();
    let twin = place.clone();
    let run = move || {
        if let Some(served) = taken(&twin) {
            served.run();
        }
    };
    spawn(known, run).inspect_err(|error| {
        if let Some(mut served) = taken(&place) {
            served.give_up(error.kind().into());
        }
    })
}

mod acceptor;
mod admission;

#[cfg(target_os = "linux")]
mod pool;

/// Elsewhere each connection has a thread.
#[cfg(not(target_os = "linux"))]
mod pool {
    use super::{Arc, Known, Served, Shared, io};

    pub(super) enum Pool {}

    impl Pool {
        pub(super) fn start(_: &Arc<Shared>) -> io::Result<Self> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub(super) fn leave(self) {}

        pub(super) fn take(
            &mut self,
            known: Known,
            served: Box<dyn Served>,
        ) -> Result<(), (Known, Box<dyn Served>)> {
            Err((known, served))
        }
    }
}

#[cfg(test)]
mod tests;

#[cfg(all(test, target_os = "linux"))]
mod pool_tests;
