//! A string table: texts side by side in one array, found by their numbers.
//!
//! An array of `&str` has an address for each text, which the dynamic linker writes at each start of a program. This table has none.
//!
//! ```text
//! ["ab", "", "cde"]  ─►  bytes b"abcde", ends [2, 2, 5]
//! ```
//!
//! # Limits
//! All texts together have at most 65,535 bytes.

/// A table of `TEXTS` texts with `BYTES` bytes in all.
pub(crate) struct StringTable<const TEXTS: usize, const BYTES: usize> {
    bytes: [u8; BYTES],
    /// Where each text ends.
    ends: [u16; TEXTS],
}

impl<const TEXTS: usize, const BYTES: usize> StringTable<TEXTS, BYTES> {
    /// Builds the table. `BYTES` is the result of [`total_len`].
    pub(crate) const fn new(texts: &[&str; TEXTS]) -> Self {
        assert!(BYTES == total_len(texts) && BYTES <= u16::MAX as usize);
        let (mut bytes, mut ends) = ([0; BYTES], [0; TEXTS]);
        let (mut end, mut number) = (0, 0);
        while number < TEXTS {
            let text = texts[number].as_bytes();
            let mut at = 0;
            while at < text.len() {
                bytes[end] = text[at];
                end += 1;
                at += 1;
            }
            ends[number] = end as u16;
            number += 1;
        }
        Self { bytes, ends }
    }

    /// Returns the bytes of a text.
    pub(crate) fn bytes(&self, number: usize) -> &[u8] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[usize::from(start)..usize::from(self.ends[number])]
    }

    /// Returns a text.
    pub(crate) fn text(&self, number: usize) -> &str {
        str::from_utf8(self.bytes(number)).unwrap_or_default()
    }
}

/// Returns the number of bytes of all texts.
pub(crate) const fn total_len(texts: &[&str]) -> usize {
    let (mut total, mut number) = (0, 0);
    while number < texts.len() {
        total += texts[number].len();
        number += 1;
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_found_by_its_number() {
        const TEXTS: [&str; 5] = ["", "ab", "", "é", "cde"];
        static TABLE: StringTable<5, { total_len(&TEXTS) }> = StringTable::new(&TEXTS);
        let found: Vec<&str> = (0..5).map(|number| TABLE.text(number)).collect();
        assert_eq!(found, TEXTS);
        assert_eq!(TABLE.bytes(3), "é".as_bytes());
    }
}
