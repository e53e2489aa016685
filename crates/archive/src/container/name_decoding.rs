//! How names of zip members are decoded that say no charset.
//!
//! # Limits
//! Knows no charset but code page 437. The caller gives the others.

/// The system on which a zip archive was made (APPNOTE.TXT, section 4.4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameSystem {
    /// DOS, Windows or OS/2, or no system is named. Names are in a code page of DOS or of Windows.
    Dos,
    /// Unix or another system. Names are the bytes of its file system.
    Other,
}

/// Functions that decode names of zip members that have no flag for UTF-8 and are not UTF-8.
///
/// By default such names are read as code page 437, as APPNOTE.TXT says (appendix D).
#[derive(Clone, Copy, Debug)]
pub struct NameDecoding {
    /// Returns the charset of the names of one archive, or `None` if no other than code page 437 is likely.
    ///
    /// The lines of the text are components of names, each once, at most 64 KiB.
    pub choose: fn(&[u8], NameSystem) -> Option<&'static str>,
    /// Decodes a name in such a charset. Returns `None` if it is not text in this charset.
    pub decode: fn(&[u8], &str) -> Option<String>,
}

impl Default for NameDecoding {
    fn default() -> Self {
        Self {
            choose: |_, _| None,
            decode: |_, _| None,
        }
    }
}
