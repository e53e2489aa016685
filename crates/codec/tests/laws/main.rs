//! Laws that hold for every charset, whichever there are: what is added to the list is covered without a word here.
//!
//! # Limits
//! Work is bounded so that all of it takes about a minute: single-byte charsets share one machine and get fewer inputs.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail by panic"
)]

#[path = "../common/mod.rs"]
mod common;

mod encoder_split;
mod inputs;
mod round_trip;
mod split;
mod swallow;
mod time;
