//! Unsigned LEB128.

/// Appends a number in 1 to 10 bytes.
pub(super) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes bytes and numbers from the front of a slice; None at its end or for a malformed number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a>(pub(super) &'a [u8]);

impl<'a> Cursor<'a> {
    /// One byte.
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// One number.
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

    /// So many bytes.
    pub(super) fn bytes(&mut self, len: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(len).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    /// A number, and that many bytes.
    pub(super) fn counted(&mut self) -> Option<&'a [u8]> {
        let len = self.number()?;
        self.bytes(len)
    }
}

/// Appends a slice after its length.
pub(super) fn put_counted(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
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
    fn overlong_numbers_are_refused() {
        assert_eq!(Cursor(&[0x80; 11]).number(), None);
        assert_eq!(
            Cursor(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]).number(),
            None
        );
    }
}
