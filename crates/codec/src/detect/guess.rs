//! Defines the answers of detection.
//!
//! # Limits
//! Only holds them.

use crate::charset::Charset;

/// The answer for text that nothing proves, without models.
pub(super) const FALLBACK: Guess = Guess {
    charset: Charset::WINDOWS_1252,
    confidence: 0.0,
    evidence: Evidence::Fallback,
};

/// The answer of [`detect`](super::detect()): a charset, and its probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guess {
    /// The charset that decodes the text best.
    pub charset: Charset,
    /// The probability that this charset gives the right text, 0 to 1. It is low for bytes that are text in no known charset.
    pub confidence: f32,
    /// The step that decided.
    pub evidence: Evidence,
}

/// The step of [`detect`](super::detect()) that decided, in the order in which the steps run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Evidence {
    /// A byte order mark begins the text.
    Bom,
    /// All bytes are ASCII.
    Ascii,
    /// Escape sequences, shifts or the positions of NUL bytes prove the charset.
    Structure,
    /// The bytes are UTF-8 beyond ASCII. If the declared charset cannot decode them, nearly all of them suffice.
    Utf8,
    /// The declared charset decodes all bytes.
    Declared,
    /// The models of languages rate this charset's text highest.
    Model,
    /// No charset gives plausible text.
    Fallback,
}

impl Evidence {
    /// Returns the stable name in lower case: `bom`, `ascii`, `structure`, `utf-8`, `declared`, `model`, `fallback`.
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
    /// The part of `margin` that the label's charset has because it is rare in mail.
    pub rarity: f32,
}
