//! Decodes and encodes the body of a part (Content-Transfer-Encoding, RFC 2045, section 6). Decoders tolerate damage; encoders are strict.
//!
//! # Limits
//!
//! Reports uuencode and yEnc, but does not decode them. Reads an unknown encoding as identity, so that no body is lost.

pub mod base64;
pub mod quoted_printable;

mod actual_encoding;
pub(crate) mod blocks;
mod decode;
mod decoded;
mod encoding;
mod locator;
mod undeclared_encoding;

pub(crate) use decode::locate_any;
pub use decode::{decode, locate};
pub use decoded::Decoded;
pub use encoding::TransferEncoding;
pub(crate) use undeclared_encoding::undeclared_encoding;
