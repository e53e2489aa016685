//! Recognizes words that list the letters of an alphabet, as tests of programs do: `Test: äöüß`, `абвгд`.
//!
//! The letters of such a list do not follow each other as in words. The models of words alone prefer another charset in which they do: `äöü` is
//! `дць` in windows-1251.
//!
//! # Limits
//! Lists of letters beyond ASCII in single-byte charsets. A list of letters that follow each other in two alphabets (`абвгд`, `אבגדה`) is of
//! the language with more mail.

use super::cost::NAT;
use crate::alphabetic::is_alphabetic;
use crate::generated::languages::LANGUAGES;

/// Cost of a text that has a list: few have one.
pub(super) const LIST: u32 = 9 * NAT;

/// Different letters that the lists of a text have at least.
pub(super) const FEWEST: usize = 3;

/// Cost of a list that begins in the middle of the alphabet.
const MIDDLE: u32 = 3 * NAT;

/// Cost of a sign in a list.
const SIGN: u32 = 5 * NAT;

/// Cost of a list of capitals alone.
const CAPITALS: u32 = 3 * NAT;

/// Cost of a letter of another case than the one before it, if it was not listed in that case.
const OTHER_CASE: u32 = 3 * NAT;

/// Cost of a letter that stands before the last one in the alphabet.
const OUT_OF_ORDER: u32 = 4 * NAT;

/// Letters that are listed in a language.
#[derive(Debug)]
pub(super) struct ListedLetters {
    /// Its index in `LANGUAGES`.
    pub(super) language: usize,
    /// Small letters beyond ASCII.
    pub(super) letters: &'static str,
    /// They are listed in this order.
    pub(super) is_ordered: bool,
}

impl ListedLetters {
    /// Returns what a word costs if it lists these letters; `None` if it does not.
    pub(super) fn cost(&self, word: &[char]) -> Option<u32> {
        if self.is_ordered {
            in_order_cost(self.letters, word)
        } else {
            any_order_cost(self.letters, word)
        }
    }

    /// Returns the least cost of a list by its number of letters, up to that of the alphabet.
    pub(super) fn least_costs(&self) -> Vec<u32> {
        let all = if self.is_ordered {
            0
        } else {
            self.letters.chars().count()
        };
        let mut total = 0;
        let mut costs = vec![0];
        costs.extend((1..=all).rev().map(|left| {
            total += nats(left) / 2;
            total
        }));
        costs
    }
}

/// The special letters of a language, mostly listed in this order.
const fn special(language: &str, letters: &'static str) -> ListedLetters {
    ListedLetters {
        language: language_index(language),
        letters,
        is_ordered: false,
    }
}

/// An alphabet, or the rows of a keyboard.
const fn ordered(language: &str, letters: &'static str) -> ListedLetters {
    ListedLetters {
        language: language_index(language),
        letters,
        is_ordered: true,
    }
}

const fn language_index(name: &str) -> usize {
    let mut index = 0;
    while !is_equal(LANGUAGES[index].name.as_bytes(), name.as_bytes()) {
        index += 1;
    }
    index
}

const fn is_equal(one: &[u8], other: &[u8]) -> bool {
    matches!((one, other), ([a, b], [c, d]) if *a == *c && *b == *d)
}

/// The letters that each language lists, from tests of programs, alphabets and keyboards.
pub(super) const ALPHABETS: &[ListedLetters] = &[
    special("de", "äöüß"),
    special("fr", "éèàùçê"),
    special("fr", "éèêëàâîïôùûüç"),
    special("fr", "àâæçéèêëîïôœùûüÿ"),
    special("es", "áéíóúñü"),
    special("es", "ñáéíóúü"),
    special("it", "àèéìòù"),
    special("pt", "áéíóúâêôãõàç"),
    special("pt", "ãõáéíóúâêôàç"),
    special("pt", "áàâãéêíóôõúüç"),
    special("nl", "áéëèïóöüú"),
    special("da", "æøåé"),
    special("nb", "æøåéòô"),
    special("sv", "åäöé"),
    special("fi", "äöåšž"),
    special("is", "áðéíóúýþæö"),
    special("is", "ðþæöáéíóúý"),
    special("ca", "àçèéíïòóúü"),
    special("sq", "ëç"),
    special("pl", "ąćęłńóśźż"),
    special("cs", "áčďéěíňóřšťúůýž"),
    special("cs", "ěščřžýáíé"),
    special("sk", "áäčďéíĺľňóôŕšťúýž"),
    special("hu", "áéíóöőúüű"),
    special("ro", "ăâîşţșț"),
    special("hr", "čćđšž"),
    special("sl", "čšžćđ"),
    // The capital of `i` has a dot, and so two small characters.
    special("tr", "çğıİöşüâîû"),
    special("lt", "ąčęėįšųūž"),
    special("lv", "āčēģīķļņšūž"),
    special("et", "äõöüšž"),
    special("eo", "ĉĝĥĵŝŭ"),
    ordered("ru", "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"),
    ordered("ru", "абвгдежзийклмнопрстуфхцчшщъыьэюя"),
    ordered("ru", "йцукенгшщзхъфывапролджэячсмитьбю"),
    ordered("uk", "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя"),
    ordered("el", "αβγδεζηθικλμνξοπρστυφχψω"),
    ordered("he", "אבגדהוזחטיכלמנסעפצקרשת"),
    ordered("ar", "ابتثجحخدذرزسشصضطظعغفقكلمنهوي"),
];

