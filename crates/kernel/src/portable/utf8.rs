//! Validates UTF-8.
//!
//! # Limits
//! None.

use super::ascii::all_ascii;
use super::byte_pairs::{BytePairs, portable_suspect};
use std::ops::Range;

pub(crate) fn portable_push_utf8(
    pairs: &BytePairs,
    source: &[u8],
    range: Range<usize>,
    text: &mut String,
) -> Option<bool> {
    let valid = as_str(&source[range])?;
    text.push_str(valid);
    Some(portable_suspect(pairs, valid.as_bytes(), 0).is_some())
}

/// Valid UTF-8 with the properties that [`BytePairs::check_utf8`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedUtf8<'b> {
    /// All bytes as text.
    pub text: &'b str,
    /// True if a pair of the set may occur.
    pub is_suspect: bool,
    /// Byte offsets from the first byte above 7F to behind the last; empty if there is none.
    pub eight: Range<usize>,
    /// Number of bytes above 7F.
    pub count: usize,
}

/// Properties of valid UTF-8 that a loop found; see [`CheckedUtf8`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Utf8Properties {
    pub(crate) is_suspect: bool,
    pub(crate) eight: Range<usize>,
    pub(crate) count: usize,
}

impl Utf8Properties {
    pub(crate) fn with(self, text: &str) -> CheckedUtf8<'_> {
        CheckedUtf8 {
            text,
            is_suspect: self.is_suspect,
            eight: self.eight,
            count: self.count,
        }
    }
}

pub(crate) fn portable_check_utf8<'b>(
    pairs: &BytePairs,
    bytes: &'b [u8],
) -> Option<CheckedUtf8<'b>> {
    let text = as_str(bytes)?;
    let is_suspect = portable_suspect(pairs, bytes, 0).is_some();
    let end = bytes
        .iter()
        .rposition(|byte| !byte.is_ascii())
        .map_or(0, |last| last + 1);
    let first = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let count = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    Some(CheckedUtf8 {
        text,
        is_suspect,
        eight: first..end,
        count,
    })
}

/// Returns `bytes` as text if they are valid UTF-8. A byte order mark stays in it.
#[inline]
pub fn as_str(bytes: &[u8]) -> Option<&str> {
    const SHORT: usize = 64;
    if bytes.len() >= SHORT {
        return simdutf8::basic::from_utf8(bytes).ok();
    }
    // The validator reads input shorter than its block with a slow loop, so NULs fill the block. A truncated character stays invalid before a NUL.
    if let (Some(first), Some(last)) = (bytes.first_chunk::<32>(), bytes.last_chunk::<32>())
        && first[0].is_ascii()
        && all_ascii(first)
        && all_ascii(last)
    {
        // SAFETY: all bytes are in one of the two, and ASCII is UTF-8.
        return Some(unsafe { std::str::from_utf8_unchecked(bytes) });
    }
    let mut block = [0; SHORT];
    block[..bytes.len()].copy_from_slice(bytes);
    simdutf8::basic::from_utf8(&block).ok()?;
    // SAFETY: the validator has found these very bytes to be UTF-8 in front of NULs.
    Some(unsafe { std::str::from_utf8_unchecked(bytes) })
}

/// Returns the longest prefix of `bytes` that is whole, valid UTF-8 characters.
pub fn valid_prefix(bytes: &[u8]) -> &str {
    // Dense damage would restart the SIMD validator every few bytes, so check a short prefix first.
    let near = &bytes[..bytes.len().min(24)];
    let len = match std::str::from_utf8(near) {
        Ok(text) if near.len() == bytes.len() => return text,
        Err(e) if e.error_len().is_some() || near.len() == bytes.len() => e.valid_up_to(),
        _ => match simdutf8::compat::from_utf8(bytes) {
            Ok(text) => return text,
            Err(e) => e.valid_up_to(),
        },
    };
    // SAFETY: the validator has found the bytes before its error to be UTF-8.
    unsafe { std::str::from_utf8_unchecked(&bytes[..len]) }
}
