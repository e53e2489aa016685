//! Fuzzing on the stable toolchain: `cargo run --release --example fuzz -- --target all --seconds 60 --seed 1`.
//!
//! Targets are `labels`, `detect`, `imap`, `encoders`, `decoders`, the groups of decoders `single`, `unicode`, `stateful` and
//! `multibyte`, a charset's name, or `all`; several with commas between. The first fault is made small and shown.
//! Seconds are those of the processor, where the system tells them.
//!
//! # Limits
//! Feedback is the kinds of records that an input leaves, not the branches it takes.

mod targets;

use std::process::ExitCode;

fn main() -> ExitCode {
    mailglot_fuzz::main::<targets::Target>()
}
