//! What the server, its connections and its pool share: the state of a server, and the traits of protocols and connections.

use super::activity::Activity;
use super::heartbeat::Heartbeat;
use crate::engine::Engine;
use crate::event::{Record, ServerEvent};
use crate::fault::Fault;
use crate::limits::Limits;
use crate::resources::Bounds;
use crate::semaphore::Semaphore;
use crate::spool::Budget;
use crate::stream::Stream;
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

/// Bytes of a connection's stack.
pub(super) const STACK: usize = 512 << 10;
/// Pause after a failed `accept`.
pub(super) const AFTER_FAILURE: Duration = Duration::from_millis(50);
/// Longest time between two rounds of the watching thread.
pub(super) const WATCH_INTERVAL: Duration = Duration::from_millis(250);

/// The protocol of a server's connections.
pub(crate) trait Service: Send {
    /// Accepts a connection. If `full`, the limit of connections is reached, and the service refuses the client. It does so in a thread of its
    /// own, or here with a reply that fits into every socket's buffer. In the latter case it returns `None`.
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

    /// Takes what wakes the pool while the connection waits for something else than its stream ([`Next::Commit`]).
    fn set_waker(&mut self, _: Waker) {}

    /// Continues when the stream is readable or writable, or its waker was called.
    fn serve(&mut self) -> Next;

    /// Returns true if the peer was silent for too long. The pool asks several times a second, so an idle connection can release its buffers here.
    fn is_late(&mut self) -> bool;

    /// Closes the connection because the peer was silent for too long or the system lacks resources.
    fn give_up(&mut self, why: io::Error);

    /// Runs the connection to its end in a thread of its own.
    fn run(self: Box<Self>);
}

/// Makes the pool continue a connection. It can be called by any thread, and never waits.
pub(crate) type Waker = Arc<dyn Fn() + Send + Sync>;

/// What a connection waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Input of the peer.
    Read,
    /// Room in the socket for output.
    Write,
    /// A record that another thread makes durable: its waker is called then.
    Commit,
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
    pub(super) engine: RwLock<Arc<Engine>>,
    report: Box<dyn Fn(&ServerEvent<'_>) + Send + Sync>,
    pub(super) stopping: AtomicBool,
    /// Rounds of the watching thread in which no thread was stalled.
    pub(super) beats: AtomicU64,
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
    pub(super) fn heartbeat(&self) -> Arc<Heartbeat> {
        let heartbeat = Arc::<Heartbeat>::default();
        self.heartbeats
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(heartbeat.clone());
        heartbeat
    }

    pub(super) fn heartbeats(&self) -> Vec<Arc<Heartbeat>> {
        self.heartbeats
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(super) fn connections(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<dyn ConnectionHandle>>> {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The entry of a connection in [`Shared`]. Dropping it removes the entry and closes the streams.
pub(super) struct Registration {
    pub(super) number: u64,
    pub(super) shared: Arc<Shared>,
}

impl Registration {
    pub(super) fn new(
        shared: &Arc<Shared>,
        number: u64,
        handle: Arc<dyn ConnectionHandle>,
    ) -> Self {
        shared.connections().insert(number, handle);
        Self {
            number,
            shared: shared.clone(),
        }
    }

    /// Reports a fault. Ignores a panic of the reporter.
    pub(super) fn fault(&self, fault: &Fault) {
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
pub(super) fn spawn(
    registration: Registration,
    run: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
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
pub(super) fn in_thread(
    registration: Registration,
    served: Box<dyn PooledConnection>,
) -> io::Result<()> {
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
