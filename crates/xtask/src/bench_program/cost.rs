//! What a whole program costs, measured by `mailglot-rivals cost`.
//!
//! # Limits
//!
//! The kernel counts processor time in microseconds, but charges a few tens of them to the starter.

use super::invocation::Invocation;
use crate::run::output;
use anyhow::Context;
use std::path::Path;
use std::process::Command;

/// Processor time in microseconds that the runs of one program use at least: a short program is repeated.
const LEAST: u64 = 200_000;

/// What one run of a program costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cost {
    /// Seconds of processor time, user and system, of all threads.
    pub(super) cpu: f64,
    /// Seconds from start to exit.
    pub(super) wall: f64,
}

impl Cost {
    /// The start value of [`Self::best`]: the better one of this and a run is the run.
    pub(super) const WORST: Self = Self {
        cpu: f64::INFINITY,
        wall: f64::INFINITY,
    };

    /// The better of two runs, figure by figure.
    pub(super) fn best(self, other: Self) -> Self {
        Self {
            cpu: self.cpu.min(other.cpu),
            wall: self.wall.min(other.wall),
        }
    }
}

/// Where a program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cores {
    /// On the last core that this process may use.
    One,
    /// On all of them.
    All,
}

/// Runs a program, if it is short more than once, and returns the cost of one run.
pub(super) fn measure(rivals: &Path, program: &Invocation, cores: Cores) -> anyhow::Result<Cost> {
    let arguments = program.cost_arguments(cores == Cores::One, LEAST);
    let printed = output(Command::new(rivals).args(arguments))?;
    parse(&String::from_utf8_lossy(&printed)).context("no cost was printed")
}

/// Reads the number of runs, and processor time and wall time of all of them in microseconds.
fn parse(line: &str) -> Option<Cost> {
    let mut figures = line
        .split_whitespace()
        .map(|figure| figure.parse::<u64>().ok());
    let [runs, cpu, wall] = [figures.next()??, figures.next()??, figures.next()??];
    let each = |total: u64| total as f64 / 1e6 / runs as f64;
    (runs > 0).then(|| Cost {
        cpu: each(cpu),
        wall: each(wall),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cost_is_that_of_one_run() {
        let cost = Cost {
            cpu: 0.1,
            wall: 0.2,
        };
        assert_eq!(parse("4 400000 800000 3000\n"), Some(cost));
        assert_eq!(parse("0 1 1 1"), None);
        assert_eq!(parse("what"), None);
    }
}
