//! Keeps the readings of a sample, because charsets share them: most pages of Latin letters have é, ö and ü in the same places.
//!
//! # Limits
//! A sample is read either for its coarse costs or for its exact ones, since both are kept in the same place.

use super::classed_char::text_hash;
use super::language::Candidate;
use super::least_losses::least_losses;
use super::models::{Characters, LETTERS, Model, Models};
use super::reading::{Reading, english_runs, is_common_sign, read_bytes, read_text};
use super::rules::Rules;
use super::sample::Sample;
use super::{alphabet_list, cost::NAT, signs};
use crate::charset::Charset;
use crate::detect::script_group::ScriptGroup;
use crate::generated::languages::LANGUAGES;
use crate::loss::LossLog;
use crate::mode::Mode;
use std::cell::{Cell, OnceCell};
use std::rc::Rc;

/// The readings of a sample so far.
pub(super) struct Readings<'s> {
    sample: &'s Sample,
    rules: Rules,
    /// The different bytes of the sample above 7F.
    high: Vec<u8>,
    /// Costs of the runs of ASCII letters in English.
    english: OnceCell<Vec<u32>>,
    by_text: Vec<SameText>,
}

/// The reading of all single-byte charsets of a script that decode the sample to the same text.
struct SameText {
    script: ScriptGroup,
    text: u64,
    /// If there is no reading, its cost exceeds this.
    most: u32,
    reading: Option<Rc<SharedReading>>,
}

impl<'s> Readings<'s> {
    pub(super) fn new(sample: &'s Sample, rules: Rules) -> Self {
        let mut seen = [false; 256];
        let is_new =
            |byte: &u8| *byte >= 0x80 && !std::mem::replace(&mut seen[usize::from(*byte)], true);
        Self {
            sample,
            rules,
            high: sample.bytes.iter().copied().filter(is_new).collect(),
            english: OnceCell::new(),
            by_text: Vec::new(),
        }
    }

    pub(super) fn sample(&self) -> &'s Sample {
        self.sample
    }

    /// Returns the sample in a charset; `None` if it is no text there, or costs more than `most` in every language.
    pub(super) fn read(&mut self, candidate: &Candidate, most: u32) -> Option<Rc<SharedReading>> {
        if !candidate.is_single_byte {
            return self.read_multi_byte(candidate, most).map(Rc::new);
        }
        let (script, text) = (candidate.script, candidate.page().text(&self.high));
        let is_same = |same: &SameText| same.script == script && same.text == text;
        let known = self.by_text.iter().position(is_same);
        if let Some(same) = known.map(|at| &self.by_text[at])
            && (same.reading.is_some() || most <= same.most)
        {
            return same.reading.clone();
        }
        let reading = self.read_page(candidate, text, most).map(Rc::new);
        let same = SameText {
            script,
            text,
            most,
            reading: reading.clone(),
        };
        match known {
            Some(at) => self.by_text[at] = same,
            None => self.by_text.push(same),
        }
        reading
    }

    /// Returns the cost of the ASCII letters in English. Each reading in another script than Latin has it.
    pub(super) fn cost_in_english(&self) -> u32 {
        self.english().iter().sum()
    }

    fn english(&self) -> &[u32] {
        self.english
            .get_or_init(|| english_runs(&self.sample.bytes))
    }

    fn read_page(&self, candidate: &Candidate, text: u64, most: u32) -> Option<SharedReading> {
        let bytes = &self.sample.bytes;
        let english = || self.english();
        let page = candidate.page();
        let reading = read_bytes(page, bytes, english, most, self.rules)?;
        let shared = SharedReading::new(reading, None, text, self)?;
        if !self.sample.may_have_lists {
            return Some(shared);
        }
        let words = alphabet_list::words(bytes).filter_map(|word| {
            let reading = read_bytes(page, word, || &[], u32::MAX, self.rules)?;
            let characters = word.iter().map(|byte| page.character(*byte)).collect();
            Some(MaybeList {
                reading,
                characters,
            })
        });
        Some(SharedReading {
            words: words.collect(),
            ..shared
        })
    }

    fn read_multi_byte(&self, candidate: &Candidate, most: u32) -> Option<SharedReading> {
        let most_losses = self.sample.bytes.len() / 20;
        if least_losses(candidate.charset, &self.sample.bytes) as usize > most_losses {
            return None;
        }
        let text = decode_within(candidate.charset, self.sample, most_losses as u64)?;
        if candidate.charset == Charset::BIG5 && !text.is_ascii() && may_be_degrees(&text) {
            return None;
        }
        let english = english_runs(text.as_bytes());
        if most < u32::MAX && least_han(candidate, &text) + english.iter().sum::<u32>() > most {
            return None;
        }
        let reading = read_text(&text, &english, candidate.script, self.rules);
        let hash = text_hash(text.chars());
        SharedReading::new(reading, Some(text), hash, self)
    }
}

