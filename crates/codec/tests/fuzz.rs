//! A short run of every fuzz target, bounded by its number of inputs: the same inputs on every machine.
#![allow(clippy::panic, reason = "a test may fail by panic")]

#[path = "common/clock.rs"]
mod clock;
#[path = "../examples/fuzz/engine.rs"]
mod engine;
#[path = "../examples/fuzz/targets.rs"]
mod targets;

use engine::Engine;

#[test]
fn no_target_fails_soon() {
    let targets = targets::named("all");
    assert!(targets.len() > 100);
    for target in targets {
        let mut engine = Engine::new(target, 1);
        if let Some(fault) = engine.turn(500) {
            panic!("{engine}\n{fault}");
        }
    }
}
