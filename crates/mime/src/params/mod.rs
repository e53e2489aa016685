//! Parses, decodes and encodes parameters of MIME header fields (RFC 2045, section 5.1; RFC 2231), damaged ones too.
//!
//! [`scan`] reads a field as written; [`parse`] joins continuations and decodes.
//!
//! # Limits
//!
//! At most 1,000 parameters and 10,000 segments are read of one field, and 1 MiB of one value.

#![allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the context is passed on as the public functions take it"
)]

mod decode;
mod encode;
mod labelled;
mod names;
mod param;
mod parameter_name;
mod rewrite;
mod scan;

pub use decode::parse;
pub use encode::{Compat, encode};
pub(crate) use labelled::{Labelled, LabelledParams, asks_the_message};
pub(crate) use names::survey;
pub use param::{Param, Params, RawParam};
pub(crate) use parameter_name::{NameForm, split_name};
pub(crate) use rewrite::rewrite;
pub use scan::scan;
