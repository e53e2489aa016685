//! Tests whether the letters above 7F are those of one Western European language.
//!
//! # Limits
//! Six groups of languages, and few letters.

use super::neighbor_bytes::byte_or_blank;
use mailglot_codec::Charset;
use mailglot_codec::detect::high_bytes;

/// Maximum number of high bytes for which one common language outweighs a model of another charset.
const MAX_WESTERN_LETTERS: usize = 16;
/// Non-ASCII letters of Western European languages in windows-1252: German, French, Spanish, Portuguese, Scandinavian, Italian.
const LANGUAGES: [&[u8]; 6] = [
    b"\xe4\xf6\xfc\xdf\xe9",
    b"\xe0\xe2\xe4\xe6\xe7\xe8\xe9\xea\xeb\xee\xef\xf4\xf6\xf9\xfb\xfc\xff\x8c\x9c\x9f",
    b"\xe1\xe9\xed\xf1\xf3\xfa\xfc",
    b"\xe0\xe1\xe2\xe3\xe7\xe9\xea\xed\xf3\xf4\xf5\xfa\xfc",
    b"\xe4\xe5\xe6\xe9\xf6\xf8\xfc",
    b"\xe0\xe8\xe9\xec\xf2\xf9",
];

/// Returns true if all high letters belong to one Western European language and no symbol stands within a word.
pub(crate) fn is_western(bytes: &[u8]) -> bool {
    let mut possible = LANGUAGES.to_vec();
    for (count, at) in high_bytes(bytes).enumerate() {
        let byte = bytes[at];
        let beside = |at: Option<usize>| is_western_letter(byte_or_blank(bytes, at));
        let lower = if matches!(byte, 0xC0..=0xDE) {
            byte | 0x20
        } else {
            byte
        };
        if !matches!(byte, 0xA1..=0xBF) {
            possible.retain(|letters| letters.contains(&lower));
        } else if is_sign(byte) && beside(at.checked_sub(1)) && beside(Some(at + 1)) {
            return false;
        }
        if count >= MAX_WESTERN_LETTERS || possible.is_empty() {
            return false;
        }
    }
    true
}

/// Returns true for symbols that do not stand within words. Apostrophes, hyphens, quotation marks and middle dots do.
pub(crate) fn is_sign(byte: u8) -> bool {
    matches!(byte, 0xA1..=0xBF)
        && !matches!(byte, 0xAA | 0xAB | 0xAD | 0xB0 | 0xB4 | 0xB7 | 0xBA | 0xBB)
}

/// Returns true for letters of windows-1252, without those below C0.
pub(crate) fn is_western_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte >= 0xC0
}

/// Returns true for two bytes above 7F that are not side by side in words of Western Europe. `größer`, `atenção`, `théâtre` and `hyvää` have
/// letters that are.
pub(crate) fn are_oddly_adjacent(one: u8, other: u8) -> bool {
    let is_usual = || match one {
        // öß üß äß, ää öö üü, lingüística, freqüència, freqüência
        0xFC => matches!(other, 0xDF | 0xFC | 0xE8 | 0xEA | 0xED),
        0xE4 | 0xF6 => other == 0xDF || other == one,
        // ção ções, also in capitals
        0xE7 => matches!(other, 0xE3 | 0xF5),
        0xC7 => matches!(other, 0xC3 | 0xD5),
        // théâtre, créés
        0xE9 => matches!(other, 0xE2 | 0xE9),
        _ => false,
    };
    !one.is_ascii() && !other.is_ascii() && !is_usual()
}

/// Returns true for the charsets that mailers write over everything.
pub(crate) fn is_latin_1(label: Charset) -> bool {
    matches!(
        label,
        Charset::ISO_8859_1 | Charset::WINDOWS_1252 | Charset::ISO_8859_15
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_codec::LossLog;

    #[test]
    fn letters_of_western_words_may_be_adjacent() {
        let usual = "öß üß äß ää öö üü éé éâ üí üè üê çã çõ ÇÃ ÇÕ";
        for pair in 0..=u16::MAX {
            let [one, other] = pair.to_be_bytes();
            let text = Charset::WINDOWS_1252
                .decode(&[one, other], &mut LossLog::new())
                .into_owned();
            let is_high = !one.is_ascii() && !other.is_ascii();
            let is_usual = usual.split(' ').any(|known| known == text);
            assert_eq!(
                are_oddly_adjacent(one, other),
                is_high && !is_usual,
                "{text}"
            );
        }
    }
}
