//! Inner loops over bytes: vector instructions, and stores that run over what they mean to write.
//!
//! It is the only crate of the workspace with `unsafe` code. It knows formats of bytes (UTF-8, UTF-16, UTF-7, base64, JSON
//! strings) and tables of characters, but neither names of charsets nor mail.
//!
//! Two things here are `unsafe`. Stores go behind the end of a text, into room that is reserved but not yet part of it, so
//! that a character takes one store whatever its length. Loads and stores of vector registers need the instructions that
//! are asked for at run time. The argument for soundness stands in `writer.rs`: only characters ([`Packed`]) and bytes that a
//! function itself has validated become text. Every function has a safe twin in its tests, which compare both.
//!
//! ```
//! use mailglot_kernel::{Page, ascii, utf8};
//!
//! let latin1 = Page::new(|byte| Some(char::from(byte)));
//! let mut text = String::new();
//! assert_eq!(latin1.append_decoded(b"caf\xE9", &mut text), 4);
//! assert_eq!(text, "café");
//! assert_eq!(ascii::append_prefix(b"abc\xE9", &mut text), 3);
//! assert_eq!(utf8::valid_prefix(b"abc\xC3"), "abc");
//! ```
//!
//! # Limits
//! Vector instructions are AVX2, and for short pieces and pages of letters AVX-512. Every other machine runs the portable loops;
//! lines of base64 have none.
#![allow(unsafe_code, reason = "the one place where it pays; see above")]
#![warn(clippy::too_many_lines)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod byte_pairs;
mod high_bytes;
mod packed;
mod padding;
mod page;
mod pair_table;
mod plain_run;
mod portable;
mod short_bytes;
#[cfg(test)]
mod test_data;
mod writer;

pub mod ascii;
pub mod base64;
pub mod json;
pub mod utf16;
pub mod utf7;
pub mod utf8;

pub use byte_pairs::BytePairs;
pub use high_bytes::HighBytes;
pub use packed::Packed;
pub use page::Page;
pub use pair_table::{LeadBytes, PairTable};
pub use plain_run::PlainRun;
pub use short_bytes::ShortBytes;
