//! `mailglot`: mail in any charset to clean UTF-8, on the command line.
//!
//! ```text
//! args ─► commands::* ─► pipeline, mime, codec
//!              └► output (what is printed), progress (the bar), exit (the code)
//! ```
//!
//! # Limits
//!
//! `serve` alone has a configuration file. The program reads the environment variables `NO_COLOR` and `JOURNAL_STREAM`.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a program of the command line prints")]

mod args;
mod commands;
mod exit;
mod fault;
mod interrupt;
mod output;
mod progress;
mod suggest;
mod usage;

use std::process::ExitCode;

fn main() -> ExitCode {
    interrupt::survive_large_files();
    let arguments: Vec<_> = std::env::args_os().collect();
    if commands::filter::is_asked(&arguments) {
        return commands::filter::main(&arguments);
    }
    match args::parse(&arguments) {
        Ok(args) => fault::contained(|| commands::run(args)),
        Err(error) => usage::print(&error),
    }
}