/// Signs that stand before and behind the letters of a list.
pub(super) const SIGNS: &str = "€§°²³µ´¿¡«»„“”‘’";

/// Returns what a word costs if it lists letters of a language; `None` if it does not. [`LIST`] comes on top, once for a text.
pub(super) fn cost(language: usize, word: &[char]) -> Option<u32> {
    let alphabets = ALPHABETS
        .iter()
        .filter(|alphabet| alphabet.language == language);
    alphabets.filter_map(|alphabet| alphabet.cost(word)).min()
}

/// Returns the number of letters in a word.
pub(super) fn letters(word: &[char]) -> usize {
    word.iter().filter(|c| is_alphabetic(**c)).count()
}

/// Returns what a word costs if it lists some of `letters`. Each letter is as likely as any other that was not listed. In the order of
/// `letters` it costs half of that. Out of order it costs more, because the letters of words have no order.
fn any_order_cost(letters: &str, word: &[char]) -> Option<u32> {
    let all = letters.chars().count();
    let is_sign = |c: &char| SIGNS.contains(*c);
    let start = word.iter().take_while(|c| is_sign(c)).count();
    let end = word.len()
        - word[start..]
            .iter()
            .rev()
            .take_while(|c| is_sign(c))
            .count();
    let listed = &word[start..end];
    if listed.is_empty() || listed.len() < word.len().min(FEWEST) {
        return None;
    }
    let mut total = SIGN * (word.len() - listed.len()) as u32;
    if listed.iter().all(|c| c.is_uppercase()) {
        total += CAPITALS;
    }
    let (mut small, mut capital, mut end) = (0, 0, 0);
    for (at, c) in listed.iter().enumerate() {
        let before = &listed[..at];
        let small_c = small_letter(*c);
        let place = letters.find(*c).or_else(|| letters.find(small_c))?;
        if before.contains(c) {
            return None;
        }
        let is_capital = c.is_uppercase();
        let is_other_case = before
            .last()
            .is_some_and(|last| last.is_uppercase() != is_capital);
        if is_other_case {
            if before.iter().any(|other| small_letter(*other) == small_c) {
                end = 0;
            } else {
                total += OTHER_CASE;
            }
        }
        let listed = if is_capital { &mut capital } else { &mut small };
        let cost = nats(all.checked_sub(*listed)?);
        total += if place >= end {
            cost / 2
        } else {
            cost + OUT_OF_ORDER
        };
        *listed += 1;
        end = place;
    }
    Some(total)
}

/// Returns what a word costs if it is a part of `letters`, such as `где` of the Russian alphabet.
fn in_order_cost(letters: &str, word: &[char]) -> Option<u32> {
    let word: String = word.iter().map(|c| small_letter(*c)).collect();
    let is_list = word.chars().nth(FEWEST - 1).is_some();
    let place = letters.find(&word).filter(|_| is_list)?;
    Some(if place == 0 { 0 } else { MIDDLE })
}

