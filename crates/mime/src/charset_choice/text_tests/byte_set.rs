//! Sets of bytes as constants.
//!
//! # Limits
//! Needs 256 bytes a set.

/// Returns a table that is true for these bytes.
pub(crate) const fn set(bytes: &[u8]) -> [bool; 256] {
    let (mut set, mut at) = ([false; 256], 0);
    while at < bytes.len() {
        set[bytes[at] as usize] = true;
        at += 1;
    }
    set
}
