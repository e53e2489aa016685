//! Helpers that tests of tables share.
//!
//! # Limits
//! None.

/// Characters of one to four bytes in pseudo-random order.
pub(super) fn character(code: usize) -> char {
    match code % 4 {
        0 => char::from_u32(0xA1 + code as u32 % 0x700),
        1 => char::from_u32(0x1F300 + code as u32 % 0x300),
        2 => char::from_u32(0x20 + code as u32 % 0x5F),
        _ => char::from_u32(0x3041 + code as u32 % 0x6000),
    }
    .unwrap_or('x')
}

/// Compares two decoders of one table that append to an existing text.
pub(super) fn same<T>(
    table: &T,
    input: &[u8],
    fast: fn(&T, &[u8], &mut String) -> usize,
    slow: fn(&T, &[u8], &mut String) -> usize,
) {
    let (mut one, mut other) = ("é".to_owned(), "é".to_owned());
    assert_eq!(
        fast(table, input, &mut one),
        slow(table, input, &mut other),
        "{input:x?}"
    );
    assert_eq!(one, other, "{input:x?}");
}
