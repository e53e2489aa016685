//! Finds text in x-mac-cyrillic under a label of windows-1251: `шлЯпу` is `шляпу`.
//!
//! Both charsets have the same small letters but `я`, which is `Я` in windows-1251. The capitals of x-mac-cyrillic are signs there.
//!
//! # Limits
//! Text in capitals only has no evidence.

use super::neighbor_bytes::byte_or_blank;
use crate::charset_choice::thresholds::window;
use mailglot_codec::Charset;
use mailglot_codec::detect::high_bytes;

/// Minimum number of `я` in x-mac-cyrillic beside capitals, and without any.
const MIN_LETTERS: usize = 2;
const MIN_LETTERS_ALONE: usize = 8;

/// Returns true if the label has `Я` after small letters only, and no capital and no `я` of its own. Fast.
///
/// Few of them prove the charset if a capital of x-mac-cyrillic begins a word: `‡дравствуйте` is `Здравствуйте`.
pub(crate) fn is_mac_cyrillic(label: Charset, bytes: &[u8]) -> bool {
    if label != Charset::WINDOWS_1251 {
        return false;
    }
    let window = window(bytes);
    let (mut inner, mut has_capital) = (0, false);
    for at in high_bytes(window) {
        let (before, after) = (
            byte_or_blank(window, at.checked_sub(1)),
            byte_or_blank(window, Some(at + 1)),
        );
        match window[at] {
            // Capitals of windows-1251, and its `я`.
            0xC0..=0xDE | 0xFF => return false,
            0xDF => inner += usize::from(matches!(before, 0xE0..=0xFE)),
            0x80..=0x9F => has_capital |= before.is_ascii() && matches!(after, 0xE0..=0xFE),
            _ => {}
        }
    }
    inner >= MIN_LETTERS_ALONE || has_capital && inner >= MIN_LETTERS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::encoded;

    #[test]
    fn small_letters_show_the_charset() {
        let text = "Здравствуйте! В списке рассылки появилась новая статья о ядре.";
        let label = Charset::WINDOWS_1251;
        assert!(is_mac_cyrillic(label, &encoded("x-mac-cyrillic", text)));
        assert!(!is_mac_cyrillic(
            Charset::KOI8_R,
            &encoded("x-mac-cyrillic", text)
        ));
        for text in [
            text,
            "ЯПОНИЯ",
            "моЯ",
            "ИнтерЯзь и моЯ, твоЯ",
            "мЯу мЯу",
            "ты моЯ, а Я твоЯ",
            "да",
        ] {
            assert!(
                !is_mac_cyrillic(label, &encoded("windows-1251", text)),
                "{text}"
            );
        }
    }
}
