//! Content-Transfer-Encoding (RFC 2045 6): tolerant decoders, strict encoders.
//!
//! # Limits
//!
//! uuencode and yEnc are noticed, not decoded. An unknown encoding is read as identity: the body is never dropped.

pub mod base64;
pub mod quoted_printable;

pub(crate) mod blocks;
mod decode;
mod decoded;
mod encoding;
mod locator;

pub(crate) use decode::locate_any;
pub use decode::{decode, locate};
pub use decoded::Decoded;
pub use encoding::TransferEncoding;
