//! Decodes short pieces of base64 and of escaped text into a buffer of fixed size.
//!
//! # Limits
//! Only strict syntax is decoded; other decoders read the rest.

use super::byte_pairs::BytePairs;
use super::high_bytes::HighBytes;
use super::portable::short_bytes::{MOST, ROOM, portable_base64, portable_escapes};

/// A buffer for a short piece of decoded bytes, without an allocation.
///
/// ```
/// use mailglot_kernel::ShortBytes;
///
/// let mut bytes = ShortBytes::default();
/// assert_eq!(bytes.decode_base64(b"=?utf-8?b?w6k=?=", 10), Some(14));
/// assert_eq!(bytes.bytes(), "é".as_bytes());
/// assert_eq!(bytes.decode_escapes(b"a_=C3=A9?=", 0), Some(8));
/// assert_eq!(bytes.bytes(), "a é".as_bytes());
/// assert_eq!(bytes.decode_escapes(b"a=C3=?=", 0), None);
/// ```
#[derive(Clone, Debug)]
pub struct ShortBytes {
    room: [u8; ROOM],
    len: usize,
}

impl Default for ShortBytes {
    #[inline]
    fn default() -> Self {
        Self {
            room: [0; ROOM],
            len: 0,
        }
    }
}

impl ShortBytes {
    /// The largest number of bytes that the buffer holds.
    pub const MOST: usize = MOST;

    /// Decodes the base64 (RFC 4648, section 4) of `text` from the byte offset `at`. Stops at its padding or the first byte that
    /// is no digit. Returns the offset behind the base64.
    ///
    /// Returns `None` if the last quantum is incomplete, if its spare bits are not zero, or if there are more than
    /// [`ShortBytes::MOST`] bytes. Then [`ShortBytes::bytes`] means nothing.
    #[inline]
    pub fn decode_base64(&mut self, text: &[u8], at: usize) -> Option<usize> {
        let (end, len) = base64(text, at, &mut self.room)?;
        self.len = len;
        Some(end)
    }

    /// Decodes printable ASCII of `text` from the byte offset `at` up to a question mark, and returns the offset of that.
    ///
    /// `=` and two hexadecimal digits are a byte, and `_` is a space (the Q encoding of RFC 2047, section 4.2).
    /// Returns `None` if anything else occurs, or if there are more than [`ShortBytes::MOST`] bytes. Then
    /// [`ShortBytes::bytes`] means nothing.
    #[inline]
    pub fn decode_escapes(&mut self, text: &[u8], at: usize) -> Option<usize> {
        let (at, len) = escapes(text, at, &mut self.room)?;
        self.len = len;
        Some(at)
    }

    /// Copies `bytes` into the buffer; returns false and changes nothing if there are more than [`ShortBytes::MOST`].
    pub fn copy_from(&mut self, bytes: &[u8]) -> bool {
        let fits = bytes.len() <= MOST;
        if fits {
            self.room[..bytes.len()].copy_from_slice(bytes);
            self.len = bytes.len();
        }
        fits
    }

    /// Returns the bytes that were decoded last.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.room[..self.len.min(MOST)]
    }

    /// Classifies the bytes; `None` if there are more than 64.
    #[inline]
    pub fn high_bytes(&self) -> Option<HighBytes> {
        let block = self.room.first_chunk().filter(|_| self.len <= 64)?;
        Some(HighBytes::of(block, self.len))
    }

    /// Returns true if one of the bytes is from 80 to 9F, where ISO 8859 has controls.
    #[inline]
    pub fn has_c1(&self) -> bool {
        self.high_bytes().is_none_or(|high| high.low != 0)
            && self.bytes().iter().any(|byte| (0x80..0xA0).contains(byte))
    }

    /// Appends the bytes to `text`, as [`BytePairs::append_utf8`] does.
    #[inline]
    pub fn append_utf8(&self, pairs: &BytePairs, text: &mut String) -> Option<bool> {
        pairs.append_utf8(&self.room, 0..self.bytes().len(), text)
    }

    /// Returns all of the buffer; behind the bytes are others without a meaning.
    #[inline]
    pub(super) fn room(&self) -> &[u8; ROOM] {
        &self.room
    }
}

