//! Which connections are served when there are more than there may be.
//!
//! Where all are taken, one that is idle and never began a message is closed for the next one: of the client with most connections first,
//! those that never said a word before others, the longest silent first. A client address may have a share of all connections; beyond it
//! its own idle ones go, or the new one is deferred.
//!
//! # Limits
//! A connection whose thread connects to the next hop keeps its place: nothing interrupts `connect`, so the thread and its descriptors would
//! exist beside those of the new connection.
//! A connection that was silent for less than a second stays: the next one waits so long, or is deferred. Nobody is accepted meanwhile, so these waits take
//! a quarter of the time at most. A connection that began a message is never closed here.

use super::{ConnectionHandle, Server, Shared};
use crate::address::Stream;
use crate::event::ServerEvent;
use crate::fault::Fault;
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A connection that was silent for so long may be closed for another one.
const SILENT: Duration = Duration::from_secs(1);
/// The most that may be waited for such connections at once, and the part of the time that may be waited in the long run: clients that talk all the time,
/// without a message, must not delay others again and again.
const MOST_WAITS: Duration = Duration::from_secs(3);
const PART_OF_TIME: u32 = 4;
/// How often it is looked whether one has become so.
const STEP: Duration = Duration::from_millis(20);

/// How long may be waited, as of a time.
pub(super) fn waits() -> Cell<(Duration, Instant)> {
    Cell::new((MOST_WAITS, Instant::now()))
}

/// What is known of a connection by those who choose which to close.
#[derive(Debug)]
pub(crate) struct Activity {
    /// The other end of the connection; none for a socket in the file system.
    peer: Option<IpAddr>,
    /// The client that the other end speaks for, once it told.
    client: Mutex<Option<IpAddr>>,
    began: AtomicBool,
    start: Instant,
    /// Milliseconds from the start to the last words, and one more; 0 where there were none.
    heard: AtomicU64,
}

impl Activity {
    pub(crate) fn new(stream: &Stream) -> Self {
        Self::of(stream.client().ok().flatten())
    }

    fn of(peer: Option<IpAddr>) -> Self {
        let (began, heard) = (AtomicBool::new(false), AtomicU64::new(0));
        Self {
            peer,
            client: Mutex::new(None),
            began,
            start: Instant::now(),
            heard,
        }
    }

    /// The other end said something.
    pub(crate) fn record_input(&self) {
        let time = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.heard.store(time.saturating_add(1), Ordering::Relaxed);
    }

    /// A message began.
    pub(crate) fn record_message(&self) {
        self.began.store(true, Ordering::SeqCst);
    }

    /// The other end speaks for this client.
    pub(crate) fn set_client(&self, client: Option<IpAddr>) {
        *self.client.lock().unwrap_or_else(PoisonError::into_inner) = client;
    }

    fn client(&self) -> Option<IpAddr> {
        self.client
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .or(self.peer)
    }

    /// How long it was silent; none where it began a message, some time or other.
    fn idle(&self) -> Option<Idle> {
        if self.began.load(Ordering::SeqCst) {
            return None;
        }
        let heard = self.heard.load(Ordering::Relaxed);
        let last = Duration::from_millis(heard.saturating_sub(1));
        Some(Idle {
            spoke: heard > 0,
            silent: self.start.elapsed().saturating_sub(last),
        })
    }
}

/// A connection that never began a message.
#[derive(Clone, Copy, Debug)]
struct Idle {
    spoke: bool,
    silent: Duration,
}

/// What became of the search for a connection to close.
enum Choice {
    Close(u64),
    /// There are some, which were not silent for long enough.
    Wait,
    None,
}

impl Server {
    /// Makes room for a connection from `peer`. Returns false where all connections, or all of its share, are in use.
    pub(super) fn has_room(&self, peer: Option<IpAddr>) -> bool {
        let limits = &self.shared.limits;
        let patience = Instant::now() + SILENT + STEP;
        loop {
            let connections = self.shared.connections();
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
                    self.close_idle(number);
                }
                Choice::Wait
                    if Instant::now() < patience && !self.shared.is_stopping() && self.wait() => {}
                Choice::Wait | Choice::None => return false,
            }
        }
    }

    /// Waits a step, if there were not too many waits before.
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

    /// Closes one idle connection. Returns false if none can be closed.
    pub(super) fn close_one(&self) -> bool {
        let choice = choose(self.shared.connections().iter());
        matches!(choice, Choice::Close(number) if self.close_idle(number))
    }

    /// Closes an idle connection and frees its place. Its thread ends as soon as it notices.
    fn close_idle(&self, number: u64) -> bool {
        let handle = self.shared.connections().get(&number).cloned();
        // It ended meanwhile, or it began to wait for something that nobody can interrupt.
        let Some(handle) = handle.filter(|handle| handle.dismiss()) else {
            return false;
        };
        self.shared.connections().remove(&number);
        let client = handle.activity().and_then(Activity::client);
        report_connection(&self.shared, number, client, &Fault::IdleClosed);
        true
    }
}

/// Tells of what was done to a connection because of others, or of where it comes from.
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

/// Chooses the connection that goes first.
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
