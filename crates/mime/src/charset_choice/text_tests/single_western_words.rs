//! Finds single Western words under labels of other scripts, beside words and signs of any kind.
//!
//! ```text
//! Привет, Mьller        windows-1251     Müller        windows-1252
//! ╘ 2004 CafИ           KOI8-R           Café
//! Γεια, dιsabonner      ISO-8859-7       désabonner
//! ```
//!
//! [`super::western_words`] examines all bytes above 7F of a short text, and may disprove the label. These words only raise suspicion.
//!
//! # Rules
//! Most letters of a word are ASCII. The charset windows-1252 gives Western letters for the others. It gives a word in small letters, in
//! capitals, or with one capital at its beginning. The label gives a letter of another script in a place where such a letter never stands.
//! That place is between Latin letters, or at an end where its languages put no ending. Letters that look like Latin ones stand in Latin
//! words by mistake: `Mоskva`.
//!
//! # Limits
//! Words of at most 64 bytes before and behind a letter.

use super::foreign_letters::{character, has_other_script, is_look_alike};
use super::western_letters::are_oddly_adjacent;
use super::western_words::{is_mark, is_suffix};
use mailglot_codec::Charset;

/// Fewest letters of a word around a symbol of formulas, and around another letter.
const LETTERS_AROUND_SYMBOL: usize = 4;
const LETTERS_AROUND: usize = 3;
/// Fewest ASCII letters of a word that begins or ends with a letter of the label, and of such a name.
const LETTERS: usize = 3;
const LETTERS_OF_NAME: usize = 2;
/// Number of bytes before and behind a letter that are examined.
const LONGEST: usize = 64;

/// Common letters of Western languages.
const WESTERN: &str = "äöüßéèêàâçñáíóúåøæôîïëùûãõìò";

/// Returns true if a word of ASCII letters has a letter of the label's script where only windows-1252 has letters: `Mьller`.
pub(crate) fn has_western_word(label: Charset, bytes: &[u8]) -> bool {
    const BLOCK: usize = 256;
    if !has_other_script(label) && label.superset() != Charset::WINDOWS_874 {
        return false;
    }
    // Without branches within a block, so that the compiler vectorizes the loop.
    let is_letter = |byte: u8| u8::from((byte | 0x20).wrapping_sub(b'a') < 26);
    let is_border =
        |one: u8, other: u8| is_letter(one) & (other >> 7) | (one >> 7) & is_letter(other);
    let last = bytes.len().saturating_sub(1);
    (0..last).step_by(BLOCK).any(|from| {
        let count = BLOCK.min(last - from);
        let places = |from: usize| &bytes[from..from + count];
        let pairs = places(from).iter().zip(places(from + 1));
        let found = pairs.fold(0, |found, (one, other)| found | is_border(*one, *other));
        let is_found = |at: usize| {
            is_border(bytes[at], bytes[at + 1]) > 0
                && MixedWord::around(label, bytes, at).is_some_and(|word| word.is_western())
        };
        found > 0 && (from..from + count).any(is_found)
    })
}

/// What a letter of the label says of its word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LetterPlace {
    /// No language of the label has the letter there.
    Impossible,
    /// An ending, or a letter that looks like a Latin one.
    Possible,
    /// The word is one of the label: a symbol of formulas, a letter of no Western language.
    Own,
}

/// A word of ASCII letters and bytes above 7F between ASCII characters that are neither letters nor digits.
struct MixedWord<'b> {
    label: Charset,
    letters: &'b [u8],
}

impl<'b> MixedWord<'b> {
    /// Returns the word around the byte at `at`. None if it is long or stands beside a digit.
    fn around(label: Charset, bytes: &'b [u8], at: usize) -> Option<Self> {
        let is_part = |byte: &&u8| !byte.is_ascii() || byte.is_ascii_alphabetic();
        let before = bytes[..at].iter().rev().take(LONGEST);
        let before = before.take_while(is_part).count();
        let after = bytes[at..].iter().take(LONGEST);
        let after = after.take_while(is_part).count();
        let (start, end) = (at - before, at + after);
        let is_whole = before < LONGEST
            && after < LONGEST
            && !bytes[..start].last().is_some_and(u8::is_ascii_digit)
            && !bytes.get(end).is_some_and(u8::is_ascii_digit);
        let letters = &bytes[start..end];
        is_whole.then_some(Self { label, letters })
    }

    fn is_western(&self) -> bool {
        let ascii = self.letters.iter().filter(|byte| byte.is_ascii()).count();
        if 2 * ascii <= self.letters.len() || self.may_be_cyrillic() || !self.is_plain() {
            return false;
        }
        let (mut at, mut has_impossible) = (0, false);
        for run in self
            .letters
            .chunk_by(|one, other| one.is_ascii() == other.is_ascii())
        {
            if !run[0].is_ascii() {
                match self.place_of_run(run, at) {
                    LetterPlace::Impossible => has_impossible = true,
                    LetterPlace::Possible => {}
                    LetterPlace::Own => return false,
                }
            }
            at += run.len();
        }
        has_impossible
    }

