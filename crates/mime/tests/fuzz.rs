//! A short run of every fuzz target, bounded by its number of inputs: the same inputs on every machine.
#![allow(clippy::panic, reason = "a test may fail by panic")]

#[path = "../../codec/tests/common/clock.rs"]
mod clock;
#[path = "../../codec/examples/fuzz/engine.rs"]
mod engine;
#[path = "../../codec/examples/fuzz/seeds.rs"]
mod seeds;
#[path = "../examples/fuzz_mime/targets.rs"]
mod targets;

use engine::Engine;

#[test]
fn no_target_fails_soon() {
    let targets = targets::named("all");
    assert_eq!(targets.len(), 4);
    for target in targets {
        let mut engine = Engine::new(target, 1);
        if let Some(fault) = engine.turn(3_000) {
            panic!("{engine}\n{fault}");
        }
    }
}
