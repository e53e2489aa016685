//! Fuzzes the SMTP and LMTP proxy: `cargo run --release -p mailglot-gateway --example fuzz_smtp -- --target all --seconds 60 --seed 1`.
//!
//! Targets are `bytes` (any bytes of a client and of a next hop), `talk` (dialogues with a strict next hop), or `all`. The program
//! shrinks the first fault and prints it. It counts seconds of processor time where the system reports them.
//!
//! # Limits
//! Feedback is the kinds of replies that an input causes, not the branches it takes. No sockets: `tests/gateway/proxy.rs` tests the
//! connection around the session.

mod client;
mod driver;
mod laws;
mod model;
mod next_hop;
mod targets;

use std::process::ExitCode;

fn main() -> ExitCode {
    mailglot_fuzz::main::<targets::SmtpTarget>()
}
