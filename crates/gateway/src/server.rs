//! The frame of a daemon: listens, gives each connection a thread or a place among those that are served by turns, ends in order.
//! What is spoken on a connection is its service's.
//!
//! # Limits
//! A thread for each connection that has one: good for some thousand. Messages at work are as many as there are processors, for all servers
//! that share [`Resources`](crate::Resources), and as many short ones for each server.

use crate::address::{Address, Listener, Socket, Stream};
use crate::engine::Engine;
use crate::event::{Record, ServerEvent};
use crate::fault::Fault;
use crate::limits::Limits;
use crate::resources::Bounds;
use crate::semaphore::Semaphore;
use crate::spool::Budget;
use acceptor::{Acceptor, ShutdownSignal};
pub(crate) use admission::Activity;
use admission::report_connection;
use heartbeat::{Heartbeat, Watchdog};
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
const WATCH_INTERVAL: Duration = Duration::from_millis(250);
/// A thread that many wait for, and that is at work for so long without a step, stands still.
const STALL_LIMIT: Duration = Duration::from_secs(10);
/// How long connections that were ended may take to be over.
const ENDING: Duration = Duration::from_secs(5);

/// What is spoken on the connections of a server.
pub(crate) trait Service: Send {
    /// Takes a connection up. Where there are as many as there may be, `full`, the client is to hear so: in a thread of its own, or here
    /// by a word that fits into every socket's buffer, and there is no work.
    ///
    /// # Errors
    /// The system has no means for it.
    fn accept(
        &self,
        number: u64,
        stream: Stream,
        full: bool,
        shared: &Arc<Shared>,
    ) -> io::Result<Option<Accepted>>;
}

/// A connection that was taken up.
pub(crate) struct Accepted {
    pub(crate) handle: Arc<dyn ConnectionHandle>,
    pub(crate) run: Execution,
}

/// How the work on a connection is done.
pub(crate) enum Execution {
    /// In a thread of its own.
    Thread(Box<dyn FnOnce() + Send>),
    /// By turns with others.
    Pool(Box<dyn PooledConnection>),
}

/// A connection that can be served by turns. Nothing that is done here may wait for the other side.
pub(crate) trait PooledConnection: Send {
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
    /// Accepted that takes long: a thread of its own.
    Thread,
    /// It is over.
    End,
}

/// What others see of a connection.
pub(crate) trait ConnectionHandle: Send + Sync {
    /// Ends the connection, where no message is on it.
    fn end_idle(&self);

    /// Ends the connection, whatever it waits for.
    fn end(&self);

    /// What is known of it by those who choose which connection to close for another one; none where it is never closed.
    fn activity(&self) -> Option<&Activity> {
        None
    }

    /// Returns true if the connection's thread ends soon after [`ConnectionHandle::dismiss`].
    fn can_be_dismissed(&self) -> bool {
        true
    }

    /// Ends the connection for another one. Returns false, and leaves it open, if its thread cannot end soon.
    fn dismiss(&self) -> bool {
        self.end();
        true
    }

    /// A look at it, several times a second.
    fn tick(&self, _: &Shared) {}
}

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) limits: Limits,
    pub(crate) budget: Arc<Budget>,
    pub(crate) semaphore: Arc<Semaphore>,
    engine: RwLock<Arc<Engine>>,
    report: Box<dyn Fn(&ServerEvent<'_>) + Send + Sync>,
    stopping: AtomicBool,
    /// Counts on while the threads of the server get their time, and none of those that many wait for stands still.
    beats: AtomicU64,
    heartbeats: Mutex<Vec<Arc<Heartbeat>>>,
    connections: Mutex<BTreeMap<u64, Arc<dyn ConnectionHandle>>>,
}

