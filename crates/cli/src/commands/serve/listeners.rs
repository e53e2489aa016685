//! Opens and runs the listeners of a daemon, with their logs, metrics and ledgers.
//!
//! # Limits
//!
//! Policies that share a ledger folder must have the same retention.

use super::inherited_sockets;
use crate::exit::{Exit, Failure};
use crate::output::Console;
use mailglot_gateway::config::{Ledger, Listener, RouteKind};
use mailglot_gateway::ledgers::{Ledgers, Retention};
use mailglot_gateway::record::{Form, Journal, LogWriter, Metrics};
use mailglot_gateway::{
    Address, Engine, Fault, Inherited, Limits, Resources, Server, ServerEvent, Socket, Stop, proxy,
};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::{fs, io};

/// A listener with its socket, before it runs.
pub(super) struct BoundListener {
    place: RunningListener,
    server: Server,
}

/// A running listener, which can be stopped or get another policy.
pub(super) struct RunningListener {
    /// The address as the configuration names it.
    pub(super) address: Address,
    route: &'static str,
    stop: Stop,
    /// The ledgers of originals.
    ledgers: Option<Arc<Ledgers>>,
}

impl RunningListener {
    /// Stops it. Messages in progress may end.
    pub(super) fn stop(&self) {
        self.stop.stop();
    }

    /// Returns a number that grows while the server makes progress.
    pub(super) fn beats(&self) -> u64 {
        self.stop.beats()
    }

    /// Replaces the policy by that of `listener`, which has the same limits and ledger.
    pub(super) fn change(&self, listener: &Listener) {
        let engine = Engine {
            ledgers: self.ledgers.clone(),
            ..listener.engine.clone()
        };
        self.stop.change(engine);
    }
}

/// Sets the metrics that are measured, not counted.
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
    // All listeners share one spool.
    metrics.spool(places.first().map_or(0, |place| place.stop.spool_bytes()));
    metrics.ledger(folders.values().sum());
}

/// Opens the sockets of all listeners. Uses inherited sockets for their addresses.
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
    // All listeners have the same limits, and share the resources.
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
            (_, None) => return Err(Failure::usage(format!("{address}: no next_hop"))),
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
        return Err(Failure::usage(format!(
            "{address}: handed on, and not in the configuration"
        )));
    }
    Ok(places)
}

/// Opens the ledgers of a folder. Shares a folder that is already open.
fn opened(
    ledger: &Ledger,
    open: &mut BTreeMap<PathBuf, (Ledger, Arc<Ledgers>)>,
    journal: &Arc<Journal>,
) -> Result<Arc<Ledgers>, Failure> {
    let place = |error| Failure::system(format_args!("ledger {}", ledger.folder.display()), &error);
    // The path may have changed since the file was read.
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

/// The thread of a server, with its result.
type ServerThread = JoinHandle<io::Result<()>>;

/// Runs each server in a thread.
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

/// Waits for servers that were stopped during a failed start, so that their sockets are removed.
pub(super) fn join(threads: Vec<ServerThread>) {
    for thread in threads {
        // The caller reports why the start failed.
        let _ = thread.join();
    }
}
