//! Decodes, rewrites and encodes encoded words (RFC 2047).
//!
//! ```text
//! value ─► texts and words ─► texts and runs of words ─┬─► header::decode: one text
//!                                                      ├─► explain: pieces, each with its words
//!                                                      └─► header::rewrite: replacements
//! text ─► encode, encode_as: words
//! ```
//!
//! [`crate::header`] decodes and rewrites values of fields. This module has the types that it uses, and [`encode`] for single texts.
//!
//! # Limits
//!
//! Decodes words once: text that reads as a word afterwards stays. Reports direction overrides and invisible characters, and keeps
//! them by default. Drops the language tag of a rewritten word, since few readers understand one, and reports it.

#![allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the context is passed on as the public functions take it"
)]

mod address_lexer;
mod context;
mod controls;
mod damage_signs;
mod encode;
pub(crate) mod encode_legacy;
mod explain;
mod html_entity;
mod invisible;
mod invisible_scan;
mod labelled_bytes;
#[cfg(test)]
mod law_test_values;
#[cfg(test)]
mod law_tests;
mod payload;
mod raw_charset;
mod reader;
pub(crate) mod repair;
mod rewrite;
mod rewrite_target;
#[cfg(test)]
mod rewrite_tests;
mod rewrite_units;
mod rewrite_usual;
mod stream;
mod strict_syntax;
mod superset_report;
mod unfold;
mod unstructured;
mod usual_words;
mod utf8_mislabel;
mod value;
mod word_run;
mod writable;
mod writer;

pub use crate::policy::Repairs;
pub(crate) use address_lexer::{AddressToken, address_tokens};
pub use context::{HeaderContext, UnknownLabel};
pub(crate) use controls::{is_control, push_clean, report_controls};
pub(crate) use damage_signs::find_damaged_ascii;
pub use encode::{Encoding, Place, encode};
pub(crate) use encode::{
    LineWriter, MAX_LINE_BYTES, MAX_RAW_BYTES, choose_letter, is_atom, quoted, span_to_encode,
    stretches,
};
pub(crate) use encode_legacy::japanese_words;
pub use encode_legacy::{Unencodable, encode_as};
pub use explain::{Piece, Word, explain};
pub(crate) use invisible::report_hidden_characters;
pub(crate) use labelled_bytes::bytes_to_text;
pub(crate) use reader::{MAX_WORD_BYTES, charset_of_raw};
pub use rewrite::apply;
pub(crate) use rewrite::{Rewriting, is_clean_text, rewrite_units};
pub use rewrite_target::{Form, Replacement, RewriteTarget};
pub(crate) use rewrite_units::{RewriteUnit, end_of_group, is_clean_japanese, is_usual_utf8_label};
pub(crate) use rewrite_usual::plan as rewrite_usual;
pub use stream::{MOST, Stream};
pub use unstructured::DecodeBuffers;
pub(crate) use utf8_mislabel::mislabel_finding;
pub use value::charsets;
pub(crate) use value::{decode_text, decode_value, decode_value_with};
pub(crate) use writable::is_writable;
