//! Classifies the high bytes of a block, as bit masks.
//!
//! # Limits
//! None.

use super::portable::high_bytes::portable_highs;

pub use super::portable::high_bytes::HighBytes;

impl HighBytes {
    /// Classifies the first `len` bytes of `block`. Bits for the others are zero.
    #[inline]
    pub fn of(block: &[u8; 64], len: usize) -> Self {
        let found = highs_of(block);
        let before = if len < 64 { (1 << len) - 1 } else { u64::MAX };
        Self {
            all: found.all & before,
            low: found.low & before,
            whole_rows: found.whole_rows & before,
        }
    }
}

#[inline]
fn highs_of(block: &[u8; 64]) -> HighBytes {
    #[cfg(target_arch = "x86_64")]
    if super::avx2::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx2::highs(block) };
    }
    portable_highs(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_at_every_place_of_a_block_of_every_length() {
        for place in 0..64 {
            for byte in 0..=0xFF {
                let mut block = [b'x'; 64];
                block[place] = byte;
                assert_eq!(highs_of(&block), portable_highs(&block), "{byte:X} {place}");
                for len in 0..=64 {
                    let bit = |is: bool| u64::from(is && place < len) << place;
                    let want = HighBytes {
                        all: bit(byte >= 0x80),
                        low: bit((0x80..0xA1).contains(&byte)),
                        whole_rows: bit((0xB0..0xF8).contains(&byte) && byte != 0xD7
                            || byte == 0xA1
                            || byte == 0xA3),
                    };
                    assert_eq!(HighBytes::of(&block, len), want, "{byte:X} {place} {len}");
                }
            }
        }
    }
}
