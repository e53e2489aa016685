//! Turns: how many messages are at work at a time.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Messages that may be taken up.
#[derive(Debug)]
pub(crate) struct Turns {
    state: Mutex<State>,
    ended: Condvar,
}

/// Who may work on a message, and who waits.
#[derive(Debug)]
struct State {
    free: usize,
    waiting: usize,
}

impl Turns {
    /// As many as there are processors.
    pub(crate) fn of_processors() -> Self {
        let free = thread::available_parallelism().map_or(1, usize::from);
        Self { state: Mutex::new(State { free, waiting: 0 }), ended: Condvar::new() }
    }

    /// Waits for a turn; it ends when it is dropped.
    pub(crate) fn take(&self) -> Turn<'_> {
        let mut state = self.state();
        while state.free == 0 {
            state.waiting += 1;
            state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        state.free -= 1;
        Turn(self)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to work on a message.
#[derive(Debug)]
pub(crate) struct Turn<'a>(&'a Turns);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.free += 1;
        // Where nobody waits, the system need not be asked to wake one.
        if state.waiting > 0 {
            self.0.ended.notify_one();
        }
    }
}
