//! Finds Western words under labels of other scripts by single characters in places that no language of the label has.
//!
//! ```text
//! Jos้ Garcํa      TIS-620         José García      windows-1252
//! Zoכ              ISO-8859-8      Zoë
//! M№ller           IBM866          Müller
//! ```
//!
//! Marks and leading vowels need a letter of their own script, so they prove that the label is wrong. A letter may be a suffix or a symbol
//! (`iPhoneи`, `cosφ`), so it only raises suspicion.
//!
//! # Limits
//! Examines texts with at most 16 bytes above 7F, each within a word of ASCII letters. A word in the script of the label ends the search.

use super::foreign_letters::{character, is_look_alike};
use super::misplaced_signs::has_latin_letters;
use mailglot_codec::detect::high_bytes;
use mailglot_codec::{Charset, is_alphabetic};

/// What the characters of a text say of its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WesternWords {
    /// Nothing: `ATMที่`, `Windowsים`, `cosφ`.
    None,
    /// A character is in a place that hardly any word has: `Zoכ`, `Cafֹ`.
    Suspected,
    /// Each character is in a place that no word has, and windows-1252 gives plain words: `Jos้`.
    Certain,
}

/// Maximum number of bytes above 7F, and of those side by side.
const MANY: usize = 16;
const SIDE_BY_SIDE: usize = 2;
/// Fewest ASCII letters of a word that ends in another letter, and of one that begins with a capital: `Zoכ`.
const LETTERS: usize = 3;
const LETTERS_OF_NAME: usize = 2;

/// Number of bytes on each side of a character that are examined.
const LONGEST: usize = 64;

/// The place of a character in a word of ASCII letters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CharacterPlace {
    /// No language has the character there.
    Impossible,
    /// Hardly any word has it there.
    Odd,
    Other,
}

/// Examines the characters above 7F of a text under its label. Fast for text with many of them.
pub(crate) fn western_words(label: Charset, bytes: &[u8]) -> WesternWords {
    let may_be = label.is_single_byte() && label.is_ascii_compatible() && !has_latin_letters(label);
    if !may_be || bytes.is_ascii() || high_bytes(bytes).nth(MANY).is_some() {
        return WesternWords::None;
    }
    let (mut impossible, mut odd, mut others, mut are_plain) = (0, 0, 0, true);
    for at in high_bytes(bytes) {
        let word = LatinWord::around(bytes, at);
        let (Some(own), Some(western)) = (
            character(label, bytes[at]),
            character(Charset::WINDOWS_1252, bytes[at]),
        ) else {
            return WesternWords::None;
        };
        let is_other_script = own >= '\u{250}' || own == western;
        if !is_other_script || word.is_of_own_script() || !is_western_letter(western) {
            return WesternWords::None;
        }
        are_plain &= word.is_plain();
        match word.place_of(own, label, at) {
            _ if own == western => {}
            CharacterPlace::Impossible => impossible += 1,
            CharacterPlace::Odd => odd += 1,
            CharacterPlace::Other => others += 1,
        }
    }
    if impossible > 0 && odd + others == 0 && are_plain {
        return WesternWords::Certain;
    }
    if impossible > 0 || odd > 0 && are_plain {
        return WesternWords::Suspected;
    }
    WesternWords::None
}

/// The ASCII letters and bytes above 7F around a byte.
struct LatinWord<'b> {
    bytes: &'b [u8],
    start: usize,
    end: usize,
}

impl<'b> LatinWord<'b> {
    fn around(bytes: &'b [u8], at: usize) -> Self {
        let is_part = |byte: &u8| !byte.is_ascii() || byte.is_ascii_alphabetic();
        let before = bytes[..at].iter().rev().take(LONGEST);
        let before = before.take_while(|byte| is_part(byte));
        let after = bytes[at..].iter().take(LONGEST);
        let after = after.take_while(|byte| is_part(byte));
        let (start, end) = (at - before.count(), at + after.count());
        Self { bytes, start, end }
    }

