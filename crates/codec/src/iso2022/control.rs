//! Defines the control characters of ISO 2022.
//!
//! # Limits
//! `escape` has the escape sequences.

/// The bytes between most lines of Japanese text.
pub(super) const NEXT_LINE: &[u8; 8] = b"\x1B(B\r\n\x1B$B";

pub(super) const ESC: u8 = 0x1B;
pub(super) const SO: u8 = 0x0E;
pub(super) const SI: u8 = 0x0F;
