//! Fuzzing on the stable toolchain: `cargo run --release -p mailglot-mime --example fuzz_mime -- --target all --seconds 60 --seed 1`.
//!
//! Targets are `parse`, `header`, `params`, `process`, or `all`; several with commas between. The first fault is made small and shown.
//! Seconds are those of the processor, where the system tells them.
//!
//! # Limits
//! Feedback is the kinds of events that an input leaves, not the branches it takes.
#![allow(clippy::print_stdout, reason = "a program that prints")]

#[path = "../../../codec/tests/common/clock.rs"]
mod clock;
#[path = "../../../codec/examples/fuzz/engine.rs"]
mod engine;
#[path = "../../../codec/examples/fuzz/program.rs"]
mod program;
#[path = "../../../codec/examples/fuzz/seeds.rs"]
mod seeds;
mod targets;

use std::process::ExitCode;

fn main() -> ExitCode {
    program::main()
}
