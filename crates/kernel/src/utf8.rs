//! Validates UTF-8.
//!
//! # Limits
//! None.

use super::ascii::all_ascii;
use super::byte_pairs::{BytePairs, portable_suspect};
use std::ops::Range;

impl BytePairs {
    /// Appends `source[range]` to `text` if it is valid UTF-8, and returns true if a pair of the set may occur in it.
    ///
    /// Returns `None` and appends nothing if it is not valid. Bytes behind the range make the function faster.
    ///
    /// # Panics
    /// If the range is not in the source.
    #[inline]
    pub fn append_utf8(
        &self,
        source: &[u8],
        range: Range<usize>,
        text: &mut String,
    ) -> Option<bool> {
        push_utf8(self, source, range, text)
    }

    /// Validates `bytes` as UTF-8 and describes them; `None` if they are not valid.
    #[inline]
    pub fn check_utf8<'b>(&self, bytes: &'b [u8]) -> Option<CheckedUtf8<'b>> {
        check_utf8(self, bytes)
    }
}

/// See [`BytePairs::append_utf8`].
#[inline]
fn push_utf8(
    pairs: &BytePairs,
    source: &[u8],
    range: Range<usize>,
    text: &mut String,
) -> Option<bool> {
    #[cfg(target_arch = "x86_64")]
    if source.len() >= super::avx2::NEAR && range.len() <= 512 && super::avx2::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx2::push_utf8(pairs, source, range, text) };
    }
    portable_push_utf8(pairs, source, range, text)
}

fn portable_push_utf8(
    pairs: &BytePairs,
    source: &[u8],
    range: Range<usize>,
    text: &mut String,
) -> Option<bool> {
    let valid = as_str(&source[range])?;
    text.push_str(valid);
    Some(portable_suspect(pairs, valid.as_bytes(), 0).is_some())
}

/// Valid UTF-8, and what [`BytePairs::check_utf8`] found in it.
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

/// What a loop found in valid UTF-8; see [`CheckedUtf8`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) is_suspect: bool,
    pub(super) eight: Range<usize>,
    pub(super) count: usize,
}

impl Found {
    fn with(self, text: &str) -> CheckedUtf8<'_> {
        CheckedUtf8 {
            text,
            is_suspect: self.is_suspect,
            eight: self.eight,
            count: self.count,
        }
    }
}

/// See [`BytePairs::check_utf8`].
#[inline]
fn check_utf8<'b>(pairs: &BytePairs, bytes: &'b [u8]) -> Option<CheckedUtf8<'b>> {
    #[cfg(target_arch = "x86_64")]
    if bytes.len() >= super::avx2::NEAR && bytes.len() <= 512 && super::avx2::is_here() {
        // SAFETY: the machine has what the function is made for.
        let checked = unsafe { super::avx2::check_utf8(pairs, bytes) }?;
        // SAFETY: all bytes were found to be UTF-8.
        return Some(checked.with(unsafe { std::str::from_utf8_unchecked(bytes) }));
    }
    portable_check_utf8(pairs, bytes)
}

