//! Fuzzing of zip and tar archives: `cargo run --release -p mailglot-archive --example fuzz_containers -- --target all --seconds 60 --seed 1`.
//!
//! Targets are `zip`, `tar` (with right checksums in half of the runs), `packed` (a compressed tar), or `all`. The first fault is made
//! small and shown. Seconds are those of the processor, where the system tells them.
//!
//! # Limits
//! Feedback is the kinds of events and the sizes that an input leaves, not the branches it takes. Each input is written to a file.
#![allow(clippy::unwrap_used, reason = "a fault is what it looks for")]

mod targets;
#[path = "../../tests/containers/writer.rs"]
mod writer;

use std::process::ExitCode;

fn main() -> ExitCode {
    mailglot_fuzz::main::<targets::ContainerTarget>()
}
