//! `mailglot`: mail in any charset to clean UTF-8, on the command line.
//!
//! ```text
//! argument_parser ─► args ─► commands::* ─► pipeline, mime, codec
//!                                 └► output (printing), progress (the bar), exit (exit codes)
//! ```
//!
//! # Limits
//!
//! Only `serve`, `milter` and `check-mta` read a configuration file, if an option names it. The program reads these environment variables:
//! `NO_COLOR`, `TERM` (`dumb`), `TMPDIR`, `RUST_BACKTRACE`, `JOURNAL_STREAM`, `MALLOC_MMAP_THRESHOLD_` (daemons), and those of systemd's readiness, watchdog and sockets
//! (`NOTIFY_SOCKET`, `WATCHDOG_USEC`, `LISTEN_FDS` and their companions).
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::too_many_lines))]
#![allow(clippy::print_stdout, reason = "a program of the command line prints")]

mod args;
mod argument_parser;
mod commands;
mod error_text;
mod exit;
mod output;
mod panic_hook;
mod progress;
mod shell_words;
mod signals;
mod usage;
mod value_parsers;
mod visible_text;

use std::process::ExitCode;

fn main() -> ExitCode {
    signals::survive_large_files();
    let arguments: Vec<_> = std::env::args_os().collect();
    if arguments.len() == 1 {
        return usage::tour();
    }
    if commands::filter::is_asked(&arguments) {
        return match commands::filter::parse(&arguments) {
            Ok(args) => commands::run(args),
            Err(exit) => exit,
        };
    }
    match argument_parser::parse(&arguments) {
        Ok(args) => panic_hook::catch(|| commands::run(args)),
        Err(error) => usage::print(&error),
    }
}
