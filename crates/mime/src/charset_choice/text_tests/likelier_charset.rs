//! Defines the answer to the question which charset is likelier than a label.

use crate::charset_choice::thresholds::SURE_CONFIDENCE;
use mailglot_codec::Charset;
use mailglot_codec::detect::{Evidence, Guess};

/// A charset that is likelier than the label.
pub(crate) struct LikelierCharset {
    /// The likelier charset.
    pub(crate) guess: Guess,
    /// True if it replaces the label: the label makes implausible text, and this charset does not.
    pub(crate) decides: bool,
}

impl LikelierCharset {
    /// Names a charset that a comparison of letters or signs found.
    pub(crate) fn by_model(charset: Charset, decides: bool) -> Self {
        let guess = Guess {
            charset,
            confidence: SURE_CONFIDENCE,
            evidence: Evidence::Model,
        };
        Self { guess, decides }
    }
}
