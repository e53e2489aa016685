//! Reproducible pseudo-random numbers for tests.

/// A pseudo-random number generator (xorshift64). The seed must not be 0.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns a number below `bound`; 0 for a bound of 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }

    /// Returns one of several values.
    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