/// Returns true if each character beyond ASCII is `。` or `；` behind a digit: `82°C` and `180°F` in Mac OS Roman are `82。` and `180；` in Big5.
fn may_be_degrees(text: &str) -> bool {
    let mut before = ' ';
    text.chars().all(|c| {
        let is_behind_digit = before.is_ascii_digit();
        before = c;
        c.is_ascii() || matches!(c, '。' | '；') && is_behind_digit
    })
}

/// A sample in a charset, with its costs in the languages so far.
pub(super) struct SharedReading {
    reading: Reading,
    /// The text if characters may have more bytes.
    text: Option<String>,
    hash: u64,
    rules: Rules,
    /// Words that may be lists of letters.
    words: Vec<MaybeList>,
    /// What the letters cost in each language.
    costs: [Cell<Known>; LANGUAGES.len()],
}

/// A word that may list the letters of an alphabet.
struct MaybeList {
    reading: Reading,
    characters: Vec<char>,
}

/// What is known of a cost.
#[derive(Clone, Copy)]
enum Known {
    Cost(u32),
    /// It exceeds this, or nothing is known if this is 0.
    Above(u32),
}

impl SharedReading {
    /// Returns `None` if too much is broken.
    fn new(reading: Reading, text: Option<String>, hash: u64, of: &Readings<'_>) -> Option<Self> {
        let is_text = reading.broken as usize * 20 <= of.sample.bytes.len() + 20;
        is_text.then_some(Self {
            reading,
            text,
            hash,
            rules: of.rules,
            words: Vec::new(),
            costs: [const { Cell::new(Known::Above(0)) }; LANGUAGES.len()],
        })
    }

    /// Returns a number for the characters beyond ASCII: equal for charsets that decode the sample alike.
    pub(super) fn text_hash(&self) -> u64 {
        self.hash
    }

    /// Returns the cost of signs, of case and of damage.
    pub(super) fn cost_of_signs(&self) -> u32 {
        self.reading.cost
    }

    /// Returns the cost of the letters in a language; `None` if it is above `most`.
    pub(super) fn cost(&self, language: usize, most: u32) -> Option<u32> {
        let Self {
            reading,
            text,
            rules,
            ..
        } = self;
        self.known_or(language, most, || {
            let saved = self.saved_by_lists(language);
            let most = most.saturating_add(saved);
            let cost = language_cost(language, reading, text.as_deref(), *rules, most);
            cost.map(|cost| cost.saturating_sub(saved))
        })
    }

    /// Returns how much less the words cost if some of them are lists of letters.
    fn saved_by_lists(&self, language: usize) -> u32 {
        let (mut saved, mut listed) = (0, 0);
        for MaybeList {
            reading,
            characters,
        } in &self.words
        {
            let Some(as_list) = alphabet_list::cost(language, characters) else {
                continue;
            };
            let letters = language_cost(language, reading, None, self.rules, u32::MAX);
            saved += (letters.unwrap_or_default() + reading.cost).saturating_sub(as_list);
            listed += alphabet_list::letters(characters);
        }
        if listed < alphabet_list::FEWEST {
            return 0;
        }
        saved.saturating_sub(alphabet_list::LIST)
    }

    /// Like [`SharedReading::cost`], by pairs of letters alone.
    pub(super) fn coarse_cost(&self, language: usize, most: u32) -> Option<u32> {
        match Models::get().language(language) {
            Model::Letters(letters) => self.known_or(language, most, || {
                letters.coarse_cost(&self.reading.classes, most)
            }),
            Model::Han(_) => self.cost(language, most),
        }
    }

    /// Returns a cost of at most `most` that is known, or computes it. `None` if it is more.
    fn known_or(
        &self,
        language: usize,
        most: u32,
        cost: impl FnOnce() -> Option<u32>,
    ) -> Option<u32> {
        let known = &self.costs[language];
        match known.get() {
            Known::Cost(cost) => Some(cost),
            Known::Above(least) if least > 0 && least >= most => None,
            Known::Above(_) => {
                let cost = cost();
                known.set(cost.map_or(Known::Above(most), Known::Cost));
                cost
            }
        }
    }
}

/// Cost of a character of private use beyond that of a rare one.
const PRIVATE: u32 = 8 * NAT;

fn is_private(c: char) -> bool {
    matches!(c, '\u{E000}'..='\u{F8FF}')
}

/// Returns the cost of a reading's letters in a language; `None` if it is above `most`. In Han script it may be above.
pub(super) fn language_cost(
    language: usize,
    reading: &Reading,
    text: Option<&str>,
    rules: Rules,
    most: u32,
) -> Option<u32> {
    match Models::get().language(language) {
        Model::Letters(letters) => letters.cost(&reading.classes, &reading.english, most),
        Model::Han(characters) => {
            let marks = reading.classes.iter().filter(|class| **class < LETTERS);
            let marks: u32 = marks.map(|class| characters.mark(*class)).sum();
            let mut signs = reading.signs.iter().peekable();
            let wide = text.unwrap_or_default().chars().filter(|c| !c.is_ascii());
            let costs = wide.enumerate().map(|(nth, c)| {
                let placed = signs
                    .next_if(|(place, _)| *place == nth)
                    .map(|(_, cost)| *cost);
                let private = if rules.has(Rules::PRIVATE_USE) && is_private(c) {
                    PRIVATE
                } else {
                    0
                };
                characters.cost(c).min(placed.unwrap_or(u32::MAX)) + private
            });
            Some(marks + costs.sum::<u32>())
        }
    }
}

