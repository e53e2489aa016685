//! Measures time for tests on a busy machine.

use std::fs;
use std::time::{Duration, Instant};

/// CPU time of this thread if the kernel reports it (Linux), so that other load does not count. Wall time elsewhere.
#[derive(Debug)]
pub enum Clock {
    /// CPU time at the start, in nanoseconds.
    Processor(u64),
    /// Wall time at the start.
    Wall(Instant),
}

impl Clock {
    /// Starts the clock.
    pub fn start() -> Self {
        processor_time().map_or_else(|| Self::Wall(Instant::now()), Self::Processor)
    }

    /// Returns the time since the start.
    pub fn elapsed(&self) -> Duration {
        match self {
            Self::Processor(start) => {
                Duration::from_nanos(processor_time().unwrap_or(*start) - start)
            }
            Self::Wall(start) => start.elapsed(),
        }
    }
}

/// Returns the CPU time in nanoseconds: the first number of the thread's schedstat.
fn processor_time() -> Option<u64> {
    // A yield makes the kernel update the counter.
    std::thread::yield_now();
    fs::read_to_string("/proc/thread-self/schedstat")
        .ok()?
        .split_whitespace()
        .next()?
        .parse()
        .ok()
}
