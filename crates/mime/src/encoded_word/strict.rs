//! Encoded words in strict syntax (RFC 2047 2 and 4), as nearly all are, read in one pass.
//!
//! What is read here is read alike by [`super::token`] and [`super::payload`], and without damage.
//!
//! # Limits
//!
//! Language tags, labels with other signs than names of charsets have, white space inside, damaged or unpadded payloads: all that is
//! left to those two.

use crate::lex;
use std::ops::Range;

/// Room for the bytes of a word that is longer than it should be, but not by much.
pub(super) const ROOM: usize = 192;

/// A word, read.
#[derive(Debug)]
pub(super) struct Strict<'v> {
    /// Where it stands in the value.
    pub range: Range<usize>,
    /// Its label; None where it is the one that was expected.
    pub label: Option<&'v [u8]>,
    /// Number of decoded bytes.
    pub length: usize,
}

/// Reads the word at `at`, where `=?` stands, with its decoded bytes in `room`; None for any other syntax, for a word with something
/// else than white space behind it, and for one that does not fit. `expected` is a label in strict syntax, or nothing.
pub(super) fn word<'v>(value: &'v [u8], at: usize, expected: &[u8], room: &mut [u8]) -> Option<Strict<'v>> {
    let behind = value.get(at + 2..)?;
    // Byte by byte: for so few a call of the library's comparison takes longer.
    let is_expected = !expected.is_empty()
        && behind.get(expected.len()) == Some(&b'?')
        && expected.iter().zip(behind).all(|(a, b)| a == b);
    let length =
        if is_expected { expected.len() } else { behind.iter().position(|b| !NAMES[usize::from(*b)])? };
    let (label, rest) = behind.split_at(length);
    let label = (!is_expected).then_some(label);
    let [b'?', letter, b'?', payload @ ..] = rest else { return None };
    let (read, length) = match letter {
        b'B' | b'b' => b(payload, room)?,
        b'Q' | b'q' => q(payload, room)?,
        _ => return None,
    };
    let [b'?', b'=', after @ ..] = payload.get(read..)? else { return None };
    let free = after.first().is_none_or(|&b| lex::is_space(b));
    let end = value.len() - after.len();
    free.then_some(Strict { range: at..end, label, length })
}

/// What names of charsets are made of.
const NAMES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 0x80 {
        table[byte as usize] =
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':' | b'+');
        byte += 1;
    }
    table
};

/// What is no digit.
const NONE: u8 = 0xFF;

