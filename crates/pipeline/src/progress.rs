//! Counters to watch while a job runs, and the flag that interrupts it.

use crate::lock::lock;
use crate::work_times::WorkTimes;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Shared counters: workers add, a watcher reads. All are monotonic.
#[derive(Debug, Default)]
pub struct Progress {
    /// Total size of the inputs in bytes (0: unknown).
    pub total: AtomicU64,
    /// Bytes read.
    pub bytes: AtomicU64,
    /// Messages processed.
    pub messages: AtomicU64,
    /// Events of severity repair.
    pub repairs: AtomicU64,
    /// Events of severity loss.
    pub losses: AtomicU64,
    times: Mutex<WorkTimes>,
    /// Set by the caller. The job ends with [`Error::Interrupted`](crate::Error::Interrupted) before its next batch, and removes
    /// what it has written.
    pub interrupt: AtomicBool,
}

impl Progress {
    /// Returns what the threads did so far. A thread adds its times when a source ends.
    pub fn work_times(&self) -> WorkTimes {
        *lock(&self.times)
    }

    pub(crate) fn add_times(&self, times: &WorkTimes) {
        let mut all = lock(&self.times);
        all.add(times);
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }
}
