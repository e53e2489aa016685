//! Classifies bytes above 7F without vector instructions.
//!
//! # Limits
//! None.

/// Bit masks of three classes of bytes. Bit 0 stands for the first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HighBytes {
    /// 80 to FF.
    pub all: u64,
    /// 80 to A0.
    pub low: u64,
    /// A1, A3, B0 to D6 and D8 to F7: as lead bytes, the rows of GB 2312 without gaps.
    pub whole_rows: u64,
}

pub(crate) fn portable_highs(block: &[u8; 64]) -> HighBytes {
    let bits = |is: fn(u8) -> bool| {
        block
            .iter()
            .rev()
            .fold(0, |bits, byte| bits << 1 | u64::from(is(*byte)))
    };
    HighBytes {
        all: bits(|byte| byte >= 0x80),
        low: bits(|byte| matches!(byte, 0x80..=0xA0)),
        whole_rows: bits(|byte| matches!(byte, 0xA1 | 0xA3 | 0xB0..=0xD6 | 0xD8..=0xF7)),
    }
}
