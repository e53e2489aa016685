//! A row of the table of languages, and one of the table of charsets with a known language.
//!
//! # Limits
//! Generated from `data/languages.tsv`.

use crate::charset::Charset;
use crate::detect::cost::NAT;
use crate::detect::script_group::ScriptGroup;

/// A row of `data/languages.tsv`.
#[derive(Debug)]
pub(crate) struct Language {
    pub(crate) name: &'static str,
    pub(crate) script: ScriptGroup,
    /// How much mail is written in it: 1 much, 2 less, 3 little.
    pub(crate) tier: u8,
    /// Country codes of the domain name system, lower case.
    pub(crate) countries: &'static [&'static str],
}

/// A charset with the languages that are written in it.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) charset: Charset,
    pub(crate) script: ScriptGroup,
    /// Index of the language, cost of the charset given the language.
    pub(crate) languages: &'static [(usize, u32)],
    pub(crate) is_single_byte: bool,
    pub(crate) keeps_ascii_text: bool,
    /// True for VISCII, TCVN 5712 and VPS, which keep ASCII text and have letters in the places of other controls.
    pub(crate) has_letters_for_controls: bool,
    /// Its number among those in Latin script that have languages.
    pub(crate) latin: Option<usize>,
}

impl Candidate {
    pub(crate) const fn new(
        charset: Charset,
        script: ScriptGroup,
        languages: &'static [(usize, u32)],
        latin: Option<usize>,
    ) -> Self {
        Self {
            charset,
            script,
            languages,
            is_single_byte: charset.is_single_byte(),
            keeps_ascii_text: charset.keeps_ascii_text(),
            has_letters_for_controls: charset.keeps_ascii_text() && !charset.is_ascii_compatible(),
            latin,
        }
    }
}

/// Cost of each further charset in the list of common ones.
const NEXT: u32 = NAT / 2;
/// Cost of a charset that is rare in the mail of a language.
pub(crate) const RARE_LANGUAGE: u32 = 5 * NAT;

/// Returns the cost of a charset by its place among those that are common in the mail of a language.
pub(crate) const fn usual(place: u32) -> u32 {
    place * NEXT
}

/// Returns the cost of a charset by its place among those that are rare in the mail of a language.
pub(crate) const fn rare(place: u32) -> u32 {
    RARE_LANGUAGE + place * NEXT
}
