//! The proxy as a daemon: listens, gives each client a thread, ends in order.
//!
//! # Limits
//! A thread for each connection: good for some thousand. Messages at work are as many as there are processors.

use super::connection::{Connection, Live};
use super::content::BareLines;
use super::session::Options;
use crate::address::{Address, Listener, Stream};
use crate::engine::Engine;
use crate::server::{Limits, Notice};
use crate::spool::Budget;
use crate::turns::Turns;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Bytes of a connection's stack.
const STACK: usize = 512 << 10;
/// How long a failed `accept` is waited out.
const AFTER_FAILURE: Duration = Duration::from_millis(50);

/// How long the next hop has for its part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Times {
    /// To be connected.
    pub connect: Duration,
    /// To answer a command, the whole of its reply, and to take what is written (RFC 5321 4.5.3.2 has five minutes).
    pub reply: Duration,
    /// To answer the end of a message (RFC 5321 4.5.3.2.6 has ten minutes).
    pub end: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), reply: Duration::from_mins(5), end: Duration::from_mins(10) }
    }
}

/// Where mail goes, and how.
#[derive(Clone, Debug)]
pub struct Route {
    /// Who answers for it.
    pub next_hop: Address,
    /// LMTP (RFC 2033) on both sides.
    pub lmtp: bool,
    /// A CR or LF alone in content, whatever the policy says; none where the policy decides with its action for `bare-lf`.
    pub bare_lines: Option<BareLines>,
    /// What the next hop is given.
    pub times: Times,
}

impl Route {
    /// SMTP, as the policy says, in the usual times.
    pub fn to(next_hop: Address) -> Self {
        Self { next_hop, lmtp: false, bare_lines: None, times: Times::default() }
    }
}

/// What all connections share.
pub(super) struct Shared {
    pub(super) route: Route,
    pub(super) limits: Limits,
    pub(super) budget: Arc<Budget>,
    engine: RwLock<Arc<Engine>>,
    pub(super) turns: Turns,
    tell: Box<dyn Fn(&Notice<'_>) + Send + Sync>,
    stopping: AtomicBool,
    live: Mutex<BTreeMap<u64, Arc<Live>>>,
}

impl Shared {
    pub(super) fn tell(&self, notice: &Notice<'_>) {
        (self.tell)(notice);
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// What messages are judged by from now on.
    pub(super) fn engine(&self) -> Arc<Engine> {
        self.engine.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn options(&self) -> Options {
        // The policy is asked when the message is complete: it may defer, and be another one by then.
        Options { lmtp: self.route.lmtp, bare_lines: self.route.bare_lines.unwrap_or(BareLines::Normalize) }
    }

    fn live(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Live>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A proxy that listens.
pub struct Proxy {
    listener: Listener,
    shared: Arc<Shared>,
}

/// Ends a proxy from another thread.
#[derive(Clone)]
pub struct Stop {
    address: Address,
    shared: Arc<Shared>,
}

impl Stop {
    /// Judges by another engine from the next message on.
    pub fn change(&self, engine: Engine) {
        *self.shared.engine.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(engine);
    }

    /// Connections of clients that are open.
    pub fn connections(&self) -> usize {
        self.shared.live().len()
    }

    /// Bytes of messages in temporary files.
    pub fn spool_bytes(&self) -> u64 {
        self.shared.budget.used()
    }

    /// No connection is accepted any more; messages that have begun may end.
    pub fn stop(&self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        Listener::wake(&self.address);
    }
}

impl Proxy {
    /// Listens at `address`; what happens is told to `tell`.
    ///
    /// # Errors
    /// The address cannot be taken.
    pub fn bind(
        address: &Address,
        route: Route,
        engine: Engine,
        limits: Limits,
        tell: impl Fn(&Notice<'_>) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = Listener::bind(address, limits.socket_mode, limits.socket_group)?;
        let shared = Arc::new(Shared {
            route,
            budget: Arc::new(Budget::new(limits.spool.clone(), limits.spool_bytes, limits.disk_reserve)),
            limits,
            engine: RwLock::new(Arc::new(engine)),
            turns: Turns::of_processors(),
            tell: Box::new(tell),
            stopping: AtomicBool::new(false),
            live: Mutex::new(BTreeMap::new()),
        });
        Ok(Self { listener, shared })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// The system does not tell.
    pub fn address(&self) -> io::Result<Address> {
        self.listener.address()
    }

    /// What ends it.
    ///
    /// # Errors
    /// The system does not tell where it listens.
    pub fn stopper(&self) -> io::Result<Stop> {
        Ok(Stop { address: self.address()?, shared: self.shared.clone() })
    }

    /// Serves until it is stopped and the messages that have begun have ended.
    pub fn run(self) {
        let mut number = 0;
        let mut threads: Vec<JoinHandle<()>> = Vec::new();
        while !self.shared.is_stopping() {
            threads.retain(|thread| !thread.is_finished());
            number += 1;
            match self.take(number, threads.len()) {
                Ok(thread) => threads.extend(thread),
                Err(error) => {
                    let fault = format!("accept ({error})");
                    self.shared.tell(&Notice::Fault { connection: number, peer: "", fault: &fault });
                    thread::sleep(AFTER_FAILURE);
                }
            }
        }
        self.drain(&threads);
        for thread in threads {
            // Its panic has been told where it happened.
            let _ = thread.join();
        }
    }

    /// Waits for a client and gives it a thread; none where there are too many, or the proxy stops.
    fn take(&self, number: u64, running: usize) -> io::Result<Option<JoinHandle<()>>> {
        let client = self.listener.accept()?;
        if self.shared.is_stopping() {
            return Ok(None);
        }
        if running >= self.shared.limits.connections {
            refuse(&client);
            let peer = client.peer();
            self.shared.tell(&Notice::Fault { connection: number, peer: &peer, fault: "connections" });
            return Ok(None);
        }
        let live = Arc::new(Live::new(number, client.try_clone()?));
        self.shared.live().insert(number, live.clone());
        let shared = self.shared.clone();
        let made = thread::Builder::new().stack_size(STACK).spawn(move || {
            let connection = Connection::new(live, client, shared.clone());
            if catch_unwind(AssertUnwindSafe(|| connection.run())).is_err() {
                // Both streams are closed by now: the client keeps its message.
                shared.tell(&Notice::Fault { connection: number, peer: "", fault: "panic" });
            }
            shared.live().remove(&number);
        });
        if made.is_err() {
            self.shared.live().remove(&number);
        }
        made.map(Some)
    }

    /// Ends idle connections at once, the others when their message has ended or too much time has gone by; then it does not matter
    /// which side they wait for.
    fn drain(&self, threads: &[JoinHandle<()>]) {
        let start = Instant::now();
        while threads.iter().any(|thread| !thread.is_finished()) {
            let late = start.elapsed() >= self.shared.limits.drain;
            for live in self.shared.live().values() {
                if late { live.end() } else { live.end_idle() }
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// One client too many: a word that fits into every socket's buffer, and the end.
fn refuse(mut client: &Stream) {
    // A client that is gone needs no word.
    let _ = (&mut client).write_all(b"421 4.3.2 Too many connections\r\n");
}
