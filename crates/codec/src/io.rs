//! Readers and writers of the standard library that decode or encode what goes through them.
//!
//! ```
//! use mailglot_codec::{Charset, Mode, io::DecodeReader};
//! use std::io::Read;
//!
//! let mut text = String::new();
//! let mut reader = DecodeReader::new(&b"Gr\xFC\xDFe \x81"[..], Charset::ISO_8859_1.new_decoder(Mode::Strict));
//! reader.read_to_string(&mut text)?;
//! assert_eq!(text, "Grüße \u{81}");
//! assert!(reader.log().is_empty());
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Limits
//! Writers must be finished: what a cut character or a shifted state leaves open at the end is written by `finish` only,
//! never on drop.

mod read;
mod write;

pub use read::DecodeReader;
pub use write::{DecodeWriter, EncodeWriter};

#[cfg(test)]
mod tests;
