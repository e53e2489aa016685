//! Runs fuzzers on the stable toolchain: mutates inputs, checks laws on each, and shrinks an input that breaks one.
//!
//! Each crate brings what it fuzzes, as a [`Target`]. The examples `fuzz`, `fuzz_mime`, `fuzz_milter` and `fuzz_smtp` are the programs.
//!
//! # Limits
//! One thread. Feedback is what [`Target::laws`] returns, not the branches that an input takes.
#![forbid(unsafe_code)]

mod clock;
mod engine;
mod program;
mod random;
mod seeds;

pub use clock::Clock;
pub use engine::{fold, size};
pub use program::{main, turn_each};
pub use random::Random;
pub use seeds::{lines, unescaped};

/// A function to fuzz, with its seeds and laws.
pub trait Target: Copy {
    /// Returns all targets.
    fn all() -> Vec<Self>;

    /// Returns the name that `--target` accepts.
    fn name(self) -> String;

    /// Returns true if `name` is its own name or that of its group.
    fn answers_to(self, name: &str) -> bool {
        name == "all" || name == self.name()
    }

    /// Returns the maximum length of an input in bytes.
    fn longest(self) -> usize;

    /// Returns a token to insert, chosen by any number.
    fn token(self, number: usize) -> &'static [u8];

    /// Returns the first inputs.
    fn seeds(self) -> Vec<Vec<u8>>;

    /// Checks the laws on an input. Returns a signature of what happened.
    ///
    /// # Errors
    /// Names the law that the input breaks.
    fn laws(self, input: &[u8], random: &mut Random) -> Result<u64, String>;
}
