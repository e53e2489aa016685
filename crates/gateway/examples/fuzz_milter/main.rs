//! Fuzzing of the milter protocol: `cargo run --release -p mailglot-gateway --example fuzz_milter -- --target all --seconds 60 --seed 1`.
//!
//! Targets are `wire` (any bytes of a server), `talk` (whole messages through a server that holds us to the protocol), or `all`. The
//! first fault is made small and shown. Seconds are those of the processor, where the system tells them.
//!
//! # Limits
//! Feedback is the kinds of answers that an input leaves, not the branches it takes. No sockets: what stands around the session is tested
//! over real ones.

mod model;
mod server;
mod targets;

use std::process::ExitCode;

fn main() -> ExitCode {
    mailglot_fuzz::main::<targets::MilterTarget>()
}
