//! How names of members are decoded that say no charset: in zip, and in tar if they are not UTF-8.
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

/// Functions that decode names of members that are not UTF-8 and have no flag for it.
///
/// By default such names of a zip archive are read as code page 437, as APPNOTE.TXT says (appendix D). Those of a tar archive keep
/// their bytes.
#[derive(Clone, Copy, Debug)]
pub struct NameDecoding {
    /// Returns the charset of the names of one archive, or `None` if none is likely, other than code page 437 in a zip archive.
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
