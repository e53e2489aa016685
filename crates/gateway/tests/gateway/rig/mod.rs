//! Servers over real sockets, and those who speak with them.

mod filter;
mod next_hop;
mod proxy;
mod scripted;
mod session;

pub(crate) use filter::{Mta, RunningFilter, letters};
pub(crate) use next_hop::{Death, HopConnection, Kept, Manner, RunningNextHop};
pub(crate) use proxy::{ProxyClient, RunningProxy};
pub(crate) use scripted::{Part, Scripted};
pub(crate) use session::{SessionWorld, TWO_MESSAGES, lmtp_message, run_dialogue};

use mailglot_gateway::ledgers::{Catalog, LedgerRecord};
use mailglot_gateway::{Address, Record, Server, ServerEvent, Stop};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A running server; it ends with the test.
pub(crate) struct Served {
    pub(crate) address: Address,
    pub(crate) stop: Stop,
    pub(crate) thread: Option<JoinHandle<()>>,
}

impl Served {
    pub(crate) fn run(server: Server) -> Self {
        let (address, stop) = (server.address().unwrap(), server.stopper());
        Self {
            address,
            stop,
            thread: Some(thread::spawn(move || server.run().unwrap())),
        }
    }

    /// Stops it, and waits for its end.
    pub(crate) fn end(&mut self) {
        self.stop.stop();
        self.thread.take().unwrap().join().unwrap();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if self.thread.is_some() && !thread::panicking() {
            self.end();
        }
    }
}

/// What a server told.
#[derive(Clone, Default)]
pub(crate) struct Told {
    records: Arc<Mutex<Vec<Record>>>,
    faults: Arc<Mutex<Vec<String>>>,
}

impl Told {
    pub(crate) fn ear(&self) -> impl Fn(&ServerEvent<'_>) + Send + Sync + use<> {
        let told = self.clone();
        move |notice| match notice {
            ServerEvent::Message(record) => told.records.lock().unwrap().push((*record).clone()),
            ServerEvent::Fault { fault, .. } => told.faults.lock().unwrap().push(fault.to_string()),
            ServerEvent::Flush => (),
        }
    }

    /// The records of so many messages; one is told right behind its verdict.
    pub(crate) fn records(&self, count: usize) -> Vec<Record> {
        awaited(|| self.records.lock().unwrap().clone(), count)
    }

    pub(crate) fn faults(&self, count: usize) -> Vec<String> {
        awaited(|| self.faults.lock().unwrap().clone(), count)
    }
}

/// A list once it has so many, or as many as there are after a long time.
pub(crate) fn awaited<T>(look: impl Fn() -> Vec<T>, count: usize) -> Vec<T> {
    let patience = Instant::now() + Duration::from_secs(20);
    loop {
        let now = look();
        if now.len() >= count || Instant::now() > patience {
            return now;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// The record of this name in a ledger folder.
pub(crate) fn kept(folder: &Path, name: &str) -> LedgerRecord {
    Catalog::open(folder).unwrap().read(name).unwrap()
}

/// The message in a record, and what is told of it.
pub(crate) fn original(folder: &Path, name: &str) -> (Vec<u8>, String) {
    let kept = kept(folder, name);
    (kept.original, String::from_utf8(kept.note).unwrap())
}
