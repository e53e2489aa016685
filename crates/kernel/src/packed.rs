//! Stores the UTF-8 bytes of one character in a `u32`.
//!
//! # Limits
//! None.

/// One character as its UTF-8 bytes, for tables whose characters are written with one store.
///
/// The low bytes are the UTF-8 bytes, and the top byte is their number. A character of four bytes fills the whole number; its
/// last byte is 80 or more. 0 is no character. It is made of a `char` only, so its bytes are always valid UTF-8.
///
/// ```
/// use mailglot_kernel::Packed;
///
/// let mut text = String::new();
/// for packed in [Packed::new('é'), Packed::NONE, Packed::ascii(b'a'), Packed::number(7)] {
///     packed.append_to(&mut text);
/// }
/// assert_eq!(text, "éa");
/// assert_eq!((Packed::number(7).as_number(), Packed::new('é').as_number()), (Some(7), None));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Packed(u32);

impl Packed {
    /// No character; writes nothing.
    pub const NONE: Self = Self(0);
    /// U+FFFD.
    pub const REPLACEMENT: Self = Self::new(char::REPLACEMENT_CHARACTER);

    /// Packs a character.
    #[inline]
    pub const fn new(c: char) -> Self {
        let mut bytes = [0u8; 4];
        let len = c.encode_utf8(&mut bytes).len();
        if len < 4 {
            bytes[3] = len as u8;
        }
        Self(u32::from_le_bytes(bytes))
    }

    /// Packs an ASCII character. The highest bit of `byte` is ignored.
    #[inline]
    pub const fn ascii(byte: u8) -> Self {
        Self((byte & 0x7F) as u32 | 1 << 24)
    }

    /// Packs a UTF-16 unit; a surrogate gives [`Packed::NONE`].
    #[inline]
    pub fn unit(unit: u16) -> Self {
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

    /// Stores a number below 2^24 in place of a character. It writes nothing; 0 is [`Packed::NONE`].
    #[inline]
    pub const fn number(number: u32) -> Self {
        Self(number & 0xFF_FFFF)
    }

    /// Returns the number in place of a character; `None` for a character.
    #[inline]
    pub fn as_number(self) -> Option<u32> {
        (self.0 < 1 << 24).then_some(self.0)
    }

    /// Returns true for [`Packed::NONE`].
    #[inline]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Returns true for a character of the basic plane, which has at most three bytes.
    #[inline]
    pub(super) const fn is_basic(self) -> bool {
        // Of no character this is negative, too.
        self.0.wrapping_sub(1).cast_signed() >= 0
    }

    /// Returns the bytes. Only the first [`Packed::utf8_len`] of them count.
    #[inline]
    pub const fn bytes(self) -> [u8; 4] {
        self.0.to_le_bytes()
    }

    /// Returns the number of UTF-8 bytes: 0 to 4, and 0 for no character.
    #[inline]
    pub fn utf8_len(self) -> usize {
        (self.0 >> 24).min(4) as usize
    }

    /// Returns the character; `None` for no character or a number.
    #[inline]
    pub fn char(self) -> Option<char> {
        std::str::from_utf8(&self.bytes()[..self.utf8_len()])
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
            assert_eq!((packed.char(), packed.utf8_len()), (Some(c), c.len_utf8()));
            if let Ok(unit) = u16::try_from(u32::from(c)) {
                assert_eq!(Packed::unit(unit), packed);
            }
            if c.is_ascii() {
                assert_eq!(Packed::ascii(c as u8), packed);
            }
        }
        assert_eq!((Packed::NONE.char(), Packed::NONE.utf8_len()), (None, 0));
        for number in [1, 0xFF, 0xFFFF, 0xFF_FFFF] {
            let packed = Packed::number(number);
            assert_eq!(
                (packed.as_number(), packed.char(), packed.utf8_len()),
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
