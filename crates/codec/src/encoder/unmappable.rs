//! Defines what is written for a character that a charset cannot encode.
//!
//! # Limits
//! Transliterates nothing itself; `translit` does.

use std::borrow::Cow;

/// The replacement for a character that the charset cannot encode. Each one is logged.
///
/// If the charset has a look-alike, lenient encoding writes that instead, as [`crate::LossKind::Substituted`]: `～` for `〜` in Shift_JIS.
/// The references of [`Unmappable::HtmlDecimal`] and [`Unmappable::HtmlHex`] keep the character, so they go before look-alikes that WHATWG
/// does not write.
///
/// [`crate::Charset::encode_exact`] and [`crate::Charset::new_exact_encoder`] stop at such a character instead.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unmappable {
    /// Writes `?`.
    QuestionMark,
    /// Writes a text of the caller, without the characters that the charset cannot encode.
    Replace(Cow<'static, str>),
    /// Writes a decimal reference such as `&#8364;`, as the error mode "html" of the WHATWG Encoding Standard does (section 4.1).
    HtmlDecimal,
    /// Writes a hexadecimal reference such as `&#x20AC;`.
    HtmlHex,
    /// Writes nothing.
    Skip,
    /// Writes the nearest text that the charset has, by `data/translit.tsv`: `é` becomes `e`, `“` becomes `"`, `€` becomes `EUR`.
    ///
    /// The log has such a character as [`crate::LossKind::Substituted`]. A character without a near text becomes `?`, and the log has it as
    /// [`crate::LossKind::Unmappable`].
    Transliterate,
}

impl Unmappable {
    pub(super) fn replacement(&self, c: char) -> Cow<'_, str> {
        match self {
            Self::Skip => "".into(),
            Self::QuestionMark | Self::Transliterate => "?".into(),
            Self::Replace(text) => text.as_ref().into(),
            Self::HtmlDecimal => format!("&#{};", c as u32).into(),
            Self::HtmlHex => format!("&#x{:X};", c as u32).into(),
        }
    }
}
