//! Shared helpers of tests across crates: generated mail, seeded mutants, laws, rivals, the shared test material.
//!
//! Nothing here is part of the product, and no crate of the product depends on it.
#![forbid(unsafe_code)]
// Test helpers may panic, and print on stdout which tests were skipped.
#![allow(clippy::panic, clippy::unwrap_used, clippy::print_stdout)]

pub mod binary;
pub mod charset_decisions;
pub mod clock;
pub mod faker;
pub mod generate;
pub mod golden;
pub mod hostile;
pub mod hostile_counted;
pub mod laws;
pub mod line_ends;
pub mod mutate;
pub mod reader;
pub mod rival;
pub mod rng;
pub mod samples;
pub mod shared;
pub mod signs;
pub mod splitting;
pub mod tree;
pub mod trial;

/// Compiles and runs the Rust example of README.md.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// Compiles and runs the examples of the crate's page on crates.io.
#[cfg(doctest)]
#[doc = include_str!("../../crates/archive/README.md")]
struct ArchiveReadme;

/// Compiles and runs the examples of the crate's page on crates.io.
#[cfg(doctest)]
#[doc = include_str!("../../crates/codec/README.md")]
struct CodecReadme;

/// Compiles and runs the examples of the crate's page on crates.io.
#[cfg(doctest)]
#[doc = include_str!("../../crates/mime/README.md")]
struct MimeReadme;
