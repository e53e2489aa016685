//! Adapts decoders and encoders to `std::io::Read` and `std::io::Write`.
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
//! Call `finish` on a writer: only `finish` writes the rest of a truncated character or the end of a shifted state. Dropping the
//! writer does not.

mod read;
mod write;

pub use read::DecodeReader;
pub use write::{DecodeWriter, EncodeWriter};

#[cfg(test)]
mod tests;
