//! Counters that a caller may watch while a job runs.

use std::sync::atomic::AtomicU64;

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
}
