//! The frame of a daemon: accepts connections, runs each in a thread or in the pool, and shuts down in order.
//! A [`Service`] speaks the protocol.
//!
//! # Limits
//! One thread for each connection outside the pool: some thousand connections at most. All servers that share
//! [`Resources`](crate::Resources) process one message for each processor at a time. Each server processes as many short ones beside them.

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

/// Connections beyond the limit that are accepted to be refused. Further clients wait unaccepted.
const REFUSED: usize = 64;
/// Bytes of a connection's stack.
const STACK: usize = 512 << 10;
/// Pause after a failed `accept`.
const AFTER_FAILURE: Duration = Duration::from_millis(50);
/// Time between two checks whether all connections have ended, while the server stops.
const DRAINING: Duration = Duration::from_millis(10);
/// Longest time between two rounds of the watching thread.
const WATCH_INTERVAL: Duration = Duration::from_millis(250);
/// A busy thread without a heartbeat for so long counts as stalled.
const STALL_LIMIT: Duration = Duration::from_secs(10);
/// Longest wait for the threads of connections that were closed.
const ENDING: Duration = Duration::from_secs(5);

/// The protocol of a server's connections.
pub(crate) trait Service: Send {
    /// Accepts a connection. If `full`, the limit of connections is reached, and the service refuses the client: in a thread of its own, or here with
    /// a reply that fits into every socket's buffer. In the latter case it returns `None`.
    ///
    /// # Errors
    /// The system lacks descriptors or memory.
    fn accept(
        &self,
        number: u64,
        stream: Stream,
        full: bool,
        shared: &Arc<Shared>,
    ) -> io::Result<Option<Accepted>>;
}

/// A connection that the service has accepted.
pub(crate) struct Accepted {
    pub(crate) handle: Arc<dyn ConnectionHandle>,
    pub(crate) run: Execution,
}

/// How a connection is run.
pub(crate) enum Execution {
    /// In a thread of its own.
    Thread(Box<dyn FnOnce() + Send>),
    /// By the threads of the pool, which share all their connections.
    Pool(Box<dyn PooledConnection>),
}

/// A connection that the pool can run. No method may wait for the peer, except [`PooledConnection::run`].
pub(crate) trait PooledConnection: Send {
    /// The stream that the pool polls.
    fn stream(&self) -> &Stream;

    /// Continues when the stream is readable or writable.
    fn serve(&mut self) -> Next;

    /// Returns true if the peer was silent for too long. The pool asks several times a second, so an idle connection can release its buffers here.
    fn is_late(&mut self) -> bool;

    /// Closes the connection because the peer was silent for too long or the system lacks resources.
    fn give_up(&mut self, why: io::Error);

    /// Runs the connection to its end in a thread of its own.
    fn run(self: Box<Self>);
}

/// What a connection waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Input of the peer.
    Read,
    /// Room in the socket for output.
    Write,
    /// A thread of its own, because the next message takes long.
    Thread,
    /// Nothing: it has ended.
    End,
}

/// A connection as other threads see it.
pub(crate) trait ConnectionHandle: Send + Sync {
    /// Closes the connection if it carries no message.
    fn end_idle(&self);

    /// Closes the connection, whatever its thread waits for.
    fn end(&self);

    /// Returns its activity, by which the server chooses the connection to close for a new one. `None` if it is never closed.
    fn activity(&self) -> Option<&Activity> {
        None
    }

    /// Returns true if its thread ends soon after [`ConnectionHandle::dismiss`].
    fn can_be_dismissed(&self) -> bool {
        true
    }

    /// Closes the connection for a new one. Returns false, and leaves it open, if its thread cannot end soon.
    fn dismiss(&self) -> bool {
        self.end();
        true
    }

    /// Is called several times a second.
    fn tick(&self, _: &Shared) {}
}

