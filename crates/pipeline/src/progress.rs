//! Counters that a caller may watch while a job runs, and the flag that ends it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Shared counters; workers add, a watcher reads. All are monotonic.
#[derive(Debug, Default)]
pub struct Progress {
    /// Bytes of all inputs where known (0: unknown).
    pub total: AtomicU64,
    /// Bytes read.
    pub bytes: AtomicU64,
    /// Messages done.
    pub messages: AtomicU64,
    /// Events of severity repair.
    pub repairs: AtomicU64,
    /// Events of severity loss.
    pub losses: AtomicU64,
    /// Set by the caller: the job ends with [`Error::Interrupted`](crate::Error::Interrupted) before its next batch, and what it
    /// has written so far is removed.
    pub interrupt: AtomicBool,
}

impl Progress {
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }
}
