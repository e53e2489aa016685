//! The contract of the program: commands, options, output formats and exit codes, over temporary folders.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod administration;
mod charsets;
mod check;
mod check_config;
mod compressed;
mod containers;
mod convert;
mod convert_losses;
mod convert_unmappable;
mod daemon;
mod detect;
mod filter;
mod header_decode;
mod header_encode;
mod header_findings;
mod header_lines;
mod help;
mod hostile;
mod large_messages;
mod layouts;
mod ledger;
mod ledger_document;
mod mailbox_tools;
mod message_stores;
mod milter;
mod normalize;
mod not_mail;
mod not_read;
mod observe;
mod old_names;
mod output_files;
mod parts;
mod privileges;
mod proxy;
mod reload;
mod reports;
mod restore;
mod sandbox;
mod selection;
mod serve;
mod split;
mod text;
mod told;
mod verify;
