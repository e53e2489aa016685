//! Returns bytes of a text by offsets that may lie outside of it.
//!
//! # Limits
//! A blank stands for every byte outside.

/// Returns the byte at `at`, or a blank before the start and behind the end of a text.
///
/// Example: `byte_or_blank(bytes, at.checked_sub(1))` is the byte before `at`.
pub(crate) fn byte_or_blank(bytes: &[u8], at: Option<usize>) -> u8 {
    at.and_then(|at| bytes.get(at)).copied().unwrap_or(b' ')
}
