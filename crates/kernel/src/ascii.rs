//! Copies and recognizes ASCII.
//!
//! # Limits
//! None.

use super::writer::Writer;
use std::ops::Range;

/// Bytes looked at in one step.
const STEP: usize = 32;

/// Appends the ASCII bytes at the start of `input` to `text` and returns their number.
pub fn append_prefix(input: &[u8], text: &mut String) -> usize {
    let mut out = Writer::new(text);
    let mut at = 0;
    while let Some(block) = input[at..].first_chunk::<STEP>() {
        if !all_ascii(block) {
            break;
        }
        out.reserve(STEP);
        // SAFETY: there is room, and ASCII is UTF-8.
        unsafe { out.store(*block, STEP) };
        at += STEP;
    }
    while let Some(block) = input[at..].first_chunk::<8>() {
        let high = u64::from_le_bytes(*block) & 0x8080_8080_8080_8080;
        let len = high.trailing_zeros() as usize / 8;
        out.reserve(8);
        // SAFETY: there is room, and the bytes before the first high one are ASCII.
        unsafe { out.store(*block, len) };
        at += len;
        if len < 8 {
            return at;
        }
    }
    for byte in input[at..].iter().take_while(|byte| byte.is_ascii()) {
        out.reserve(1);
        // SAFETY: there is room, and the byte is ASCII.
        unsafe { out.store([*byte], 1) };
        at += 1;
    }
    at
}

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

pub(super) fn portable_push_ascii(source: &[u8], range: Range<usize>, text: &mut String) -> bool {
    let piece = as_str(&source[range]);
    text.push_str(piece.unwrap_or_default());
    piece.is_some()
}

/// Returns `bytes` as text if they are all ASCII.
#[inline]
pub fn as_str(bytes: &[u8]) -> Option<&str> {
    // SAFETY: ASCII is UTF-8.
    bytes
        .is_ascii()
        .then(|| unsafe { std::str::from_utf8_unchecked(bytes) })
}

#[inline]
pub(super) fn all_ascii<const N: usize>(block: &[u8; N]) -> bool {
    block.iter().fold(0, |all, byte| all | byte) < 0x80
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
