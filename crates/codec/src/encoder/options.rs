//! Options of encoders.
//!
//! # Limits
//! No line lengths: the caller breaks lines, and `encode_limited` makes pieces of limited length.

use super::unmappable::Unmappable;
use crate::mode::Mode;

/// Options of an encoder: the replacement of characters that the charset lacks, the mode, and the form of UTF-7.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodeOptions {
    pub(crate) unmappable: Unmappable,
    pub(crate) mode: Mode,
    pub(crate) utf_7_optional_direct: bool,
}

impl EncodeOptions {
    /// Returns options for lenient encoding, which writes look-alikes and logs them. Set O of UTF-7 goes into base64.
    pub fn new(unmappable: Unmappable) -> Self {
        Self {
            unmappable,
            mode: Mode::Lenient,
            utf_7_optional_direct: false,
        }
    }

    /// Sets the mode. Strict encoding writes no look-alikes.
    #[must_use]
    pub fn mode(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    /// Sets whether the characters of Set O (``! " # $ % & * ; < = > @ [ ] ^ _ ` { | }``) are direct in UTF-7
    /// (RFC 2152, rule 1). Header fields and gateways may damage them.
    #[must_use]
    pub fn utf_7_optional_direct(self, direct: bool) -> Self {
        Self {
            utf_7_optional_direct: direct,
            ..self
        }
    }
}
