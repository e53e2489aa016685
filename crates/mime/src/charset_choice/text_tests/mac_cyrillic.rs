//! Finds text in x-mac-cyrillic under a label of windows-1251: `шлЯпу` is `шляпу`.
//!
//! Both charsets have the same small letters but `я`, which is `Я` in windows-1251. The capitals of x-mac-cyrillic are signs there.
//!
//! # Limits
//! Text in capitals only has no evidence.

use crate::charset_choice::thresholds::window;
use mailglot_codec::Charset;
use mailglot_codec::detect::high_bytes;

/// Minimum number of `я` in x-mac-cyrillic.
const MIN_LETTERS: usize = 2;

/// Returns true if the label has `Я` behind small letters only, and no capital and no `я` of its own. Fast.
pub(crate) fn is_mac_cyrillic(label: Charset, bytes: &[u8]) -> bool {
    if label != Charset::WINDOWS_1251 {
        return false;
    }
    let window = window(bytes);
    let mut inner = 0;
    for at in high_bytes(window) {
        match window[at] {
            // Capitals of windows-1251, and its `я`.
            0xC0..=0xDE | 0xFF => return false,
            0xDF => {
                let is_inner = at > 0 && matches!(window[at - 1], 0xE0..=0xFE);
                inner += usize::from(is_inner);
            }
            _ => {}
        }
    }
    inner >= MIN_LETTERS
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
        for text in [text, "ЯПОНИЯ", "моЯ", "ИнтерЯзь и моЯ, твоЯ", "да"]
        {
            assert!(
                !is_mac_cyrillic(label, &encoded("windows-1251", text)),
                "{text}"
            );
        }
    }
}
