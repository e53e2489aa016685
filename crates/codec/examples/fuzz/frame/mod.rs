//! The frame of every fuzzer: the engine that mutates and shrinks, the program around it, how seeds are written.
//!
//! Fuzzers of other crates include this file; each brings what it fuzzes, a [`Target`].
//!
//! # Limits
//! One thread.
#![allow(dead_code, unused_imports, reason = "each program uses its part")]

#[path = "../../../tests/common/clock.rs"]
mod clock;
mod engine;
mod program;
#[path = "../../../tests/common/random.rs"]
mod random;
mod seeds;

pub(crate) use engine::{fold, size};
pub(crate) use program::{main, turn_each};
pub(crate) use random::Random;
pub(crate) use seeds::{lines, unescaped};

/// One thing to fuzz.
pub(crate) trait Target: Copy {
    /// All there are.
    fn all() -> Vec<Self>;

    fn name(self) -> String;

    /// Whether it is asked for by a name, its own or that of a group.
    fn answers_to(self, name: &str) -> bool {
        name == "all" || name == self.name()
    }

    /// Bytes that an input has at most.
    fn longest(self) -> usize;

    /// A token that what is fuzzed trips over, by any number.
    fn token(self, number: usize) -> &'static [u8];

    /// What is known to tell something.
    fn seeds(self) -> Vec<Vec<u8>>;

    /// Runs the laws over one input; gives a signature of what happened.
    ///
    /// # Errors
    /// The law that was broken, and how.
    fn laws(self, input: &[u8], random: &mut Random) -> Result<u64, String>;
}
