//! The bytes of a short piece of base64 or escaped text, such as an encoded word, without an allocation.
//!
//! # Limits
//! Only strict syntax is read: what is damaged, or longer than [`Short::MOST`], is left to other decoders.

use crate::kernel::{self, ROOM};
use crate::scan::Suspects;
use crate::{Charset, clean};

/// Room for some bytes, and those that were read last.
#[derive(Clone, Debug)]
pub struct Short {
    room: [u8; ROOM],
    len: usize,
}

impl Default for Short {
    fn default() -> Self {
        Self {
            room: [0; ROOM],
            len: 0,
        }
    }
}

impl Short {
    /// The most bytes that are read.
    pub const MOST: usize = kernel::MOST;

    /// Reads the base64 that begins at an offset of a text (RFC 4648 4) up to its padding or the first byte that is no digit; gives the
    /// offset behind it. None where the last quantum is not complete, its spare bits are not zero, or there is too much of it.
    #[inline]
    pub fn read_base64(&mut self, text: &[u8], at: usize) -> Option<usize> {
        let (end, len) = kernel::short_base64(text, at, &mut self.room)?;
        self.len = len;
        Some(end)
    }

    /// Reads printable ASCII from an offset of a text up to a question mark: `=` and two hexadecimal digits are a byte, `_` is a
    /// space, all else stands for itself (RFC 2047 4.2). Gives the offset of the question mark; None where anything else occurs, or there
    /// is too much of it.
    #[inline]
    pub fn read_escapes(&mut self, text: &[u8], at: usize) -> Option<usize> {
        let (at, len) = kernel::short_escapes(text, at, &mut self.room)?;
        self.len = len;
        Some(at)
    }

    /// Whether one of the bytes is from 80 to 9F, where charsets of ISO 8859 have controls.
    #[inline]
    pub fn has_c1(&self) -> bool {
        let block = self.room.first_chunk().filter(|_| self.len <= 64);
        let may_have = block.is_none_or(|block| kernel::highs(block, self.len).low != 0);
        may_have && self.bytes().iter().any(|byte| (0x80..0xA0).contains(byte))
    }

    /// The bytes that were read.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.room[..self.len.min(Self::MOST)]
    }

    /// Appends the text of the bytes as [`Charset::decode_into`] does; false, and nothing is appended, where it would record something.
    #[inline]
    pub fn push_text(&self, charset: Charset, text: &mut String) -> bool {
        clean::push(charset, &self.room, self.bytes().len(), text)
    }

    /// Whether the bytes, in which lenient decoding has found nothing to record, are all in a charset itself ([`Charset::covers`]); None
    /// where a quick look does not tell.
    ///
    /// ```
    /// use mailglot_codec::{Charset, short::Short};
    ///
    /// let (mut short, mut text) = (Short::default(), String::new());
    /// short.read_escapes(b"a=B0=A1?=", 0);
    /// assert!(short.push_text(Charset::GB2312, &mut text));
    /// assert_eq!(short.is_within(Charset::GB2312), Some(true));
    /// short.read_escapes(b"=81=41?=", 0);
    /// assert!(short.push_text(Charset::GB2312, &mut text));
    /// assert_eq!((text.as_str(), short.is_within(Charset::GB2312)), ("a啊丄", Some(false)));
    /// short.read_escapes(b"=B0?=", 0);
    /// assert!(!short.push_text(Charset::GB2312, &mut text));
    /// ```
    #[inline]
    pub fn is_within(&self, charset: Charset) -> Option<bool> {
        clean::is_within(charset, self.room.first_chunk()?, self.len)
    }

    /// Appends the bytes to a text, if they are UTF-8, and tells of characters that are looked for, as [`Suspects::push_utf8`] does.
    #[inline]
    pub fn push_utf8(&self, suspects: &Suspects, text: &mut String) -> Option<bool> {
        suspects.push_utf8(&self.room, 0..self.bytes().len(), text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_seen_at_every_place() {
        for len in 0..=Short::MOST {
            for place in 0..=len {
                for byte in [0x7F, 0x80, 0x9F, 0xA0, 0xFF] {
                    let mut short = Short {
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
}
