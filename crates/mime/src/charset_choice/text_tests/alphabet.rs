//! Finds the alphabet of a text, if it has letters that Latin-1 lacks.
//!
//! ```text
//! Dobrý den, posílám zápis ze včerejší schůze.    central European: č, ě and ů
//! Отправляю протокол прошлого собрания.           Cyrillic
//! Nous nous réunirons à dix heures, c’est décidé. Western: Latin-1 has é and à
//! ```
//!
//! # Limits
//! Polish and Slovenian text has only letters of Baltic charsets. It counts as Central European.

use super::mojibake_score::is_letter;
use mailglot_codec::detect::high_bytes;
use mailglot_codec::{Charset, Script};

/// Maximum number of letters beyond ASCII that are examined.
const MAX_LETTERS: usize = 200;
/// Minimum number of letters of another script, or of Western letters.
const MIN_LETTERS: usize = 4;
/// Minimum number of letters that Latin-1 lacks, and their minimum share: one in so many Latin letters beyond ASCII.
const MIN_LATIN_LETTERS: usize = 2;
const LEAST_SHARE: usize = 16;

/// Small Latin letters that windows-1252 lacks, with the alphabets that have them.
const LATIN: [(TextAlphabet, &str); 3] = [
    (TextAlphabet::CentralEuropean, "ąćčďđěęłńňőřśşșťţțůűźżăľĺŕ"),
    (TextAlphabet::Baltic, "ąćčėęāēģīķļłńņōśųūźż"),
    (TextAlphabet::Turkish, "ğış"),
];

/// The alphabets of other scripts than Latin, but for Japanese.
const SCRIPTS: [TextAlphabet; 7] = [
    TextAlphabet::Cyrillic,
    TextAlphabet::Greek,
    TextAlphabet::Hebrew,
    TextAlphabet::Arabic,
    TextAlphabet::Thai,
    TextAlphabet::Chinese,
    TextAlphabet::Korean,
];

/// An alphabet with charsets of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextAlphabet {
    /// Latin letters of Latin-1.
    Western,
    CentralEuropean,
    Baltic,
    Turkish,
    Cyrillic,
    Greek,
    Hebrew,
    Arabic,
    Thai,
    Chinese,
    Japanese,
    /// The last variant. `TextAlphabet::of` counts into an array of its number plus one.
    Korean,
}

impl TextAlphabet {
    /// Returns the alphabet of most letters beyond ASCII. Returns None for few letters, and for alphabets without charsets in mail.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let letters = letters(text);
        let mut counts = [0; Self::Korean as usize + 1];
        for script in letters.iter().filter_map(|c| Self::of_letter(*c)) {
            counts[script as usize] += 1;
        }
        let count = |script: Self| counts[script as usize];
        let is_most = |count: usize| count >= MIN_LETTERS && count * 2 > letters.len();
        let kana = count(Self::Japanese);
        if kana * 5 > letters.len() {
            let is_japanese = is_most(kana + count(Self::Chinese));
            return is_japanese.then_some(Self::Japanese);
        }
        if count(Self::Western) * 2 > letters.len() {
            return latin_alphabet(&letters);
        }
        SCRIPTS.into_iter().find(|script| is_most(count(*script)))
    }

    /// Returns the alphabet of a letter by its script: Western for Latin letters, Chinese for Han, Japanese for kana.
    fn of_letter(c: char) -> Option<Self> {
        match c {
            '\u{3041}'..='\u{30FA}' => return Some(Self::Japanese),
            '\u{4E00}'..='\u{9FFF}' => return Some(Self::Chinese),
            '\u{AC00}'..='\u{D7A3}' => return Some(Self::Korean),
            _ => {}
        }
        Some(match Script::of(c)? {
            Script::Latin => Self::Western,
            Script::Cyrillic => Self::Cyrillic,
            Script::Greek => Self::Greek,
            Script::Hebrew => Self::Hebrew,
            Script::Arabic => Self::Arabic,
            Script::Thai => Self::Thai,
            _ => return None,
        })
    }

    /// Returns the charsets in which mail has words of the alphabet. One of two similar charsets is enough.
    pub(crate) fn charsets(self) -> &'static [Charset] {
        match self {
            Self::Western => &[],
            Self::CentralEuropean => &[Charset::ISO_8859_2],
            Self::Baltic => &[Charset::WINDOWS_1257],
            Self::Turkish => &[Charset::WINDOWS_1254],
            Self::Cyrillic => &[Charset::WINDOWS_1251, Charset::KOI8_R, Charset::ISO_8859_5],
            Self::Greek => &[Charset::ISO_8859_7],
            Self::Hebrew => &[Charset::WINDOWS_1255],
            Self::Arabic => &[Charset::WINDOWS_1256, Charset::ISO_8859_6],
            Self::Thai => &[Charset::WINDOWS_874],
            Self::Chinese => &[Charset::GBK, Charset::BIG5],
            Self::Japanese => &[Charset::SHIFT_JIS, Charset::EUC_JP],
            Self::Korean => &[Charset::EUC_KR],
        }
    }
}

