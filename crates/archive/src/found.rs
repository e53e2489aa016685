//! What recognition finds.
//!
//! # Limits
//! None.

use crate::packing::Packing;
use crate::source::Format;
use std::path::PathBuf;

/// An input that was recognised: one file or folder that is one archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The path as given (or found below a folder that was given); `-` is standard input.
    pub path: PathBuf,
    /// Its form.
    pub format: Format,
    /// What has to be read through to reach a mailbox; of a stream it is found out when it is opened.
    pub packed: Option<Packing>,
}
