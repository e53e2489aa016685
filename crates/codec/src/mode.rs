//! How strictly decoders read and encoders write.
//!
//! # Limits
//! What a mode changes is documented beside what it changes.

/// How strictly a decoder reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// For mail: supersets, BOM rules, repairs. The default.
    #[default]
    Lenient,
    /// By the charset's own definition: what it does not allow is logged as a loss, even where it is readable.
    Strict,
}
