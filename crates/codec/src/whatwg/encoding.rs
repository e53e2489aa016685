//! Defines the encodings of the WHATWG Encoding Standard.
//!
//! # Limits
//! `stream` decodes and encodes.

use crate::charset::Charset;
use crate::label;
use std::ops::Range;

/// Bytes decoded or encoded at once.
pub(super) const CHUNK: usize = 4096;

/// An encoding of the standard (section 4).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Encoding(pub(super) &'static encoding_rs::Encoding);

/// A sequence that is malformed in the encoding, as a byte range of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Half-open byte range in the input.
    pub bytes: Range<u64>,
}

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "malformed bytes {}..{}",
            self.bytes.start, self.bytes.end
        )
    }
}

impl std::error::Error for Malformed {}

impl Encoding {
    /// UTF-8.
    pub const UTF_8: Self = Self(encoding_rs::UTF_8);
    /// UTF-16, big-endian.
    pub const UTF_16BE: Self = Self(encoding_rs::UTF_16BE);
    /// UTF-16, little-endian.
    pub const UTF_16LE: Self = Self(encoding_rs::UTF_16LE);
    /// Decodes anything to one U+FFFD.
    pub const REPLACEMENT: Self = Self(encoding_rs::REPLACEMENT);
    /// 80-FF are U+F780 to U+F7FF. In mail this label says nothing.
    pub const X_USER_DEFINED: Self = Self(encoding_rs::X_USER_DEFINED);

    /// Returns the encoding of a label ("get an encoding", section 4.2).
    pub fn for_label(label: &[u8]) -> Option<Self> {
        encoding_rs::Encoding::for_label(label).map(Self)
    }

    /// Returns the encoding that the standard has under a charset's name.
    pub fn for_charset(charset: Charset) -> Option<Self> {
        Self::for_label(charset.name().as_bytes())
            .filter(|encoding| encoding.charset() == Some(charset))
    }

    /// Returns the charset of the same name; `None` for `replacement` and `x-user-defined`.
    pub fn charset(self) -> Option<Charset> {
        label::of_encoding(self.0)
    }

    /// Returns the standard's name, such as `windows-1252`.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// Returns the encoding to write ("get an output encoding", section 4.3): UTF-8 for `replacement` and UTF-16.
    #[must_use]
    pub fn output(self) -> Self {
        Self(self.0.output_encoding())
    }
}

impl std::fmt::Debug for Encoding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Encoding({})", self.name())
    }
}

/// Returns the encoding of a byte order mark and the length of the mark ("BOM sniff", section 6).
pub fn bom_sniff(bytes: &[u8]) -> Option<(Encoding, usize)> {
    encoding_rs::Encoding::for_bom(bytes).map(|(encoding, len)| (Encoding(encoding), len))
}
