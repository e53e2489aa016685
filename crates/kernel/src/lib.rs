//! Decodes, validates and searches bytes with vector instructions and fixed-length stores.
//!
//! This is the only crate of the workspace with `unsafe` code. It knows formats of bytes (UTF-8, UTF-16, UTF-7, base64, hex
//! escapes, JSON strings) and tables of characters. It knows neither names of charsets nor mail.
//!
//! Three kinds of code are `unsafe`:
//!
//! - Stores into the reserved room behind the end of a text. A character of any length takes one store.
//! - Loads and stores of vector registers, after a check at run time that the processor has the instructions.
//! - One call of the allocator, which gives free memory back to the system.
//!
//! `writer.rs` has the argument for soundness: only characters ([`Packed`]) and bytes that a function has validated itself
//! become text. Tables in read-only data are validated while the compiler evaluates them. Every function has a safe twin in its tests, and the tests compare both.
//!
//! ```
//! use mailglot_kernel::{ascii, utf8};
//!
//! let mut text = String::new();
//! assert_eq!(ascii::append_prefix(b"abc\xE9", &mut text), 3);
//! assert_eq!(utf8::valid_prefix(b"abc\xC3"), "abc");
//! ```
//!
//! # Limits
//! Vector instructions are AVX2, and AVX-512 for short inputs, single-byte charsets, UTF-7, UTF-16 and searches for text. Other machines run the
//! portable loops.
//! Lines of base64 have no portable loop.
#![allow(unsafe_code, reason = "the one place where it pays; see above")]
#![cfg_attr(not(test), warn(clippy::too_many_lines))]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod byte_classes;
mod byte_pairs;
mod byte_table;
mod high_bytes;
mod packed;
mod padding;
mod pair_table;
mod plain_run;
mod portable;
mod short_bytes;
#[cfg(test)]
mod test_data;
mod text_finder;
mod writer;

pub mod allocator;
pub mod ascii;
pub mod base64;
pub mod hex_escapes;
pub mod json;
pub mod utf16;
pub mod utf7;
pub mod utf8;

pub use byte_classes::ByteClasses;
pub use byte_pairs::BytePairs;
pub use byte_table::ByteTable;
pub use high_bytes::HighBytes;
pub use packed::Packed;
pub use pair_table::{LeadBytes, PairTable};
pub use plain_run::PlainRun;
pub use short_bytes::ShortBytes;
pub use text_finder::TextFinder;