/// See [`ShortBytes::decode_base64`]: the end of the base64, and the number of decoded bytes.
#[inline]
fn base64(text: &[u8], at: usize, room: &mut [u8; ROOM]) -> Option<(usize, usize)> {
    #[cfg(target_arch = "x86_64")]
    if text.len() >= super::avx2::NEAR && super::avx512::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx512::base64(text, at, room) };
    }
    avx2_base64(text, at, room)
}

fn avx2_base64(text: &[u8], at: usize, room: &mut [u8; ROOM]) -> Option<(usize, usize)> {
    #[cfg(target_arch = "x86_64")]
    if text.len() >= super::avx2::NEAR && super::avx2::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx2::base64(text, at, room) };
    }
    portable_base64(text, at, room)
}

/// See [`ShortBytes::decode_escapes`]: the offset of the question mark, and the number of decoded bytes.
#[inline]
fn escapes(text: &[u8], at: usize, room: &mut [u8; ROOM]) -> Option<(usize, usize)> {
    #[cfg(target_arch = "x86_64")]
    if text.len() >= super::avx2::NEAR && super::avx512::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx512::escapes(text, at, room) };
    }
    avx2_escapes(text, at, room)
}

fn avx2_escapes(text: &[u8], at: usize, room: &mut [u8; ROOM]) -> Option<(usize, usize)> {
    #[cfg(target_arch = "x86_64")]
    if text.len() >= super::avx2::NEAR && super::avx2::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx2::escapes(text, at, room) };
    }
    portable_escapes(text, at, room)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portable::base64::{NOT_A_DIGIT, VALUES};
    use crate::portable::short_bytes::letters;

    /// The safe twin: one quantum after the other.
    fn base64_twin(text: &[u8], at: usize) -> Option<(usize, Vec<u8>)> {
        let rest = &text[at..];
        let count = rest
            .iter()
            .take_while(|byte| VALUES[usize::from(**byte)] != NOT_A_DIGIT)
            .count();
        let padding = [0, 4, 2, 1][count % 4];
        let mut bytes = Vec::new();
        for quantum in rest[..count].chunks(4) {
            let bits = quantum.iter().fold(0_u32, |bits, byte| {
                bits << 6 | u32::from(VALUES[usize::from(*byte)])
            });
            let [_, all @ ..] = (bits << (6 * (4 - quantum.len()))).to_be_bytes();
            let kept = quantum.len() * 3 / 4;
            if all[kept..].iter().any(|byte| *byte != 0) {
                return None;
            }
            bytes.extend_from_slice(&all[..kept]);
        }
        let is_padded = padding < 4 && rest[count..].starts_with(&b"=="[..padding]);
        (is_padded && bytes.len() <= MOST).then_some((at + count + padding, bytes))
    }

    /// The safe twin: one byte after the other.
    fn escapes_twin(text: &[u8], mut at: usize) -> Option<(usize, Vec<u8>)> {
        let mut bytes = Vec::new();
        loop {
            match text.get(at)? {
                b'?' => return (bytes.len() <= MOST).then_some((at, bytes)),
                b'_' => bytes.push(b' '),
                b'=' => {
                    let digits = std::str::from_utf8(text.get(at + 1..at + 3)?).ok()?;
                    bytes.push(
                        u8::from_str_radix(digits, 16)
                            .ok()
                            .filter(|_| !digits.starts_with('+'))?,
                    );
                    at += 2;
                }
                byte @ b'!'..=b'~' => bytes.push(*byte),
                _ => return None,
            }
            at += 1;
        }
    }

    type Read = fn(&[u8], usize, &mut [u8; ROOM]) -> Option<(usize, usize)>;

    fn run(read: Read, text: &[u8], at: usize) -> Option<(usize, Vec<u8>)> {
        let mut room = [0xEE; ROOM];
        read(text, at, &mut room).map(|(end, length)| (end, room[..length].to_vec()))
    }

    fn same_base64(text: &[u8], at: usize) -> bool {
        let want = base64_twin(text, at);
        assert_eq!(run(base64, text, at), want, "{} {at}", text.escape_ascii());
        assert_eq!(
            run(avx2_base64, text, at),
            want,
            "{} {at}",
            text.escape_ascii()
        );
        assert_eq!(
            run(portable_base64, text, at),
            want,
            "{} {at}",
            text.escape_ascii()
        );
        want.is_some()
    }

    fn same_escapes(text: &[u8], at: usize) -> bool {
        let want = escapes_twin(text, at);
        assert_eq!(run(escapes, text, at), want, "{} {at}", text.escape_ascii());
        assert_eq!(
            run(avx2_escapes, text, at),
            want,
            "{} {at}",
            text.escape_ascii()
        );
        assert_eq!(
            run(portable_escapes, text, at),
            want,
            "{} {at}",
            text.escape_ascii()
        );
        want.is_some()
    }

    /// Numbers without a pattern, the same each time.
    fn numbers() -> impl FnMut(usize) -> usize {
        let mut state = 1_u64;
        move |bound| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        }
    }

    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    #[test]
    fn base64_of_every_length_before_every_end_at_every_place() {
        let mut next = numbers();
        let mut read = 0;
        for count in 0..300 {
            for end in [
                "",
                "=",
                "==",
                "===",
                "====",
                "?=",
                "=?=",
                "==?=",
                "==?= x",
                "?= =?u?b?YWJj?=",
                " ",
                "\u{e9}",
            ] {
                let at = next(40);
                let mut text: Vec<u8> = (0..at).map(|_| next(256) as u8).collect();
                text.extend((0..count).map(|_| ALPHABET[next(64)]));
                // Bits that are left over are zero, in most.
                if let Some(last) = text.get_mut(at..).and_then(|digits| digits.last_mut())
                    && next(4) > 0
                {
                    *last = b'A';
                }
                text.extend_from_slice(end.as_bytes());
                read += usize::from(same_base64(&text, at));
            }
        }
        assert!(read > 1000, "{read}");
    }

    #[test]
    fn every_byte_at_every_place_of_base64() {
        for count in [7, 8, 31, 32, 33, 64, 70] {
            let mut text: Vec<u8> = ALPHABET.iter().copied().cycle().take(count).collect();
            text.extend_from_slice(b"==?= behind");
            for place in 0..text.len() {
                let kept = text[place];
                for byte in 0..=0xFF {
                    text[place] = byte;
                    same_base64(&text, 0);
                    same_base64(&text, 3);
                    same_base64(&text[..=place], 0);
                }
                text[place] = kept;
            }
        }
    }

    #[test]
    fn every_pair_of_digits_before_padding() {
        for one in ALPHABET {
            for other in ALPHABET {
                for text in [
                    [
                        b"QUJDREVGR0hJSktMTU5PUFFS",
                        &[*one, *other, b'=', b'='][..],
                        b"?=",
                    ]
                    .concat(),
                    [
                        b"QUJDREVGR0hJSktMTU5PUFFS",
                        &[*one, b'x', *other, b'='][..],
                        b"?=",
                    ]
                    .concat(),
                    [&[*one, *other, b'A', b'w'][..], b"?= and more behind it"].concat(),
                ] {
                    same_base64(&text, 0);
                }
            }
        }
    }

    #[test]
    fn every_byte_in_escapes_at_every_place() {
        let mut read = 0;
        let base = b"ab=C3=A9_c=E2=82=ac__=3D=20xyz=5F=41=42=43=44=45=46=47=48=49=4a?= behind";
        for start in 0..24 {
            let mut text = [&b"=?utf-8?q?"[..], &b"o".repeat(start), base].concat();
            for place in 0..text.len() {
                let kept = text[place];
                for byte in 0..=0xFF {
                    text[place] = byte;
                    read += usize::from(same_escapes(&text, 10));
                    same_escapes(&text[..=place], 10);
                }
                text[place] = kept;
            }
        }
        assert!(read > 10_000, "{read}");
    }

    #[test]
    fn every_two_bytes_behind_the_sign() {
        for code in 0..=0xFFFF_u16 {
            let pair = code.to_be_bytes();
            let before = &b"_abcdefghijklmnopqrstuvwxyz0123456789"[usize::from(code) % 37..];
            same_escapes(&[before, b"=", &pair, b"g?="].concat(), 0);
        }
    }

    #[test]
    fn escapes_of_every_length_and_mixture() {
        let mut next = numbers();
        let mut read = 0;
        for _ in 0..30_000 {
            let (at, count, dense) = (next(20), next(120), 1 + next(6));
            let mut text = vec![b'?'; at];
            for _ in 0..count {
                match next(dense) {
                    0 => text.extend_from_slice(format!("={:02X}", next(256)).as_bytes()),
                    1 => text.push(b'_'),
                    _ => text.push(b'a' + next(26) as u8),
                }
            }
            text.extend_from_slice(
                [&b"?="[..], b"?", b"", b"=", b"=4", b"=4?="][next(6).saturating_sub(next(6))],
            );
            read += usize::from(same_escapes(&text, at));
        }
        assert!(read > 10_000, "{read}");
    }

    #[test]
    fn letters_are_those_that_stand_for_themselves() {
        let base = *b"a_b^_~!_";
        for place in 0..8 {
            for byte in 0..=0xFF {
                for behind in [b'a', b'?', 0x00, 0x80, 0x5E] {
                    let mut block = base;
                    block[place] = byte;
                    block[(place + 1) % 8] = behind;
                    let mut out = [0; 8];
                    let count = letters(block, &mut out);
                    let own =
                        |byte: &u8| matches!(byte, b'!'..=b'~') && !matches!(byte, b'=' | b'?');
                    assert_eq!(
                        count,
                        block.iter().take_while(|byte| own(byte)).count(),
                        "{block:?}"
                    );
                    let text = block.map(|byte| if byte == b'_' { b' ' } else { byte });
                    assert_eq!(out[..count], text[..count]);
                }
            }
        }
    }

    #[test]
    fn controls_are_seen_at_every_place() {
        for len in 0..=ShortBytes::MOST {
            for place in 0..=len {
                for byte in [0x7F, 0x80, 0x9F, 0xA0, 0xFF] {
                    let mut short = ShortBytes {
                        room: [b'x'; ROOM],
                        len,
                    };
                    // The last place is behind the end.
                    short.room[place] = byte;
                    assert_eq!(
                        short.has_c1(),
                        place < len && matches!(byte, 0x80 | 0x9F),
                        "{len} {place} {byte:X}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_fits_is_copied() {
        let mut short = ShortBytes::default();
        for len in 0..=ShortBytes::MOST + 1 {
            let bytes = vec![len as u8; len];
            assert_eq!(short.copy_from(&bytes), len <= ShortBytes::MOST);
            assert_eq!(short.bytes() == bytes, len <= ShortBytes::MOST);
        }
    }

    #[test]
    fn places_behind_the_end_hold_nothing() {
        for len in 0..40 {
            let text = vec![b'A'; len];
            for at in len..len + 40 {
                let mut room = [0; ROOM];
                assert!(
                    base64(&text, at, &mut room).is_none_or(|read| at == len && read == (len, 0))
                );
                assert_eq!(escapes(&text, at, &mut room), None);
            }
        }
    }
}
