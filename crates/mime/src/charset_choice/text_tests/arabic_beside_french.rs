//! Finds Arabic words beside French ones under a label of Latin-1. windows-1256 has both: `é`, `è`, `à`, `ç` in the places of Latin-1.
//!
//! ```text
//! Le café, ÇáãßÊÈ ãÛáÞ    ISO-8859-1      Le café, المكتب مغلق    windows-1256
//! ```
//!
//! # Limits
//! The Arabic words alone are evidence, so text with few of them keeps its label.

use super::western_letters::is_latin_1;
use mailglot_codec::detect::high_bytes;
use mailglot_codec::{Charset, LossLog, Script, is_alphabetic};

/// Fewest Arabic letters of a word that counts, and fewest such words.
const LETTERS: usize = 3;
const WORDS: usize = 4;
/// Number of bytes that are examined.
const WINDOW: usize = 1 << 16;

/// Returns the Arabic words of a text, each behind a space. Returns None if windows-1256 changes another word: `Señor`.
pub(crate) fn arabic_words_beside_french(label: Charset, bytes: &[u8]) -> Option<Vec<u8>> {
    if !is_latin_1(label) || !has_run(bytes) {
        return None;
    }
    let bytes = &bytes[..bytes.len().min(WINDOW)];
    let read = |charset: Charset, word: &[u8]| {
        let mut log = LossLog::with_limit(0);
        charset.decode(word, &mut log).into_owned()
    };
    let (mut arabic, mut count, mut has_french) = (Vec::new(), 0, false);
    let words = bytes.split(|byte| byte.is_ascii() && !byte.is_ascii_alphabetic());
    for word in words.filter(|word| !word.is_ascii()) {
        let text = read(Charset::WINDOWS_1256, word);
        if word.iter().any(u8::is_ascii) || text.chars().all(|c| !is_arabic(c)) {
            if text != read(Charset::WINDOWS_1252, word) {
                return None;
            }
            has_french |= word.iter().any(u8::is_ascii);
            continue;
        }
        let is_part = |c: char| is_arabic(c) || !is_alphabetic(c);
        if !text.chars().all(is_part) {
            return None;
        }
        count += usize::from(text.chars().filter(|c| is_arabic(*c)).count() >= LETTERS);
        arabic.push(b' ');
        arabic.extend(word);
    }
    (has_french && count >= WORDS).then_some(arabic)
}

fn is_arabic(c: char) -> bool {
    Script::of(c) == Some(Script::Arabic)
}

/// Returns true if the text has at least [`WORDS`] runs of [`LETTERS`] bytes above 7F. Fast.
fn has_run(bytes: &[u8]) -> bool {
    let (mut length, mut words, mut next) = (0, 0, 0);
    for at in high_bytes(bytes) {
        length = if at == next { length + 1 } else { 1 };
        next = at + 1;
        words += usize::from(length == LETTERS);
        if words == WORDS {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arabic_words_stand_beside_french_ones() {
        for (charset, text, expected) in [
            (
                Charset::WINDOWS_1256,
                "Réunion à Fès: المكتب مغلق اليوم وغدا",
                true,
            ),
            (Charset::WINDOWS_1256, "المكتب مغلق اليوم وغدا", false),
            (Charset::WINDOWS_1256, "Réunion à Fès: المكتب", false),
            (Charset::WINDOWS_1252, "äöü ÄÖÜ éèà ÉÈÀ æøå Grüße", false),
            (Charset::WINDOWS_1252, "Réunion à Fès, déjà vu", false),
        ] {
            let bytes = charset.encode_exact(text).expect("encodable");
            let found = arabic_words_beside_french(Charset::ISO_8859_1, &bytes);
            assert_eq!(found.is_some(), expected, "{text}");
        }
    }
}
