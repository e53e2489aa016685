//! Decodes short base64 and escaped text without vector instructions.
//!
//! # Limits
//! None.

use super::base64::{NOT_A_DIGIT, VALUES};
use super::hex_escapes::HEX;

/// Maximum number of decoded bytes.
pub(crate) const MOST: usize = 192;

/// Size of the buffer: the decoded bytes and one whole store behind them.
pub(crate) const ROOM: usize = MOST + 32;

pub(crate) fn portable_base64(
    text: &[u8],
    at: usize,
    room: &mut [u8; ROOM],
) -> Option<(usize, usize)> {
    let mut rest = text.get(at..)?;
    let mut length = 0;
    // Two quanta a step. Each store has eight bytes; the next one overwrites the last two.
    while let Some((block, behind)) = rest.split_first_chunk::<8>()
        && let Some(out) = room[length..].first_chunk_mut::<8>()
        && let Some(bits) = sextets(block)
    {
        *out = (bits << 16).to_be_bytes();
        (rest, length) = (behind, length + 6);
    }
    while let Some((quad, behind)) = rest.split_first_chunk::<4>()
        && let Some(bits) = sextets(quad)
    {
        let [.., a, b, c] = bits.to_be_bytes();
        room.get_mut(length..length + 3)?
            .copy_from_slice(&[a, b, c]);
        (rest, length) = (behind, length + 3);
    }
    let is_digit = |place: usize| {
        rest.get(place)
            .is_some_and(|byte| VALUES[usize::from(*byte)] != NOT_A_DIGIT)
    };
    if is_digit(0) {
        let (kept, bits, behind) = match rest {
            [a, b, b'=', b'=', behind @ ..] => (1, sextets(&[*a, *b])? << 12, behind),
            [a, b, c, b'=', behind @ ..] => (2, sextets(&[*a, *b, *c])? << 6, behind),
            _ => return None,
        };
        let [.., a, b, c] = bits.to_be_bytes();
        // Spare bits behind the last byte must be zero; otherwise encoding would not give the same text.
        let bytes = [a, b, c];
        if bytes[kept..].iter().any(|byte| *byte != 0) {
            return None;
        }
        room.get_mut(length..length + kept)?
            .copy_from_slice(&bytes[..kept]);
        (rest, length) = (behind, length + kept);
    }
    (length <= MOST).then_some((text.len() - rest.len(), length))
}

/// Returns the six bits of each byte, or `None` if a byte is not in the alphabet.
fn sextets<const N: usize>(bytes: &[u8; N]) -> Option<u64> {
    let (mut bits, mut all) = (0, 0);
    for byte in bytes {
        let six = VALUES[usize::from(*byte)];
        all |= six;
        bits = bits << 6 | u64::from(six);
    }
    (all != NOT_A_DIGIT).then_some(bits)
}

pub(crate) fn portable_escapes(
    text: &[u8],
    mut at: usize,
    room: &mut [u8; ROOM],
) -> Option<(usize, usize)> {
    let mut length = 0;
    loop {
        if let Some(block) = text.get(at..)?.first_chunk()
            && let Some(out) = room[length..].first_chunk_mut()
        {
            let count = letters(*block, out);
            (at, length) = (at + count, length + count);
            if count == 8 {
                continue;
            }
        }
        let byte = match *text.get(at)? {
            b'?' => return (length <= MOST).then_some((at, length)),
            b'_' => b' ',
            b'=' => {
                let [_, high, low] = text[at..].first_chunk::<3>()?;
                let (high, low) = (HEX[usize::from(*high)], HEX[usize::from(*low)]);
                if high | low == NOT_A_DIGIT {
                    return None;
                }
                at += 2;
                high << 4 | low
            }
            byte @ b'!'..=b'~' => byte,
            _ => return None,
        };
        *room.get_mut(length)? = byte;
        at += 1;
        length += 1;
    }
}

/// Copies direct bytes from the start of a block, with spaces for underscores, and returns their number. Bytes stored behind them are
/// meaningless.
pub(crate) fn letters(block: [u8; 8], out: &mut [u8; 8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    let word = u64::from_le_bytes(block);
    // High bits are correct up to the first byte that is at or below this one.
    let below = |word: u64, byte: u64| word.wrapping_sub(byte * ONES) & !word;
    let is = |byte: u8| below(word ^ (u64::from(byte) * ONES), 1);
    let stops = (word | below(word, 0x21) | is(b'=') | is(b'?') | is(0x7F)) & HIGH;
    let other = word ^ (u64::from(b'_') * ONES);
    // Without a borrow from byte to byte.
    let lines = !(((other & !HIGH) + !HIGH) | other) & HIGH;
    *out = (word ^ ((lines >> 7) * u64::from(b'_' ^ b' '))).to_le_bytes();
    stops.trailing_zeros() as usize / 8
}
