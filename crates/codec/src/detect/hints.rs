//! Defines what is known about a text besides its bytes.
//!
//! # Limits
//! Does not check that languages and countries exist.

use super::rules::Rules;
use crate::charset::Charset;

/// Knowledge about a text besides its bytes. Unknown languages and countries are ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints<'a> {
    /// The label's charset: it wins over the models where it reads everything without loss or C1 controls.
    pub declared: Option<Charset>,
    /// Language tag (RFC 5646), as of Content-Language.
    pub language: Option<&'a str>,
    /// Country code in domain names, as of the sender's address: `de`, `.jp`.
    pub country: Option<&'a str>,
    /// Minutes that the writer's clock is ahead of UTC, as of the Date field; its language is likely one of that zone.
    pub time_zone: Option<i16>,
    /// Guesses only charsets that [keep ASCII text](Charset::keeps_ascii_text), except those that a byte order mark or [`structure`](super::structure()) proves.
    /// Used for parts of messages.
    pub ascii_compatible: bool,
    /// The rules that may decide. Measurements turn some off; everything else uses all.
    #[doc(hidden)]
    pub rules: Rules,
}