/// Returns the first letters beyond ASCII. Passes over ASCII fast.
fn letters(text: &str) -> Vec<char> {
    let starts = high_bytes(text.as_bytes()).filter(|at| text.is_char_boundary(*at));
    let chars = starts.filter_map(|at| text[at..].chars().next());
    let mut letters = Vec::with_capacity(MAX_LETTERS);
    letters.extend(chars.filter(|c| is_letter(*c)).take(MAX_LETTERS));
    letters
}

/// Returns the alphabet that has nearly all letters which windows-1252 lacks.
fn latin_alphabet(letters: &[char]) -> Option<TextAlphabet> {
    let small = |c: &char| match c {
        // Small letters of Latin-1 need no `to_lowercase`, which is slow.
        'à'..='ö' | 'ø'..='ÿ' => *c,
        // Its small letter is ASCII.
        'İ' => 'ı',
        c => c.to_lowercase().next().unwrap_or(*c),
    };
    let is_latin = |c: &&char| Script::of(**c) == Some(Script::Latin);
    let letters: Vec<char> = letters.iter().filter(is_latin).map(small).collect();
    let others = letters.iter().filter(|c| !is_western(**c));
    let others: Vec<char> = others.copied().collect();
    if others.is_empty() {
        return (letters.len() >= MIN_LETTERS).then_some(TextAlphabet::Western);
    }
    if others.len() < MIN_LATIN_LETTERS || others.len() * LEAST_SHARE < letters.len() {
        return None;
    }
    let covered = |known: &str| others.iter().filter(|c| known.contains(**c)).count();
    let counts = LATIN.map(|(alphabet, known)| (alphabet, covered(known)));
    // The first of equals wins.
    let (alphabet, most) = counts.into_iter().rev().max_by_key(|(_, count)| *count)?;
    (most * 10 >= others.len() * 9).then_some(alphabet)
}

/// Returns true for a small letter that windows-1252 has.
fn is_western(c: char) -> bool {
    matches!(c, '\0'..='\u{FF}' | 'š' | 'ž' | 'œ' | 'ƒ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_name_the_alphabet() {
        for (text, want) in [
            (
                "Dobrý den, posílám zápis ze včerejší schůze.",
                Some(TextAlphabet::CentralEuropean),
            ),
            ("Zażółć gęślą jaźń", Some(TextAlphabet::CentralEuropean)),
            (
                "Vă trimit factura și țin legătura",
                Some(TextAlphabet::CentralEuropean),
            ),
            (
                "Örömmel küldöm a jegyzőkönyvet, köszönöm szépen a türelmet, és a következő ülésről később írok",
                Some(TextAlphabet::CentralEuropean),
            ),
            (
                "Siunčiu praėjusio susirinkimo protokolą, ačiū už kantrybę",
                Some(TextAlphabet::Baltic),
            ),
            (
                "Toplantı tutanağını gönderiyorum",
                Some(TextAlphabet::Turkish),
            ),
            (
                "İSTANBUL’DAN SELAMLAR, İYİ GÜNLER",
                Some(TextAlphabet::Turkish),
            ),
            ("Отправляю протокол", Some(TextAlphabet::Cyrillic)),
            ("Σας στέλνω τα πρακτικά", Some(TextAlphabet::Greek)),
            ("מצורף פרוטוקול הישיבה", Some(TextAlphabet::Hebrew)),
            ("مرفق محضر اجتماع", Some(TextAlphabet::Arabic)),
            ("ผมส่งรายงานการประชุม", Some(TextAlphabet::Thai)),
            ("附件是上周会议的记录", Some(TextAlphabet::Chinese)),
            ("先週の会議の議事録を送ります", Some(TextAlphabet::Japanese)),
            ("지난주 회의록을 보냅니다", Some(TextAlphabet::Korean)),
            (
                "Nous avons décidé à l’unanimité",
                Some(TextAlphabet::Western),
            ),
            ("Grüße an Dvořák", None),
            ("Tiếng Việt có nhiều chữ cái riêng của mình", None),
            ("café", None),
            ("“fine” – 20 °C", None),
            ("plain", None),
        ] {
            assert_eq!(TextAlphabet::of(text), want, "{text}");
        }
    }

    #[test]
    fn every_letter_beyond_ascii_is_found() {
        for c in ('\0'..=char::MAX).filter(|c| !c.is_ascii()) {
            let expected: Vec<char> = [c].into_iter().filter(|c| is_letter(*c)).collect();
            assert_eq!(letters(&format!("a{c}b")), expected, "{c:?}");
        }
        assert_eq!(letters(&"äa".repeat(300)).len(), MAX_LETTERS);
    }

    /// `latin_alphabet` does not look these letters up.
    #[test]
    fn small_letters_of_latin_1_are_small() {
        for c in ('à'..='ö').chain('ø'..='ÿ') {
            assert!(c.to_lowercase().eq([c]), "{c:?}");
        }
    }

    #[test]
    fn a_few_foreign_names_are_no_evidence() {
        let german = "Grüße an alle Gäste für die schöne Führung über die Brücke. ".repeat(6);
        let text = german + "Jiří Dvořák";
        assert_eq!(TextAlphabet::of(&text), None);
    }
}
