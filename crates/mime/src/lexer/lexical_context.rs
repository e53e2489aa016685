//! Names the places of a value in which text may stand.
//!
//! # Limits
//! `token` finds them.

/// The lexical context of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LexicalContext {
    /// Unstructured text.
    Text,
    /// A phrase of a structured field, and the punctuation between phrases.
    Phrase,
    /// A comment, parentheses included.
    Comment,
    /// The inside of a quoted string.
    Quoted,
    /// The quotes around a quoted string, which are not part of its text.
    Mark,
    /// An address, a date or an identifier, where words are not decoded.
    Address,
}
