//! The mutator: draws an input from the corpus, changes it, and keeps it if it shows new behavior.
//!
//! # Limits
//! The corpus lives in memory; what is worth keeping goes to `tests/seeds/` by hand.

use super::Target;
use super::clock::Clock;
use super::random::Random;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Inputs that the corpus has at most.
const CORPUS: usize = 2000;
/// More than this for one input is too long, if it is so again.
const LONG: Duration = Duration::from_millis(100);

/// A target and the inputs that are mutated for it.
pub(crate) struct Engine<T> {
    target: T,
    corpus: Vec<Vec<u8>>,
    seen: HashSet<u64>,
    random: Random,
    runs: u64,
}

impl<T: Target> Engine<T> {
    pub(crate) fn new(target: T, seed: u64) -> Self {
        let corpus = target.seeds();
        Self {
            target,
            corpus,
            seen: HashSet::new(),
            random: Random(seed),
            runs: 0,
        }
    }

    /// Runs so many inputs; gives the first fault, with its input made small.
    pub(crate) fn turn(&mut self, runs: u32) -> Option<String> {
        for _ in 0..runs {
            self.runs += 1;
            let input = self.mutant();
            let salt = self.random.next();
            let Ok(signature) = self.run(&input, salt) else {
                let small = self.shrink(input, salt);
                let fault = self.run(&small, salt).err().unwrap_or_default();
                return Some(format!(
                    "{}: {fault}\ninput: {}",
                    self.target.name(),
                    hex(&small)
                ));
            };
            if self.seen.insert(signature) {
                if self.corpus.len() >= CORPUS {
                    let at = self.random.below(self.corpus.len());
                    self.corpus.swap_remove(at);
                }
                self.corpus.push(input);
            }
        }
        None
    }

    /// The signature of a run, or what went wrong.
    fn run(&self, input: &[u8], salt: u64) -> Result<u64, String> {
        catch_unwind(AssertUnwindSafe(|| self.timed(input, salt))).unwrap_or_else(|panic| {
            let message = panic.downcast_ref::<String>().cloned();
            let message = message.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
            Err(format!("panic: {}", message.unwrap_or_default()))
        })
    }

    fn timed(&self, input: &[u8], salt: u64) -> Result<u64, String> {
        let begin = Instant::now();
        let signature = self.target.laws(input, &mut Random(salt))?;
        if begin.elapsed() > LONG {
            // The other work of a busy machine does not count.
            let again = Clock::start();
            self.target.laws(input, &mut Random(salt))?;
            if again.elapsed() > LONG {
                return Err(format!("{:?} for {} bytes", again.elapsed(), input.len()));
            }
        }
        Ok(signature)
    }

    fn mutant(&mut self) -> Vec<u8> {
        let random = &mut self.random;
        let mut input = self.corpus[random.below(self.corpus.len())].clone();
        for _ in 0..=random.below(4) {
            let at = random.below(input.len() + 1);
            let end = (at + random.below(12)).min(input.len());
            match random.below(9) {
                0 => input.insert(at, random.next() as u8),
                1 if at < input.len() => input[at] = random.next() as u8,
                2 if at < input.len() => input[at] ^= 1 << random.below(8),
                3 => drop(input.drain(at..end)),
                4 => {
                    let copy = input[at..end].repeat(1 + random.below(3));
                    input.splice(at..at, copy);
                }
                5 => {
                    let ahead = random.below(32);
                    input.splice(at..at, std::iter::repeat_n(b'a', ahead));
                }
                6 => {
                    let token = self.target.token(random.next() as usize);
                    input.splice(at..at, token.iter().copied());
                }
                _ => {
                    let other = &self.corpus[random.below(self.corpus.len())];
                    let from = random.below(other.len() + 1);
                    let to = (from + random.below(40)).min(other.len());
                    input.splice(at..at, other[from..to].iter().copied());
                }
            }
        }
        input.truncate(self.target.longest());
        input
    }

    /// Takes pieces out while the fault stays.
    fn shrink(&self, mut input: Vec<u8>, salt: u64) -> Vec<u8> {
        let mut piece = input.len().max(1);
        while piece > 0 {
            let mut at = 0;
            while at < input.len() {
                let end = (at + piece).min(input.len());
                let less = [&input[..at], &input[end..]].concat();
                if self.run(&less, salt).is_err() {
                    input = less;
                } else {
                    at = end;
                }
            }
            piece /= 2;
        }
        input
    }
}

impl<T: Target> std::fmt::Display for Engine<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:<28}{:>10} runs, {:>5} kinds of answers",
            self.target.name(),
            self.runs,
            self.seen.len()
        )
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// Returns the number of binary digits of a number.
pub fn size(number: u64) -> u64 {
    u64::from(u64::BITS - number.leading_zeros())
}

/// Adds bytes to a hash (FNV-1a).
pub fn fold(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash ^ 0xCBF2_9CE4_8422_2325, |h, b| {
        (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01B3)
    })
}
