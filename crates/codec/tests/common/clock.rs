//! Time that a law may be judged by on a busy machine.
//!
//! # Limits
//! Where the system does not tell a thread's time on a processor, the time that passes is taken.

use std::time::{Duration, Instant};

/// Time of this thread on a processor, where the system tells it; else time that passes.
pub(crate) enum Clock {
    Processor(u64),
    Wall(Instant),
}

impl Clock {
    pub(crate) fn start() -> Self {
        on_processor().map_or_else(|| Self::Wall(Instant::now()), Self::Processor)
    }

    pub(crate) fn elapsed(&self) -> Duration {
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
