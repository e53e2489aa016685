//! The program around the engine: parses arguments, runs targets in turns, and prints a summary.
//!
//! # Limits
//! One thread.
#![allow(clippy::print_stdout, reason = "a program that prints")]

use super::Target;
use super::clock::Clock;
use super::engine::Engine;
use std::process::ExitCode;
use std::time::Duration;

/// Runs a fuzzer: reads `--target`, `--seconds` and `--seed`, and runs each target in turn until the time ends or a fault is found.
pub fn main<T: Target>() -> ExitCode {
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
    let targets = named::<T>(&names).into_iter();
    let mut engines: Vec<_> = targets.map(|target| Engine::new(target, seed)).collect();
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

/// Runs `runs` inputs for every target, the same on every machine. Returns the number of targets.
///
/// # Errors
/// Describes the first fault.
pub fn turn_each<T: Target>(runs: u32) -> Result<usize, String> {
    let targets = named::<T>("all");
    for target in &targets {
        let mut engine = Engine::new(*target, 1);
        if let Some(fault) = engine.turn(runs) {
            return Err(format!("{engine}\n{fault}"));
        }
    }
    Ok(targets.len())
}

/// The targets of a list of names, each once.
fn named<T: Target>(names: &str) -> Vec<T> {
    T::all()
        .into_iter()
        .filter(|target| names.split(',').any(|name| target.answers_to(name)))
        .collect()
}
