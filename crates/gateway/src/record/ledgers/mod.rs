//! A folder of ledgers: the original of each message that is changed, in segments that many messages share.
//!
//! ```text
//! FOLDER/2026-11-22/102315.004211907-4711-0.segment      the time (UTC), the daemon's process, a number
//! ```
//!
//! A record of a segment holds its message whole (`docs/ledger-format.md`): what is delivered may gain fields on its way. It is on the disk
//! before the message has its verdict; messages that come together share one sync. What is too old, or too much, goes, the oldest first.
//!
//! ```text
//! keep ─► group_commit ─► appender ─► folder          one segment at a time, one sync a group
//!         retention, every ten minutes ─► folder      closes what a killed daemon left, removes the oldest
//! find, read (catalog) ─► folder                      for `mailglot ledger`
//! ```
//!
//! # Limits
//! Listeners of one daemon that name one folder share its segment; daemons never share one. Bytes are those of the files, not of the blocks
//! that they fill. No message waits for a sweep, or is deferred because ledgers are too many: beyond the bound stands what is
//! written while the oldest go. A folder that is removed while a daemon uses it is missed until that starts again: messages are deferred.

mod appender;
mod catalog;
mod folder;
mod group_commit;
mod message_id;
mod names;
mod retention;

pub use catalog::{Catalog, Found, Query, Reading};
pub(crate) use folder::check_existing;
pub(in crate::record) use message_id::message_id;
pub use names::{day_start, rfc3339};
pub use retention::{Retention, Swept};

use appender::{Appender, Pending};
use folder::Folder;
use group_commit::GroupCommit;
use mailglot_archive::ledger::{BlockBuilder, IndexEntry, digest, segment_record, write_whole_by};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How often what is too old goes.
const SWEEP: Duration = Duration::from_mins(10);
/// Sweeps in a row, where new ledgers come as fast as old ones go.
const ROUNDS: u32 = 4;
/// Compressors that are kept for the next messages, and bytes of the largest message whose compressor is.
const BUILDERS: usize = 8;
const SMALL: usize = 256 << 10;
/// Bytes of the thread's stack.
const STACK: usize = 256 << 10;
/// What wrote a ledger, as it says itself.
const PRODUCER: &str = concat!("mailglot ", env!("CARGO_PKG_VERSION"));

/// A folder of ledgers. A thread of its own sweeps it, until it is dropped.
pub struct Ledgers {
    store: Arc<Store>,
    /// Wakes the sweeper; none once it shall end.
    wake: Option<SyncSender<()>>,
    sweeper: Option<JoinHandle<()>>,
}

struct Store {
    folder: Arc<Folder>,
    retention: Retention,
    commits: GroupCommit<Appender>,
    /// Bytes of all ledgers, as far as they were seen.
    bytes: Arc<AtomicU64>,
    /// Syncs of segments.
    syncs: Arc<AtomicU64>,
    /// Compressors that nobody uses just now.
    builders: Mutex<Vec<BlockBuilder>>,
}

/// A record that is made, and not written yet.
#[derive(Debug)]
pub struct Prepared(Pending);

/// Where a record is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Kept {
    name: String,
    bytes: u64,
}

impl Ledgers {
    /// Opens a folder, and makes it if it does not exist. A thread closes what killed daemons left open there; `tell` hears of its faults.
    ///
    /// # Errors
    /// The folder cannot be made or written, is a link, has another owner, others may write there, or there is no thread.
    pub fn open(
        folder: impl Into<PathBuf>,
        retention: Retention,
        tell: impl Fn(&io::Error) + Send + 'static,
    ) -> io::Result<Self> {
        let folder = Arc::new(Folder::open_or_make(&folder.into())?);
        // Better now than with the first message.
        writable(&folder)?;
        let (bytes, syncs) = (Arc::<AtomicU64>::default(), Arc::<AtomicU64>::default());
        let appender = Appender::new(folder.clone(), retention.bytes, bytes.clone(), syncs.clone());
        let commits = GroupCommit::new(appender);
        let store = Arc::new(Store { folder, retention, commits, bytes, syncs, builders: Mutex::default() });
        let (wake, woken) = sync_channel(1);
        let swept = store.clone();
        let sweeper =
            thread::Builder::new().name("ledgers".to_owned()).stack_size(STACK).spawn(move || {
                loop {
                    if let Err(error) = swept.sweep_until_few(SystemTime::now()) {
                        tell(&error);
                    }
                    if woken.recv_timeout(SWEEP) == Err(RecvTimeoutError::Disconnected) {
                        return;
                    }
                }
            })?;
        Ok(Self { store, wake: Some(wake), sweeper: Some(sweeper) })
    }

