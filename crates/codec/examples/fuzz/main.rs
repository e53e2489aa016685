//! Fuzzing on the stable toolchain: `cargo run --release --example fuzz -- --target all --seconds 60 --seed 1`.
//!
//! Targets are `labels`, `detect`, `imap`, `encoders`, `decoders`, the groups of decoders `single`, `unicode`, `stateful` and
//! `multibyte`, a charset's name, or `all`; several with commas between. The first fault is made small and shown.
//! Seconds are those of the processor, where the system tells them.
//!
//! # Limits
//! Feedback is the kinds of records that an input leaves, not the branches it takes.
#![allow(clippy::print_stdout, reason = "a program that prints")]

#[path = "../../tests/common/clock.rs"]
mod clock;
mod engine;
mod targets;

use clock::Clock;
use engine::Engine;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (mut names, mut seconds, mut seed) = ("all".to_owned(), 10, 1);
    while let (Some(name), Some(value)) = (arguments.next(), arguments.next()) {
        match (name.as_str(), value.parse()) {
            ("--target", _) => names = value,
            ("--seconds", Ok(number)) => seconds = number,
            ("--seed", Ok(number)) => seed = number,
            _ => {
                println!("{name} {value}: not understood");
                return ExitCode::FAILURE;
            }
        }
    }
    let mut engines: Vec<Engine> = targets::named(&names).into_iter().map(|t| Engine::new(t, seed)).collect();
    if engines.is_empty() {
        println!("{names}: no such target");
        return ExitCode::FAILURE;
    }
    // Faults are shown by us, not by each panic on the way to a small input.
    std::panic::set_hook(Box::new(|_| {}));
    let clock = Clock::start();
    while clock.elapsed() < Duration::from_secs(seconds) {
        for engine in &mut engines {
            if let Some(fault) = engine.turn(200) {
                println!("{fault}");
                return ExitCode::FAILURE;
            }
        }
    }
    for engine in &engines {
        println!("{engine}");
    }
    ExitCode::SUCCESS
}