    /// Returns true if each ASCII letter looks like a Cyrillic one: `тoвap` with `o`, `a` and `p`.
    fn may_be_cyrillic(&self) -> bool {
        const LOOK_ALIKE: &[u8] = b"aceopxykABCEHKMOPTXY";
        let mut ascii = self.letters.iter().filter(|byte| byte.is_ascii());
        ascii.all(|byte| LOOK_ALIKE.contains(byte))
    }

    /// Returns true if windows-1252 gives small letters, capitals, or small letters behind a capital.
    fn is_plain(&self) -> bool {
        let western = |byte: &u8| character(Charset::WINDOWS_1252, *byte);
        let are = |bytes: &[u8], is_such: fn(char) -> bool| {
            bytes.iter().all(|byte| western(byte).is_some_and(is_such))
        };
        are(&self.letters[1..], char::is_lowercase) || are(self.letters, char::is_uppercase)
    }

    /// Judges one or two bytes above 7F side by side, which begin at `at`.
    fn place_of_run(&self, run: &[u8], at: usize) -> LetterPlace {
        let is_inner = at > 0 && at + run.len() < self.letters.len();
        match run {
            [_] => self.place_of(at),
            [one, other] if is_inner && !are_oddly_adjacent(*one, *other) => {
                match (self.place_of(at), self.place_of(at + 1)) {
                    (LetterPlace::Own, _) | (_, LetterPlace::Own) => LetterPlace::Own,
                    (LetterPlace::Possible, LetterPlace::Possible) => LetterPlace::Possible,
                    _ => LetterPlace::Impossible,
                }
            }
            _ => LetterPlace::Own,
        }
    }

    /// Judges the character at `at` under the label.
    fn place_of(&self, at: usize) -> LetterPlace {
        let byte = self.letters[at];
        let (Some(own), Some(western)) = (
            character(self.label, byte),
            character(Charset::WINDOWS_1252, byte),
        ) else {
            return LetterPlace::Own;
        };
        if own == western {
            return LetterPlace::Possible;
        }
        let small = western.to_lowercase().next().unwrap_or(western);
        if own < '\u{250}' || !WESTERN.contains(small) {
            return LetterPlace::Own;
        }
        let is_behind = |is_such: fn(&u8) -> bool| at > 0 && is_such(&self.letters[at - 1]);
        if self.label.superset() == Charset::WINDOWS_874 {
            return if is_mark(own) && is_behind(u8::is_ascii_alphabetic) {
                LetterPlace::Impossible
            } else {
                LetterPlace::Own
            };
        }
        let is_first = at == 0;
        let is_last = at + 1 == self.letters.len();
        let is_impossible = if is_first || is_last {
            self.is_long() && is_no_affix(own, is_first)
        } else if western.is_uppercase() {
            // Between capitals, where codes have letters that look alike.
            self.letters.len() >= LETTERS_AROUND_SYMBOL && is_no_affix(own, false)
        } else {
            let is_capital = own.is_uppercase() && is_behind(u8::is_ascii_lowercase);
            let least = if is_symbol(own) {
                LETTERS_AROUND_SYMBOL
            } else {
                LETTERS_AROUND
            };
            self.letters.len() >= least && (is_capital || !is_look_alike(own))
        };
        if is_impossible {
            LetterPlace::Impossible
        } else if is_symbol(own) && (is_first || is_last) {
            LetterPlace::Own
        } else {
            LetterPlace::Possible
        }
    }

    /// Returns true if the word is long enough to be no abbreviation beside a letter of the script: `%liд`.
    fn is_long(&self) -> bool {
        let ascii = self.letters.iter().filter(|byte| byte.is_ascii()).count();
        let is_name = self.letters[0].is_ascii_uppercase() && !self.is_in_capitals();
        ascii >= if is_name { LETTERS_OF_NAME } else { LETTERS }
    }

    fn is_in_capitals(&self) -> bool {
        !self.letters.iter().any(u8::is_ascii_lowercase)
    }
}

/// Returns true for Greek letters without accents, which stand in formulas and units: `xβy`.
fn is_symbol(letter: char) -> bool {
    matches!(letter, '\u{391}'..='\u{3A9}' | '\u{3B1}'..='\u{3C1}' | '\u{3C3}'..='\u{3C9}')
}

