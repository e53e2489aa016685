//! Validates UTF-8.
//!
//! # Limits
//! None.

use super::portable::byte_pairs::BytePairs;
use super::portable::utf8::{portable_check_utf8, portable_push_utf8};
use std::ops::Range;

pub use super::portable::utf8::{CheckedUtf8, as_str, valid_prefix};

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
        #[cfg(target_arch = "x86_64")]
        if source.len() >= super::avx2::NEAR && range.len() <= 512 && super::avx2::is_here() {
            // SAFETY: the machine has what the function is made for.
            return unsafe { super::avx2::push_utf8(self, source, range, text) };
        }
        portable_push_utf8(self, source, range, text)
    }

    /// Validates `bytes` as UTF-8 and describes them; `None` if they are not valid.
    #[inline]
    pub fn check_utf8<'b>(&self, bytes: &'b [u8]) -> Option<CheckedUtf8<'b>> {
        #[cfg(target_arch = "x86_64")]
        if bytes.len() >= super::avx2::NEAR && bytes.len() <= 512 && super::avx2::is_here() {
            // SAFETY: the machine has what the function is made for.
            let checked = unsafe { super::avx2::check_utf8(self, bytes) }?;
            // SAFETY: all bytes were found to be UTF-8.
            return Some(checked.with(unsafe { std::str::from_utf8_unchecked(bytes) }));
        }
        portable_check_utf8(self, bytes)
    }
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
        for push in [BytePairs::append_utf8, portable_push_utf8] {
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
        for check in [BytePairs::check_utf8, portable_check_utf8] {
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
            crate::portable::ascii::portable_push_ascii,
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
