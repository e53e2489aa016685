//! Chooses which connections are served if there are more than the limit.
//!
//! If all connections are in use, the server closes an idle one that never began a message. It takes one of the client with the most connections;
//! among these, those without any input go first, then the longest silent. A client address has a share of all connections. Beyond it, the server
//! closes an idle connection of the same client, or defers the new one.
//!
//! # Limits
//! A connection whose thread connects to the next hop keeps its place. Nothing interrupts `connect`, so the thread and its descriptors would
//! exist beside those of the new connection. A connection that was silent for less than a second stays: the new one waits up to a second, or is
//! deferred. Nobody is accepted meanwhile, so these waits take a quarter of the time at most. A connection that began a message is never closed
//! here. A Unix socket has no shares: its only client is the mail server.

use super::activity::Activity;
use super::shared::{ConnectionHandle, Shared};
use crate::event::ServerEvent;
use crate::fault::Fault;
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Silence after which a connection may be closed for a new one.
const SILENT: Duration = Duration::from_secs(1);
/// Longest sum of such waits in a row, and their share of the time in the long run. Clients that talk all the time, without a message, must not delay
/// others again and again.
const MOST_WAITS: Duration = Duration::from_secs(3);
const PART_OF_TIME: u32 = 4;
/// Time between two checks whether a connection may be closed.
const STEP: Duration = Duration::from_millis(20);

/// Makes room for new connections.
pub(super) struct Admission {
    /// Time that new connections may still wait for idle ones, and when it was computed.
    waits: Cell<(Duration, Instant)>,
}

/// Result of the search for a connection to close.
enum Choice {
    Close(u64),
    /// All candidates were silent for too short a time.
    Wait,
    None,
}

impl Admission {
    pub(super) fn new() -> Self {
        Self {
            waits: Cell::new((MOST_WAITS, Instant::now())),
        }
    }

    /// Makes room for a connection from `peer`. Returns false if all connections, or all of its share, are in use.
    pub(super) fn has_room(&self, shared: &Shared, peer: Option<IpAddr>) -> bool {
        let limits = &shared.limits;
        let patience = Instant::now() + SILENT + STEP;
        loop {
            let connections = shared.connections();
            let of_peer = |handle: &Arc<dyn ConnectionHandle>| {
                handle.activity().is_some_and(|other| other.peer == peer)
            };
            let beyond_share = peer.is_some()
                && connections
                    .values()
                    .filter(|handle| of_peer(handle))
                    .count()
                    >= limits.share();
            if !beyond_share && connections.len() < limits.connections {
                return true;
            }
            let choice = choose(
                connections
                    .iter()
                    .filter(|(_, handle)| !beyond_share || of_peer(handle)),
            );
            drop(connections);
            match choice {
                Choice::Close(number) => {
                    close_idle(shared, number);
                }
                Choice::Wait
                    if Instant::now() < patience && !shared.is_stopping() && self.wait() => {}
                Choice::Wait | Choice::None => return false,
            }
        }
    }

    /// Waits a step. Returns false, without a wait, if the allowed time is used up.
    fn wait(&self) -> bool {
        let (left, at) = self.waits.get();
        let start = Instant::now();
        let left = (left + start.duration_since(at) / PART_OF_TIME).min(MOST_WAITS);
        let may_wait = left >= STEP;
        if may_wait {
            thread::sleep(STEP);
        }
        let end = Instant::now();
        self.waits
            .set((left.saturating_sub(end.duration_since(start)), end));
        may_wait
    }
}

/// Closes one idle connection. Returns false if none can be closed.
pub(super) fn close_one(shared: &Shared) -> bool {
    let choice = choose(shared.connections().iter());
    matches!(choice, Choice::Close(number) if close_idle(shared, number))
}

/// Closes an idle connection and frees its place. Its thread ends as soon as it notices.
fn close_idle(shared: &Shared, number: u64) -> bool {
    let handle = shared.connections().get(&number).cloned();
    // It ended meanwhile, or it began to wait for something that nobody can interrupt.
    let Some(handle) = handle.filter(|handle| handle.dismiss()) else {
        return false;
    };
    shared.connections().remove(&number);
    let client = handle.activity().and_then(Activity::client);
    report_connection(shared, number, client, &Fault::IdleClosed);
    true
}

/// Reports that a connection was refused or closed for another one.
pub(super) fn report_connection(
    shared: &Shared,
    number: u64,
    client: Option<IpAddr>,
    fault: &Fault,
) {
    let peer = client.map_or_else(|| "local".to_owned(), |client| client.to_string());
    shared.report(&ServerEvent::Fault {
        connection: number,
        peer: &peer,
        fault,
    });
}

/// Chooses the connection to close.
fn choose<'a>(
    connections: impl Iterator<Item = (&'a u64, &'a Arc<dyn ConnectionHandle>)>,
) -> Choice {
    let mut of_client = HashMap::<_, usize>::new();
    let mut idle = Vec::new();
    for (number, handle) in connections {
        let Some(activity) = handle.activity() else {
            continue;
        };
        let client = activity.client();
        *of_client.entry(client).or_default() += 1;
        let candidate = activity.idle().filter(|_| handle.can_be_dismissed());
        idle.extend(candidate.map(|idle| (*number, client, idle)));
    }
    let silent = idle.iter().filter(|(.., idle)| idle.silent >= SILENT);
    let first = silent.min_by_key(|(_, client, idle)| {
        (
            Reverse(of_client.get(client).copied()),
            idle.spoke,
            Reverse(idle.silent),
        )
    });
    match first {
        Some((number, ..)) => Choice::Close(*number),
        None if idle.is_empty() => Choice::None,
        None => Choice::Wait,
    }
}
