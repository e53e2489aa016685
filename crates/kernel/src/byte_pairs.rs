//! Finds certain byte pairs, by tables of half bytes.
//!
//! # Limits
//! A hit means that a pair may be there; the caller looks at the bytes.

use super::portable::byte_pairs::portable_suspect;

pub use super::portable::byte_pairs::BytePairs;

impl BytePairs {
    /// Returns the first byte offset at or after `from` where a pair of the set may begin. The byte behind the last one counts
    /// as zero.
    #[inline]
    pub fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        #[cfg(target_arch = "x86_64")]
        if super::avx512::is_here() {
            // SAFETY: the machine has what the function is made for.
            return unsafe { super::avx512::suspect(self, text, from) };
        }
        avx2_suspect(self, text, from)
    }
}

fn avx2_suspect(pairs: &BytePairs, text: &[u8], from: usize) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if text.len() >= super::avx2::NEAR && super::avx2::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx2::suspect(pairs, text, from) };
    }
    portable_suspect(pairs, text, from)
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
                            assert_eq!(pairs.find(&text, from), want, "{text:x?} {from}");
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
