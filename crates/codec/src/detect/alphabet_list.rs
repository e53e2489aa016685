//! Recognizes words that list the letters of an alphabet, as tests of programs do: `Test: äöüß`, `абвгд`.
//!
//! The letters of such a list do not follow each other as in words. The models of words alone prefer another charset in which they do: `äöü` is
//! `дць` in windows-1251.
//!
//! # Limits
//! Lists of letters beyond ASCII in single-byte charsets. A list of letters that follow each other in two alphabets (`абвгд`, `אבגדה`) is of
//! the language with more mail.

use super::cost::NAT;
use super::first_look::Trial;
use super::language::{Candidate, RARE, candidates};
use super::priors::Priors;
use super::sample::Sample;
use crate::generated::languages::LANGUAGES;
use std::sync::OnceLock;

/// Cost of a text that has a list: few have one.
pub(super) const LIST: u32 = 8 * NAT;

/// Different letters that the lists of a text have at least.
pub(super) const FEWEST: usize = 3;

/// Cost of a list that begins in the middle of the alphabet.
const MIDDLE: u32 = 3 * NAT;

/// Cost of a sign in a list.
const SIGN: u32 = 3 * NAT;

/// Cost of a list of capitals alone.
const CAPITALS: u32 = 3 * NAT;

/// Cost of a letter of another case than the one before it, if it was not listed in that case.
const OTHER_CASE: u32 = 3 * NAT;

/// Estimate of the cost of a letter in other words. Letters that are read in the wrong charset cost more.
const LETTER: u32 = 2 * NAT;

/// Bytes of a sample that may have lists.
const LONGEST: usize = 160;

/// Words beyond ASCII of such a sample.
const MOST_WORDS: usize = 12;

/// Letters that are listed in a language.
struct ListedLetters {
    /// Its index in `LANGUAGES`.
    language: usize,
    /// Small letters beyond ASCII.
    letters: &'static str,
    /// They are listed in this order.
    is_ordered: bool,
}

impl ListedLetters {
    /// Returns the cost of a word as a list of these letters.
    fn cost(&self, word: &[char]) -> Option<u32> {
        if self.is_ordered {
            in_order_cost(self.letters, word)
        } else {
            any_order_cost(self.letters, word)
        }
    }

    /// Returns the place of each character of a page among the letters, from 1.
    fn places(&self, page: &[char; 128]) -> [u8; 128] {
        page.map(|c| {
            let place = self.letters.chars().position(|letter| letter == c);
            place.map_or(0, |place| place as u8 + 1)
        })
    }

    /// Returns the least cost of a list by its number of letters, up to that of the alphabet.
    fn least_costs(&self) -> Vec<u32> {
        let all = if self.is_ordered {
            0
        } else {
            self.letters.chars().count()
        };
        let mut total = 0;
        let mut costs = vec![0];
        costs.extend((1..=all).rev().map(|left| {
            total += nats(left);
            total
        }));
        costs
    }
}

/// The special letters of a language, which are listed in any order.
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

