//! The program around the engine: arguments, turns, and what is told at the end.
//!
//! # Limits
//! One thread.

use crate::clock::Clock;
use crate::engine::Engine;
use crate::targets;
use std::process::ExitCode;
use std::time::Duration;

/// The program: reads the arguments, and gives each target its turns until the seconds are over or a fault is found.
pub(crate) fn main() -> ExitCode {
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
