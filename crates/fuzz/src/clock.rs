//! Measures the time of a law on a busy machine.
//!
//! # Limits
//! Where the system does not tell a thread's time on a processor, the time that passes is taken.

use std::time::{Duration, Instant};

/// Measures the time of this thread on a processor. Without the system's help it measures the time that passes.
#[derive(Debug)]
pub enum Clock {
    /// The time on a processor at the start.
    Processor(Duration),
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
            Self::Processor(start) => on_processor().unwrap_or_default().saturating_sub(*start),
            Self::Wall(start) => start.elapsed(),
        }
    }
}

/// Returns the time of this thread on a processor. `schedstat` is no source for it: its counter lags behind by a tick.
#[cfg(unix)]
fn on_processor() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).ok()?;
    Some(Duration::new(seconds, u32::try_from(time.tv_nsec).ok()?))
}

#[cfg(not(unix))]
fn on_processor() -> Option<Duration> {
    None
}
