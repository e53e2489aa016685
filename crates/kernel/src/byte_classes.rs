//! Classifies the bytes of a text in one pass.
//!
//! # Limits
//! The order of the bytes and their number are lost.

use super::portable::byte_classes::portable_classes;

pub use super::portable::byte_classes::ByteClasses;

impl ByteClasses {
    /// Classifies all bytes. Linear time.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        #[cfg(target_arch = "x86_64")]
        if super::avx2::is_here() {
            // SAFETY: the machine has what the function is made for.
            return unsafe { super::avx2::classes(bytes) };
        }
        portable_classes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_the_classes_of_its_value() {
        for byte in 0..=0xFF_u8 {
            let classes = ByteClasses::of(&[byte]);
            assert_eq!(classes.is_ascii(), byte < 0x80, "{byte:X}");
            assert_eq!(classes.has_nul(), byte == 0, "{byte:X}");
            let continues = matches!(byte, 0x80..=0xBF);
            assert_eq!(classes.has_continuation(), continues, "{byte:X}");
            assert_eq!(classes.has_escape(), byte == 0x1B, "{byte:X}");
            let unusual = matches!(byte, 0..=7 | 0x10..=0x1A | 0x1C..=0x1F | 0x7F);
            assert_eq!(classes.has_unusual_control(), unusual, "{byte:X}");
            let usual = byte.is_ascii_whitespace() || byte == 0x1B;
            let control = byte.is_ascii_control() && !usual;
            assert_eq!(classes.has_control(), control, "{byte:X}");
        }
    }

    #[test]
    fn every_byte_at_every_place_of_texts_of_every_length() {
        for len in 1..=100 {
            let mut text = vec![b'x'; len];
            assert_eq!(ByteClasses::of(&text), ByteClasses::default());
            for place in 0..len {
                for byte in [
                    0, 1, 8, 9, 0x0E, 0x10, 0x1A, 0x1B, 0x7F, 0x80, 0xBF, 0xC0, 0xFF,
                ] {
                    text[place] = byte;
                    let want = portable_classes(&[byte]);
                    assert_eq!(ByteClasses::of(&text), want, "{byte:X} {place} {len}");
                    assert_eq!(portable_classes(&text), want, "{byte:X} {place} {len}");
                }
                text[place] = b'x';
            }
        }
        let all: Vec<u8> = (0..=0xFF).collect();
        assert_eq!(ByteClasses::of(&all), ByteClasses(0xFF));
    }
}
