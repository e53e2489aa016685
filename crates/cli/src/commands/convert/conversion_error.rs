//! Defines the errors that end a conversion, and the options for bytes that cannot be decoded.

use std::io;

/// What a conversion does with bytes that cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnMalformed {
    Stop,
    Skip,
    Replace,
}

/// An error that ends a conversion.
#[derive(Debug)]
pub(super) enum ConversionError {
    /// The input cannot be read.
    Read(io::Error),
    /// The output cannot be written.
    Write(io::Error),
    /// Bytes or characters that cannot be converted, as a message.
    Loss(String),
}
