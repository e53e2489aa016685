//! A short run of the laws in the debug build, where overflow and debug assertions are checked, too. The long run is
//! `cargo xtask laws`.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use mailglot_tests::laws::{self, LAWS};
use std::thread;

#[test]
fn laws_hold_over_mutants() {
    let seeds = laws::seeds();
    let threads = thread::available_parallelism().map_or(1, Into::into);
    let tally = laws::check(&seeds, 1600, 77, threads);
    assert!(tally.held(), "{}", tally.kept.join("\n"));
    for (law, says) in LAWS {
        assert!(
            tally.checks[law] >= 100,
            "law {law} ({says}) was checked {} times",
            tally.checks[law]
        );
    }
}