    fn letters(&self) -> &'b [u8] {
        &self.bytes[self.start..self.end]
    }

    /// Returns true if the word may belong to the script of the label: `בWin`, `คุณ`, `Googleมี`, `пiшiм` with Latin `i`.
    fn is_of_own_script(&self) -> bool {
        let letters = self.letters();
        let ascii = self.ascii_letters();
        let runs = letters.split(u8::is_ascii);
        let longest = runs.map(<[u8]>::len).max().unwrap_or(0);
        let is_pair =
            |pair: Option<&[u8; 2]>| pair.is_some_and(|pair| !pair.iter().any(u8::is_ascii));
        ascii <= letters.len() - ascii
            || ascii < LETTERS_OF_NAME
            || longest > SIDE_BY_SIDE
            || is_pair(letters.first_chunk())
            || is_pair(letters.last_chunk())
    }

    fn ascii_letters(&self) -> usize {
        let ascii = self.letters().iter().filter(|byte| byte.is_ascii());
        ascii.count()
    }

    /// Returns true if the word is long enough to be no abbreviation with a letter of the script behind it: `%liд`.
    fn is_long(&self) -> bool {
        let is_name = self.letters()[0].is_ascii_uppercase();
        self.ascii_letters() >= if is_name { LETTERS_OF_NAME } else { LETTERS }
    }

    /// Returns true if windows-1252 gives small letters, capitals, or small letters behind a capital.
    fn is_plain(&self) -> bool {
        let letters: Vec<char> = self
            .letters()
            .iter()
            .filter_map(|byte| character(Charset::WINDOWS_1252, *byte))
            .collect();
        let are_capitals = letters.iter().all(|c| c.is_uppercase());
        are_capitals || letters[1..].iter().all(|c| c.is_lowercase())
    }

    fn byte(&self, at: Option<usize>) -> u8 {
        let letters = self.letters();
        let within = at.and_then(|at| at.checked_sub(self.start));
        within
            .and_then(|at| letters.get(at))
            .copied()
            .unwrap_or(b' ')
    }

    /// Returns the place of the character that the label gives for the byte at `at`.
    fn place_of(&self, own: char, label: Charset, at: usize) -> CharacterPlace {
        let (before, after) = (self.byte(at.checked_sub(1)), self.byte(Some(at + 1)));
        if is_mark(own) {
            return if before.is_ascii_alphabetic() {
                CharacterPlace::Impossible
            } else {
                CharacterPlace::Other
            };
        }
        if matches!(own, '\u{E40}'..='\u{E44}') {
            let next = character(label, after);
            let is_consonant = next.is_some_and(|c| matches!(c, '\u{E01}'..='\u{E2E}'));
            return if before.is_ascii_alphabetic() && !is_consonant {
                CharacterPlace::Impossible
            } else {
                CharacterPlace::Other
            };
        }
        let is_inner = before.is_ascii_alphabetic() && after.is_ascii_lowercase();
        let is_end = before.is_ascii_lowercase() && !after.is_ascii_alphabetic();
        let is_odd = if !is_alphabetic(own) {
            is_inner && (own == '№' || own.is_numeric())
        } else if is_inner {
            !is_look_alike(own)
        } else {
            is_end && self.is_long() && !is_suffix(own)
        };
        if is_odd {
            CharacterPlace::Odd
        } else {
            CharacterPlace::Other
        }
    }
}

/// Returns true for letters of Western European languages beyond ASCII.
pub(crate) fn is_western_letter(c: char) -> bool {
    const LETTERS: &str = "äöüßéèêàâçñáíóúåøæôîïëùûãõìòðýþœšžÿ";
    let small = c.to_lowercase().next().unwrap_or(c);
    LETTERS.contains(small)
}

/// Returns true for marks that stand above or below a letter of Hebrew, Arabic or Thai.
pub(super) fn is_mark(c: char) -> bool {
    matches!(c,
        '\u{591}'..='\u{5BD}' | '\u{5BF}' | '\u{5C1}' | '\u{5C2}' | '\u{5C4}' | '\u{5C5}' | '\u{5C7}'
        | '\u{64B}'..='\u{65F}' | '\u{670}'
        | '\u{E31}' | '\u{E34}'..='\u{E3A}' | '\u{E47}'..='\u{E4E}')
}