/// Returns the least that text may cost in the languages of a multi-byte charset.
fn least_han(candidate: &Candidate, text: &str) -> u32 {
    let cost_in = |characters: &Characters| {
        let wide = text.chars().filter(|c| !c.is_ascii());
        wide.map(|c| {
            let most = if is_common_sign(c) {
                signs::LEAST
            } else {
                u32::MAX
            };
            characters.cost(c).min(most)
        })
        .sum()
    };
    let languages = candidate.languages.iter();
    let least = languages.map(|(language, _)| match Models::get().language(*language) {
        Model::Han(characters) => cost_in(characters),
        Model::Letters(_) => 0,
    });
    least.min().unwrap_or_default()
}

/// Decodes a sample in a multi-byte charset; `None` if that loses more than `most`. Decodes piece by piece, so that text in another charset
/// ends it early.
fn decode_within(charset: Charset, sample: &Sample, most: u64) -> Option<String> {
    const PIECE: usize = 16;
    let mut log = LossLog::with_limit(0);
    let mut text = String::with_capacity(sample.bytes.len() * 2);
    let mut decoder = charset.new_decoder(Mode::Lenient);
    let allowed = most + u64::from(sample.is_cut);
    for piece in sample.bytes.chunks(PIECE) {
        decoder.push(piece, &mut text, &mut log);
        if log.losses() > allowed {
            return None;
        }
    }
    decoder.finish(&mut text, &mut log);
    let losses = without_cut(sample, &mut text, log.losses());
    (losses <= most).then_some(text)
}

/// Decodes a sample; also returns how much of it is lost.
pub(super) fn decode_sample(charset: Charset, sample: &Sample) -> (String, u64) {
    let mut log = LossLog::with_limit(0);
    let mut text = charset.decode(&sample.bytes, &mut log).into_owned();
    let losses = without_cut(sample, &mut text, log.losses());
    (text, losses)
}

/// Removes the rest of a character at the end of a truncated sample. Returns the number of other losses.
fn without_cut(sample: &Sample, text: &mut String, losses: u64) -> u64 {
    if !sample.is_cut || !text.ends_with(char::REPLACEMENT_CHARACTER) {
        return losses;
    }
    text.pop();
    losses.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::super::language::candidates;
    use super::*;

    /// `°C` of Mac OS Roman is one character in Big5.
    #[test]
    fn degrees_of_mac_os_are_no_big5() {
        let detect = |bytes: &[u8]| crate::detect::detect(bytes, &crate::detect::Hints::default());
        for (bytes, charset, is_in_it) in [
            (
                &b"The oven was at 180\xA1C, then at 200\xA1C."[..],
                Charset::BIG5,
                false,
            ),
            (b"68\xA1F, 70\xA1F and more of it", Charset::BIG5, false),
            (b"OK\x81I Hello\x81AWorld\x81B", Charset::SHIFT_JIS, true),
            (
                b"\xA4\xA4\xA4\xE5\xBD\xD2\xA5\xBB 2004\xA1C",
                Charset::BIG5,
                true,
            ),
            (
                b"Tol \xA1\xD35%, \xA1\xD310% at 23\xA2J",
                Charset::BIG5,
                true,
            ),
        ] {
            let found = detect(bytes).charset;
            assert_eq!(
                found == charset,
                is_in_it,
                "{found} {}",
                bytes.escape_ascii()
            );
        }
    }

    /// Decoding piece by piece gives the text and the losses of the whole, whatever the bytes.
    #[test]
    fn pieces_decode_like_the_sample() {
        let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        let (mut kept, mut dropped) = (0, 0);
        for round in 0..6_000 {
            let (low, width) = (0x80 + random(0x60), 1 + random(0x20));
            let bytes = (0..random(60))
                .map(|_| match random(5) {
                    0 => b' ',
                    1 => [b'0', b'9', b'@', b'e', b'~', b'!', b'\n'][random(7) as usize],
                    _ => (low + random(width)) as u8,
                })
                .collect();
            let sample = Sample {
                bytes,
                is_cut: round % 2 == 0,
                ..Sample::default()
            };
            for candidate in candidates().iter().filter(|c| !c.is_single_byte) {
                let (text, losses) = decode_sample(candidate.charset, &sample);
                for most in [0, 1, 3, losses, losses + 1] {
                    let expected = (losses <= most).then(|| text.clone());
                    let found = decode_within(candidate.charset, &sample, most);
                    kept += usize::from(found.is_some());
                    dropped += usize::from(found.is_none());
                    assert_eq!(
                        found,
                        expected,
                        "{} {most} {}",
                        candidate.charset,
                        sample.bytes.escape_ascii()
                    );
                }
            }
        }
        assert!(kept > 50_000 && dropped > 50_000, "{kept} {dropped}");
    }
}
