//! Stores a set of byte pairs as tables of half bytes.
//!
//! # Limits
//! None.

/// A set of byte pairs to search for, such as the first two bytes of certain characters.
///
/// The set has up to eight kinds of pairs. Three tables of half bytes hold a bit for each kind. A search finds every pair of
/// the set, and some other pairs whose halves come from different pairs of one kind.
///
/// ```
/// use mailglot_kernel::BytePairs;
///
/// // U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
/// const SEPARATORS: BytePairs = BytePairs::new(&[(&[0xE2], Some(&[0x80]))]);
/// assert_eq!(SEPARATORS.find("na\u{ef}ve\u{2028}".as_bytes(), 0), Some(6));
/// assert_eq!(SEPARATORS.find("日本語".as_bytes(), 0), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BytePairs {
    /// By the high half of the first byte.
    pub(crate) first_high: [u8; 16],
    /// By its low half.
    pub(crate) first_low: [u8; 16],
    /// By the low half of the second byte; behind the last byte a zero is seen.
    pub(crate) second_low: [u8; 16],
}

impl BytePairs {
    /// Makes a set of `kinds`: each has its first bytes and its second bytes, or `None` for any second byte.
    ///
    /// # Panics
    /// If there are more than eight kinds.
    pub const fn new(kinds: &[(&[u8], Option<&[u8]>)]) -> Self {
        assert!(kinds.len() <= 8, "a bit for each kind");
        let mut tables = Self {
            first_high: [0; 16],
            first_low: [0; 16],
            second_low: [0; 16],
        };
        let mut kind = 0;
        while kind < kinds.len() {
            let bit = 1 << kind;
            let (first, second) = kinds[kind];
            let mut i = 0;
            while i < first.len() {
                tables.first_high[(first[i] >> 4) as usize] |= bit;
                tables.first_low[(first[i] & 0xF) as usize] |= bit;
                i += 1;
            }
            let mut half = 0;
            while half < 16 {
                let mut is_second = second.is_none();
                if let Some(second) = second {
                    let mut i = 0;
                    while i < second.len() {
                        is_second |= second[i] & 0xF == half;
                        i += 1;
                    }
                }
                if is_second {
                    tables.second_low[half as usize] |= bit;
                }
                half += 1;
            }
            kind += 1;
        }
        tables
    }
}

pub(crate) fn portable_suspect(pairs: &BytePairs, text: &[u8], from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let half = |table: &[u8; 16], half: u8| table[usize::from(half & 0xF)];
    let behind = rest.iter().skip(1).chain([&0]);
    let found = rest.iter().zip(behind).position(|(first, second)| {
        half(&pairs.first_high, first >> 4)
            & half(&pairs.first_low, *first)
            & half(&pairs.second_low, *second)
            != 0
    });
    found.map(|n| from + n)
}
