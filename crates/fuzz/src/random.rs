//! Generates reproducible numbers.

/// A generator of pseudo-random numbers (SplitMix64), which gives the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// Returns the next number.
    #[allow(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// Returns a number below `end`; 0 for 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}
