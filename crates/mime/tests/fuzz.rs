//! A short run of every fuzz target, bounded by its number of inputs: the same inputs on every machine.

#[path = "../examples/fuzz_mime/targets.rs"]
mod targets;

use targets::Target;

#[test]
fn no_target_fails_soon() {
    let targets = mailglot_fuzz::turn_each::<Target>(3_000);
    assert_eq!(targets, Ok(4));
}
