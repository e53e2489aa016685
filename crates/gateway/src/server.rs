//! The daemon: listens, gives each connection a thread, ends in order.
//!
//! # Limits
//! A thread for each connection: good for some thousand. Messages at work are as many as there are processors.

use crate::address::{Address, Inherited, Listener};
use crate::connection::{Connection, Live};
use crate::engine::{Engine, Envelope};
use crate::milter::{self, Actions, FieldValue, Granted, ReplyText, Session, Verdict, protocol};
use crate::policy::{Action, Finding, Findings};
use crate::received::Received;
use crate::spool::Budget;
use crate::turns::Turns;

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Connections beyond the limit that are answered with a temporary failure; more wait unaccepted.
const REFUSED: usize = 64;
/// Bytes of a connection's stack.
const STACK: usize = 512 << 10;
/// How long a failed `accept` is waited out.
const AFTER_FAILURE: Duration = Duration::from_millis(50);

/// Bounds of a server with a defined outcome each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at a time; some more are deferred, the rest waits.
    pub connections: usize,
    /// Bytes of a message; a larger one passes as it is and is not kept.
    pub message_bytes: u64,
    /// How long a server may be silent between commands.
    pub idle: Duration,
    /// How long it may take to negotiate.
    pub negotiation: Duration,
    /// How long it may stop in the middle of a packet, or not take an answer.
    pub stall: Duration,
    /// How often it is told that work goes on.
    pub progress: Duration,
    /// How long work on a message may take, the time that it waits for its turn in it.
    pub work: Duration,
    /// How long messages may take to end when the filter stops.
    pub drain: Duration,
    /// Bytes of all header fields, and how many they may be; a message of more passes as it is and is not kept.
    pub header_bytes: usize,
    /// Number of header fields.
    pub fields: usize,
    /// Permissions of a socket in the file system.
    pub socket_mode: u32,
    /// Group of a socket in the file system; that of the process where none is given.
    pub socket_group: Option<u32>,
    /// Where long bodies are kept while they arrive.
    pub spool: PathBuf,
    /// Bytes of all long bodies that are kept; a message beyond is deferred.
    pub spool_bytes: u64,
    /// Bytes that must stay free where they are kept.
    pub disk_reserve: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1_000,
            message_bytes: 64 << 20,
            idle: Duration::from_mins(10),
            negotiation: Duration::from_secs(10),
            stall: Duration::from_mins(1),
            progress: Duration::from_secs(5),
            work: Duration::from_mins(1),
            drain: Duration::from_secs(30),
            header_bytes: 16 << 20,
            fields: 100_000,
            socket_mode: 0o660,
            socket_group: None,
            spool: std::env::temp_dir(),
            spool_bytes: 4 << 30,
            disk_reserve: 256 << 20,
        }
    }
}

/// What a server tells of its work.
#[derive(Debug)]
pub enum Notice<'a> {
    /// A message has its verdict.
    Message(&'a Record),
    /// Something went wrong on a connection; its message is deferred.
    Fault {
        /// Connections are counted from 1.
        connection: u64,
        /// How the client is called.
        peer: &'a str,
        /// What it was.
        fault: &'a str,
    },
}

/// One message.
#[derive(Clone, Debug)]
pub struct Record {
    /// Who sent it to how many.
    pub envelope: Envelope,
    /// How the client is called.
    pub peer: String,
    /// Bytes that were told.
    pub bytes_in: u64,
    /// Bytes that it has now; 0 where it is not looked at.
    pub bytes_out: u64,
    /// What was done.
    pub action: Action,
    /// What the policy asks for: more than `action` in a dry run, and where less could be done.
    pub wanted: Action,
    /// What was found.
    pub findings: Findings,
    /// Name of the policy.
    pub policy: String,
    /// Why less was done than the policy asks for.
    pub finding: Option<&'static str>,
    /// Something of ours failed, and the message passed unread.
    pub failed_open: bool,
    /// Characters that could not be read.
    pub losses: u64,
    /// Name of the ledger that gives the original back.
    pub ledger: Option<String>,
    /// From its end to its verdict.
    pub time: Duration,
}

impl Record {
    pub(crate) fn new(envelope: Envelope, peer: &str, bytes_in: u64) -> Self {
        Self {
            envelope,
            peer: peer.to_owned(),
            bytes_in,
            bytes_out: 0,
            action: Action::Pass,
            wanted: Action::Pass,
            findings: Findings::default(),
            policy: String::new(),
            finding: None,
            failed_open: false,
            losses: 0,
            ledger: None,
            time: Duration::ZERO,
        }
    }
}

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) limits: Limits,
    engine: RwLock<Arc<Engine>>,
    tell: Box<dyn Fn(&Notice<'_>) + Send + Sync>,
    budget: Arc<Budget>,
    stopping: AtomicBool,
    /// Counts on while the threads of the server get their time.
    beats: AtomicU64,
    live: Mutex<BTreeMap<u64, Arc<Live>>>,
    turns: Turns,
}

