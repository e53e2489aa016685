//! Defines the answer to the question which charset is likelier than a label.
//!
//! # Limits
//! Does not search for it.

use mailglot_codec::detect::Guess;

/// A charset that is likelier than the label.
pub(super) struct LikelierCharset {
    /// The likelier charset.
    pub(super) guess: Guess,
    /// True if it replaces the label: the label makes implausible text, and this charset does not.
    pub(super) decides: bool,
}
