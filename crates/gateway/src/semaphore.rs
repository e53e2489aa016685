//! A semaphore that bounds how many messages are processed at a time.

use crate::spool::{Budget, Reserved};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

/// A counting semaphore.
#[derive(Debug)]
pub(crate) struct Semaphore {
    state: Mutex<PermitCounts>,
    ended: Condvar,
}

/// Free permits and waiting threads.
#[derive(Debug)]
struct PermitCounts {
    free: usize,
    waiting: usize,
}

impl Semaphore {
    /// Creates a semaphore with one permit for each processor.
    pub(crate) fn of_processors() -> Self {
        Self::new(thread::available_parallelism().map_or(1, usize::from))
    }

    pub(crate) fn new(free: usize) -> Self {
        Self {
            state: Mutex::new(PermitCounts { free, waiting: 0 }),
            ended: Condvar::new(),
        }
    }

    /// Returns the number of free permits.
    #[cfg(test)]
    pub(crate) fn free(&self) -> usize {
        self.state().free
    }

    /// Waits for a permit. Dropping it releases it.
    pub(crate) fn acquire(&self) -> Permit<'_> {
        let mut state = self.state();
        while state.free == 0 {
            state.waiting += 1;
            state = self
                .ended
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        state.free -= 1;
        Permit(self)
    }

    /// Waits for a permit until `end`. Returns `None` after that.
    pub(crate) fn acquire_until(&self, end: Instant) -> Option<Permit<'_>> {
        let mut state = self.state();
        while state.free == 0 {
            let left = end
                .checked_duration_since(Instant::now())
                .filter(|left| !left.is_zero())?;
            state.waiting += 1;
            (state, _) = self
                .ended
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        state.free -= 1;
        Some(Permit(self))
    }

    fn state(&self) -> MutexGuard<'_, PermitCounts> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The resources of a message that is processed: a permit, or memory from `budget` while it waits for the disk without a permit.
#[derive(Debug)]
pub(crate) struct Processing<'a> {
    permit: Option<Permit<'a>>,
    budget: &'a Arc<Budget>,
}

impl<'a> Processing<'a> {
    pub(crate) fn new(permit: Option<Permit<'a>>, budget: &'a Arc<Budget>) -> Self {
        Self { permit, budget }
    }

    /// Releases the permit if the shared memory has room for `bytes`, and reserves them until the returned value is dropped. Otherwise the message keeps
    /// its permit. Never waits.
    pub(crate) fn wait_without_permit(&mut self, bytes: u64) -> Option<Reserved> {
        let reserved = self.budget.reserve(bytes)?;
        self.permit = None;
        Some(reserved)
    }
}

/// The right to process a message.
#[derive(Debug)]
pub(crate) struct Permit<'a>(&'a Semaphore);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.free += 1;
        // Without a waiting thread no system call is needed.
        if state.waiting > 0 {
            self.0.ended.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_turn_is_waited_for_no_longer_than_allowed() {
        let semaphore = Semaphore::new(1);
        let soon = || Instant::now() + Duration::from_millis(50);
        let held = semaphore.acquire();
        assert!(semaphore.acquire_until(soon()).is_none());
        assert_eq!(semaphore.state().waiting, 0);
        thread::scope(|scope| {
            let waits = scope.spawn(|| {
                semaphore
                    .acquire_until(Instant::now() + Duration::from_mins(1))
                    .is_some()
            });
            thread::sleep(Duration::from_millis(20));
            drop(held);
            assert!(waits.join().unwrap());
        });
        // A free permit is acquired even after `end`.
        assert!(semaphore.acquire_until(Instant::now()).is_some());
    }
}