impl Shared {
    pub(crate) fn new(
        engine: Engine,
        bounds: Bounds,
        report: Box<dyn Fn(&ServerEvent<'_>) + Send + Sync>,
    ) -> Self {
        let Bounds { limits, resources } = bounds;
        Self {
            budget: resources.budget,
            limits,
            semaphore: resources.semaphore,
            engine: RwLock::new(Arc::new(engine)),
            report,
            stopping: AtomicBool::new(false),
            beats: AtomicU64::new(0),
            heartbeats: Mutex::default(),
            connections: Mutex::default(),
        }
    }

    /// Tells, and has it written.
    pub(crate) fn report(&self, event: &ServerEvent<'_>) {
        (self.report)(event);
        self.flush();
    }

    /// Tells of a message; [`Shared::flush`] must follow before whoever does so waits.
    pub(crate) fn report_unflushed(&self, record: &Record) {
        (self.report)(&ServerEvent::Message(record));
    }

    /// Has everything written that was told.
    pub(crate) fn flush(&self) {
        (self.report)(&ServerEvent::Flush);
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
    fn heartbeat(&self) -> Arc<Heartbeat> {
        let heartbeat = Arc::<Heartbeat>::default();
        self.heartbeats
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(heartbeat.clone());
        heartbeat
    }

    fn heartbeats(&self) -> Vec<Arc<Heartbeat>> {
        self.heartbeats
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn connections(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<dyn ConnectionHandle>>> {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A filter or a proxy that listens: [`Server::milter`], [`Server::proxy`].
pub struct Server {
    acceptor: Acceptor,
    shutdown: ShutdownSignal,
    service: Box<dyn Service>,
    shared: Arc<Shared>,
    /// How long new connections may wait for idle ones, as of a time.
    waits: Cell<(Duration, Instant)>,
}

/// Ends a server from another thread, or has it judge otherwise.
#[derive(Clone)]
pub struct Stop {
    shutdown: ShutdownSignal,
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
        self.shared.connections().len()
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
        self.shutdown.send();
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
        report: impl Fn(&ServerEvent<'_>) + Send + Sync + 'static,
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
        let (acceptor, shutdown) = Acceptor::new(listener)?;
        let shared = Arc::new(Shared::new(engine, bounds, Box::new(report)));
        Ok(Self {
            acceptor,
            shutdown,
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
        self.acceptor.listener().address()
    }

    /// Whether who connects to this address comes to this server.
    pub(crate) fn is_at(&self, address: &Address) -> bool {
        self.acceptor.listener().is_at(address)
    }

    /// What ends it.
    pub fn stopper(&self) -> Stop {
        Stop {
            shutdown: self.shutdown.clone(),
            shared: self.shared.clone(),
        }
    }

    /// Serves until it is stopped and the messages that have begun have ended. Where threads do not end even some seconds after their
    /// connections were closed, that is told, and they are left to the end of the program.
    ///
    /// # Errors
    /// The thread that looks at the connections cannot be made.
    pub fn run(mut self) -> io::Result<()> {
        let watcher = self.watch_connections()?;
        let mut number = 0;
        let mut pool = None;
        let heartbeat = self.shared.heartbeat();
        while !self.shared.is_stopping() {
            heartbeat.beat();
            if self.shared.connections().len() >= self.shared.limits.connections + REFUSED
                && !self.close_one()
            {
                thread::sleep(AFTER_FAILURE);
                continue;
            }
            heartbeat.set_idle();
            let next = self.acceptor.next();
            heartbeat.beat();
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
                self.shared.report(&ServerEvent::Fault {
                    connection: number,
                    peer: "",
                    fault: &fault,
                });
                thread::sleep(AFTER_FAILURE);
            }
        }
        heartbeat.set_idle();
        if !self.drain(ENDING) {
            if let Some(pool) = pool {
                pool.leave();
            }
            return Ok(());
        }
        drop(pool);
        // It may be between two looks.
        watcher.thread().unpark();
        // Its panic has been told where it happened.
        let _ = watcher.join();
        Ok(())
    }

    /// Has a client served.
    fn take(&self, number: u64, stream: Stream, pool: &mut Option<Pool>) -> io::Result<()> {
        // A client that is gone by now has no address any more.
        let Ok(client) = stream.client() else {
            return Ok(());
        };
        if !self.shared.limits.admits(client) {
            report_connection(&self.shared, number, client, &Fault::ClientNetwork);
            return Ok(());
        }
        let full = !self.has_room(client);
        if full {
            report_connection(&self.shared, number, client, &Fault::Connections);
        }
        let Some(Accepted { handle, run }) =
            self.service.accept(number, stream, full, &self.shared)?
        else {
            return Ok(());
        };
        let registration = Registration::new(&self.shared, number, handle);
        let served = match run {
            Execution::Thread(run) => return spawn(registration, run),
            Execution::Pool(served) => served,
        };
        if pool.is_none() {
            // Without it each connection has its thread.
            *pool = Pool::start(&self.shared).ok();
        }
        let refused = match pool {
            Some(pool) => pool.take(registration, served).err(),
            None => Some((registration, served)),
        };
        refused.map_or(Ok(()), |(registration, served)| {
            in_thread(registration, served)
        })
    }

    /// A thread that looks at all connections again and again.
    fn watch_connections(&self) -> io::Result<JoinHandle<()>> {
        let shared = self.shared.clone();
        let step = (shared.limits.progress / 4).min(WATCH_INTERVAL);
        thread::Builder::new().stack_size(STACK).spawn(move || {
            let mut watchdog = Watchdog::default();
            // Messages that have begun when the server stops may be slow too.
            while !shared.is_stopping() || !shared.connections().is_empty() {
                thread::park_timeout(step);
                if watchdog.all_alive(&shared.heartbeats(), Instant::now(), STALL_LIMIT) {
                    shared.beats.fetch_add(1, Ordering::Relaxed);
                }
                let handles: Vec<_> = shared.connections().values().cloned().collect();
                for handle in handles {
                    handle.tick(&shared);
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
            let connections = self.shared.connections();
            if connections.is_empty() {
                return true;
            }
            if start.elapsed() >= self.shared.limits.drain.saturating_add(ending) {
                let fault = Fault::Stuck(connections.len());
                drop(connections);
                self.shared.report(&ServerEvent::Fault {
                    connection: 0,
                    peer: "",
                    fault: &fault,
                });
                return false;
            }
            for handle in connections.values() {
                if late {
                    handle.end();
                } else {
                    handle.end_idle();
                }
            }
            drop(connections);
            thread::sleep(DRAINING);
        }
    }
}

/// A connection that others see: they do no longer, and its streams are closed, when this is dropped.
struct Registration {
    number: u64,
    shared: Arc<Shared>,
}

impl Registration {
    fn new(shared: &Arc<Shared>, number: u64, handle: Arc<dyn ConnectionHandle>) -> Self {
        shared.connections().insert(number, handle);
        Self {
            number,
            shared: shared.clone(),
        }
    }

    /// Tells of a fault, and of nothing where that itself is at fault.
    fn fault(&self, fault: &Fault) {
        let event = ServerEvent::Fault {
            connection: self.number,
            peer: "",
            fault,
        };
        let _ = catch_unwind(AssertUnwindSafe(|| self.shared.report(&event)));
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let handle = self.shared.connections().remove(&self.number);
        if let Some(handle) = handle {
            handle.end();
        }
    }
}

/// Gives a connection a thread.
fn spawn(registration: Registration, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let run = move || {
        if catch_unwind(AssertUnwindSafe(run)).is_err() {
            // Its streams are closed by now: the client keeps its message.
            registration.fault(&Fault::Panic);
        }
    };
    thread::Builder::new()
        .stack_size(STACK)
        .spawn(run)
        .map(drop)
}

/// Gives a connection that can be served by turns a thread of its own; where there is none to be had, it ends, and tells of its message.
fn in_thread(registration: Registration, served: Box<dyn PooledConnection>) -> io::Result<()> {
    let place = Arc::new(Mutex::new(Some(served)));
    let taken =
        |place: &Mutex<Option<_>>| place.lock().unwrap_or_else(PoisonError::into_inner).take();
    let twin = place.clone();
    let run = move || {
        if let Some(served) = taken(&twin) {
            served.run();
        }
    };
    spawn(registration, run).inspect_err(|error| {
        if let Some(mut served) = taken(&place) {
            served.give_up(error.kind().into());
        }
    })
}

mod acceptor;
mod admission;
mod heartbeat;

#[cfg(target_os = "linux")]
mod pool;

/// Elsewhere each connection has a thread.
#[cfg(not(target_os = "linux"))]
mod pool {
    use super::{Arc, PooledConnection, Registration, Shared, io};

    pub(super) enum Pool {}

    impl Pool {
        pub(super) fn start(_: &Arc<Shared>) -> io::Result<Self> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub(super) fn leave(self) {}

        pub(super) fn take(
            &mut self,
            registration: Registration,
            served: Box<dyn PooledConnection>,
        ) -> Result<(), (Registration, Box<dyn PooledConnection>)> {
            Err((registration, served))
        }
    }
}

#[cfg(test)]
mod tests;

#[cfg(all(test, target_os = "linux"))]
mod pool_tests;
