//! The portable loops, and the types that all loops share. Portable loops also read what vector loops leave.
//!
//! # Limits
//! None.

pub(crate) mod ascii;
pub(crate) mod base64;
pub(crate) mod byte_classes;
pub(crate) mod byte_pairs;
pub(crate) mod byte_table;
pub(crate) mod hex_escapes;
pub(crate) mod high_bytes;
pub(crate) mod json;
pub(crate) mod pair_table;
pub(crate) mod plain_run;
pub(crate) mod short_bytes;
pub(crate) mod text_finder;
pub(crate) mod utf16;
pub(crate) mod utf7;
pub(crate) mod utf8;