const SEXTETS: [u8; 256] = digits(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
const HEX: [u8; 256] = {
    let (mut upper, lower) = (digits(b"0123456789ABCDEF"), digits(b"0123456789abcdef"));
    let mut byte = b'a';
    while byte <= b'f' {
        upper[byte as usize] = lower[byte as usize];
        byte += 1;
    }
    upper
};

const fn digits(alphabet: &[u8]) -> [u8; 256] {
    let mut table = [NONE; 256];
    let mut i = 0;
    while i < alphabet.len() {
        table[alphabet[i] as usize] = i as u8;
        i += 1;
    }
    table
}

/// Decodes whole quanta from the start of `payload` (RFC 4648 4); gives the number of bytes read and written.
fn b(payload: &[u8], room: &mut [u8]) -> Option<(usize, usize)> {
    let (mut read, mut length) = (0, 0);
    // Two quanta a step; behind their six bytes two more are stored, which are written again.
    while let Some(block) = payload[read..].first_chunk::<8>()
        && let Some(out) = room[length..].first_chunk_mut::<8>()
        && let Some(bits) = sextets(block)
    {
        *out = (bits << 16).to_be_bytes();
        (read, length) = (read + 8, length + 6);
    }
    while let Some(quad) = payload[read..].first_chunk::<4>() {
        let (kept, bits) = match *quad {
            [a, b, b'=', b'='] => (1, sextets(&[a, b])? << 12),
            [a, b, c, b'='] => (2, sextets(&[a, b, c])? << 6),
            _ => match sextets(quad) {
                Some(bits) => (3, bits),
                None => break,
            },
        };
        let [.., a, b, c] = bits.to_be_bytes();
        // Bits behind the last byte must be zero, or it would not come back as it is.
        let bytes = [a, b, c];
        if bytes[kept..].iter().any(|byte| *byte != 0) {
            return None;
        }
        room.get_mut(length..length + kept)?.copy_from_slice(&bytes[..kept]);
        (read, length) = (read + 4, length + kept);
        if kept < 3 {
            break;
        }
    }
    Some((read, length))
}

/// Six bits of each byte; None where one is not in the alphabet.
fn sextets<const N: usize>(bytes: &[u8; N]) -> Option<u64> {
    let (mut bits, mut all) = (0, 0);
    for byte in bytes {
        let six = SEXTETS[usize::from(*byte)];
        all |= six;
        bits = bits << 6 | u64::from(six);
    }
    (all != NONE).then_some(bits)
}

/// Decodes Q text up to a question mark; gives the number of bytes read and written.
fn q(payload: &[u8], room: &mut [u8]) -> Option<(usize, usize)> {
    let (mut at, mut length) = (0, 0);
    loop {
        if let Some(block) = payload[at..].first_chunk()
            && let Some(out) = room[length..].first_chunk_mut()
        {
            let count = letters(block, out);
            (at, length) = (at + count, length + count);
            if count == 8 {
                continue;
            }
        }
        let byte = match *payload.get(at)? {
            b'?' => return Some((at, length)),
            b'_' => b' ',
            b'=' => {
                let [_, high, low] = payload[at..].first_chunk::<3>()?;
                let (high, low) = (HEX[usize::from(*high)], HEX[usize::from(*low)]);
                if high | low == NONE {
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

/// Copies what stands for itself from the start of a block, and spaces for low lines; gives the number of bytes. What is stored behind
/// them means nothing.
fn letters(block: &[u8; 8], out: &mut [u8; 8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    let word = u64::from_le_bytes(*block);
    // High bits are set from the first byte on that is below, or is, this one; before it there is none.
    let below = |word: u64, byte: u64| word.wrapping_sub(byte * ONES) & !word;
    let is = |byte: u8| below(word ^ (u64::from(byte) * ONES), 1);
    let stops = (word | below(word, 0x21) | is(b'=') | is(b'?') | is(0x7F)) & HIGH;
    let other = word ^ (u64::from(b'_') * ONES);
    // Without a borrow from byte to byte.
    let lines = !(((other & !HIGH) + !HIGH) | other) & HIGH;
    *out = (word ^ ((lines >> 7) * u64::from(b'_' ^ b' '))).to_le_bytes();
    stops.trailing_zeros() as usize / 8
}

#[cfg(test)]
mod tests {
    use super::super::payload;
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    fn read(value: &str) -> Option<Vec<u8>> {
        let mut room = [0; 64];
        let mut other = [0; 64];
        let bytes = word(value.as_bytes(), 0, b"", &mut room).map(|word| room[..word.length].to_vec());
        for label in [&b"u"[..], b"utf-8", b"x"] {
            let again =
                word(value.as_bytes(), 0, label, &mut other).map(|word| other[..word.length].to_vec());
            assert_eq!(again, bytes);
        }
        bytes
    }

    #[test]
    fn base64_is_what_the_crate_says() {
        let mut checked = 0;
        let bytes: Vec<u8> = (0..40).map(|i: u8| i.wrapping_mul(77)).collect();
        for length in 0..bytes.len() {
            let text = STANDARD.encode(&bytes[..length]);
            assert_eq!(read(&format!("=?u?b?{text}?=")), Some(bytes[..length].to_vec()));
            for place in 0..text.len() {
                for byte in b"A/=-_ ?~\x7f".iter().chain(b"ghQw").copied() {
                    let mut other = text.clone().into_bytes();
                    other[place] = byte;
                    let want = STANDARD.decode(&other).ok();
                    let other = String::from_utf8(other).expect("ASCII");
                    // A question mark ends the payload.
                    if byte != b'?' {
                        assert_eq!(read(&format!("=?u?B?{other}?=")), want, "{other}");
                        checked += u32::from(want.is_some());
                    }
                }
            }
        }
        assert!(checked > 1_000, "{checked}");
    }

    #[test]
    fn q_is_what_the_tolerant_decoder_says_without_damage() {
        for byte in 0..=0xFF_u8 {
            for text in [vec![byte], vec![b'=', b'4', byte], vec![b'=', byte, b'c'], vec![b'a', byte, b'_']] {
                let mut slow = Vec::new();
                let damage = payload::decode_q(&text, &mut slow);
                let value = [b"=?u?q?", &text[..], b"?="].concat();
                let mut room = [0; 8];
                if let Some(word) = word(&value, 0, b"u", &mut room) {
                    assert_eq!((&room[..word.length], damage), (&slow[..], payload::Damage::default()));
                    assert_eq!(word.range, 0..value.len());
                } else {
                    let other = |byte: &u8| *byte == b'?' || byte.is_ascii_control();
                    assert!(damage != payload::Damage::default() || text.iter().any(other), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn letters_of_q_are_those_that_stand_for_themselves() {
        let base = *b"a_b^_~!_";
        for place in 0..8 {
            for byte in 0..=0xFF {
                for behind in [b'a', b'?', 0x00, 0x80, 0x5E] {
                    let mut block = base;
                    block[place] = byte;
                    block[(place + 1) % 8] = behind;
                    let mut out = [0; 8];
                    let count = letters(&block, &mut out);
                    let own = |byte: &u8| matches!(byte, b'!'..=b'~') && !matches!(byte, b'=' | b'?');
                    assert_eq!(count, block.iter().take_while(|byte| own(byte)).count(), "{block:?}");
                    let text = block.map(|byte| if byte == b'_' { b' ' } else { byte });
                    assert_eq!(out[..count], text[..count]);
                }
            }
        }
    }

    #[test]
    fn words_stand_free_and_fit() {
        for (value, want) in [
            ("=?utf-8?Q??=", Some(0)),
            ("=?utf-8?B??=", Some(0)),
            ("=?a.b:c+d_1?q?abc?= x", Some(3)),
            ("=?u?q?abc?=\r\n x", Some(3)),
            ("=?u?q?abc?=x", None),
            ("=?u?q?abc?=,", None),
            ("=?u?q?abc?", None),
            ("=?u?q?a?c?=", None),
            ("=?u?q?abc", None),
            ("=?u*de?q?abc?=", None),
            ("=?\"u\"?q?abc?=", None),
            ("=?u?x?abc?=", None),
            ("=?u?qabc?=", None),
            ("=?", None),
            ("=?u", None),
            ("=?u?B?YWJj?=", Some(3)),
            ("=?u?B?YWJj", None),
            ("=?u?B?YWI?=", None),
            ("=?u?B?YQ==YQ==?=", None),
        ] {
            assert_eq!(read(value).map(|bytes| bytes.len()), want, "{value}");
        }
        for (value, length) in [("=?u?q?12345?=", 5), ("=?u?b?MTIzNDU=?=", 6)] {
            let mut room = [0; 6];
            assert!(word(value.as_bytes(), 0, b"", &mut room[..length]).is_some(), "{value}");
            assert!(word(value.as_bytes(), 0, b"", &mut room[..length - 2]).is_none(), "{value}");
        }
    }
}
