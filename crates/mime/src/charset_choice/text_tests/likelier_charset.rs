//! Defines the answer to the question which charset is likelier than a label.

use mailglot_codec::detect::Guess;

/// A charset that is likelier than the label.
pub(crate) struct LikelierCharset {
    /// The likelier charset.
    pub(crate) guess: Guess,
    /// True if it replaces the label: the label makes implausible text, and this charset does not.
    pub(crate) decides: bool,
}