/// State that all connections of a server share.
pub(crate) struct Shared {
    pub(crate) limits: Limits,
    pub(crate) budget: Arc<Budget>,
    pub(crate) semaphore: Arc<Semaphore>,
    engine: RwLock<Arc<Engine>>,
    report: Box<dyn Fn(&ServerEvent<'_>) + Send + Sync>,
    stopping: AtomicBool,
    /// Rounds of the watching thread in which no thread was stalled.
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

    /// Reports an event and flushes.
    pub(crate) fn report(&self, event: &ServerEvent<'_>) {
        (self.report)(event);
        self.flush();
    }

    /// Reports a message. The caller must call [`Shared::flush`] before it waits.
    pub(crate) fn report_unflushed(&self, record: &Record) {
        (self.report)(&ServerEvent::Message(record));
    }

    /// Writes all reported events.
    pub(crate) fn flush(&self) {
        (self.report)(&ServerEvent::Flush);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// Returns the engine that judges the next message.
    pub(crate) fn engine(&self) -> Arc<Engine> {
        self.engine
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Registers a thread for the watchdog.
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
    /// Time that new connections may still wait for idle ones, and when it was computed.
    waits: Cell<(Duration, Instant)>,
}

/// Stops a server from another thread, or replaces its engine.
#[derive(Clone)]
pub struct Stop {
    shutdown: ShutdownSignal,
    shared: Arc<Shared>,
}

impl Stop {
    /// Replaces the engine from the next message on.
    pub fn change(&self, engine: Engine) {
        *self
            .shared
            .engine
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Arc::new(engine);
    }

    /// Returns the number of open connections.
    pub fn connections(&self) -> usize {
        self.shared.connections().len()
    }

    /// Returns the bytes of messages in temporary files, for all servers that share them.
    pub fn spool_bytes(&self) -> u64 {
        self.shared.budget.used()
    }

    /// Returns a number that grows several times a second while the server is alive. It stops if the accepting thread, or one of the pool, is busy
    /// for ten seconds without a step.
    pub fn beats(&self) -> u64 {
        self.shared.beats.load(Ordering::Relaxed)
    }

    /// Stops accepting connections. Messages that have begun may end.
    pub fn stop(&self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        self.shutdown.send();
    }
}

impl Server {
    /// Listens, and passes events to `report`.
    ///
    /// # Errors
    /// The server cannot listen at the address, or the socket cannot be used.
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

    /// Returns the address at which it listens.
    ///
    /// # Errors
    /// The system does not return the address.
    pub fn address(&self) -> io::Result<Address> {
        self.acceptor.listener().address()
    }

    /// Returns true if a connection to `address` reaches this server.
    pub(crate) fn is_at(&self, address: &Address) -> bool {
        self.acceptor.listener().is_at(address)
    }

    /// Returns what stops this server.
    pub fn stopper(&self) -> Stop {
        Stop {
            shutdown: self.shutdown.clone(),
            shared: self.shared.clone(),
        }
    }

    /// Serves until it is stopped and all begun messages have ended. Reports threads that do not end some seconds after their connections were closed,
    /// and leaves them.
    ///
    /// # Errors
    /// The watching thread cannot be started.
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
        // It may be asleep between two rounds.
        watcher.thread().unpark();
        // The panic hook has reported a panic.
        let _ = watcher.join();
        Ok(())
    }

    /// Runs the connection of a client, or refuses it.
    fn take(&self, number: u64, stream: Stream, pool: &mut Option<Pool>) -> io::Result<()> {
        // A client that has closed has no address any more.
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
            // Without a pool each connection gets a thread.
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

    /// Starts the thread that feeds the watchdog and calls [`ConnectionHandle::tick`].
    fn watch_connections(&self) -> io::Result<JoinHandle<()>> {
        let shared = self.shared.clone();
        let step = (shared.limits.progress / 4).min(WATCH_INTERVAL);
        thread::Builder::new().stack_size(STACK).spawn(move || {
            let mut watchdog = Watchdog::default();
            // Progress of slow messages is reported while the server stops, too.
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

    /// Closes idle connections at once, and the others when their message ends or `drain` has passed. Returns false, and reports a fault, if threads
    /// still run `ending` later.
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

/// The entry of a connection in [`Shared`]. Dropping it removes the entry and closes the streams.
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

    /// Reports a fault. Ignores a panic of the reporter.
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

/// Runs a connection in a thread.
fn spawn(registration: Registration, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let run = move || {
        if catch_unwind(AssertUnwindSafe(run)).is_err() {
            // Its streams are closed by now, so the client keeps its message.
            registration.fault(&Fault::Panic);
        }
    };
    thread::Builder::new()
        .stack_size(STACK)
        .spawn(run)
        .map(drop)
}

/// Moves a connection of the pool to a thread of its own. If no thread can be started, closes it and reports its message.
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

/// Without epoll each connection gets a thread.
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
