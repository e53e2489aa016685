//! The result of resolving a label.
//!
//! # Limits
//! Says nothing about the characters of the charset.

use crate::charset::Charset;

/// The charset that a label means, with the kind of match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// The label is a registered or canonical name.
    Exact(Charset),
    /// The label is a known alias.
    Alias(Charset),
    /// A repair of the label found the charset: case, separators, zeros or a typing error.
    Repaired(Charset),
    /// The label says nothing, such as `unknown-8bit` and `default`.
    NoInformation,
    /// The label names no known charset.
    Unknown,
}

impl Resolved {
    /// Returns the charset, for any kind of match.
    pub fn charset(self) -> Option<Charset> {
        match self {
            Self::Exact(c) | Self::Alias(c) | Self::Repaired(c) => Some(c),
            Self::NoInformation | Self::Unknown => None,
        }
    }

    /// Returns the result for a label that was repaired to get it.
    pub(super) fn repaired(self) -> Self {
        self.charset().map_or(self, Self::Repaired)
    }

    /// Returns the result for a label that differs only in case, separators or zeros.
    pub(super) fn alias(self) -> Self {
        match self {
            Self::Exact(c) => Self::Alias(c),
            other => other,
        }
    }
}

/// Returns how a label means a charset: as its name or as an alias.
pub(super) const fn named(label: &str, charset: Charset) -> Resolved {
    if charset.name().eq_ignore_ascii_case(label) {
        Resolved::Exact(charset)
    } else {
        Resolved::Alias(charset)
    }
}
