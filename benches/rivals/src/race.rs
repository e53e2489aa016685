//! Contenders that take turns.

use std::hint::black_box;

/// Nanoseconds that a contender works in one round.
const TURN: u64 = 8_000_000;

unsafe extern "C" {
    safe fn rival_clock() -> u64;
    safe fn rival_keep_memory();
}

/// What is timed.
pub type Work<'a> = Box<dyn FnMut(&[u8]) + 'a>;

/// Lets the allocator keep what is freed.
pub fn keep_memory() {
    rival_keep_memory();
}

/// MB/s of each, the best of the rounds; they take turns.
pub fn race(rounds: usize, inputs: &[&[u8]], work: &mut [Work<'_>]) -> Vec<f64> {
    let bytes: usize = inputs.iter().map(|input| input.len()).sum();
    let mut best = vec![0.0_f64; work.len()];
    for _ in 0..rounds {
        for (best, work) in best.iter_mut().zip(work.iter_mut()) {
            let start = rival_clock();
            let mut turns = 0;
            let mut spent = 0;
            while spent < TURN {
                for input in inputs {
                    work(black_box(input));
                }
                turns += 1;
                spent = rival_clock() - start;
            }
            *best = best.max((bytes * turns) as f64 * 1e3 / spent as f64);
        }
    }
    best
}
