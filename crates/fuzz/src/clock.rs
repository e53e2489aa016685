//! Measures the time of a law on a busy machine.
//!
//! # Limits
//! Linux, macOS and FreeBSD measure a thread's time on a processor. On other systems it measures the time that passes.

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

/// Returns the time of this thread on a processor. Does not read `/proc/thread-self/schedstat`, whose counter is late by a timer tick.
#[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
fn on_processor() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).ok()?;
    Some(Duration::new(seconds, u32::try_from(time.tv_nsec).ok()?))
}

#[cfg(not(any(target_os = "linux", target_os = "macos", target_os = "freebsd")))]
fn on_processor() -> Option<Duration> {
    None
}
