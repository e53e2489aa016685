//! Setters of [`HeaderContext`].

use super::{HeaderContext, Repairs, UnknownLabel};
use crate::{CharsetMap, Detection};
use mailglot_codec::Charset;

/// Setters, one for each field.
impl<'a> HeaderContext<'a> {
    /// Sets the charset of raw bytes that are not valid UTF-8.
    #[must_use]
    pub fn raw(self, charset: impl Into<Option<Charset>>) -> Self {
        Self {
            raw: charset.into(),
            ..self
        }
    }

    /// Sets the caller's meanings of labels.
    #[must_use]
    pub fn map(self, map: impl Into<Option<&'a CharsetMap>>) -> Self {
        Self {
            map: map.into(),
            ..self
        }
    }

    /// Sets the language (RFC 5646) of raw bytes without a known charset.
    #[must_use]
    pub fn language(self, language: impl Into<Option<&'a str>>) -> Self {
        Self {
            language: language.into(),
            ..self
        }
    }

    /// Sets whether `raw` is a guess from little text.
    #[must_use]
    pub fn raw_is_uncertain(self, raw_is_uncertain: bool) -> Self {
        Self {
            raw_is_uncertain,
            ..self
        }
    }

    /// Sets how to handle words in unknown charsets.
    #[must_use]
    pub fn unknown(self, unknown: UnknownLabel) -> Self {
        Self { unknown, ..self }
    }

    /// Sets the kinds of damage to undo.
    #[must_use]
    pub fn repairs(self, repairs: Repairs) -> Self {
        Self { repairs, ..self }
    }

    /// Sets whether invisible characters become spaces.
    #[must_use]
    pub fn strip_hidden(self, strip_hidden: bool) -> Self {
        Self {
            strip_hidden,
            ..self
        }
    }

    /// Sets what detection may do.
    #[must_use]
    pub fn detection(self, detection: Detection) -> Self {
        Self { detection, ..self }
    }

    /// Sets whether to compare labels with the text of their bytes.
    #[must_use]
    pub fn check_labels(self, check_labels: bool) -> Self {
        Self {
            check_labels,
            ..self
        }
    }
}
