//! Defines the byte order of UTF-16, and the length of the beginning that decides it.
//!
//! # Limits
//! Knows no mark.

/// Bytes that the statistics look at.
pub(super) const WINDOW: usize = 1024;

/// Most significant byte first, or last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Big,
    Little,
}

impl Order {
    /// Returns the unit of two bytes.
    pub(super) fn unit(self, pair: &[u8]) -> u16 {
        let bytes = [pair[0], pair[1]];
        match self {
            Self::Big => u16::from_be_bytes(bytes),
            Self::Little => u16::from_le_bytes(bytes),
        }
    }
}
