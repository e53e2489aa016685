//! Keeps the original of each changed message in a ledger folder, in segments that many messages share.
//!
//! ```text
//! FOLDER/2026-11-22/102315.004211907-4711-0.segment      time (UTC), process id, number
//! ```
//!
//! A record holds its message whole (`docs/ledger-format.md`), because later servers may add fields to the delivered one. The record is durable
//! before the client gets the verdict. Messages that arrive together share one sync. Retention removes the oldest segments first.
//!
//! ```text
//! keep ─► group_commit ─► appender ─► folder          one segment at a time, one sync a group
//!         retention, every ten minutes ─► folder      closes what a killed daemon left, removes the oldest
//! find, read (catalog) ─► folder                      for `mailglot ledger`
//! ```
//!
//! # Limits
//! Listeners of one daemon that name one folder share a segment; two daemons never do. Sizes are lengths of files, not blocks on the disk.
//! No message waits for a sweep: while it removes files, the folder may exceed its bound. If somebody removes the folder while a segment is
//! open, the next changed message is deferred, and the folder is made again.

mod appender;
mod catalog;
mod durable_record;
mod folder;
mod group_commit;
mod message_id;
mod names;
mod retention;

pub use catalog::{Catalog, Found, LedgerRecord, Query};
pub(crate) use folder::check_existing;
pub(crate) use message_id::message_id;
pub use names::{day_start, rfc3339};
pub use retention::{Retention, Swept};

use appender::{Appender, Pending};
use durable_record::{FailureReporter, PRODUCER};
use folder::{Folder, LedgerFolder};
use group_commit::GroupCommit;
use mailglot_archive::ledger::{BlockBuilder, IndexEntry, segment_record, write_whole_by};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Time between two sweeps.
const SWEEP: Duration = Duration::from_mins(10);
/// Most sweeps in a row, if records arrive as fast as a sweep removes them.
const ROUNDS: u32 = 4;
/// Most idle compressors, and bytes of the largest message whose compressor is reused.
const BUILDERS: usize = 8;
const SMALL: usize = 256 << 10;
/// Stack of the sweeping thread, in bytes.
const STACK: usize = 256 << 10;

/// A ledger folder. A thread sweeps it until this is dropped.
pub struct Ledgers {
    store: Arc<Store>,
    /// Wakes the sweeper; `None` ends it.
    wake: Option<SyncSender<()>>,
    sweeper: Option<JoinHandle<()>>,
}

struct Store {
    folder: Arc<LedgerFolder>,
    retention: Retention,
    commits: GroupCommit<Appender>,
    /// Bytes of all files, as far as a sweep has counted them.
    bytes: Arc<AtomicU64>,
    /// Syncs of segments.
    syncs: Arc<AtomicU64>,
    /// Idle compressors.
    builders: Mutex<Vec<BlockBuilder>>,
    report: FailureReporter,
    /// Sweeps that the sweeper has ended.
    #[cfg(test)]
    sweeps: AtomicU64,
}

/// An encoded record, ready for [`Ledgers::commit`].
#[derive(Debug)]
pub struct Prepared(Pending);

impl Prepared {
    /// Bytes of the record.
    pub(crate) fn len(&self) -> usize {
        self.0.bytes.len()
    }
}

impl Ledgers {
    /// Opens a folder, and creates it if it does not exist. A thread closes segments of killed daemons; it passes its errors to `report`, and
    /// each segment that was cut or is damaged. The thread that commits records calls `report` if it cannot close a segment.
    ///
    /// # Errors
    /// The folder cannot be created or written, is a symbolic link, has another owner or is writable for others; or no thread can be started.
    pub fn open(
        folder: impl Into<PathBuf>,
        retention: Retention,
        report: impl Fn(&io::Error) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let folder = Arc::new(LedgerFolder::open_or_make(folder.into())?);
        // An error is reported at the start, not with the first message.
        writable(&*folder.current()?)?;
        let (bytes, syncs) = (Arc::<AtomicU64>::default(), Arc::<AtomicU64>::default());
        let report: FailureReporter = Arc::new(report);
        let appender = Appender::new(
            folder.clone(),
            retention.bytes,
            bytes.clone(),
            syncs.clone(),
            report.clone(),
        );
        let commits = GroupCommit::new(appender)?;
        let builders = Mutex::default();
        let store = Arc::new(Store {
            folder,
            retention,
            commits,
            bytes,
            syncs,
            builders,
            report,
            #[cfg(test)]
            sweeps: AtomicU64::new(0),
        });
        let (wake, woken) = sync_channel(1);
        let swept = store.clone();
        let sweeper = thread::Builder::new()
            .name("ledgers".to_owned())
            .stack_size(STACK)
            .spawn(move || {
                loop {
                    if let Err(error) = swept.sweep_until_few(SystemTime::now()) {
                        (swept.report)(&error);
                    }
                    #[cfg(test)]
                    swept.sweeps.fetch_add(1, Ordering::SeqCst);
                    if woken.recv_timeout(SWEEP) == Err(RecvTimeoutError::Disconnected) {
                        return;
                    }
                }
            })?;
        Ok(Self {
            store,
            wake: Some(wake),
            sweeper: Some(sweeper),
        })
    }