fn portable_check_utf8<'b>(pairs: &BytePairs, bytes: &'b [u8]) -> Option<CheckedUtf8<'b>> {
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
    // The validator leaves what is shorter than its block to a slow loop. Behind NUL a cut character is as cut as before.
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
    // Dense damage would make the SIMD validator start over for every few bytes: look at a little first.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The safe twin.
    fn twin(bytes: &[u8]) -> &str {
        match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(e) => std::str::from_utf8(&bytes[..e.valid_up_to()]).unwrap(),
        }
    }

    #[test]
    fn text_is_what_std_says() {
        let text = "aß€\u{1F600}".repeat(40);
        for start in 0..10 {
            for len in 0..=300 {
                let mut bytes = text.as_bytes()[start..start + len].to_vec();
                assert_eq!(super::as_str(&bytes), std::str::from_utf8(&bytes).ok());
                let whole = text.as_bytes()[..len]
                    .utf8_chunks()
                    .next()
                    .map_or("", |chunk| chunk.valid());
                bytes = whole.as_bytes().to_vec();
                assert_eq!(super::as_str(&bytes), Some(whole));
                for damage in [0x80, 0xC3, 0xE2, 0xF0] {
                    bytes.push(damage);
                    assert_eq!(super::as_str(&bytes), None);
                    bytes.pop();
                }
            }
        }
    }

    /// Looks for 7F, and for E2 before 8x or 9x.
    fn same_push(source: &[u8], range: Range<usize>) {
        let mut pairs = BytePairs {
            first_high: [0; 16],
            first_low: [0; 16],
            second_low: [3; 16],
        };
        (pairs.first_high[7], pairs.first_low[0xF]) = (1, 1);
        (pairs.first_high[0xE], pairs.first_low[2], pairs.second_low) = (2, 2, [1; 16]);
        pairs.second_low[..8].fill(3);
        let want = std::str::from_utf8(&source[range.clone()]);
        let is_suspect = |text: &str| {
            text.contains('\x7F')
                || text
                    .as_bytes()
                    .windows(2)
                    .any(|pair| pair[0] == 0xE2 && pair[1] % 16 < 8)
        };
        for push in [push_utf8, portable_push_utf8] {
            let mut text = "é".to_owned();
            let found = push(&pairs, source, range.clone(), &mut text);
            assert_eq!(found, want.ok().map(is_suspect), "{source:x?} {range:?}");
            assert_eq!(text, "é".to_owned() + want.unwrap_or_default());
        }
        let piece = &source[range.clone()];
        let high: Vec<usize> = (0..piece.len())
            .filter(|at| !piece[*at].is_ascii())
            .collect();
        let eight = high.first().copied().unwrap_or(0)..high.last().map_or(0, |last| last + 1);
        for check in [check_utf8, portable_check_utf8] {
            let checked = want.ok().map(|text| CheckedUtf8 {
                text,
                is_suspect: is_suspect(text),
                eight: eight.clone(),
                count: high.len(),
            });
            assert_eq!(check(&pairs, piece), checked, "{source:x?} {range:?}");
        }
    }

    #[test]
    fn one_suspect_at_every_place() {
        for len in 1..=100 {
            for place in 0..len {
                for suspect in ["\x7F", "\u{2008}", "\u{2300}", "\u{2200}", "\u{203F}"] {
                    let text = "x".repeat(place) + suspect + &"y".repeat(len - place);
                    same_push(text.as_bytes(), 0..text.len());
                    same_push(text.as_bytes(), 0..place);
                    same_push(text.as_bytes(), place + suspect.len()..text.len());
                }
            }
        }
    }

    #[test]
    fn pieces_are_appended_as_std_says() {
        let text = "aß€\u{1F600}".repeat(40);
        for start in 0..10 {
            for len in 0..=300 {
                same_push(text.as_bytes(), start..start + len);
                same_push(&text.as_bytes()[..start + len], start..start + len);
            }
        }
    }

    #[test]
    fn every_sequence_of_bytes_is_valid_where_std_says() {
        // Those that begin or end a range of the table of well-formed sequences (Unicode 3.9).
        let edges = [
            0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0,
            0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFC, 0xFF,
        ];
        let mut source = [b'x'; 64];
        for place in [0, 13, 28, 29, 30, 31, 32] {
            for code in 0..=0xFFFF_u16 {
                source[place..place + 2].copy_from_slice(&code.to_be_bytes());
                for third in [0x41, 0x80, 0x8F, 0x90, 0xBF, 0xC0] {
                    source[place + 2] = third;
                    same_push(&source, 0..place + 3);
                }
            }
            source = [b'x'; 64];
            for a in edges {
                for b in edges {
                    for c in edges {
                        for d in edges {
                            source[place..place + 4].copy_from_slice(&[a, b, c, d]);
                            same_push(&source, place..place + 4);
                            same_push(&source, 0..place + 5);
                        }
                    }
                }
            }
            source = [b'x'; 64];
        }
    }

    fn same_push_ascii(source: &[u8], range: Range<usize>) {
        let want = source[range.clone()].is_ascii();
        for push in [
            crate::ascii::append,
            super::super::ascii::portable_push_ascii,
        ] {
            let mut text = "é".to_owned();
            assert_eq!(
                push(source, range.clone(), &mut text),
                want,
                "{source:x?} {range:?}"
            );
            let piece = if want { &source[range.clone()] } else { b"" };
            assert_eq!(text.as_bytes(), ["é".as_bytes(), piece].concat());
        }
    }

    #[test]
    fn one_byte_among_ascii_at_every_place() {
        for len in 1..=130 {
            for place in 0..len {
                for byte in [0, 0x7F, 0x80, 0xC3, 0xE2, 0xF0, 0xFF] {
                    let mut bytes = vec![b'x'; len];
                    bytes[place] = byte;
                    assert_eq!(
                        super::as_str(&bytes),
                        std::str::from_utf8(&bytes).ok(),
                        "{place} {len}"
                    );
                    same_push_ascii(&bytes, 0..len);
                    same_push_ascii(&bytes, 0..place);
                    same_push_ascii(&bytes, place + 1..len);
                    assert_eq!(valid_prefix(&bytes), twin(&bytes), "{place} {len}");
                }
            }
        }
    }

    #[test]
    fn text_ends_where_std_says() {
        let text = "aß€\u{1F600}".repeat(40);
        for len in 0..=300 {
            assert_eq!(
                valid_prefix(&text.as_bytes()[..len]),
                twin(&text.as_bytes()[..len])
            );
            for damage in [0x80, 0xC0, 0xE2, 0xED, 0xF0, 0xF8, 0xFF] {
                let mut bytes = text.as_bytes().to_vec();
                bytes[len] = damage;
                assert_eq!(valid_prefix(&bytes), twin(&bytes));
            }
        }
    }
}
