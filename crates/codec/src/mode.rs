//! Defines how strictly decoders read and encoders write.
//!
//! # Limits
//! Each charset documents what its mode changes.

/// The strictness of a decoder or encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// Decodes as mail needs it: by the superset of a charset, with rules for byte order marks. The default.
    #[default]
    Lenient,
    /// Follows the charset's own definition. The log has everything else as a loss, even if it is readable.
    Strict,
}
