//! Time that a law may be judged by on a busy machine.

use std::fs;
use std::time::{Duration, Instant};

/// Time that this thread was on a processor, where the kernel tells (Linux); what else runs on the machine does not
/// count. Elsewhere wall time.
#[derive(Debug)]
pub enum Clock {
    /// Nanoseconds on a processor at the start.
    Processor(u64),
    /// When it began.
    Wall(Instant),
}

impl Clock {
    /// Begins to count.
    pub fn start() -> Self {
        processor_time().map_or_else(|| Self::Wall(Instant::now()), Self::Processor)
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        match self {
            Self::Processor(start) => {
                Duration::from_nanos(processor_time().unwrap_or(*start) - start)
            }
            Self::Wall(start) => start.elapsed(),
        }
    }
}

/// Nanoseconds on a processor: the first number of the thread's schedstat.
fn processor_time() -> Option<u64> {
    // Asking for the processor's time slice to be accounted: a yield updates the counter.
    std::thread::yield_now();
    fs::read_to_string("/proc/thread-self/schedstat")
        .ok()?
        .split_whitespace()
        .next()?
        .parse()
        .ok()
}
