//! Records how active a connection is, for the choice of one to close.

use crate::stream::Stream;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What the server knows of a connection when it chooses one to close.
#[derive(Debug)]
pub(crate) struct Activity {
    /// Address of the peer; `None` on a Unix socket.
    pub(super) peer: Option<IpAddr>,
    /// The client for which the peer speaks, once it has named it.
    client: Mutex<Option<IpAddr>>,
    began: AtomicBool,
    start: Instant,
    /// Milliseconds from the start to the last input, plus 1; 0 without input.
    heard: AtomicU64,
}

impl Activity {
    pub(crate) fn new(stream: &Stream) -> Self {
        Self::of(stream.client().ok().flatten())
    }

    pub(super) fn of(peer: Option<IpAddr>) -> Self {
        let (began, heard) = (AtomicBool::new(false), AtomicU64::new(0));
        Self {
            peer,
            client: Mutex::new(None),
            began,
            start: Instant::now(),
            heard,
        }
    }

    /// Records input of the peer.
    pub(crate) fn record_input(&self) {
        let time = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.heard.store(time.saturating_add(1), Ordering::Relaxed);
    }

    /// Records that a message began.
    pub(crate) fn record_message(&self) {
        self.began.store(true, Ordering::SeqCst);
    }

    /// Records the client for which the peer speaks.
    pub(crate) fn set_client(&self, client: Option<IpAddr>) {
        *self.client.lock().unwrap_or_else(PoisonError::into_inner) = client;
    }

    pub(super) fn client(&self) -> Option<IpAddr> {
        self.client
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .or(self.peer)
    }

    /// Returns how long it was silent; `None` if it ever began a message.
    pub(super) fn idle(&self) -> Option<Idle> {
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
pub(super) struct Idle {
    pub(super) spoke: bool,
    pub(super) silent: Duration,
}
