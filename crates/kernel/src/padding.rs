//! Copies short input into blocks of fixed size.
//!
//! # Limits
//! None.

/// Returns the first bytes, padded if there are fewer.
#[inline]
pub(super) fn filled<'a, const N: usize>(
    bytes: &'a [u8],
    with: u8,
    room: &'a mut Option<[u8; N]>,
) -> &'a [u8; N] {
    match bytes.first_chunk() {
        Some(block) => block,
        None => room.insert(padded(bytes, with)),
    }
}

#[cold]
fn padded<const N: usize>(bytes: &[u8], with: u8) -> [u8; N] {
    let mut block = [with; N];
    block[..bytes.len()].copy_from_slice(bytes);
    block
}
