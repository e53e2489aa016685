//! The listeners of a daemon: servers of every route, with their logs, counters and ledgers.
//!
//! # Limits
//!
//! Ledgers of several policies may share a folder; they stay equally long.

use super::inherited_sockets;
use crate::exit::{Exit, Failure};
use crate::output::Console;
use mailglot_gateway::config::{Ledger, Listener, RouteKind};
use mailglot_gateway::proxy;
use mailglot_gateway::record::{Form, Journal, Ledgers, LogWriter, Metrics, Retention};
use mailglot_gateway::{
    Address, Engine, Fault, Inherited, Limits, Resources, Server, ServerEvent, Socket, Stop,
};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// A server that was bound.
pub(super) struct BoundListener {
    place: RunningListener,
    server: Server,
}

/// A running server, which can be stopped and changed.
pub(super) struct RunningListener {
    /// As the configuration names it.
    pub(super) address: Address,
    route: &'static str,
    stop: Stop,
    /// Where it keeps originals.
    ledgers: Option<Arc<Ledgers>>,
}

impl RunningListener {
    /// Asks it to end.
    pub(super) fn stop(&self) {
        self.stop.stop();
    }

    /// A number that grows while the server is alive.
    pub(super) fn beats(&self) -> u64 {
        self.stop.beats()
    }

    /// Judges by what a listener says now, which has the limits and the ledger of this place.
    pub(super) fn change(&self, listener: &Listener) {
        let engine = Engine {
            ledgers: self.ledgers.clone(),
            ..listener.engine.clone()
        };
        self.stop.change(engine);
    }
}

/// Sets what is measured and not counted.
pub(super) fn measure(places: &[RunningListener], log: &LogWriter, metrics: &Metrics) {
    metrics.log_lost(log.lost());
    let mut connections = BTreeMap::new();
    let mut folders = BTreeMap::new();
    for place in places {
        *connections.entry(place.route).or_insert(0) += place.stop.connections() as u64;
        if let Some(ledgers) = &place.ledgers {
            folders.insert(Arc::as_ptr(ledgers), ledgers.bytes());
        }
    }
    for (route, open) in connections {
        metrics.connections(route, open);
    }
    // All places share one spool.
    metrics.spool(places.first().map_or(0, |place| place.stop.spool_bytes()));
    metrics.ledger(folders.values().sum());
}

/// Takes all places, those that a supervisor listens at already as they are.
pub(super) fn listen(
    listeners: Vec<Listener>,
    form: Form,
    log: &Arc<LogWriter>,
    metrics: &Arc<Metrics>,
    console: Console,
) -> Result<Vec<BoundListener>, Failure> {
    let mut inherited =
        inherited_sockets::take().map_err(|error| Failure::system("inherited sockets", &error))?;
    let mut ledgers = BTreeMap::new();
    // What may be spent on messages is the same for all listeners: they spend it together.
    let resources = listeners
        .first()
        .map(|listener| Resources::of(&listener.limits));
    let resources = resources.unwrap_or_else(|| Resources::of(&Limits::default()));
    let mut places = Vec::with_capacity(listeners.len());
    for listener in listeners {
        let address = listener.address;
        let failed = |error: io::Error| match (&address, error.kind()) {
            (Address::Unix(_), io::ErrorKind::NotFound) => Failure::system(
                &address,
                &io::Error::other(format!(
                    "{error}; make the directory of the socket for the user of this daemon, or choose another address"
                )),
            ),
            _ => Failure::system(&address, &error),
        };
        let route = match listener.route {
            RouteKind::Milter => "milter",
            RouteKind::Smtp => "smtp",
            RouteKind::Lmtp => "lmtp",
        };
        let log = Arc::clone(log);
        let journal = Journal::new(route, form, Arc::clone(metrics), move |lines| {
            log.write(lines);
        });
        let journal = Arc::new(journal);
        let kept = match &listener.ledger {
            Some(ledger) => Some(opened(ledger, &mut ledgers, &journal)?),
            None => None,
        };
        let engine = Engine {
            ledgers: kept.clone(),
            ..listener.engine
        };
        let report = move |event: &ServerEvent<'_>| journal.report(event);
        let same = |socket: &Inherited| socket.address().is_ok_and(|other| other == address);
        let given = inherited
            .iter()
            .position(same)
            .map(|at| inherited.swap_remove(at));
        let socket = given.map_or_else(|| Socket::New(address.clone()), Socket::Given);
        let bounds = listener.limits.sharing(&resources);
        let server = match (listener.route, listener.next_hop) {
            (RouteKind::Milter, _) => Server::milter(socket, engine, bounds, report),
            (kind, Some(hop)) => {
                let (lmtp, bare_lines) = (kind == RouteKind::Lmtp, listener.bare_lines);
                let route = proxy::Route {
                    lmtp,
                    bare_lines,
                    ..proxy::Route::to(hop)
                };
                Server::proxy(socket, route, engine, bounds, report)
            }
            (_, None) => return Err(Failure::new(Exit::Usage, format!("{address}: no next_hop"))),
        };
        let server = server.map_err(failed)?;
        let (at, stop) = (server.address().map_err(failed)?, server.stopper());
        console.say(format_args!("listening at {at}"));
        let place = RunningListener {
            address,
            route,
            stop,
            ledgers: kept,
        };
        places.push(BoundListener { place, server });
    }
    if let Some(socket) = inherited.first() {
        let address = socket
            .address()
            .map_err(|error| Failure::system("an inherited socket", &error))?;
        return Err(Failure::new(
            Exit::Usage,
            format!("{address}: handed on, and not in the configuration"),
        ));
    }
    Ok(places)
}

