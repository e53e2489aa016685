//! Defines the control characters of ISO 2022.
//!
//! # Limits
//! `escape` has the escape sequences.

/// The bytes between most lines of Japanese text.
pub(super) const NEXT_LINE: &[u8; 8] = b"\x1B(B\r\n\x1B$B";

/// The start of a control sequence of a terminal, such as `ESC [ 7 m` (ECMA-48, section 5.4).
pub(super) const CONTROL_SEQUENCE: &[u8; 2] = b"\x1B[";

pub(super) const ESC: u8 = 0x1B;
pub(super) const SO: u8 = 0x0E;
pub(super) const SI: u8 = 0x0F;