    /// Makes the record of a message as it came, with an account of what is made of it. `entry` is what it is found by; time, size and
    /// digest are set here.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn prepare(
        &self,
        original: &[u8],
        note: &str,
        entry: IndexEntry,
        now: SystemTime,
    ) -> io::Result<Prepared> {
        let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        let time = u64::try_from(since.as_nanos()).unwrap_or(u64::MAX);
        let ledger = self.store.ledger(original, note)?;
        let entry = IndexEntry { time, size: original.len() as u64, blake3: digest(original), ..entry };
        Ok(Prepared(Pending { time: now, bytes: segment_record(&entry, &ledger) }))
    }

    /// Keeps a record. When this comes back, it is on the disk. Gives its name: that of its segment below the folder, a colon, and its offset.
    ///
    /// # Errors
    /// The record cannot be written; nothing of it is left.
    pub fn commit(&self, record: Prepared) -> io::Result<String> {
        let kept = self.store.commits.commit(record.0)?;
        if self.store.retention.bytes.is_some_and(|most| self.bytes() > most)
            && let Some(wake) = &self.wake
        {
            // Where it is full, it is woken already.
            let _ = wake.try_send(());
        }
        Ok(kept.name)
    }

    /// Prepares and commits a record.
    ///
    /// # Errors
    /// As [`Ledgers::commit`].
    pub fn keep(
        &self,
        original: &[u8],
        note: &str,
        entry: IndexEntry,
        now: SystemTime,
    ) -> io::Result<String> {
        self.commit(self.prepare(original, note, entry, now)?)
    }

    /// Bytes of all ledgers.
    pub fn bytes(&self) -> u64 {
        self.store.bytes.load(Ordering::Relaxed)
    }

    /// How many times a segment was synced. Messages that come together share one.
    pub fn syncs(&self) -> u64 {
        self.store.syncs.load(Ordering::Relaxed)
    }

    /// Removes what is too old at this time, or too much.
    ///
    /// # Errors
    /// The folder cannot be read, or a file not be removed; the others are dealt with.
    pub fn sweep(&self, now: SystemTime) -> io::Result<Swept> {
        self.store.sweep(now)
    }
}

impl fmt::Debug for Ledgers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledgers").field("retention", &self.store.retention).finish_non_exhaustive()
    }
}

impl Drop for Ledgers {
    fn drop(&mut self) {
        drop(self.wake.take());
        if let Some(sweeper) = self.sweeper.take() {
            // Its panic has been told where it happened.
            let _ = sweeper.join();
        }
    }
}

impl Store {
    /// Makes a ledger of one message.
    fn ledger(&self, original: &[u8], note: &str) -> io::Result<Vec<u8>> {
        let builders = || self.builders.lock().unwrap_or_else(PoisonError::into_inner);
        let known = builders().pop();
        let mut builder = known.map_or_else(BlockBuilder::new, Ok)?;
        let room = Vec::with_capacity(1_024 + original.len() / 2);
        let (ledger, _) = write_whole_by(&mut builder, room, original, note.as_bytes(), PRODUCER)?;
        // One that took a large message has its memory still.
        let mut builders = builders();
        if builders.len() < BUILDERS && original.len() <= SMALL {
            builders.push(builder);
        }
        Ok(ledger)
    }

    /// Sweeps, and once more where too much was written meanwhile, or stood there before anything was counted: the next ledger would
    /// see to it, but nobody knows when that comes.
    fn sweep_until_few(&self, now: SystemTime) -> io::Result<Swept> {
        let mut swept = self.sweep(now)?;
        for _ in 1..ROUNDS {
            let all = self.bytes.load(Ordering::Relaxed);
            if self.retention.bytes.is_none_or(|most| all <= most) {
                break;
            }
            swept = self.sweep(now)?;
        }
        Ok(swept)
    }

    fn sweep(&self, now: SystemTime) -> io::Result<Swept> {
        self.commits.target().close_old(now)?;
        let abandoned = retention::close_abandoned(&self.folder, now);
        let before = self.bytes.load(Ordering::Relaxed);
        let swept = retention::sweep(&self.folder, self.retention, now)?;
        // What was written meanwhile counts, whether it was seen or not; the next sweep knows better.
        let counted = |now: u64| Some(swept.bytes + now.saturating_sub(before));
        // It has an answer for every number.
        let _ = self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, counted);
        abandoned.map(|()| swept)
    }
}

/// Makes a file without a name in it, or one that goes at once.
fn writable(folder: &Folder) -> io::Result<()> {
    let name = format!(".try-{}{}", std::process::id(), names::UNFINISHED);
    match folder.create(&name) {
        Ok(_) => folder.remove(name.as_ref()),
        // It was killed in between, and its number is ours now.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => folder.remove(name.as_ref()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;
