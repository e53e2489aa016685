//! What ends a conversion early, and what is done with bytes that cannot be decoded.

use std::io;

/// What is done with bytes that cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnMalformed {
    Stop,
    Skip,
    Replace,
}

/// What ends a conversion early.
#[derive(Debug)]
pub(super) enum ConversionError {
    /// The input cannot be read.
    Read(io::Error),
    /// The output cannot be written.
    Write(io::Error),
    /// Something cannot be converted.
    Loss(String),
}