/// Returns true for letters that end Latin words in right text. They are endings of the label's languages, letters that look like Latin
/// ones, and symbols of formulas.
pub(super) fn is_suffix(c: char) -> bool {
    match c {
        '\u{370}'..='\u{3FF}' => !"ιοόύϊϋΰς".contains(c),
        '\u{400}'..='\u{45F}' if c.is_uppercase() => is_look_alike(c),
        '\u{400}'..='\u{45F}' => "аеиоуыэюявкмнрстхѕіјё".contains(c),
        '\u{531}'..='\u{58F}' => "ըինսով".contains(c),
        '\u{590}'..='\u{5FF}' | '\u{600}'..='\u{6FF}' => false,
        '\u{10A0}'..='\u{10FF}' => "ისამოდთ".contains(c),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::{charset_named, encoded};

    #[test]
    fn western_words_stand_out_under_labels_of_other_scripts() {
        use WesternWords::{Certain, None, Suspected};
        for (label, bytes, expected) in [
            ("TIS-620", &b"Jos\xE9 Garc\xEDa"[..], Certain),
            ("windows-874", b"Jos\xE9", Certain),
            ("ISO-8859-11", b"Jo\xE3o, caf\xE9", Certain),
            ("TIS-620", b"Pe\xF1a", Suspected),
            ("windows-1255", b"Caf\xC9", Suspected),
            ("windows-1255", b"CAF\xC9", Certain),
            ("windows-1255", b"Jos\xE9", Suspected),
            ("windows-1256", b"M\xFCller, Pe\xF1a", Certain),
            ("ISO-8859-6", b"Zo\xEB", Certain),
            ("ISO-8859-6", b"Jos\xE9", Suspected),
            ("ISO-8859-8-I", b"Zo\xEB", Suspected),
            ("ISO-8859-7", b"Ren\xE9", Suspected),
            ("windows-1253", b"Jos\xE9", Suspected),
            ("KOI8-R", b"Jos\xE9 Garc\xEDa", Suspected),
            ("windows-1251", b"Ren\xE9", Suspected),
            ("ARMSCII-8", b"Jos\xE9", Suspected),
            ("GEORGIAN-PS", b"Le\xE3o", Suspected),
            ("IBM866", b"M\xFCller", Suspected),
            ("windows-1252", b"Jos\xE9", None),
            ("windows-1256", b"Jos\xE9", None),
            ("windows-1258", b"Jos\xE9", None),
            ("UTF-8", b"Jos\xE9", None),
            ("GBK", b"Jos\xE9", None),
        ] {
            let charset = charset_named(label);
            let found = western_words(charset, bytes);
            assert_eq!(found, expected, "{label} {}", bytes.escape_ascii());
        }
    }

    #[test]
    fn letters_beside_latin_words_are_right() {
        for (label, text) in [
            ("windows-1255", "בWindows"),
            ("windows-1255", "Windowsים"),
            ("windows-1255", "ה-Internet, Googleי של כולם"),
            ("windows-1255", "xו"),
            ("windows-1253", "Μετρό-X"),
            (
                "windows-1253",
                "TNFα, IFNγ, NFκB, cosφ, sinθ, 10 kΩ, 5 μm, Δt",
            ),
            ("windows-1253", "Googleα"),
            ("windows-1251", "USB-кабель"),
            ("windows-1251", "3D-модель"),
            ("windows-1251", "iPhoneа"),
            (
                "windows-1251",
                "Windowsе, Googleи, CDы, VIPы, HTMLка, XIXв, 100Mб",
            ),
            ("windows-1251", "Mоskva"),
            ("windows-1251", "Renй и Zoл"),
            ("KOI8-R", "iPhoneов"),
            ("TIS-620", "ATMที่"),
            ("TIS-620", "เApple"),
            ("TIS-620", "Lineไป"),
            ("TIS-620", "Googleมี"),
            ("TIS-620", "Windowsๆ"),
            ("TIS-620", "Jos้ สวัสดี"),
            ("IBM866", "║abc║"),
            // A letter behind the format `%li`, Latin letters in a Kazakh word, a stray mark before a word.
            ("windows-1251", "%liд"),
            ("windows-1251", "пiшiм"),
            ("windows-1256", "(ِContent-Length)"),
            ("windows-1256", "ِcontent"),
            ("GEORGIAN-PS", "Googleს"),
            ("ISO-8859-6", "Windows في"),
        ] {
            let bytes = encoded(label, text);
            assert_eq!(
                western_words(charset_named(label), &bytes),
                WesternWords::None,
                "{label} {text}"
            );
        }
    }
}
