//! Parses, decodes and encodes parameters of MIME header fields (RFC 2045, section 5.1; RFC 2231), damaged ones too.
//!
//! [`scan`] returns parameters as written; [`parse`] joins continuations and decodes them.
//!
//! # Limits
//!
//! Reads at most 1,000 parameters and 10,000 segments of a field, and 1 MiB of a value.

#![allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the context is passed on as the public functions take it"
)]

mod decode;
mod encode;
mod file_names;
mod form;
mod group;
mod labelled_bytes;
mod misplaced_marks;
mod param;
mod raw_comments;
mod rewrite;
mod rewrite_unit;
mod scan;
mod separators;
mod value;

pub use decode::parse;
pub use encode::{Compat, encode};
pub(crate) use file_names::survey;
pub(crate) use labelled_bytes::{Labelled, LabelledParams, may_need_evidence};
pub use param::{Param, Params, RawParam};
pub(crate) use rewrite::rewrite;
pub use scan::scan;
