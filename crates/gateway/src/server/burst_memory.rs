//! When a server gives memory back to the system: after a burst of connections. No I/O, no clock.

use std::time::{Duration, Instant};

/// Least number of connections that make a burst: the memory of fewer is not worth the call.
const BURST: usize = 16;
/// Least time between two calls, so that a number that goes up and down costs little.
const PAUSE: Duration = Duration::from_secs(2);

/// The course of the number of connections.
#[derive(Debug, Default)]
pub(super) struct BurstMemory {
    /// Most connections since the last burst was over.
    most: usize,
    /// When the last burst was over.
    last: Option<Instant>,
}

impl BurstMemory {
    /// Returns true if at least half of the connections of a burst have ended.
    pub(super) fn is_over(&mut self, connections: usize, now: Instant) -> bool {
        self.most = self.most.max(connections);
        let pauses = self
            .last
            .is_some_and(|last| now.saturating_duration_since(last) < PAUSE);
        if self.most < BURST || connections > self.most / 2 || pauses {
            return false;
        }
        (self.most, self.last) = (connections, Some(now));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_over_once_when_half_of_its_connections_have_ended() {
        let (mut memory, start) = (BurstMemory::default(), Instant::now());
        let mut at = |seconds, connections| {
            memory.is_over(connections, start + Duration::from_secs(seconds))
        };
        assert!(!at(0, 15) && !at(1, 0), "no burst");
        assert!(!at(2, 200) && !at(3, 101));
        assert!(at(4, 100));
        assert!(!at(10, 51) && at(11, 50), "the rest is a burst, too");
        assert!(!at(12, 25), "too soon");
        assert!(at(13, 25) && at(20, 12));
        assert!(!at(30, 0), "no burst is left");
    }
}
