//! Measures what the threads of a job do.
//!
//! # Limits
//!
//! A thread of the output, which writes large files past the page cache, is not measured.

use std::time::{Duration, Instant};

/// Time per activity, summed over threads. The five times add up to `threads` × `elapsed` at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkTimes {
    /// Largest number of threads that worked on one input.
    pub threads: usize,
    /// Time in which the threads worked on inputs, one input after the other. Excludes finding the inputs and completing the outputs.
    pub elapsed: Duration,
    /// Reading in the order of the input: one thread at a time. Includes decompression, separating messages, and the digest.
    pub reading: Duration,
    /// Opening, reading and hashing the files of a folder: any number of threads.
    pub reading_files: Duration,
    /// Processing messages: any number of threads.
    pub processing: Duration,
    /// Writing in the order of the input: one thread at a time.
    pub writing: Duration,
    /// Waiting for another thread.
    pub waiting: Duration,
}

impl WorkTimes {
    /// Returns the sum of the times of all threads.
    pub fn sum(&self) -> Duration {
        self.reading + self.reading_files + self.processing + self.writing + self.waiting
    }

    /// Adds the times of a thread or of an input.
    pub(crate) fn add(&mut self, other: &Self) {
        self.threads = self.threads.max(other.threads);
        self.elapsed += other.elapsed;
        self.reading += other.reading;
        self.reading_files += other.reading_files;
        self.processing += other.processing;
        self.writing += other.writing;
        self.waiting += other.waiting;
    }

    fn of(&mut self, phase: Phase) -> &mut Duration {
        match phase {
            Phase::Reading => &mut self.reading,
            Phase::ReadingFiles => &mut self.reading_files,
            Phase::Processing => &mut self.processing,
            Phase::Writing => &mut self.writing,
            Phase::Waiting => &mut self.waiting,
        }
    }
}

/// What a thread does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Phase {
    Reading,
    ReadingFiles,
    Processing,
    Writing,
    Waiting,
}

/// Divides the time of one thread into phases without a gap.
#[derive(Debug)]
pub(crate) struct PhaseClock {
    since: Instant,
    /// The times so far.
    pub(crate) times: WorkTimes,
}

impl PhaseClock {
    /// Begins the first phase.
    pub(crate) fn start() -> Self {
        Self {
            since: Instant::now(),
            times: WorkTimes::default(),
        }
    }

    /// Ends a phase, and begins the next.
    pub(crate) fn end(&mut self, phase: Phase) {
        let now = Instant::now();
        *self.times.of(phase) += now - self.since;
        self.since = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_have_no_gap() {
        let start = Instant::now();
        let mut clock = PhaseClock::start();
        let phases = [
            Phase::Reading,
            Phase::Waiting,
            Phase::Reading,
            Phase::Writing,
        ];
        for phase in phases {
            std::thread::sleep(Duration::from_millis(2));
            clock.end(phase);
        }
        let times = clock.times;
        assert!(times.reading >= 2 * Duration::from_millis(2));
        assert!(times.waiting.min(times.writing) >= Duration::from_millis(2));
        assert_eq!(times.processing + times.reading_files, Duration::ZERO);
        assert!(times.sum() <= start.elapsed());
        let (mut all, other) = (
            times,
            WorkTimes {
                threads: 2,
                ..times
            },
        );
        all.add(&other);
        assert_eq!((all.threads, all.sum()), (2, 2 * times.sum()));
    }
}
