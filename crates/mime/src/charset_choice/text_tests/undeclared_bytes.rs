//! Distinguishes text without a usable label from UTF-8, and finds letters in it.

/// Returns true for bytes above 7F that are not valid UTF-8.
pub(crate) fn is_legacy(bytes: &[u8]) -> bool {
    !bytes.is_ascii() && std::str::from_utf8(bytes).is_err()
}

/// Returns true if two different bytes above 7F are letters. Letters occur inside a word, beside each other, or, from C0 on, at the
/// end of a word.
///
/// A no-break space, a pound sign, a trademark sign and a pair of quotation marks are not letters. They prove nothing about other
/// text.
pub(crate) fn has_letters(bytes: &[u8]) -> bool {
    let is_high = |byte: Option<&u8>| byte.is_some_and(|byte| *byte >= 0x80);
    let is_ascii_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphabetic);
    let mut first = None;
    bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte >= 0x80)
        .any(|(at, &byte)| {
            let (before, after) = (
                at.checked_sub(1).and_then(|at| bytes.get(at)),
                bytes.get(at + 1),
            );
            let letters = u8::from(is_ascii_letter(before)) + u8::from(is_ascii_letter(after));
            let stands =
                is_high(before) || is_high(after) || letters == 2 || letters == 1 && byte >= 0xC0;
            stands && *first.get_or_insert(byte) != byte
        })
}