const ALPHABETS: &[ListedLetters] = &[
    special("de", "äöüß"),
    special("de", "äöüßéèàçñ"),
    special("fr", "éèàùçê"),
    special("fr", "àâæçéèêëîïôœùûüÿ"),
    special("es", "áéíóúñü"),
    special("it", "àèéìòù"),
    special("pt", "áâãàçéêíóôõúü"),
    special("nl", "áéëèïóöüú"),
    special("da", "æøåé"),
    special("nb", "æøåéòô"),
    special("sv", "åäöé"),
    special("fi", "äöåšž"),
    special("is", "áðéíóúýþæö"),
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
const SIGNS: &str = "€§°²³µ´¿¡«»„“”‘’";

/// Returns the cost of a word as a list of letters of a language, without [`LIST`]; `None` if it is none.
pub(super) fn cost(language: usize, word: &[char]) -> Option<u32> {
    let alphabets = ALPHABETS
        .iter()
        .filter(|alphabet| alphabet.language == language);
    alphabets.filter_map(|alphabet| alphabet.cost(word)).min()
}

/// Returns the number of letters in a word.
pub(super) fn letters(word: &[char]) -> usize {
    word.iter().filter(|c| c.is_alphabetic()).count()
}

/// Each letter is as likely as any other that was not listed.
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
    let (mut small, mut capital) = (0, 0);
    for (at, c) in listed.iter().enumerate() {
        let before = &listed[..at];
        let small_c = small_letter(*c);
        if !letters.contains([*c, small_c]) || before.contains(c) {
            return None;
        }
        let is_capital = c.is_uppercase();
        let is_other_case = before
            .last()
            .is_some_and(|last| last.is_uppercase() != is_capital);
        if is_other_case && !before.iter().any(|other| small_letter(*other) == small_c) {
            total += OTHER_CASE;
        }
        let number = if is_capital { &mut capital } else { &mut small };
        total += nats(all.checked_sub(*number)?);
        *number += 1;
    }
    Some(total)
}

/// One letter follows the other.
fn in_order_cost(letters: &str, word: &[char]) -> Option<u32> {
    let word: String = word.iter().map(|c| small_letter(*c)).collect();
    let is_list = word.chars().nth(FEWEST - 1).is_some();
    let place = letters.find(&word).filter(|_| is_list)?;
    Some(if place == 0 { 0 } else { MIDDLE })
}

fn small_letter(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

/// Returns ln `n` in costs.
fn nats(n: usize) -> u32 {
    ((n.max(1) as f32).ln() * NAT as f32) as u32
}

/// Returns the charsets and languages in which the words of a sample may be lists that cost less than `most`, by an estimate.
pub(super) fn trials(sample: &Sample, priors: &Priors, most: u32) -> Vec<Trial<'static>> {
    let bytes = &sample.bytes;
    if bytes.len() > LONGEST || most <= LIST {
        return Vec::new();
    }
    let words: Vec<&[u8]> = words(bytes).take(MOST_WORDS + 1).collect();
    let all: usize = words.iter().map(|word| word.len()).sum();
    if words.len() > MOST_WORDS || all < FEWEST {
        return Vec::new();
    }
    let sets: Vec<Option<ByteSet>> = words
        .iter()
        .map(|word| ByteSet::of_different(word))
        .collect();
    let mut trials: Vec<Trial> = Vec::new();
    for pair in pairs() {
        let language = pair.alphabet.language;
        let prior = pair.cost + priors.languages[language];
        let is_possible = |cost: u32| prior + cost < most;
        let is_likely = pair.estimate(&words, &sets, all).is_some_and(is_possible)
            && pair.exact_estimate(&words).is_some_and(is_possible);
        if !is_likely {
            continue;
        }
        match trials.last_mut() {
            Some(last) if last.candidate.charset == pair.candidate.charset => {
                if last.languages.last() != Some(&(language, prior)) {
                    last.languages.push((language, prior));
                }
            }
            _ => trials.push(Trial {
                candidate: pair.candidate,
                languages: vec![(language, prior)],
            }),
        }
    }
    trials
}

/// A charset that is common in a language, with letters that the language lists.
struct Pair {
    candidate: &'static Candidate,
    /// Cost of the charset in the language.
    cost: u32,
    alphabet: &'static ListedLetters,
    /// The letters, and signs beside them.
    bytes: ByteSet,
    /// Least cost of a list by its number of letters.
    costs: Vec<u32>,
    /// For letters in order, the place of each byte from 80 on, from 1.
    places: Option<[u8; 128]>,
}

