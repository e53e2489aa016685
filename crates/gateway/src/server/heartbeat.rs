//! Heartbeats of the threads that many connections depend on, and the watchdog that looks at them.
//!
//! # Limits
//! A thread that beats and does nothing useful counts as alive.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Signs of life of one thread: the one that accepts connections, or a worker of the pool.
#[derive(Debug, Default)]
pub(super) struct Heartbeat {
    beats: AtomicU64,
    busy: AtomicBool,
}

impl Heartbeat {
    /// Records that the thread begins a step of its work.
    pub(super) fn beat(&self) {
        self.busy.store(true, Ordering::Relaxed);
        self.beats.fetch_add(1, Ordering::Relaxed);
    }

    /// Records that the thread waits for others, or has ended.
    pub(super) fn set_idle(&self) {
        self.busy.store(false, Ordering::Relaxed);
    }
}

/// Finds threads that are busy without a beat. Keeps the beats of each thread, and the time of its last progress.
#[derive(Debug, Default)]
pub(super) struct Watchdog(Vec<(u64, Instant)>);

impl Watchdog {
    /// Returns true if every thread is idle or made a step less than `limit` before `now`. The list of threads may only grow.
    pub(super) fn all_alive(
        &mut self,
        heartbeats: &[Arc<Heartbeat>],
        now: Instant,
        limit: Duration,
    ) -> bool {
        self.0.resize(heartbeats.len(), (u64::MAX, now));
        let mut all = true;
        for (heartbeat, seen) in heartbeats.iter().zip(&mut self.0) {
            let beats = heartbeat.beats.load(Ordering::Relaxed);
            if beats != seen.0 || !heartbeat.busy.load(Ordering::Relaxed) {
                *seen = (beats, now);
            }
            all &= now.duration_since(seen.1) < limit;
        }
        all
    }
}
