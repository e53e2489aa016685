//! Keeps the charsets in which words may be beside text in another alphabet than that of Latin-1.
//!
//! # Limits
//! Keeps three charsets, as many as mail has for Cyrillic.

use crate::charset_choice::text_tests::foreign_letters::has_other_script;
use mailglot_codec::Charset;

/// Number of charsets that are kept.
const MAX: usize = 3;

/// The charsets of text in another alphabet than that of Latin-1. Several are possible if the text is in UTF-8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AlphabetCharsets([Option<Charset>; MAX]);

impl AlphabetCharsets {
    /// Returns true if no charset is known.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0[0].is_none()
    }

    /// Returns the charsets.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Charset> {
        self.0.into_iter().flatten()
    }

    /// Returns the charset of a Latin alphabet. It stands alone, since similar charsets count as one.
    #[inline]
    pub(crate) fn latin(&self) -> Option<Charset> {
        self.0[0].filter(|charset| !is_of_other_script(*charset))
    }
}

impl From<Charset> for AlphabetCharsets {
    fn from(charset: Charset) -> Self {
        Self::from(&[charset][..])
    }
}

impl From<&[Charset]> for AlphabetCharsets {
    /// Takes the first three charsets.
    fn from(charsets: &[Charset]) -> Self {
        Self(std::array::from_fn(|index| charsets.get(index).copied()))
    }
}

/// Returns true for charsets of other scripts that may decode names labelled as Latin-1: windows-1256, TIS-620, GBK.
pub(crate) fn is_of_other_script(charset: Charset) -> bool {
    has_other_script(charset)
        || is_thai(charset)
        || charset != Charset::UTF_8
            && !charset.is_single_byte()
            && charset.may_stand_beside_ascii()
}

fn is_thai(charset: Charset) -> bool {
    matches!(
        charset,
        Charset::TIS_620 | Charset::ISO_8859_11 | Charset::WINDOWS_874
    )
}