/// Returns the small letter of a character, or the first one of several.
pub(super) fn small_letter(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

/// Returns ln `n` in costs.
fn nats(n: usize) -> u32 {
    ((n.max(1) as f32).ln() * NAT as f32) as u32
}

/// Returns the words without ASCII letters and digits of a sample, which may be lists.
pub(super) fn words(sample: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = sample.split(|b| b.is_ascii() && !b.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty() && !word.iter().any(u8::is_ascii))
}

#[cfg(test)]
mod tests {
    use super::super::{Hints, detect};
    use crate::charset::Charset;
    use crate::encoder::Unmappable;
    use crate::loss::LossLog;

    fn guessed(text: &str, charset: Charset) -> String {
        let mut log = LossLog::default();
        let bytes = charset.encode(text, Unmappable::QuestionMark, &mut log);
        assert_eq!(log.losses(), 0, "{text}");
        let guess = detect(&bytes, &Hints::default());
        guess.charset.decode(&bytes, &mut log).into_owned()
    }

    #[test]
    fn lists_of_letters_are_read_in_the_charset_of_their_language() {
        for (charset, lists) in [
            (
                Charset::WINDOWS_1252,
                &[
                    "äöü",
                    "äöüß ÄÖÜ",
                    "ä ö ü ß",
                    "äöüÄÖÜß€",
                    "éèàùç",
                    "ñÑ áéíóú ¿¡",
                    "åäö",
                    "æøå ÆØÅ",
                    "àèìòù",
                    "áéíóú ãõ ç",
                    "ðþæöáéíóúý",
                ][..],
            ),
            (
                Charset::WINDOWS_1250,
                &["ąćęłńóśźż", "ěščřžýáíé", "áéíóöőúüű", "čšžćđ", "ăâîşţ"],
            ),
            (Charset::ISO_8859_2, &["ąćęłńóśźż", "ěščřžýáíé"]),
            (Charset::WINDOWS_1254, &["çğıöşü", "çğıöşü ÇĞİÖŞÜ"]),
            (Charset::WINDOWS_1257, &["āčēģīķļņšūž", "ąčęėįšųūž"]),
            (Charset::WINDOWS_1251, &["абвгд", "АБВГД абвгд", "йцукен"]),
            (Charset::WINDOWS_1253, &["αβγδε"]),
            (Charset::WINDOWS_1256, &["ابتث"]),
        ] {
            for list in lists {
                for text in [format!("Test: {list}"), format!("Test {list}")] {
                    assert_eq!(guessed(&text, charset), text, "{charset}");
                }
            }
        }
    }

    #[test]
    fn words_whose_letters_another_language_lists_stay_words() {
        for (charset, text) in [
            (Charset::WINDOWS_1251, "позвал"),
            (Charset::WINDOWS_1251, "или"),
            (Charset::WINDOWS_1251, "Павел Зайцев"),
            (Charset::WINDOWS_1251, "ящик"),
            (Charset::WINDOWS_1251, "Яйца"),
            (Charset::WINDOWS_1251, "Re: Щит"),
            (Charset::WINDOWS_1251, "юла"),
            (Charset::WINDOWS_1251, "лыжа файл"),
            (Charset::WINDOWS_1251, "їхав"),
            (Charset::KOI8_R, "ЗИМА"),
            (Charset::KOI8_R, "ЮРИСТ"),
            (Charset::KOI8_R, "клавиша"),
            (Charset::WINDOWS_1253, "καλημέρα"),
            (Charset::WINDOWS_1255, "שלום"),
            (Charset::EUC_KR, "시험"),
            (Charset::GBK, "测试"),
        ] {
            assert_eq!(guessed(text, charset), text, "{charset}");
        }
    }

    #[test]
    fn lists_have_no_ascii_letters() {
        let sample = b"z\xE4h \xE4\xF6\xFC, 1\xFC \xDF";
        let words: Vec<_> = super::words(sample).collect();
        assert_eq!(words, [&b"\xE4\xF6\xFC"[..], b"\xDF"]);
    }

    #[test]
    fn what_a_list_costs() {
        let language = |name: &str| crate::detect::language::by_tag(name)[0];
        let cost =
            |name: &str, word: &str| super::cost(language(name), &word.chars().collect::<Vec<_>>());
        assert!(cost("de", "äöü") < cost("de", "ÄÖÜ"));
        assert!(cost("pt", "óéâ") < cost("pt", "óÉâ"));
        assert!(cost("de", "äöü") < cost("de", "üöä"));
        assert!(cost("de", "äöü") < cost("de", "äöü€"));
        assert_eq!(cost("de", "ä€ö"), None, "signs stand at the ends");
        assert_eq!(cost("de", "»"), None);
        assert_eq!(cost("de", "»ä"), None, "a quoted letter is no list");
        assert_eq!(cost("de", "ääö"), None, "each letter once");
        assert_eq!(cost("ru", "абвгд"), Some(0));
        assert!(cost("ru", "где") > Some(0));
        assert_eq!(cost("ru", "аб"), None);
    }
}
