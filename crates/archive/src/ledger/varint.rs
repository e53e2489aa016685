//! Encodes and decodes unsigned LEB128 numbers.

/// Appends a number in 1 to 10 bytes.
pub(super) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads bytes and numbers from the front of a slice. Returns None at its end and for malformed numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a>(pub(super) &'a [u8]);

impl<'a> Cursor<'a> {
    /// Reads one byte.
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// Reads one number.
    pub(super) fn number(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            if shift == 63 && bits > 1 {
                return None;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// Reads `len` bytes.
    pub(super) fn bytes(&mut self, len: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(len).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    /// Reads a number, and that many bytes.
    pub(super) fn counted(&mut self) -> Option<&'a [u8]> {
        let len = self.number()?;
        self.bytes(len)
    }
}

/// Appends the length of a slice and its bytes.
pub(super) fn put_counted(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip() {
        for value in [
            0,
            1,
            127,
            128,
            300,
            16_383,
            16_384,
            u64::from(u32::MAX),
            u64::MAX - 1,
            u64::MAX,
        ] {
            let mut bytes = Vec::new();
            put(&mut bytes, value);
            let mut cursor = Cursor(&bytes);
            assert_eq!(cursor.number(), Some(value));
            assert!(cursor.0.is_empty());
            assert_eq!(
                Cursor(&bytes[..bytes.len() - 1]).number(),
                None,
                "{value} cut"
            );
        }
    }

    #[test]
    fn overlong_numbers_are_rejected() {
        assert_eq!(Cursor(&[0x80; 11]).number(), None);
        assert_eq!(
            Cursor(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]).number(),
            None
        );
    }
}
