//! Encodes the value of a field from text, in any charset, with words only in places that allow them (RFC 2047 5) and with folds
//! (RFC 5322 2.2.3).
//!
//! ```text
//! text ─► address_tokens: words, solid pieces, blanks ─► TokenWriter: one line, or lines of at most 76 bytes
//! ```
//!
//! # Limits
//!
//! Never changes addresses. Words in a list of addresses stay as written if they are in UTF-8 and nothing beside them needs encoding. Folds only
//! at white space of the text, and between words. A piece without white space stays on one line, whatever its length.

mod address_tokens;
mod field;
mod field_token;
mod style;
mod token_writer;

pub use field::encode_field;
pub use style::Style;
