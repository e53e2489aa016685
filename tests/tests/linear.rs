//! Law 9: ten times the input takes at most twelve times as long, on every family of hostile messages.
//!
//! # Limits
//! Other tests run at the same time, and a processor's caches end somewhere between a message and one of ten times its
//! size. So a bad ratio counts only if it shows again, and at other sizes. What is not linear is bad at every one of
//! these.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use mailglot_mime::{Message, Policy, Report, process, text_parts};
use mailglot_tests::clock::Clock;
use mailglot_tests::hostile::FAMILIES;
use mailglot_tests::hostile_counted::COUNTED;
use std::hint::black_box;
use std::time::Duration;

/// Bytes of the smaller message; ten times as much stays below the limits of a field, and within a processor's cache.
const SIZE: usize = 40_000;
/// Pieces of the smaller message in families of one repeated construct.
const PIECES: usize = 600;
/// What is read faster than this is read in eightfold size: a clock and the first touch of memory tell too little.
const FAST: Duration = Duration::from_micros(300);
const RATIO: f64 = 12.0;

#[test]
fn time_is_linear_on_hostile_messages() {
    // The C library's allocator asks the kernel for fresh pages above a size that grows with what was freed. Set that
    // size first. Otherwise the first touch of pages is timed.
    drop(black_box(vec![1_u8; 30 << 20]));
    let mut slow = Vec::new();
    let counted = COUNTED.iter().map(|(name, make)| (*name, *make, PIECES));
    let sized = FAMILIES
        .iter()
        .map(|family| (family.name, family.make, SIZE));
    for (name, make, size) in sized.chain(counted) {
        let size = if best(&make(size)) < FAST {
            8 * size
        } else {
            size
        };
        let mut ratio = f64::MAX;
        for part in [1, 1, 2, 3, 4] {
            let (small, big) = (make(size / part), make(10 * (size / part)));
            ratio = ratio.min(best(&big).as_secs_f64() / best(&small).as_secs_f64());
            if ratio <= RATIO {
                break;
            }
        }
        println!("{name:<40} {ratio:.1}");
        if ratio > RATIO {
            slow.push(format!("{name}: {ratio:.1}"));
        }
    }
    assert!(
        slow.is_empty(),
        "ten times the input takes longer than {RATIO} times: {slow:?}"
    );
}

/// The best of five runs over everything that reads a message.
fn best(message: &[u8]) -> Duration {
    let policy = Policy::default();
    (0..5)
        .map(|_| {
            let start = Clock::start();
            black_box(process(black_box(message), &policy));
            let parsed = Message::parse(message, &policy.limits);
            black_box(text_parts(
                &parsed,
                &policy,
                &mut Report::with_limit(policy.limits.events),
            ));
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}
