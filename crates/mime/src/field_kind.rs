//! The grammars of header fields, and what values of opaque fields are.
//!
//! # Limits
//! `known_fields` knows which field has which.

/// The grammar of a field value, as far as it affects encoded words (RFC 2047, section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Text: Subject, Comments, X-…, and every unknown field.
    Unstructured,
    /// Phrases, comments and addresses: From, To, Cc, Reply-To, Sender, …
    Structured,
    /// Phrases and comments, with addresses in angle brackets only: Keywords, List-Id.
    Phrases,
    /// Web and mail addresses with comments (RFC 2369, section 2): List-Help, List-Unsubscribe. Encoded words are decoded in the comments only:
    /// `<mailto:owner@example.org> (=?utf-8?Q?J=C3=B6rg?=)` → `<mailto:owner@example.org> (Jörg)`.
    Comments,
    /// A value with parameters: Content-Type, Content-Disposition.
    Parameters,
    /// Values that are never decoded or rewritten: Message-ID, Date, Received, signatures, …
    Opaque,
}

impl FieldKind {
    /// Returns true if the value may contain phrases, quoted strings and comments.
    pub(crate) fn has_syntax(self) -> bool {
        matches!(self, Self::Structured | Self::Phrases)
    }
}

/// What the value of an opaque field is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpaqueValue {
    /// Addresses, such as those of a trace field.
    Addresses,
    /// A date.
    Date,
    /// Message identifiers.
    Identifiers,
    /// A trace of a server.
    Received,
    /// Text as written.
    Text,
}