/// The ledgers of a folder; one that is open already is shared.
fn opened(
    ledger: &Ledger,
    open: &mut BTreeMap<PathBuf, (Ledger, Arc<Ledgers>)>,
    journal: &Arc<Journal>,
) -> Result<Arc<Ledgers>, Failure> {
    let place = |error| Failure::system(format_args!("ledger {}", ledger.folder.display()), &error);
    // What a path leads to may have changed since the file was read.
    let known = fs::canonicalize(&ledger.folder)
        .ok()
        .and_then(|place| open.get(&place));
    if let Some((other, ledgers)) = known {
        if !other.stays_as_long_as(ledger) {
            let (one, two) = (other.folder.display(), ledger.folder.display());
            let words = format!(
                "ledger: {one} and {two} are one folder, and originals stay there for different times"
            );
            return Err(Failure::new(
                Exit::Configuration,
                format!("configuration: {words}"),
            ));
        }
        return Ok(Arc::clone(ledgers));
    }
    let retention = Retention {
        age: ledger.age,
        bytes: ledger.bytes,
    };
    let journal = Arc::clone(journal);
    let report = move |error: &io::Error| {
        let fault = Fault::LedgerSweep(io::Error::new(error.kind(), error.to_string()));
        journal.report(&ServerEvent::Fault {
            connection: 0,
            peer: "",
            fault: &fault,
        });
    };
    let ledgers = Arc::new(Ledgers::open(&ledger.folder, retention, report).map_err(place)?);
    let folder = fs::canonicalize(&ledger.folder).map_err(place)?;
    open.insert(folder, (ledger.clone(), Arc::clone(&ledgers)));
    Ok(ledgers)
}

/// A thread of a server; what it came back with.
type ServerThread = JoinHandle<io::Result<()>>;

/// Gives each server a thread.
pub(super) fn run(
    places: Vec<BoundListener>,
) -> Result<(Vec<RunningListener>, Vec<ServerThread>), Failure> {
    let (mut running, mut threads) = (Vec::<RunningListener>::new(), Vec::new());
    for BoundListener { place, server } in places {
        let thread = thread::Builder::new()
            .name(place.address.to_string())
            .spawn(move || server.run());
        match thread {
            Ok(thread) => {
                threads.push(thread);
                running.push(place);
            }
            Err(error) => {
                running.iter().for_each(RunningListener::stop);
                join(threads);
                return Err(Failure::system(place.address, &error));
            }
        }
    }
    Ok((running, threads))
}

/// Waits for servers that were stopped before they were of use: what they made is gone then.
pub(super) fn join(threads: Vec<ServerThread>) {
    for thread in threads {
        // Why the start failed is told by others.
        let _ = thread.join();
    }
}
