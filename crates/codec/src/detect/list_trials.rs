//! Finds the charsets and languages in which the words of a sample may be lists of letters.
//!
//! # Limits
//! Short samples, and charsets that are common in the mail of a language.

use super::alphabet_list::{ALPHABETS, FEWEST, LIST, ListedLetters, SIGNS, letters, words};
use super::candidate_filter::Trial;
use super::cost::NAT;
use super::language::{Candidate, RARE_LANGUAGE, candidates};
use super::priors::Priors;
use super::sample::Sample;
use std::sync::OnceLock;

/// Estimate of the cost of a letter in other words. Letters that are read in the wrong charset cost more.
const LETTER: u32 = 2 * NAT;

/// Bytes of a sample that may have lists.
const LONGEST: usize = 160;

/// Words beyond ASCII of such a sample.
const MOST_WORDS: usize = 12;

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
    /// characters. Excludes most words that are not lists cheaply.
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

/// Returns the charsets and letters of all lists. Sets of bytes exclude most words cheaply.
fn pairs() -> &'static [Pair] {
    static PAIRS: OnceLock<Vec<Pair>> = OnceLock::new();
    PAIRS.get_or_init(|| {
        let places: Vec<LetterPlaces> = ALPHABETS.iter().map(LetterPlaces::of).collect();
        let signs: Vec<char> = SIGNS.chars().collect();
        let mut pairs = Vec::new();
        for candidate in candidates()
            .iter()
            .filter(|candidate| candidate.is_single_byte)
        {
            let page = candidate.page();
            let characters = std::array::from_fn(|at| page.character(at as u8 | 0x80));
            let signs = ByteSet::of(&characters.map(|c| signs.contains(&c)));
            for (language, cost) in candidate
                .languages
                .iter()
                .filter(|(_, cost)| *cost < RARE_LANGUAGE)
            {
                for (alphabet, places) in ALPHABETS.iter().zip(&places) {
                    if alphabet.language != *language {
                        continue;
                    }
                    let places = characters.map(|c| places.place(c));
                    pairs.push(Pair {
                        candidate,
                        cost: *cost,
                        alphabet,
                        bytes: ByteSet::of(&places.map(|place| place > 0)).or(signs),
                        costs: alphabet.least_costs(),
                        places: alphabet.is_ordered.then_some(places),
                    });
                }
            }
        }
        pairs
    })
}

/// The place of each letter and its capital in an alphabet, from 1, by code point.
struct LetterPlaces(Box<[u8; Self::BEHIND as usize]>);

impl LetterPlaces {
    /// The code point behind Arabic. No alphabet has a letter beyond it.
    const BEHIND: u32 = 0x700;

    fn of(alphabet: &ListedLetters) -> Self {
        let mut places = Self(Box::new([0; Self::BEHIND as usize]));
        for (letter, place) in alphabet.letters.chars().zip(1..) {
            places.set(letter, place);
            let mut capitals = letter.to_uppercase();
            if let (Some(capital), None) = (capitals.next(), capitals.next()) {
                places.set(capital, place);
            }
        }
        places
    }

    /// Sets the place of a character that has none yet.
    fn set(&mut self, c: char, place: u8) {
        if let Some(known) = self.0.get_mut(c as usize)
            && *known == 0
        {
            *known = place;
        }
    }

    /// Returns the place of a character; 0 for one that the alphabet lacks.
    fn place(&self, c: char) -> u8 {
        self.0.get(c as usize).copied().unwrap_or(0)
    }
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

    /// Returns the bytes for which `is_member` is true.
    fn of(is_member: &[bool; 128]) -> Self {
        // In two halves, because shifting 128 bits is slow.
        let half = |members: &[bool]| {
            members
                .iter()
                .rev()
                .fold(0_u64, |set, is_member| set << 1 | u64::from(*is_member))
        };
        Self(u128::from(half(&is_member[64..])) << 64 | u128::from(half(&is_member[..64])))
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

#[cfg(test)]
mod tests {
    use super::super::alphabet_list::small_letter;
    use super::*;

    #[test]
    fn pairs_have_the_letters_of_their_alphabet_and_their_capitals() {
        assert!(!pairs().is_empty());
        for pair in pairs() {
            let page = pair.candidate.page();
            for byte in 0x80..=0xFF {
                let c = page.character(byte);
                let letters = || pair.alphabet.letters.chars();
                let place = letters().position(|letter| letter == small_letter(c));
                let place = place.or_else(|| letters().position(|letter| letter == c));
                let name = (pair.candidate.charset, c);
                let is_member = pair.bytes.0 >> (byte & 0x7F) & 1 > 0;
                assert_eq!(is_member, place.is_some() || SIGNS.contains(c), "{name:?}");
                if let Some(places) = &pair.places {
                    let expected = place.map_or(0, |place| place as u8 + 1);
                    assert_eq!(places[usize::from(byte & 0x7F)], expected, "{name:?}");
                }
            }
        }
    }
}
