//! Finds letters of ISO-8859-2 that are signs or rare letters in windows-1250: `drľava` is `država`.
//!
//! # Limits
//! Text with letters of windows-1250 from 80 to 9F is in windows-1250.

use mailglot_codec::detect::{MAX_HIGH_BYTES, WINDOW, high_bytes};

/// Returns true if the text has signs or rare letters in windows-1250 where ISO-8859-2 has `š`, `ž`, `ť`, `ą`, `ś` or `ź`. The text
/// must have none of these letters from 80 to 9F.
pub(super) fn has_letters_of_iso_8859_2(bytes: &[u8]) -> bool {
    let Some(first) = high_bytes(bytes).next() else {
        return false;
    };
    let window = &bytes[first..bytes.len().min(first + WINDOW)];
    let mut is_typical = false;
    for at in high_bytes(window).take(MAX_HIGH_BYTES) {
        match window[at] {
            0x8A | 0x8C..=0x8F | 0x9A | 0x9C..=0x9F => return false,
            0xA1 | 0xA5 | 0xA6 | 0xA9 | 0xAB | 0xAC | 0xAE | 0xB1 | 0xB5 | 0xB6 | 0xB9 | 0xBB
            | 0xBC | 0xBE => is_typical = true,
            _ => {}
        }
    }
    is_typical
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::encoded;

    #[test]
    fn letters_of_windows_show_windows_1250() {
        for (charset, text, expected) in [
            ("ISO-8859-2", "država", true),
            ("windows-1250", "država", false),
            ("windows-1250", "kráľ", true),
            ("windows-1250", "žiť, kráľ", false),
            ("ISO-8859-2", "málo", false),
            ("ISO-8859-2", "ASCII", false),
        ] {
            let bytes = encoded(charset, text);
            assert_eq!(has_letters_of_iso_8859_2(&bytes), expected, "{text}");
        }
    }
}
