//! A hash over everything that is decoded, so that the compiler removes nothing.

/// Adds bytes to a hash at the speed of memory.
pub fn mix(hash: u64, bytes: &[u8]) -> u64 {
    let fold = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let (words, rest) = bytes.as_chunks::<8>();
    let hash =
        words.iter().fold(fold(hash, bytes.len() as u64), |hash, word| fold(hash, u64::from_le_bytes(*word)));
    rest.iter().fold(hash, |hash, byte| fold(hash, u64::from(*byte)))
}
