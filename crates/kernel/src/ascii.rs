//! Copies and recognizes ASCII.
//!
//! # Limits
//! None.

use super::portable::ascii::{portable_high_mask, portable_push_ascii};
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

/// Returns a bit for each byte of a block, which is set if the byte is above 7F. Bit 0 stands for the first byte.
///
/// ```
/// let mut block = [b'x'; 64];
/// block[3] = 0xE9;
/// assert_eq!(mailglot_kernel::ascii::high_mask(&block), 1 << 3);
/// ```
#[inline]
#[must_use]
pub fn high_mask(block: &[u8; 64]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if super::avx2::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx2::high_mask(block) };
    }
    portable_high_mask(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_has_a_bit_for_each_high_byte() {
        for place in 0..64 {
            for byte in 0..=0xFF {
                let mut block = [b'x'; 64];
                block[place] = byte;
                let bit = u64::from(byte >= 0x80) << place;
                assert_eq!(high_mask(&block), bit, "{byte:X} {place}");
                assert_eq!(portable_high_mask(&block), bit, "{byte:X} {place}");
            }
        }
        assert_eq!(high_mask(&[0xFF; 64]), u64::MAX);
        assert_eq!(portable_high_mask(&[0xFF; 64]), u64::MAX);
    }

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