    /// Encodes the record of a message as received, with `note`, a JSON account of its changes. Sets time, size and digest of `entry`.
    ///
    /// # Errors
    /// The compressor fails, for example without memory; or `entry` is too long to be read again (64 KiB).
    pub fn prepare(
        &self,
        original: &[u8],
        note: &str,
        entry: IndexEntry,
        now: SystemTime,
    ) -> io::Result<Prepared> {
        let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        let time = u64::try_from(since.as_nanos()).unwrap_or(u64::MAX);
        let (ledger, blake3) = self.store.ledger(original, note)?;
        let entry = IndexEntry {
            time,
            size: original.len() as u64,
            blake3,
            ..entry
        };
        Ok(Prepared(Pending {
            time: now,
            bytes: segment_record(&entry, &ledger)?,
        }))
    }

    /// Writes a record and makes it durable. Returns its name: path of the segment below the folder, a colon, offset.
    ///
    /// # Errors
    /// The record cannot be written or synced; the segment is cut to what was durable before.
    pub fn commit(&self, record: Prepared) -> io::Result<String> {
        let kept = self.store.commits.commit(record.0)?;
        self.sweep_if_full();
        Ok(kept.name)
    }

    /// Submits a record, and returns at once. A thread calls `done` with its name when it is durable, or with the error of [`Ledgers::commit`].
    /// `done` must not wait.
    pub(crate) fn submit(
        &self,
        record: Prepared,
        done: impl FnOnce(io::Result<String>) + Send + 'static,
    ) {
        self.sweep_if_full();
        self.store
            .commits
            .submit(record.0, |kept| done(kept.map(|kept| kept.name)));
    }

    /// Wakes the sweeper if there are more bytes than the retention allows.
    fn sweep_if_full(&self) {
        let most = self.store.retention.bytes;
        if most.is_some_and(|most| self.bytes() > most)
            && let Some(wake) = &self.wake
        {
            // A full channel has woken it already.
            let _ = wake.try_send(());
        }
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

    /// Stalls the disk until the result is dropped.
    #[cfg(test)]
    pub(crate) fn stall(&self) -> impl Sized + '_ {
        self.store.commits.target()
    }

    /// Bytes of all ledgers.
    pub fn bytes(&self) -> u64 {
        self.store.bytes.load(Ordering::Relaxed)
    }

    /// How many times a segment was synced. Messages that come together share one.
    pub fn syncs(&self) -> u64 {
        self.store.syncs.load(Ordering::Relaxed)
    }

    /// Removes files beyond the age and size of the retention.
    ///
    /// # Errors
    /// The folder cannot be read, or a file cannot be removed; the sweep still removes the others.
    pub fn sweep(&self, now: SystemTime) -> io::Result<Swept> {
        self.store.sweep(now)
    }
}

impl fmt::Debug for Ledgers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledgers")
            .field("retention", &self.store.retention)
            .finish_non_exhaustive()
    }
}

impl Drop for Ledgers {
    fn drop(&mut self) {
        drop(self.wake.take());
        if let Some(sweeper) = self.sweeper.take() {
            // The panic hook has reported a panic.
            let _ = sweeper.join();
        }
    }
}

impl Store {
    /// Encodes a ledger of one message. Returns it and the digest of the message.
    fn ledger(&self, original: &[u8], note: &str) -> io::Result<(Vec<u8>, [u8; 32])> {
        let builders = || self.builders.lock().unwrap_or_else(PoisonError::into_inner);
        let known = builders().pop();
        let mut builder = known.map_or_else(BlockBuilder::new, Ok)?;
        let room = Vec::with_capacity(1_024 + original.len() / 2);
        let (ledger, digest) =
            write_whole_by(&mut builder, room, original, note.as_bytes(), PRODUCER)?;
        // A compressor keeps the memory of its largest message.
        let mut builders = builders();
        if builders.len() < BUILDERS && original.len() <= SMALL {
            builders.push(builder);
        }
        Ok((ledger, digest))
    }

    /// Sweeps until the folder is within its bound, at most [`ROUNDS`] times: records may arrive during a sweep.
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
        self.commits.target().close_old(now);
        let folder = self.folder.current()?;
        let abandoned = retention::close_abandoned(&folder, now, &*self.report);
        let before = self.bytes.load(Ordering::Relaxed);
        let swept = retention::sweep(&folder, self.retention, now)?;
        // Records written during the sweep count once more; the next sweep corrects that.
        let counted = |now: u64| Some(swept.bytes + now.saturating_sub(before));
        // The closure never refuses.
        let _ = self
            .bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, counted);
        abandoned.map(|()| swept)
    }
}

/// Creates a file and removes it, to test that the folder is writable.
fn writable(folder: &Folder) -> io::Result<()> {
    let name = format!(".try-{}{}", std::process::id(), names::UNFINISHED);
    match folder.create(&name) {
        Ok(_) => folder.remove(name.as_ref()),
        // A killed process with the same id left it.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => folder.remove(name.as_ref()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;
