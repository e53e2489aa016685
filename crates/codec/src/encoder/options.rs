//! What an encoder may be asked to do beyond its charset.
//!
//! # Limits
//! Line lengths are not an option: lines are the caller's, and pieces of limited length are `encode_limited`'s.

use super::Unmappable;
use crate::Mode;

/// How an encoder writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodeOptions {
    pub(crate) unmappable: Unmappable,
    pub(crate) mode: Mode,
    pub(crate) utf_7_optional_direct: bool,
}

impl EncodeOptions {
    /// Lenient: look-alikes are written, and recorded. Set O of UTF-7 goes into base64.
    pub fn new(unmappable: Unmappable) -> Self {
        Self {
            unmappable,
            mode: Mode::Lenient,
            utf_7_optional_direct: false,
        }
    }

    /// With this mode; strict means no look-alikes.
    #[must_use]
    pub fn mode(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    /// Whether the characters of Set O (``! " # $ % & * ; < = > @ [ ] ^ _ ` { | }``) stand for themselves in UTF-7
    /// (RFC 2152 rule 1). They may suffer in header fields and at gateways.
    #[must_use]
    pub fn utf_7_optional_direct(self, direct: bool) -> Self {
        Self {
            utf_7_optional_direct: direct,
            ..self
        }
    }
}
