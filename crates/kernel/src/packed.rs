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
    pub const fn unit(unit: u16) -> Self {
        let u = unit as u32;
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

    /// Returns the character with these bytes ([`Packed::bytes`]); zeros are no character.
    ///
    /// The caller has checked the bytes with [`are_cells`].
    #[inline]
    pub(super) const fn of_cell(bytes: [u8; 4]) -> Self {
        Self(u32::from_le_bytes(bytes))
    }

    /// Returns the bytes. Only the first [`Packed::utf8_len`] of them count.
    #[inline]
    pub const fn bytes(self) -> [u8; 4] {
        self.0.to_le_bytes()
    }

    /// Returns the number of UTF-8 bytes: 0 to 4, and 0 for no character.
    #[inline]
    pub const fn utf8_len(self) -> usize {
        let len = (self.0 >> 24) as usize;
        if len < 4 { len } else { 4 }
    }

    /// Returns a character of the basic plane, like [`Packed::char`]; `None` for others.
    #[inline]
    pub const fn basic_char(self) -> Option<char> {
        let [a, b, c, len] = self.bytes();
        let [a, b, c] = [a as u32, b as u32, c as u32];
        char::from_u32(match len {
            1 => a,
            2 => (a & 0x1F) << 6 | b & 0x3F,
            3 => (a & 0xF) << 12 | (b & 0x3F) << 6 | c & 0x3F,
            _ => return None,
        })
    }

    /// Returns the character; `None` for no character or a number.
    #[inline]
    pub fn char(self) -> Option<char> {
        self.basic_char().or_else(|| {
            std::str::from_utf8(&self.bytes()[..self.utf8_len()])
                .ok()?
                .chars()
                .next()
        })
    }
}

/// A number with `1` in each of its four 32-bit lanes.
const LANES: u128 = 1 | 1 << 32 | 1 << 64 | 1 << 96;

/// Returns true if every cell is a packed character or zeros.
///
/// Tables in read-only data are checked with this when the compiler evaluates them, so it tests four cells at a time.
pub(super) const fn are_cells(cells: &[[u8; 4]]) -> bool {
    let (fours, _) = cells.as_flattened().as_chunks::<16>();
    let mut at = 0;
    while at < fours.len() {
        let four = u128::from_le_bytes(fours[at]);
        if four != 0 && !are_ascii(four) && !are_of_three(four) {
            let mut lane = 0;
            while lane < 4 {
                if !is_cell((four >> (32 * lane)) as u32) {
                    return false;
                }
                lane += 1;
            }
        }
        at += 1;
    }
    let mut at = fours.len() * 4;
    while at < cells.len() {
        if !is_cell(u32::from_le_bytes(cells[at])) {
            return false;
        }
        at += 1;
    }
    true
}

const fn are_ascii(four: u128) -> bool {
    four & (LANES * 0xFFFF_FF80) == LANES << 24
}

/// Returns true if all four cells are characters of three bytes.
const fn are_of_three(four: u128) -> bool {
    // In a lane, this adds a carry into the highest bit of every number above 0.
    const CARRY: u128 = LANES * 0x7FFF_FFFF;
    let own_bits = four & (LANES * 0x200F);
    let is_not_overlong = own_bits + CARRY;
    let is_no_surrogate = (own_bits ^ (LANES * 0x200D)) + CARRY;
    four & (LANES * 0xFFC0_C0F0) == LANES * 0x0380_80E0
        && is_not_overlong & is_no_surrogate & (LANES << 31) == LANES << 31
}

const fn is_cell(cell: u32) -> bool {
    match cell >> 24 {
        0 => cell == 0,
        1 => cell & 0xFF_FF80 == 0,
        2 => cell & 0xFF_C0E0 == 0x80C0 && cell & 0x1E != 0,
        3 => {
            let own_bits = cell & 0x200F;
            cell & 0xC0_C0F0 == 0x80_80E0 && own_bits != 0 && own_bits != 0x200D
        }
        0x80.. => {
            let bytes = cell.to_le_bytes();
            bytes[0] >= 0xF0 && std::str::from_utf8(&bytes).is_ok()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_packed_characters_only() {
        let bytes: Vec<[u8; 4]> = ('\0'..=char::MAX).map(|c| Packed::new(c).bytes()).collect();
        assert!(are_cells(&bytes) && are_cells(&bytes[1..]) && are_cells(&[[0; 4]; 7]));
        assert!(
            bytes
                .iter()
                .all(|cell| Packed::of_cell(*cell).char().is_some())
        );
        // Every change of one bit that is no other character or zeros.
        let known: std::collections::HashSet<[u8; 4]> = bytes.iter().copied().collect();
        for c in [
            '\0',
            '\u{7F}',
            '\u{80}',
            'é',
            '\u{7FF}',
            '\u{800}',
            '\u{FFF}',
            '\u{1000}',
            '\u{D7FF}',
            '\u{E000}',
            '日',
            '\u{FFFF}',
            '\u{10000}',
            '\u{10FFFF}',
        ] {
            for bit in 0..32 {
                let cell = (u32::from_le_bytes(Packed::new(c).bytes()) ^ 1 << bit).to_le_bytes();
                let expected = cell == [0; 4] || known.contains(&cell);
                for place in 0..9 {
                    let mut cells = [Packed::new('語').bytes(); 9];
                    cells[place] = cell;
                    assert_eq!(are_cells(&cells), expected, "{c:?} {bit}");
                }
            }
        }
    }

    #[test]
    fn every_character_comes_back_and_every_unit_is_its_character() {
        for c in '\0'..=char::MAX {
            let packed = Packed::new(c);
            assert_eq!((packed.char(), packed.utf8_len()), (Some(c), c.len_utf8()));
            assert_eq!(packed.basic_char(), Some(c).filter(|c| c.len_utf8() < 4));
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
