//! The contract of the program: commands, options, output formats and exit codes, over temporary folders.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod administration;
mod archives;
mod charsets;
mod check_config;
mod convert;
mod daemon;
mod detect;
mod filter;
mod header_encode;
mod headers;
mod help;
mod hostile;
mod ledger;
mod ledger_document;
mod milter;
mod observe;
mod output_files;
mod packed;
mod privileges;
mod proxy;
mod reload;
mod reports;
mod sandbox;
mod serve;
mod text;
mod told;
mod verify;
