//! The base64 alphabet (RFC 4648, section 4).
//!
//! # Limits
//! None.

/// The value in a table of values for a byte that is no digit.
pub const NOT_A_DIGIT: u8 = 0xFF;

/// Values of the base64 digits by byte; [`NOT_A_DIGIT`] for other bytes.
pub const VALUES: [u8; 256] = values(b'/');

/// Makes a table as [`VALUES`] for an alphabet that ends in the digit `last` instead of `/`.
pub const fn values(last: u8) -> [u8; 256] {
    let mut values = [NOT_A_DIGIT; 256];
    let mut i = 0;
    while i < 64 {
        values[digit(i as u8, last) as usize] = i as u8;
        i += 1;
    }
    values
}

/// Returns the digit of a value below 64, in an alphabet that ends in the digit `last`.
#[inline]
pub const fn digit(value: u8, last: u8) -> u8 {
    match value {
        0..26 => b'A' + value,
        26..52 => b'a' + value - 26,
        52..62 => b'0' + value - 52,
        62 => b'+',
        _ => last,
    }
}

/// Characters in the first line and bytes of its line end; None for a text without one.
#[cfg(target_arch = "x86_64")]
pub(crate) fn first_line(text: &[u8]) -> Option<(usize, usize)> {
    let feed = memchr::memchr(b'\n', text)?;
    let width = if text[..feed].ends_with(b"\r") {
        feed - 1
    } else {
        feed
    };
    Some((width, feed + 1 - width))
}
