//! A recognized input.
//!
//! # Limits
//! None.

use crate::packing::Packing;
use crate::source::Format;
use std::path::PathBuf;

/// A file or folder that is one archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The path as given, or found in a given folder. `-` is standard input.
    pub path: PathBuf,
    /// The format.
    pub format: Format,
    /// The compression of the mailbox. None for a stream, whose compression is recognized when it is opened.
    pub packed: Option<Packing>,
}