impl Pair {
    /// Returns the least that words may cost; `None` if too few letters are listed. `sets` has their bytes, and `all` is the number of their
    /// characters. Tells most words from lists at once.
    fn estimate(&self, words: &[&[u8]], sets: &[Option<ByteSet>], all: usize) -> Option<u32> {
        let (mut listed, mut total) = (0, LIST);
        for (word, set) in words.iter().zip(sets) {
            let is_list = match &self.places {
                Some(places) => is_in_order(word, places),
                None => set.is_some_and(|set| set.is_within(self.bytes)),
            };
            if is_list {
                let cost = self.costs.get(word.len()).or(self.costs.last());
                total += cost.copied().unwrap_or(0);
                listed += word.len();
            }
        }
        (listed >= FEWEST).then(|| total + LETTER * (all - listed) as u32)
    }

    /// Returns what the words cost if some are lists; `None` if too few letters are listed.
    fn exact_estimate(&self, words: &[&[u8]]) -> Option<u32> {
        let page = self.candidate.page();
        let (mut listed, mut total) = (0, LIST);
        for word in words {
            let word: Vec<char> = word.iter().map(|byte| page.character(*byte)).collect();
            match self.alphabet.cost(&word) {
                Some(cost) => {
                    listed += letters(&word);
                    total += cost;
                }
                None => total += LETTER * word.len() as u32,
            }
        }
        (listed >= FEWEST).then_some(total)
    }
}

/// Returns true if each byte of a word is the letter behind that of the byte before.
fn is_in_order(word: &[u8], places: &[u8; 128]) -> bool {
    let place = |byte: u8| places[usize::from(byte & 0x7F)];
    word.len() >= FEWEST
        && place(word[0]) > 0
        && word
            .windows(2)
            .all(|pair| place(pair[1]) == place(pair[0]) + 1)
}

/// Returns the charsets and letters of all lists. Sets of bytes tell most words from lists at once.
fn pairs() -> &'static [Pair] {
    static PAIRS: OnceLock<Vec<Pair>> = OnceLock::new();
    PAIRS.get_or_init(|| {
        let mut pairs = Vec::new();
        for candidate in candidates()
            .iter()
            .filter(|candidate| candidate.is_single_byte)
        {
            let page = candidate.page();
            let characters = std::array::from_fn(|at| page.character(at as u8 | 0x80));
            let small = characters.map(small_letter);
            let signs = ByteSet::of_characters(SIGNS, &characters);
            for (language, cost) in candidate.languages.iter().filter(|(_, cost)| *cost < RARE) {
                for alphabet in ALPHABETS.iter().filter(|a| a.language == *language) {
                    let letters = ByteSet::of_characters(alphabet.letters, &small)
                        .or(ByteSet::of_characters(alphabet.letters, &characters));
                    pairs.push(Pair {
                        candidate,
                        cost: *cost,
                        alphabet,
                        bytes: letters.or(signs),
                        costs: alphabet.least_costs(),
                        places: alphabet.is_ordered.then(|| alphabet.places(&small)),
                    });
                }
            }
        }
        pairs
    })
}

/// A set of bytes from 80 to FF.
#[derive(Clone, Copy)]
struct ByteSet(u128);

impl ByteSet {
    /// Returns the bytes of a word; `None` if a byte occurs twice.
    fn of_different(word: &[u8]) -> Option<Self> {
        let set = word
            .iter()
            .fold(0, |set, byte| set | 1_u128 << (byte & 0x7F));
        Some(Self(set)).filter(|set| set.len() == word.len())
    }

    /// Returns the bytes that stand for some characters in a page.
    fn of_characters(characters: &str, page: &[char; 128]) -> Self {
        let mut set = 0;
        for c in characters.chars() {
            for (at, other) in page.iter().enumerate() {
                set |= u128::from(*other == c) << at;
            }
        }
        Self(set)
    }

    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }
}

/// Returns the words without ASCII letters and digits of a sample, which may be lists.
pub(super) fn words(sample: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = sample.split(|b| b.is_ascii() && !b.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty() && !word.iter().any(u8::is_ascii))
}

#[cfg(test)]
mod tests {
    use super::super::{Hints, detect};
    use crate::{Charset, LossLog, Unmappable};

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
