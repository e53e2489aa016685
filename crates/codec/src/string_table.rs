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

use std::cmp::Ordering;

/// Makes an array of one column of a constant table: `column!(ROWS, 1, "")` has the second field of each row. The last argument is any value
/// of its type.
macro_rules! column {
    ($rows:expr, $field:tt, $any:expr) => {{
        let (mut column, mut row) = ([$any; $rows.len()], 0);
        while row < $rows.len() {
            column[row] = $rows[row].$field;
            row += 1;
        }
        column
    }};
}
pub(crate) use column;

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

    /// Returns the number of the text that `compare` finds equal, in a sorted table.
    pub(crate) fn find(&self, compare: impl Fn(&[u8]) -> Ordering) -> Option<usize> {
        let (mut low, mut high) = (0, TEXTS);
        while low < high {
            let middle = usize::midpoint(low, high);
            match compare(self.bytes(middle)) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Some(middle),
            }
        }
        None
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
        assert_eq!(column!([(1, 'a'), (2, 'b')], 1, ' '), ['a', 'b']);
    }

    #[test]
    fn texts_of_a_sorted_table_are_found() {
        const SORTED: [&str; 4] = ["", "ab", "abc", "b"];
        static TABLE: StringTable<4, { total_len(&SORTED) }> = StringTable::new(&SORTED);
        for (number, text) in SORTED.iter().enumerate() {
            assert_eq!(TABLE.find(|known| known.cmp(text.as_bytes())), Some(number));
        }
        for other in ["a", "abcd", "c"] {
            assert_eq!(TABLE.find(|known| known.cmp(other.as_bytes())), None);
        }
    }
}
