//! The frame of a daemon: accepts connections, runs each in a thread or in the pool, and shuts down in order.
//! A [`Service`] speaks the protocol.
//!
//! # Limits
//! One thread for each connection outside the pool: some thousand connections at most. All servers that share
//! [`Resources`](crate::Resources) process one message for each processor at a time. Each server processes as many short ones beside them.

use crate::address::Address;
use crate::engine::Engine;
use crate::event::ServerEvent;
use crate::fault::Fault;
use crate::listener::{ListeningSocket, Socket};
use crate::resources::Bounds;
use crate::stream::Stream;
use acceptor::{Acceptor, ShutdownSignal};
pub(crate) use activity::Activity;
use admission::{Admission, close_one, report_connection};
use burst_memory::BurstMemory;
use heartbeat::Watchdog;
use mailglot_kernel::allocator::release_free_memory;
use pool::Pool;
use shared::{AFTER_FAILURE, Registration, STACK, WATCH_INTERVAL, in_thread, spawn};
pub(crate) use shared::{
    Accepted, ConnectionHandle, Execution, Next, PooledConnection, Service, Shared, Waker,
};
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Connections beyond the limit that are accepted to be refused. Further clients wait unaccepted.
const REFUSED: usize = 64;
/// Time between two checks whether all connections have ended, while the server stops.
const DRAINING: Duration = Duration::from_millis(10);
/// A busy thread without a heartbeat for so long counts as stalled.
const STALL_LIMIT: Duration = Duration::from_secs(10);
/// Longest wait for the threads of connections that were closed.
const ENDING: Duration = Duration::from_secs(5);

/// A filter or a proxy that listens: [`Server::milter`], [`Server::proxy`].
pub struct Server {
    acceptor: Acceptor,
    shutdown: ShutdownSignal,
    service: Box<dyn Service>,
    shared: Arc<Shared>,
    admission: Admission,
}

/// Stops a server from another thread, or replaces its engine.
#[derive(Clone)]
pub struct Stop {
    shutdown: ShutdownSignal,
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stop")
            .field("connections", &self.connections())
            .field("is_stopping", &self.shared.is_stopping())
            .finish_non_exhaustive()
    }
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
                ListeningSocket::bind(&address, limits.socket_mode, limits.socket_group)?
            }
            Socket::Given(socket) => ListeningSocket::inherit(socket)?,
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
            admission: Admission::new(),
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
                && !close_one(&self.shared)
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
        let full = !self.admission.has_room(&self.shared, client);
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
            let mut bursts = BurstMemory::default();
            // Progress of slow messages is reported while the server stops, too.
            while !shared.is_stopping() || !shared.connections().is_empty() {
                thread::park_timeout(step);
                if watchdog.all_alive(&shared.heartbeats(), Instant::now(), STALL_LIMIT) {
                    shared.beats.fetch_add(1, Ordering::Relaxed);
                }
                let handles: Vec<_> = shared.connections().values().cloned().collect();
                let count = handles.len();
                for handle in handles {
                    handle.tick(&shared);
                }
                if bursts.is_over(count, Instant::now()) {
                    release_free_memory();
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

mod acceptor;
mod activity;
mod admission;
mod burst_memory;
mod heartbeat;
mod shared;

#[cfg(target_os = "linux")]
mod pool;

/// Without epoll each connection gets a thread.
#[cfg(not(target_os = "linux"))]
mod pool {
    use super::shared::{PooledConnection, Registration, Shared};
    use std::io;
    use std::sync::Arc;

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
