//! Tests whether text that a Baltic charset makes likelier than its label has letters that no other language with accents has.
//!
//! ```text
//! e à fat … domandâ        ISO-8859-1, Friulian     windows-1257 makes ą and ā of the vowels
//! t\xE7l\xFErunis \xE2r\xF0tais      windows-1257, Latvian    ISO-8859-1 makes þ and ð of ž and š
//! ```
//!
//! Friulian, Kurmanji, Sardinian and Walloon have no model. Their vowels with a circumflex or grave accent stand where Latvian has long
//! vowels.
//!
//! # Limits
//! Few Latvian words without š, ž, ķ, ļ keep a wrong label of another single-byte charset for Latin: `Kārlis Ūdris`.

use crate::charset_choice::thresholds::window;
use crate::unlogged::decode_unlogged;
use mailglot_codec::{Charset, is_alphabetic};

/// Letters of French, Turkish, Kurdish and other languages, in ISO-8859-1, ISO-8859-9 and other charsets for Latin. A Baltic charset
/// decodes their bytes to other letters: `â` to `ā`.
const ORDINARY: &str = "àâèêìîòôùûçéñşğı";
/// Lithuanian and Latvian text has a letter outside [`ORDINARY`] among this many accented ones.
const MANY: usize = 8;

/// How many letters of a text only a Baltic language has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BalticLetters {
    /// Another charset is likelier, or the label is Baltic itself or of several bytes.
    NotBaltic,
    Enough,
    Few,
    None,
}

/// Compares the letters that `other`, a Baltic charset, reads otherwise than the label.
pub(crate) fn baltic_letters(label: Charset, other: Charset, bytes: &[u8]) -> BalticLetters {
    if !is_baltic(other) || is_baltic(label) || !label.is_single_byte() {
        return BalticLetters::NotBaltic;
    }
    let window = window(bytes);
    let read = |charset: Charset| decode_unlogged(charset, window);
    let (by_label, by_other) = (read(label), read(other));
    let own_letters: Vec<char> = by_label.chars().collect();
    let (mut all, mut proof) = (0, 0);
    for (at, (own, other)) in own_letters.iter().zip(by_other.chars()).enumerate() {
        if *own != other && is_alphabetic(other) {
            all += 1;
            let is_ordinary = own.to_lowercase().all(|own| ORDINARY.contains(own));
            proof += usize::from(!is_ordinary || is_cedilla_before_consonant(&own_letters, at));
        }
    }
    match proof {
        _ if all == 0 => BalticLetters::NotBaltic,
        0 => BalticLetters::None,
        _ if proof * MANY < all => BalticLetters::Few,
        _ => BalticLetters::Enough,
    }
}

/// Returns true for `ç` within a word before a consonant, where Latvian has `ē`: `varçtu`. Friulian has plurals in `çs`.
fn is_cedilla_before_consonant(letters: &[char], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| letters.get(before));
    matches!(letters[at], 'ç' | 'Ç')
        && before.is_some_and(|c| is_alphabetic(*c))
        && letters
            .get(at + 1)
            .is_some_and(|next| "bcdfgjklmnprtvz".contains(next.to_ascii_lowercase()))
}

fn is_baltic(charset: Charset) -> bool {
    matches!(
        charset,
        Charset::WINDOWS_1257
            | Charset::ISO_8859_4
            | Charset::ISO_8859_10
            | Charset::ISO_8859_13
            | Charset::IBM775
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::{charset_named, encoded};

    #[test]
    fn vowels_with_accents_are_no_baltic_letters() {
        use BalticLetters::{Enough, Few, None, NotBaltic};
        for (charset, text, label, other, expected) in [
            (
                "ISO-8859-1",
                "e à fat, domandâ contribûts",
                "ISO-8859-1",
                "windows-1257",
                None,
            ),
            (
                "ISO-8859-9",
                "Nîjer, Tûnis, Şêrko",
                "ISO-8859-9",
                "windows-1257",
                None,
            ),
            (
                "ISO-8859-14",
                "Komara Lîtuaniya, Îran, Darûssa",
                "ISO-8859-14",
                "windows-1257",
                None,
            ),
            ("IBM850", "Pakêta hê amûran", "IBM850", "IBM775", None),
            (
                "ISO-8859-1",
                "à sos ùrtimos dies",
                "ISO-8859-1",
                "ISO-8859-4",
                None,
            ),
            (
                "ISO-8859-1",
                "â ê î ô û â ê î ô, naïf",
                "ISO-8859-1",
                "windows-1257",
                Few,
            ),
            (
                "windows-1257",
                "tēlžu ārštais",
                "windows-1252",
                "windows-1257",
                Enough,
            ),
            (
                "windows-1257",
                "Kitą savaitę išvykstu",
                "ISO-8859-1",
                "windows-1257",
                Enough,
            ),
            (
                "ISO-8859-4",
                "jaunāko ziņojuma versiju dēļ",
                "ISO-8859-1",
                "ISO-8859-4",
                Enough,
            ),
            (
                "windows-1257",
                "tēlžu",
                "ISO-8859-13",
                "windows-1257",
                NotBaltic,
            ),
            (
                "windows-1250",
                "tęsknię",
                "ISO-8859-1",
                "windows-1250",
                NotBaltic,
            ),
        ] {
            let bytes = encoded(charset, text);
            let found = baltic_letters(charset_named(label), charset_named(other), &bytes);
            assert_eq!(found, expected, "{text}");
        }
    }
}
