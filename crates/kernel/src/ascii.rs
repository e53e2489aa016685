//! Copies and recognizes ASCII.
//!
//! # Limits
//! None.

use super::portable::ascii::portable_push_ascii;
use std::ops::Range;

pub use super::portable::ascii::{append_prefix, as_str};

/// Appends `source[range]` to `text` if all of it is ASCII; otherwise returns false and appends nothing.
///
/// Bytes behind the range make the function faster.
///
/// # Panics
/// If the range is not in the source.
#[inline]
pub fn append(source: &[u8], range: Range<usize>, text: &mut String) -> bool {
    #[cfg(target_arch = "x86_64")]
    if source.len() >= super::avx2::NEAR && super::avx2::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx2::push_ascii(source, range, text) };
    }
    portable_push_ascii(source, range, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The safe twin.
    fn twin(input: &[u8], text: &mut String) -> usize {
        let run = input
            .iter()
            .position(|b| !b.is_ascii())
            .unwrap_or(input.len());
        text.push_str(std::str::from_utf8(&input[..run]).unwrap());
        run
    }

    #[test]
    fn text_is_all_or_nothing() {
        for len in 0..=300 {
            let mut bytes = vec![b'x'; len];
            assert_eq!(as_str(&bytes), std::str::from_utf8(&bytes).ok());
            for place in 0..len {
                bytes[place] = 0xC3;
                assert_eq!(as_str(&bytes), None);
                bytes[place] = b'x';
            }
        }
    }

    #[test]
    fn runs_of_every_length_at_every_alignment_end_at_every_high_byte() {
        let bytes: Vec<u8> = (0..340_usize).map(|i| (i * 7 % 128) as u8).collect();
        for start in 0..32 {
            for len in 0..=300 {
                for high in [0x80, 0xC3, 0xFF] {
                    let mut input = bytes[start..start + len].to_vec();
                    input.extend([high, b'x', b'y']);
                    let (mut fast, mut slow) = ("é".to_owned(), "é".to_owned());
                    assert_eq!(append_prefix(&input, &mut fast), twin(&input, &mut slow));
                    assert_eq!(
                        append_prefix(&input[..len], &mut fast),
                        twin(&input[..len], &mut slow)
                    );
                    assert_eq!(fast, slow);
                }
            }
        }
    }
}