/// Returns true for letters that begin or end no Latin word in right text. Hebrew and Arabic put any letter there.
///
/// Russian writers type some letters in place of signs: `Windowsю`, `FromЖ`. They type `З` in place of 3: `Зds`.
fn is_no_affix(letter: char, is_first: bool) -> bool {
    const SIGNS_ON_KEYS: &str = "бюжэхъБЖЭ";
    match letter {
        '\u{370}'..='\u{3FF}' if is_first => "όύϊϋ".contains(letter),
        '\u{370}'..='\u{3FF}' => letter != 'ς' && !is_suffix(letter),
        '\u{400}'..='\u{45F}' => {
            let small = letter.to_lowercase().next().unwrap_or(letter);
            !is_suffix(letter)
                && !SIGNS_ON_KEYS.contains(letter)
                && !(is_first && (is_suffix(small) || small == 'з'))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::{charset_named, encoded};

    #[test]
    fn western_words_stand_beside_other_text() {
        for (label, text) in [
            ("windows-1251", "Привет, это Mьller из Kцln"),
            ("windows-1251", "Письмо от Franзois"),
            ("windows-1251", "улица StraЯe"),
            ("KOI8-R", "Привет, MЭller"),
            ("KOI8-R", "Привет, comunМquelo"),
            ("windows-874", "สวัสดี d้truire"),
            ("ISO-8859-7", "Γεια σου, Kφln"),
            ("windows-1255", "שלום Kצln"),
            // Signs elsewhere.
            ("KOI8-R", "╘ 2004 CafИ Central"),
            ("windows-1251", "© 2004 Cafй Central"),
            ("windows-874", "ฉ 2004 Caf้ Central"),
            // Short words, ends, capitals.
            ("KOI8-R", "Привет, Mailingliste fЭr Anwender"),
            ("windows-1251", "Привет, wir ьber"),
            ("windows-1251", "Привет, Cйline йcrit"),
            ("windows-1251", "Привет, Renй"),
            ("windows-1251", "Привет, MЬLLER"),
            ("windows-1251", "Привет, Цsterreich"),
            ("ISO-8859-7", "Γεια σου, Renι"),
            // Several letters.
            ("windows-1251", "Привет, Mit freundlichen GrьЯen"),
            ("windows-1251", "Поздрави, liste gйnйrale"),
            // Letters that look like Latin capitals, or like Latin ones in italics.
            ("ISO-8859-7", "Παραγγελία: Pour se dιsabonner"),
            ("windows-1251", "Поздрави, dziкkujemy za zamуwienie"),
            ("windows-1251", "Привет, fenкtre"),
        ] {
            assert!(is_found(label, text), "{label} {text}");
        }
    }

    #[test]
    fn right_words_of_two_scripts_stay() {
        for (label, text) in [
            ("windows-1251", "Mоskva и Cкидкa нa тoвap"),
            ("windows-1251", "Viаgrа, сhеар Sоftwаrе оnlinе, рауmеnt"),
            ("KOI8-R", "MОskva, Mosкva, MОСКВА"),
            ("windows-1251", "MOCКBA, АBТO, ГOCT, CCCP, KAMAЗ, БMП"),
            (
                "windows-1251",
                "e-mailом, e-mailы, e-mailу, PDFы, PDFов, SMSка",
            ),
            ("windows-1251", "Windowsы, VIPы, IPv6й, Win98й, 3D-модель"),
            (
                "windows-1251",
                "iPhoneа, Googleи, CDы, HTMLка, XIXв, 100Mб, %liд, x1цyz",
            ),
            ("windows-1251", "webмастерs, USB-кабель, onlineовый"),
            // Signs typed on the other layout.
            (
                "windows-1251",
                "Windowsю Linuxб Subjectж FromЖ вLinux кwww Зds йx",
            ),
            ("KOI8-R", "iPhoneов, FromЖ, Googleю, DVDЭ"),
            ("windows-1251", "Київ, iнтернет, пiшiм, Internet-магазин"),
            ("windows-1251", "Београд: web-странa, mejлом"),
            ("windows-874", "ATMที่ใช้ iPhoneรุ่น, 5กkg"),
            ("windows-874", "ใช้Googleค้นหา เApple Lineไป Googleมี Windowsๆ"),
            (
                "ISO-8859-7",
                "TNFα, IFNγ, cosφ, sinθcosφ, NFκB, 10 kΩ, 5 μm, Δt, xβy",
            ),
            ("windows-1253", "Googleα, τα PCς, οlinux, ιphone, Pοrtal"),
            (
                "windows-1255",
                "בWindows Windowsים ה-Internet, Googleי של כולם",
            ),
            ("windows-1256", "Délégué: السيد عمر, né à Alger, الـWindows"),
            ("windows-1251", "Привет, Bob"),
            ("windows-1252", "Müller"),
        ] {
            assert!(!is_found(label, text), "{label} {text}");
        }
    }

    fn is_found(label: &str, text: &str) -> bool {
        let bytes = encoded(label, text);
        has_western_word(charset_named(label), &bytes)
    }

    #[test]
    fn western_words_are_found_in_linear_time() {
        for unit in [&b"a\xFC"[..], b"a\xFCa", b"a", b"\xFC", b"Caf\xE9\xE9 "] {
            crate::linear::assert_linear(&unit.escape_ascii(), 20_000, |n| {
                let _ = has_western_word(Charset::WINDOWS_1251, &unit.repeat(n));
            });
        }
    }
}
