//! Splits header values into tokens (RFC 5322, section 3.2; RFC 2045, section 5.1; RFC 2047, sections 2 and 5).
//!
//! ```text
//! value ─► CharacterSteps (raw double-byte text) ─► tokens: text, encoded words, addresses, each with its lexical context
//!              syntax: white space, comments, quoted strings · word: encoded words · angle_address · parameter
//! ```
//!
//! Tokens cover a value without gaps. Every reader and writer of header fields uses them or the functions below them. Bodies and documents
//! use those of `syntax` that find line ends and prefixes.

mod angle_address;
mod atoms;
mod eight_bit_bytes;
mod lexical_context;
mod parameter;
mod parameter_name;
mod raw_characters;
mod raw_shifts;
mod spaced_address;
mod syntax;
mod syntax_faults;
mod token;
mod trail_backslash;
mod word;

pub(crate) use angle_address::contains_angle_address;
pub(crate) use atoms::{Atom, AtomKind, atoms};
pub(crate) use eight_bit_bytes::eight_bit_bytes;
pub(crate) use lexical_context::LexicalContext;
pub(crate) use parameter::{ParameterLexer, ParameterSpan, ParameterToken, ValueKind};
pub(crate) use parameter_name::{NameForm, is_file_name, leading_zeros, split_name};
pub(crate) use raw_characters::CharacterSteps;
pub(crate) use raw_shifts::{
    ESCAPE, SHIFT_OUT, ShiftedText, decode_raw_shifts, has_raw_shift, may_begin_shift,
    may_have_shifts, raw_shift_length, raw_shifts_range,
};
pub(crate) use spaced_address::has_spaced;
pub use syntax::quoted_end;
pub(crate) use syntax::{
    byte_before, column_after, comment_end, ends_without_case, find_byte, is_attribute_char,
    is_blank, is_fold, is_line_end, is_space, is_token, is_tspecial, line_at, line_end_length,
    skip_cfws, skip_space, starts_without_case, trim_end, unescape, unescape_comment,
};
pub(crate) use syntax_faults::swallows_address;
pub(crate) use token::{has_raw_uris, tokens};
pub(crate) use trail_backslash::TrailBackslash;
pub(crate) use word::{
    Letter, WordFinder, WordToken, ends_word, has_open, has_word, is_cut_head, may_open,
    unclosed_word,
};
