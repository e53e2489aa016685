//! Fuzzing of zip and tar archives, dbx files, and output of git: `cargo run --release -p mailglot-archive --example fuzz_containers -- --target all --seconds 60 --seed 1`.
//!
//! Targets are `zip`, `tar` (with right checksums in half of the runs), `packed` (a compressed tar), `dbx`, `git`, or `all`. The first fault is made
//! small and shown. Seconds are those of the processor, where the system tells them.
//!
//! # Limits
//! Feedback is the kinds of events and the sizes that an input leaves, not the branches it takes. Each input is written to a file.
#![allow(clippy::unwrap_used, reason = "a fault is what it looks for")]

#[path = "../../tests/message_stores/dbx_writer.rs"]
mod dbx_writer;
mod targets;
#[path = "../../tests/containers/writer.rs"]
mod writer;

use std::process::ExitCode;

fn main() -> ExitCode {
    mailglot_fuzz::main::<targets::ContainerTarget>()
}