impl Shared {
    pub(crate) fn tell(&self, notice: &Notice<'_>) {
        (self.tell)(notice);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// What messages are judged by from now on.
    pub(crate) fn engine(&self) -> Arc<Engine> {
        self.engine.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn empty_message(&self, granted: Granted) -> Received {
        let leading_space = granted.has(protocol::LEADING_SPACE);
        Received::within(leading_space, &self.limits, self.budget.clone())
    }

    /// Reads a message and gives the session its verdict, when it is its turn.
    ///
    /// # Errors
    /// Why there is no verdict.
    pub(crate) fn decide(
        &self,
        engine: &Engine,
        message: Received,
        granted: Granted,
        session: &mut Session,
        live: &Live,
        record: &mut Record,
    ) -> Result<(), String> {
        record.policy.clone_from(&engine.rules.name);
        if let Some(finding) = message.beyond() {
            return pass_unread(finding, engine, granted, session, record);
        }
        let _turn = self.turns.take();
        if live.has_given_up() {
            return Err("slow".to_owned());
        }
        let work = || {
            let complete = message.complete().map_err(|error| format!("spool ({error})"))?;
            let judgement = engine.judge(complete.raw(), &record.envelope);
            let decision =
                engine.decide(&complete, &judgement, granted).map_err(|why| format!("untellable ({why})"))?;
            record.action = decision.action;
            record.wanted = judgement.wanted;
            record.finding = decision.remark;
            record.losses = judgement.report.losses();
            record.bytes_out = judgement.size() as u64;
            record.findings.clone_from(&judgement.findings);
            if decision.rewrites() {
                engine.keep(complete.raw(), &judgement.edits, record)?;
            }
            session.decide(&decision.actions, &decision.verdict).map_err(|refusal| refusal.to_string())
        };
        catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err("panic".to_owned()))
    }

    fn live(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Live>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The outcome of a message that there is too much of to be looked at.
fn pass_unread(
    finding: Finding,
    engine: &Engine,
    granted: Granted,
    session: &mut Session,
    record: &mut Record,
) -> Result<(), String> {
    record.findings.add(finding, String::new);
    record.finding = Some(finding.id());
    record.wanted = engine.about_unread(finding);
    let mut actions = Actions::default();
    let (action, verdict) = match record.wanted {
        Action::Reject => {
            let words = format!("message refused: {}", finding.id());
            let reply = ReplyText::new(550, (5, 6, 0), &words).map_or(Verdict::Reject, Verdict::Reply);
            (Action::Reject, reply)
        }
        Action::Quarantine if granted.may(milter::action::QUARANTINE) => {
            actions.quarantine = FieldValue::new(finding.id());
            (Action::Quarantine, Verdict::Continue)
        }
        Action::Quarantine | Action::Tempfail => (Action::Tempfail, Verdict::Tempfail),
        Action::Pass | Action::Tag | Action::Normalize => (Action::Pass, Verdict::Continue),
    };
    record.action = action;
    session.decide(&actions, &verdict).map_err(|refusal| refusal.to_string())
}

/// A descriptor that is kept for the time when there is no other: who connects then is turned away at once, and need not wait.
struct Spare(Option<File>);

impl Spare {
    fn new() -> Self {
        // Without it clients wait longer, no more.
        Self(File::open("/dev/null").ok())
    }

    /// Accepts and closes one connection, where the error tells that there are no descriptors.
    fn turn_away(&mut self, error: &io::Error, listener: &Listener) {
        let none = [rustix::io::Errno::MFILE, rustix::io::Errno::NFILE].map(rustix::io::Errno::raw_os_error);
        if error.raw_os_error().is_some_and(|number| none.contains(&number)) && self.0.take().is_some() {
            // It waits already: the error was that of taking it.
            drop(listener.accept());
        }
        if self.0.is_none() {
            *self = Self::new();
        }
    }
}

/// A filter that listens.
pub struct Server {
    listener: Listener,
    shared: Arc<Shared>,
}

/// Ends a server from another thread.
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

    /// Connections that are open.
    pub fn connections(&self) -> usize {
        self.shared.live().len()
    }

    /// Bytes of messages in temporary files.
    pub fn spool_bytes(&self) -> u64 {
        self.shared.budget.used()
    }

    /// A number that grows several times a second while the server is alive.
    pub fn beats(&self) -> u64 {
        self.shared.beats.load(Ordering::Relaxed)
    }

    /// No connection is accepted any more; messages that are told may end.
    pub fn stop(&self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        Listener::wake(&self.address);
    }
}

impl Server {
    /// Listens at `address`; what happens is told to `tell`.
    ///
    /// # Errors
    /// The address cannot be taken.
    pub fn bind(
        address: &Address,
        engine: Engine,
        limits: Limits,
        tell: impl Fn(&Notice<'_>) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = Listener::bind(address, limits.socket_mode, limits.socket_group)?;
        Ok(Self::on(listener, engine, limits, tell))
    }

    /// Goes on with a socket that listens already; what happens is told to `tell`.
    ///
    /// # Errors
    /// The socket cannot be used.
    pub fn inherit(
        socket: Inherited,
        engine: Engine,
        limits: Limits,
        tell: impl Fn(&Notice<'_>) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        Ok(Self::on(Listener::inherit(socket)?, engine, limits, tell))
    }

    fn on(
        listener: Listener,
        engine: Engine,
        limits: Limits,
        tell: impl Fn(&Notice<'_>) + Send + Sync + 'static,
    ) -> Self {
        let budget = Arc::new(Budget::new(limits.spool.clone(), limits.spool_bytes, limits.disk_reserve));
        let shared = Arc::new(Shared {
            budget,
            limits,
            engine: RwLock::new(Arc::new(engine)),
            tell: Box::new(tell),
            stopping: AtomicBool::new(false),
            beats: AtomicU64::new(0),
            live: Mutex::new(BTreeMap::new()),
            turns: Turns::of_processors(),
        });
        Self { listener, shared }
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

    /// Serves until it is stopped and the messages that were told have ended.
    ///
    /// # Errors
    /// The thread that keeps slow work alive cannot be made.
    pub fn run(self) -> io::Result<()> {
        let beat = self.beat()?;
        let mut number = 0;
        let mut threads: Vec<JoinHandle<()>> = Vec::new();
        let mut spare = Spare::new();
        while !self.shared.is_stopping() {
            threads.retain(|thread| !thread.is_finished());
            if threads.len() >= self.shared.limits.connections + REFUSED {
                thread::sleep(AFTER_FAILURE);
                continue;
            }
            number += 1;
            match self.take(number, threads.len()) {
                Ok(thread) => threads.extend(thread),
                Err(error) => {
                    let fault = format!("accept ({error})");
                    self.shared.tell(&Notice::Fault { connection: number, peer: "", fault: &fault });
                    spare.turn_away(&error, &self.listener);
                    thread::sleep(AFTER_FAILURE);
                }
            }
        }
        self.drain(&threads);
        for thread in threads.into_iter().chain([beat]) {
            // Its panic has been told where it happened.
            let _ = thread.join();
        }
        Ok(())
    }

    /// Waits for a connection and gives it a thread; none where the server stops.
    fn take(&self, number: u64, running: usize) -> io::Result<Option<JoinHandle<()>>> {
        let stream = self.listener.accept()?;
        if self.shared.is_stopping() {
            return Ok(None);
        }
        let full = running >= self.shared.limits.connections;
        if full {
            self.shared.tell(&Notice::Fault { connection: number, peer: "", fault: "connections" });
        }
        let session =
            if full { Session::refusing() } else { Session::with_wants(self.shared.engine().wants()) };
        let live = Arc::new(Live::new(number, stream.try_clone()?));
        self.shared.live().insert(number, live.clone());
        let shared = self.shared.clone();
        let made = thread::Builder::new().stack_size(STACK).spawn(move || {
            let number = live.number();
            Connection::new(live, stream, session, shared.clone()).run();
            shared.live().remove(&number);
        });
        if made.is_err() {
            self.shared.live().remove(&number);
        }
        made.map(Some)
    }

    /// A thread that tells servers of slow work.
    fn beat(&self) -> io::Result<JoinHandle<()>> {
        let shared = self.shared.clone();
        let every = shared.limits.progress;
        let step = (every / 4).min(Duration::from_millis(250));
        thread::Builder::new().stack_size(STACK).spawn(move || {
            // Messages that are told when the server stops may be slow too.
            while !shared.is_stopping() || !shared.live().is_empty() {
                thread::sleep(step);
                shared.beats.fetch_add(1, Ordering::Relaxed);
                let live: Vec<_> = shared.live().values().cloned().collect();
                for live in live {
                    live.pulse(every, shared.limits.work, shared.engine().fail_open);
                }
            }
        })
    }

    /// Ends idle connections at once, the others when their message has ended or too much time has gone by.
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
