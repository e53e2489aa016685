//! The name of an object of git: its SHA-1 or SHA-256 digest.
//!
//! # Limits
//! None.

use std::fmt;

/// Largest number of bytes of a digest.
const LONGEST: usize = 32;

/// The name of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ObjectId {
    bytes: [u8; LONGEST],
    length: usize,
}

impl ObjectId {
    /// Parses 40 or 64 hexadecimal digits in lower case.
    pub(super) fn parse(digits: &[u8]) -> Option<Self> {
        let length = match digits.len() {
            40 => 20,
            64 => 32,
            _ => return None,
        };
        let mut bytes = [0; LONGEST];
        for (byte, pair) in bytes.iter_mut().zip(digits.as_chunks::<2>().0) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Self { bytes, length })
    }

    /// Returns the name of the tree without files.
    pub(super) fn empty_tree(self) -> Self {
        const SHA1: &[u8] = b"4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        const SHA256: &[u8] = b"6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";
        let digits = if self.is_sha256() { SHA256 } else { SHA1 };
        Self::parse(digits).unwrap_or(self)
    }

    /// Returns true for a SHA-256 digest.
    pub(super) fn is_sha256(self) -> bool {
        self.length == LONGEST
    }

    /// Returns the digest, and zeros behind a short one.
    pub(super) fn bytes(self) -> [u8; LONGEST] {
        self.bytes
    }

    /// Returns the name with this digest, of the same kind.
    pub(super) fn with_bytes(self, bytes: [u8; LONGEST]) -> Self {
        Self { bytes, ..self }
    }
}

fn digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digest = &self.bytes[..self.length];
        digest.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_both_kinds_are_parsed() {
        for digits in ["0123456789abcdef0123456789abcdef01234567", &"7f".repeat(32)] {
            let id = ObjectId::parse(digits.as_bytes()).unwrap();
            assert_eq!(id.to_string(), *digits);
            assert_eq!(id.with_bytes(id.bytes()), id);
            assert_eq!(id.is_sha256(), digits.len() == 64);
            assert_eq!(id.empty_tree().is_sha256(), id.is_sha256());
        }
        for other in [
            "",
            "abc",
            &"0".repeat(39),
            &"0".repeat(41),
            &"A".repeat(40),
            &"g".repeat(40),
        ] {
            assert_eq!(ObjectId::parse(other.as_bytes()), None, "{other}");
        }
    }
}
