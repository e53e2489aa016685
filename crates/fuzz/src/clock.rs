//! Measures the time of a law on a busy machine.
//!
//! # Limits
//! Where the system does not tell a thread's time on a processor, the time that passes is taken.

use std::time::{Duration, Instant};

/// Measures the time of this thread on a processor. Without the system's help it measures the time that passes.
#[derive(Debug)]
pub enum Clock {
    /// Nanoseconds on a processor at the start.
    Processor(u64),
    /// The time at the start.
    Wall(Instant),
}

impl Clock {
    /// Starts a measurement.
    pub fn start() -> Self {
        on_processor().map_or_else(|| Self::Wall(Instant::now()), Self::Processor)
    }

    /// Returns the time since the start.
    pub fn elapsed(&self) -> Duration {
        match self {
            Self::Processor(start) => {
                Duration::from_nanos(on_processor().unwrap_or_default().saturating_sub(*start))
            }
            Self::Wall(start) => start.elapsed(),
        }
    }
}

/// Nanoseconds on a processor: the first number of the thread's schedstat.
fn on_processor() -> Option<u64> {
    // A yield brings the counter up to date.
    std::thread::yield_now();
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()?
        .split_whitespace()
        .next()?
        .parse()
        .ok()
}
