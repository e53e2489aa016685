//! Finds certain byte pairs, by tables of half bytes.
//!
//! # Limits
//! A hit means that a pair may be there; the caller looks at the bytes.

/// A set of byte pairs that text is searched for, such as the first two bytes of certain characters.
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
    pub(super) first_high: [u8; 16],
    /// By its low half.
    pub(super) first_low: [u8; 16],
    /// By the low half of the second byte; behind the last byte a zero is seen.
    pub(super) second_low: [u8; 16],
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

    /// Returns the first byte offset at or after `from` where a pair of the set may begin. The byte behind the last one counts
    /// as zero.
    #[inline]
    pub fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        suspect(self, text, from)
    }
}

#[inline]
fn suspect(pairs: &BytePairs, text: &[u8], from: usize) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if super::avx512::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx512::suspect(pairs, text, from) };
    }
    avx2_suspect(pairs, text, from)
}

fn avx2_suspect(pairs: &BytePairs, text: &[u8], from: usize) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if text.len() >= super::avx2::NEAR && super::avx2::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx2::suspect(pairs, text, from) };
    }
    portable_suspect(pairs, text, from)
}

pub(super) fn portable_suspect(pairs: &BytePairs, text: &[u8], from: usize) -> Option<usize> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suspects_are_found_where_they_stand() {
        let mut pairs = BytePairs {
            first_high: [0; 16],
            first_low: [0; 16],
            second_low: [0; 16],
        };
        // 00 to 1F; E2 before 80 and the like.
        (pairs.first_high[0], pairs.first_high[1]) = (1, 1);
        pairs
            .first_low
            .iter_mut()
            .chain(&mut pairs.second_low)
            .for_each(|bits| *bits = 1);
        (pairs.first_high[0xE], pairs.first_low[2]) = (2, 3);
        pairs.second_low[0] |= 2;
        let mut found = 0;
        for len in 0..=100 {
            let mut text = vec![b'x'; len];
            for place in 0..len {
                for byte in [0x00, 0x1F, 0x20, 0x7F, 0x80, 0xC2, 0xE2, 0xF2] {
                    for behind in [b'x', 0x80, 0x90, 0x8F] {
                        text[place] = byte;
                        if let Some(next) = text.get_mut(place + 1) {
                            *next = behind;
                        }
                        for from in [0, place.saturating_sub(1), place, place + 1, len, len + 1] {
                            let want = (from..len).find(|at| {
                                let next = text.get(at + 1).copied().unwrap_or(0);
                                text[*at] < 0x20 || text[*at] == 0xE2 && next % 16 == 0
                            });
                            assert_eq!(suspect(&pairs, &text, from), want, "{text:x?} {from}");
                            assert_eq!(avx2_suspect(&pairs, &text, from), want, "{text:x?} {from}");
                            assert_eq!(
                                portable_suspect(&pairs, &text, from),
                                want,
                                "{text:x?} {from}"
                            );
                            found += usize::from(want.is_some());
                        }
                    }
                }
                text.fill(b'x');
            }
        }
        assert!(found > 10_000, "{found}");
    }
}
