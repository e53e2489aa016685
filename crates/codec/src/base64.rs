//! Base64 in lines, as bodies of mail have it (RFC 2045 6.8).
//!
//! # Limits
//! This is the fast part of a decoder, not a decoder: it knows neither padding nor damage, and tells of neither.

use crate::kernel;

/// Appends the bytes of the base64 at the start of `text`, and returns how much of `text` that was: lines as long as the
/// first, with the same line ends, then the complete quanta of the line that follows them.
///
/// It stops where anything else begins, always behind a quantum or a line end; what comes from there on is the caller's.
/// Where the machine has no vectors for it, it reads nothing.
pub fn decode_lines(text: &[u8], out: &mut Vec<u8>) -> usize {
    kernel::base64_lines(text, out)
}
