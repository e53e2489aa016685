//! Defines where the content of a member lies in its container.
//!
//! # Limits
//! None.

use std::ops::Range;

/// The place and the encoding of a member's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MemberPlace {
    /// The stored bytes, as offsets in the container.
    pub(super) data: Range<u64>,
    pub(super) coding: Coding,
}

/// How the content of a member is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    /// As it is, without a checksum (tar).
    Plain,
    /// With a checksum, and maybe compressed (zip).
    Zip {
        is_deflated: bool,
        /// Size of the content in bytes, as the container declares it.
        size: u64,
        /// CRC-32 of the content. None if the container does not say.
        crc: Option<u32>,
    },
}

impl MemberPlace {
    /// Returns the size of the content in bytes, as the container declares it.
    pub(crate) fn size(&self) -> u64 {
        match self.coding {
            Coding::Plain => self.data.end - self.data.start,
            Coding::Zip { size, .. } => size,
        }
    }
}
