//! Decodes, rewrites and encodes header fields according to their kinds.
//!
//! ```text
//! name ─► field_kind ─► FieldKind ─┐
//! value ───────────────────────────┴─► decode: text · rewrite: replacements          text ─► encode_field: value
//! ```
//!
//! # Limits
//!
//! The name alone decides the kind of a field.

mod encode;
mod field;
mod known_fields;
mod value;

pub use crate::encoded_word::{DecodeBuffers, Replacement, RewriteTarget, apply};
pub use crate::field_kind::FieldKind;
pub use encode::{Style, encode_field};
pub use field::{Field, unfold};
pub(crate) use known_fields::is_known;
pub use known_fields::{field_kind, is_signature, kind_of_field};
pub(crate) use value::changes;
pub use value::{decode, decode_lines, decode_with, rewrite};
