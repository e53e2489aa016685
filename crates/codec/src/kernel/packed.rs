//! A character in the form in which it is written.
//!
//! # Limits
//! None.

/// One character as its UTF-8 bytes in the low bytes and its length in the top byte; four-byte characters fill the
/// whole number, which their last byte (80 or more) tells. 0 is no character. It can be made of characters only, so
/// that what is written of it is text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Packed(u32);

impl Packed {
    /// No character; writes nothing.
    pub(crate) const NONE: Self = Self(0);
    /// U+FFFD.
    pub(crate) const REPLACEMENT: Self = Self::new(char::REPLACEMENT_CHARACTER);

    pub(crate) const fn new(c: char) -> Self {
        let mut bytes = [0u8; 4];
        let len = c.encode_utf8(&mut bytes).len();
        if len < 4 {
            bytes[3] = len as u8;
        }
        Self(u32::from_le_bytes(bytes))
    }

    /// The character of an ASCII byte; of another, that of its low seven bits.
    #[inline]
    pub(crate) const fn ascii(byte: u8) -> Self {
        Self((byte & 0x7F) as u32 | 1 << 24)
    }

    /// The character of a UTF-16 unit; none for half of a pair.
    #[inline]
    pub(crate) fn unit(unit: u16) -> Self {
        let u = u32::from(unit);
        Self(if u < 0x80 {
            u | 1 << 24
        } else if u < 0x800 {
            (0xC0 | u >> 6) | (0x80 | u & 0x3F) << 8 | 2 << 24
        } else if u & 0xF800 == 0xD800 {
            0
        } else {
            (0xE0 | u >> 12) | (0x80 | u >> 6 & 0x3F) << 8 | (0x80 | u & 0x3F) << 16 | 3 << 24
        })
    }

    /// A number below 2^24 in place of a character; it writes nothing, and 0 is [`Packed::NONE`].
    pub(crate) const fn number(number: u32) -> Self {
        Self(number & 0xFF_FFFF)
    }

    /// The number in place of a character.
    pub(crate) fn as_number(self) -> Option<u32> {
        (self.0 < 1 << 24).then_some(self.0)
    }

    #[inline]
    pub(crate) const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// A character of the basic plane, which has three bytes at most.
    #[inline]
    pub(super) const fn is_basic(self) -> bool {
        // Of no character this is negative, too.
        self.0.wrapping_sub(1).cast_signed() >= 0
    }

    /// The bytes; only the first [`Packed::len`] of them count.
    #[inline]
    pub(crate) const fn bytes(self) -> [u8; 4] {
        self.0.to_le_bytes()
    }

    /// Length in bytes, 0 for no character.
    #[inline]
    pub(crate) fn len(self) -> usize {
        (self.0 >> 24).min(4) as usize
    }

    /// The character; `None` for none or a number.
    pub(crate) fn char(self) -> Option<char> {
        std::str::from_utf8(&self.bytes()[..self.len()])
            .ok()?
            .chars()
            .next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_comes_back_and_every_unit_is_its_character() {
        for c in '\0'..=char::MAX {
            let packed = Packed::new(c);
            assert_eq!((packed.char(), packed.len()), (Some(c), c.len_utf8()));
            if let Ok(unit) = u16::try_from(u32::from(c)) {
                assert_eq!(Packed::unit(unit), packed);
            }
            if c.is_ascii() {
                assert_eq!(Packed::ascii(c as u8), packed);
            }
        }
        assert_eq!((Packed::NONE.char(), Packed::NONE.len()), (None, 0));
        for number in [1, 0xFF, 0xFFFF, 0xFF_FFFF] {
            let packed = Packed::number(number);
            assert_eq!(
                (packed.as_number(), packed.char(), packed.len()),
                (Some(number), None, 0)
            );
        }
        assert_eq!(
            (Packed::ascii(b'a').as_number(), Packed::number(1 << 24)),
            (None, Packed::NONE)
        );
        for half in 0xD800..0xE000 {
            assert_eq!(Packed::unit(half), Packed::NONE);
        }
    }
}
