//! The form in which a value is rewritten, and the changes that result.

use crate::edit::Edit;
use crate::span::Span;
use std::ops::Range;

/// A change of a value: `with` replaces the bytes at `at`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The range in the value.
    pub at: Range<usize>,
    /// The new bytes.
    pub with: Vec<u8>,
}

impl Replacement {
    /// Returns the edit of the message for a change of the value at `value`.
    pub(crate) fn into_edit(self, value: Span) -> Edit {
        Edit::new(value.at(&self.at), self.with)
    }
}

/// The form that is written by [`header::rewrite`](crate::header::rewrite).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// Encoded words in UTF-8.
    Words,
    /// Raw UTF-8 (RFC 6532).
    RawUtf8,
    /// Encoded words in ISO-2022-JP (RFC 1468) if it can carry all text of the value except raw ASCII; otherwise words in UTF-8.
    ///
    /// In a value with parameters each one counts by itself. Some characters become others (EVENTS.md, `charset.look-alike`).
    Iso2022Jp,
}

/// The form and the place in which a value is written.
#[derive(Clone, Copy, Debug)]
pub struct RewriteTarget<'e> {
    /// The form to write.
    pub form: Form,
    /// Number of bytes on the line before the value.
    pub column: usize,
    /// Line end of folds.
    pub eol: &'e str,
}

impl RewriteTarget<'_> {
    /// Returns the target with another form.
    pub(super) fn in_form(self, form: Form) -> Self {
        Self { form, ..self }
    }
}
