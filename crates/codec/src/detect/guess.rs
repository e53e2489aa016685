//! Defines the answers of detection.
//!
//! # Limits
//! Only holds them.

use crate::Charset;

/// The answer for text that nothing proves, without models.
pub(super) const FALLBACK: Guess = Guess {
    charset: Charset::WINDOWS_1252,
    confidence: 0.0,
    evidence: Evidence::Fallback,
};

/// A charset, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guess {
    /// The charset.
    pub charset: Charset,
    /// Probability that the text in this charset is right, 0 to 1. Low for bytes that are text in no known charset.
    pub confidence: f32,
    /// Which step decided.
    pub evidence: Evidence,
}

/// The step that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Evidence {
    /// A byte order mark.
    Bom,
    /// ASCII only.
    Ascii,
    /// Escape sequences, shifts, NUL patterns.
    Structure,
    /// UTF-8 beyond ASCII: all of it or, where the declared charset does not read it, nearly all.
    Utf8,
    /// The declared charset reads all of it.
    Declared,
    /// The likeliest text.
    Model,
    /// No charset makes a text.
    Fallback,
}

impl Evidence {
    /// Stable lower-case name: `bom`, `ascii`, `structure`, `utf-8`, `declared`, `model`, `fallback`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bom => "bom",
            Self::Ascii => "ascii",
            Self::Structure => "structure",
            Self::Utf8 => "utf-8",
            Self::Declared => "declared",
            Self::Model => "model",
            Self::Fallback => "fallback",
        }
    }
}

/// A charset that gives more likely text than the label's, although the label's can decode all bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
// For the charset choice of mailglot-mime only.
#[doc(hidden)]
pub struct Rival {
    /// The likeliest.
    pub guess: Guess,
    /// True if it is far more likely, and the label gives text in no language. Labels are mostly right, and few words prove little.
    pub outweighs: bool,
    /// Difference of the costs of both texts: the natural logarithm of how many times more likely the rival is.
    pub margin: f32,
}
