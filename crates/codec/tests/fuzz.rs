//! A short run of every fuzz target, bounded by its number of inputs: the same inputs on every machine.

#[path = "../examples/fuzz/targets.rs"]
mod targets;

use targets::Target;

#[test]
fn no_target_fails_soon() {
    let targets = mailglot_fuzz::turn_each::<Target>(500);
    assert!(
        targets.as_ref().is_ok_and(|count| *count > 100),
        "{targets:?}"
    );
}
