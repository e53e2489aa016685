//! Encodes text as the value of a field, in any charset.
//!
//! Words appear only where RFC 2047 5 allows them, and long lines are folded (RFC 5322, section 2.2.3).
//!
//! ```text
//! text ─► address_tokens: words, solid pieces, blanks ─► TokenWriter: one line, or lines of at most 76 bytes
//! ```
//!
//! # Limits
//!
//! Never changes addresses. Keeps UTF-8 words in a list of addresses if no adjacent text needs encoding. Folds only at white space
//! of the text and between words. An address or identifier stays on one line, whatever its length. Other pieces of
//! more than 900 bytes without white space become words.

mod address_tokens;
mod field;
mod field_token;
mod style;
mod token_writer;

pub use field::encode_field;
pub use style::Style;
