//! Finds currency signs beside numbers, such as the euro of ISO-8859-15.
//!
//! # Limits
//! Knows figures only: in `zehn \xA4` no number stands beside the sign.

use super::odd_text::high_bytes;

/// The euro in ISO-8859-15. In ISO-8859-1 and windows-1252 it is the currency sign, which hardly anybody writes.
const EURO: u8 = 0xA4;

/// Returns true if the text is in ISO-8859-15 rather than in ISO-8859-1 or windows-1252. Each currency sign of these must stand beside a
/// number. No other byte may be a letter of ISO-8859-15 in place of a sign.
pub fn has_euro(bytes: &[u8]) -> bool {
    let differs = |byte: u8| matches!(byte, 0xA6 | 0xA8 | 0xB4 | 0xB8 | 0xBC..=0xBE | 0x80..=0x9F);
    are_beside_numbers(EURO, bytes) && !high_bytes(bytes).any(|at| differs(bytes[at]))
}

/// Returns true if the byte occurs, and stands beside a number wherever it does.
pub fn are_beside_numbers(currency: u8, bytes: &[u8]) -> bool {
    memchr::memchr(currency, bytes).is_some()
        && memchr::memchr_iter(currency, bytes).all(|at| is_beside_number(bytes, at))
}

/// Returns true if a number stands beside the byte at `at`, or behind one blank.
pub fn is_beside_number(bytes: &[u8], at: usize) -> bool {
    let byte = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied();
    let is_digit = |at: Option<usize>| byte(at).is_some_and(|byte| byte.is_ascii_digit());
    let is_gap = |at: Option<usize>| matches!(byte(at), Some(b' ' | 0xA0));
    // `,-` and `,--` stand for cents.
    let ends_number = |at: Option<usize>| match byte(at) {
        Some(b'-') => {
            byte(at.and_then(|at| at.checked_sub(1))).is_some_and(|b| b",.-".contains(&b))
        }
        _ => is_digit(at),
    };
    let before = at.checked_sub(1);
    let far_before = at.checked_sub(2);
    let (after, far_after) = (Some(at + 1), Some(at + 2));
    ends_number(before)
        || is_gap(before) && ends_number(far_before)
        || is_digit(after)
        || is_gap(after) && is_digit(far_after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset::Charset;
    use crate::detect::{Hints, detect};

    #[test]
    fn a_currency_sign_beside_a_number_is_a_euro() {
        for (text, expected) in [
            (&b"Prix : 49,90 \xA4 TTC"[..], true),
            (b"\xA4 15 per person", true),
            (b"\xA415", true),
            (b"nur 5,- \xA4, gro\xDFe Auswahl", true),
            (b"10\xA0\xA4", true),
            (b"the sign \xA4 means any currency", false),
            (b"12 \xA4 and \xBD", false),
            (b"12 \xA4 and x\xA4y", false),
            (b"12 \x80", false),
            (b"caf\xE9 12", false),
            (b"", false),
        ] {
            let found = has_euro(text);
            assert_eq!(found, expected, "{}", text.escape_ascii());
        }
        // The charset is that of the whole text, however far behind the euro a fraction stands.
        let far = [
            b"12 \xA4 ".to_vec(),
            b"word ".repeat(20_000),
            b"\xBD".to_vec(),
        ]
        .concat();
        assert!(!has_euro(&far));
    }

    #[test]
    fn a_euro_beside_a_number_shows_iso_8859_15() {
        for (text, charset) in [
            (&b"Price 20 \xA4 each"[..], Charset::ISO_8859_15),
            (b"\xA4 15, gro\xDFe Auswahl", Charset::ISO_8859_15),
            (b"Price 20 \x80 each, caf\xE9 \xA4 5", Charset::WINDOWS_1252),
            (b"Price \xA320 each", Charset::WINDOWS_1252),
        ] {
            let guess = detect(text, &Hints::default());
            assert_eq!(guess.charset, charset, "{}", text.escape_ascii());
        }
    }
}
