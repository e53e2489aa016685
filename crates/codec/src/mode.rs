//! Defines how strictly decoders read and encoders write.
//!
//! # Limits
//! Each charset documents what its mode changes.

/// The strictness of a decoder or encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// For mail: supersets, BOM rules, repairs. The default.
    #[default]
    Lenient,
    /// By the charset's own definition. Logs everything that it does not allow as a loss, even if it is readable.
    Strict,
}
