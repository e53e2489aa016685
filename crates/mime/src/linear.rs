//! Tests that code takes linear time: ten times the input takes about ten times as long.
//!
//! # Limits
//! Uses wall-clock time on systems that do not report the CPU time of a thread.

use mailglot_fuzz::Clock;
use std::time::Duration;

/// Duration below which a measurement proves nothing.
const SHORT: Duration = Duration::from_millis(20);
/// Maximum ratio of the times: ten, plus the effects of caches and allocators.
const RATIO: u32 = 30;

/// Panics if `work` on `size` units takes more than [`RATIO`] times as long as on a tenth of them, five times in a row.
pub(crate) fn assert_linear(name: &dyn std::fmt::Debug, size: usize, work: impl Fn(usize)) {
    let mut seen = String::new();
    for _ in 0..5 {
        let large = time(|| work(size));
        if large < SHORT {
            return;
        }
        let small = time(|| work(size / 10));
        if large < small * RATIO + SHORT {
            return;
        }
        seen = format!("{small:?} for {}, {large:?} for {size}", size / 10);
    }
    panic!("{name:?}: {seen}");
}

fn time(work: impl FnOnce()) -> Duration {
    let clock = Clock::start();
    work();
    clock.elapsed()
}

#[test]
#[should_panic(expected = "for 60000")]
fn quadratic_work_is_found() {
    assert_linear(&"quadratic", 60_000, |n| {
        let mut sum = 0_usize;
        for i in 0..n {
            for j in 0..n / 4 {
                sum = std::hint::black_box(sum ^ i ^ j);
            }
        }
    });
}
