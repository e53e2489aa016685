//! Scans text for controls and invisible characters. Fast.
//!
//! # Limits
//!
//! May report a few harmless neighbors of invisible characters. Never misses one.

use mailglot_kernel::BytePairs;

/// The byte pairs that may begin such a character.
///
/// They begin controls, four-byte characters (which are few), C1 and U+00AD, the grapheme joiner, and fillers and vowels. They
/// also begin direction marks, the byte order mark and its neighbors, and the Hangul filler.
pub(super) static INVISIBLE_LEADS: BytePairs = BytePairs::new(&[
    (&CONTROLS, None),
    (&[0x7F], None),
    (&[0xC2], None),
    (&[0xCD], Some(&[0x8F])),
    (&[0xE1], Some(&[0x85, 0x9E, 0xA0])),
    (&[0xE2], Some(&[0x80, 0x81, 0xA0])),
    (&[0xEF], Some(&[0xBB, 0xBE, 0xBF])),
    (&[0xE3], Some(&[0x85])),
]);

/// The controls below 20, and the first byte of tags.
const CONTROLS: [u8; 33] = {
    let mut bytes = [0xF3; 33];
    let mut byte = 0;
    while byte < 0x20 {
        bytes[byte as usize] = byte;
        byte += 1;
    }
    bytes
};

/// Returns true if a text has neither controls nor invisible characters.
pub(super) fn is_visible(text: &str) -> bool {
    let text = text.as_bytes();
    let mut from = 0;
    while let Some(at) = INVISIBLE_LEADS.find(text, from) {
        if text.get(at..).is_some_and(begins_with_invisible) {
            return false;
        }
        from = at + 1;
    }
    true
}

/// Returns true if the text begins with such a character.
fn begins_with_invisible(text: &[u8]) -> bool {
    match *text {
        [0..0x20 | 0x7F, ..] => true,
        [0xC2, b, ..] => b < 0xA0 || b == 0xAD,
        [0xCD, b, ..] => b == 0x8F,
        [0xE1, 0x85, c, ..] => matches!(c, 0x9F..=0xA0),
        [0xE1, 0x9E, c, ..] => matches!(c, 0xB4..=0xB5),
        [0xE1, 0xA0, c, ..] => c == 0x8E,
        [0xE2, 0x80, c, ..] => matches!(c, 0x8B | 0xA8..=0xAE),
        [0xE2, 0x81, c, ..] => matches!(c, 0xA0..=0xA9),
        [0xE2, 0xA0, c, ..] => c == 0x80,
        [0xE3, 0x85, c, ..] => c == 0xA4,
        [0xEF, 0xBB, c, ..] => c == 0xBF,
        [0xEF, 0xBE, c, ..] => c == 0xA0,
        [0xEF, 0xBF, c, ..] => matches!(c, 0xB9..=0xBB),
        [0xF3, 0xA0, c, ..] => c < 0x82,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::controls::is_plain_text;
    use super::super::invisible::has_hidden;
    use super::*;

    #[test]
    fn no_character_is_missed_at_any_offset() {
        let mut extra = 0;
        for c in '\0'..=char::MAX {
            let text = c.to_string();
            let visible = is_plain_text(&text) && !has_hidden(&text);
            if !visible {
                for before in 0..100 {
                    let text = format!("{}{c}", "x".repeat(before));
                    assert!(
                        !is_visible(&text)
                            && !is_visible(&(text + "日本語日本語日本語日本語日本語")),
                        "{c:?} {before}"
                    );
                }
            }
            extra += u32::from(visible && !is_visible(&text));
        }
        // U+2065, and the neighbors of the tags.
        assert_eq!(extra, 1 + 31);
        assert!(is_visible(
            &"na\u{ef}ve \u{200d}\u{200f}日本語、“한국어”— ".repeat(20)
        ));
    }
}
