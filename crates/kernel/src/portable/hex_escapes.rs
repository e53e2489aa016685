//! Decodes hexadecimal escapes without vector instructions.
//!
//! # Limits
//! None.

/// Number of bytes that the output must be longer than the input.
pub const SLACK: usize = 32;

/// Number of bytes in a step.
const STEP: usize = 16;

/// See [`decode`](crate::hex_escapes::decode); `out` has the room that it asks for.
pub(crate) fn portable_escapes(input: &[u8], out: &mut [u8]) -> (usize, usize) {
    let (mut at, mut to) = copy_run(input, 0, out, 0);
    while let Some([_, high, low]) = input.get(at..).and_then(|rest| rest.first_chunk()) {
        let (high, low) = (HEX[usize::from(*high)], HEX[usize::from(*low)]);
        if high > 15 || low > 15 {
            break;
        }
        out[to] = high << 4 | low;
        (at, to) = (at + 3, to + 1);
        if input.get(at) != Some(&b'=') {
            (at, to) = copy_run(input, at, out, to);
        }
    }
    (at, to)
}

/// Copies up to the next equals sign. Returns the offsets behind the last byte read and the last byte written.
#[inline]
fn copy_run(input: &[u8], mut at: usize, out: &mut [u8], mut to: usize) -> (usize, usize) {
    while let (Some(from), Some(target)) = (input.get(at..at + STEP), out.get_mut(to..to + STEP)) {
        // Copies the whole step; only the bytes before the sign count.
        target.copy_from_slice(from);
        let length = before_equals(from);
        (at, to) = (at + length, to + length);
        if length < STEP {
            return (at, to);
        }
    }
    let rest = &input[at..];
    let length = memchr::memchr(b'=', rest).unwrap_or(rest.len());
    out[to..to + length].copy_from_slice(&rest[..length]);
    (at + length, to + length)
}

/// Returns the number of bytes before the first equals sign of a step, or [`STEP`] without one.
#[inline]
fn before_equals(step: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    let (words, _) = step.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let found = u64::from_le_bytes(*word) ^ (ONES * u64::from(b'='));
        // A borrow may mark bytes behind the first zero byte only, and only the first one matters.
        let zero = found.wrapping_sub(ONES) & !found & (ONES << 7);
        if zero != 0 {
            return index * 8 + (zero.trailing_zeros() / 8) as usize;
        }
    }
    STEP
}

/// Values of the hexadecimal digits; 255 for other bytes.
pub(crate) static HEX: [u8; 256] = {
    let mut values = [255; 256];
    let mut value = 0;
    while value < 16 {
        let digit = b"0123456789ABCDEF"[value as usize];
        values[digit as usize] = value;
        values[digit.to_ascii_lowercase() as usize] = value;
        value += 1;
    }
    values
};
