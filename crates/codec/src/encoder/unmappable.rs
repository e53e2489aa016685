//! Defines what is written for a character that a charset cannot encode.
//!
//! # Limits
//! Transliterates nothing itself; `translit` does.

use std::borrow::Cow;

/// The replacement for a character that the charset cannot encode. Each one is logged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unmappable {
    /// Stop before the first such character, with a loss in the log. [`crate::Charset::encode_exact`] returns an error instead.
    Fatal,
    /// `?`
    QuestionMark,
    /// A text of the caller. Characters that the charset cannot encode are omitted from it.
    Replace(Cow<'static, str>),
    /// `&#8364;` (the WHATWG "html" error mode)
    HtmlDecimal,
    /// `&#x20AC;`
    HtmlHex,
    /// Nothing.
    Skip,
    /// The nearest text that the charset has, by `data/translit.tsv`: `é` becomes `e`, `“` becomes `"`, `€` becomes `EUR`. Such a
    /// character is logged as [`crate::LossKind::Substituted`]. A character without a near one is logged as unmappable and becomes `?`.
    Transliterate,
}

impl Unmappable {
    pub(super) fn replacement(&self, c: char) -> Cow<'_, str> {
        match self {
            Self::Fatal | Self::Skip => "".into(),
            Self::QuestionMark | Self::Transliterate => "?".into(),
            Self::Replace(text) => text.as_ref().into(),
            Self::HtmlDecimal => format!("&#{};", c as u32).into(),
            Self::HtmlHex => format!("&#x{:X};", c as u32).into(),
        }
    }
}
