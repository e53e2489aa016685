//! Ranks the possible charsets, the most likely first.
//!
//! # Limits
//! Costs are those of a sample. Only the best charset is tested on the whole text.

use super::confidence_limit::limited;
use super::cost::NAT;
use super::currency::has_euro;
use super::guess::{Evidence, Guess, Rival};
use super::hints::Hints;
use super::priors::{Priors, priors};
use super::readings::Readings;
use super::rules::Rules;
use super::sample::Sample;
use super::score::{self, ForcedReading, Scored};
use super::{
    ascii, language, latin_words, list_trials, lone_signs, mac_signs, odd_text, sample, wide,
    word_faults,
};
use crate::charset::Charset;
use crate::loss::LossLog;
use std::collections::HashSet;

/// Cost of damaged UTF-8, which is rarer than intact text.
const DAMAGED: u32 = 3 * NAT;

/// Most confidence in windows-1252 where no word proves another charset.
const UNPROVEN: f32 = 0.55;

/// Most confidence where a list of letters decides, because few texts have one.
const LISTED: f32 = 0.8;

/// Confidence in macintosh by one place of a sign, and by several.
const ONE_MAC_SIGN: f32 = 0.85;
const MAC_SIGNS: f32 = 0.95;

/// Bonus of a label that decodes everything: wrong labels are rare, and few words prove little.
const LABEL: u32 = 12 * NAT;
/// Difference that is worth a report.
const DOUBT: u32 = 3 * NAT;

/// Charsets with the costs of their texts.
#[derive(Debug)]
pub(super) struct Ranking {
    pub(super) scored: Vec<Scored>,
    sample: Sample,
    priors: Priors,
    /// Cost of the bytes if they are text in none of them.
    noise: u32,
}

impl Ranking {
    /// All that can read a sample of these bytes.
    pub(super) fn of(bytes: &[u8], hints: &Hints<'_>, nearly: impl FnOnce() -> Nearly) -> Self {
        // In UTF-16 what looks like words of ASCII are halves of letters.
        let may_be_wide = !hints.ascii_compatible && wide::has_many_controls(bytes);
        let apart = if may_be_wide {
            Rules::ASCII_LANGUAGE
        } else {
            Rules::NONE
        };
        let mut sample = sample::sample(bytes, hints.rules.without(apart));
        let mut priors = priors(hints);
        ascii::add_language(&mut priors, &sample.ascii);
        ascii::add_countries(&mut priors, bytes);
        let mut scored = score::score(&sample, &priors, hints.ascii_compatible);
        if hints.rules.has(Rules::ALPHABET_LISTS)
            && let Some((lists, costs)) = with_lists(&sample, &scored, &priors)
        {
            sample = lists;
            scored = costs;
        } else if hints.rules.has(Rules::NOISE_WORDS)
            && let Some(text) = without_noise(&sample, &scored)
        {
            sample = text;
            scored = score::score(&sample, &priors, hints.ascii_compatible);
        }
        if !hints.ascii_compatible {
            scored.extend(wide::by_text(bytes, sample.bytes.len(), &priors));
        }
        if nearly() == Nearly::Possible {
            let text = String::from_utf8_lossy(&sample.bytes);
            let cost = score::unicode_cost(&text, &priors) + DAMAGED;
            scored.push(Scored {
                charset: Charset::UTF_8,
                cost,
                text: Charset::UTF_8.index() as u64,
            });
        }
        scored.sort_by_key(|s| s.cost);
        word_faults::prefer_faultless(&mut scored, &sample, &priors);
        #[cfg(feature = "detect")]
        if !sample.may_have_lists {
            super::chardetng_tiebreak::break_ties(
                &mut scored,
                &[&*sample.bytes, &*sample.ascii].concat(),
                hints.country,
            );
        }
        let noise = score::noise(&sample.bytes);
        Self {
            scored,
            sample,
            priors,
            noise,
        }
    }

    /// Returns the likeliest charset that decodes nearly all of the text and splits no Latin word (`мsland`).
    pub(super) fn guess(&self, bytes: &[u8]) -> Guess {
        let guess = self.most_common(self.guess_without_euro(bytes));
        if guess.charset == Charset::WINDOWS_1252 && has_euro(bytes) {
            let charset = Charset::ISO_8859_15;
            return Guess { charset, ..guess };
        }
        guess
    }

    /// Returns the guess in windows-1252 if that reads the text alike and costs hardly more: `Müller` in windows-1254, where no address is Turkish.
    fn most_common(&self, guess: Guess) -> Guess {
        /// Difference in cost of languages.
        const HARDLY: u32 = 2 * NAT;
        let scored = |charset| self.scored.iter().find(|scored| scored.charset == charset);
        let charset = Charset::WINDOWS_1252;
        let (Some(best), Some(common)) = (scored(guess.charset), scored(charset)) else {
            return guess;
        };
        let is_common = best.charset.is_single_byte()
            && common.text == best.text
            && common.cost <= best.cost + HARDLY
            && !self.is_local(best.charset);
        if is_common {
            Guess { charset, ..guess }
        } else {
            guess
        }
    }

    fn guess_without_euro(&self, bytes: &[u8]) -> Guess {
        let mac_signs = mac_signs::mac_signs(bytes);
        if mac_signs > 0 {
            return Guess {
                charset: Charset::MACINTOSH,
                confidence: if mac_signs > 1 {
                    MAC_SIGNS
                } else {
                    ONE_MAC_SIGN
                },
                evidence: Evidence::Model,
            };
        }
        let is_possible = |charset: Charset| {
            if charset.is_single_byte() {
                !self.splits_latin_words(charset, bytes)
            } else {
                nearly_reads(charset, bytes)
                    && !self.is_of_lone_signs(charset, bytes)
                    && !self.has_latin_capitals(charset, bytes)
            }
        };
        match self.scored.iter().position(|s| is_possible(s.charset)) {
            Some(best) if self.is_usual(best, bytes) => Guess {
                charset: Charset::WINDOWS_1252,
                ..self.limited(best)
            },
            Some(best)
                if self.is_unproven(best) || self.makes_letters_of_lone_signs(best, bytes) =>
            {
                let confidence = self.at(best).confidence.min(UNPROVEN);
                Guess {
                    charset: Charset::WINDOWS_1252,
                    confidence,
                    evidence: Evidence::Model,
                }
            }
            Some(best) => self.limited(best),
            None if lone_signs::are_lone_signs(bytes) => Guess {
                charset: Charset::WINDOWS_1252,
                confidence: UNPROVEN,
                evidence: Evidence::Model,
            },
            None => Guess {
                charset: Charset::WINDOWS_1252,
                confidence: 0.1,
                evidence: Evidence::Fallback,
            },
        }
    }

    /// Like [`Ranking::at`], with the confidence that few signs and letters deserve.
    fn limited(&self, place: usize) -> Guess {
        let guess = self.at(place);
        let (sample, priors) = (&self.sample.bytes, &self.priors);
        Guess {
            confidence: limited(guess.confidence, guess.charset, sample, priors),
            ..guess
        }
    }

    /// Returns true if the text has only signs that are the same in windows-1252, so that no language decides.
    fn is_usual(&self, best: usize, bytes: &[u8]) -> bool {
        let charset = self.scored[best].charset;
        if !charset.is_single_byte() || odd_text::has_any_letter(bytes, charset) {
            return false;
        }
        let high: Vec<u8> = odd_text::high_bytes(&self.sample.bytes)
            .map(|at| self.sample.bytes[at])
            .collect();
        let read = |charset: Charset| {
            charset
                .decode(&high, &mut LossLog::with_limit(0))
                .into_owned()
        };
        read(charset) == read(Charset::WINDOWS_1252)
    }

    /// Returns true if a charset of two bytes makes characters of signs that stand alone. They prove it only where its languages are written.
    fn is_of_lone_signs(&self, charset: Charset, bytes: &[u8]) -> bool {
        charset != Charset::UTF_8 && !self.is_local(charset) && lone_signs::are_lone_signs(bytes)
    }

    /// Returns true if a charset of two bytes makes rare characters of capitals and the next letters of Latin words.
    fn has_latin_capitals(&self, charset: Charset, bytes: &[u8]) -> bool {
        charset != Charset::UTF_8
            && !self.is_local(charset)
            && latin_words::begin_latin_words(bytes)
    }

    /// Returns true if a charset makes letters of another script, or apostrophes, of single bytes in Latin words.
    fn splits_latin_words(&self, charset: Charset, bytes: &[u8]) -> bool {
        (latin_words::mixes_scripts(charset, bytes)
            || latin_words::has_apostrophes_before_words(charset, bytes))
            && !self.is_local(charset)
    }

    /// Returns true if another charset makes hardly a word of lone signs and the letters beside them: `aĴb` of `a¬b`.
    fn makes_letters_of_lone_signs(&self, best: usize, bytes: &[u8]) -> bool {
        /// Confidence in letters that are no word.
        const NO_WORD: f32 = 0.05;
        let charset = self.scored[best].charset;
        charset != Charset::WINDOWS_1252
            && charset.is_single_byte()
            && !self.is_local(charset)
            && self.at(best).confidence < NO_WORD
            && lone_signs::are_lone_signs(bytes)
    }

    /// Returns true if hints or addresses name a language in which the charset is common.
    fn is_local(&self, charset: Charset) -> bool {
        language::for_label(charset)
            .is_some_and(|candidate| candidate.is_common_in(&self.priors.local))
    }

    /// Returns true if windows-1252 is plausible, too, and no words prove the best charset: English text has few letters that differ in
    /// windows-1252, letters stand alone, or the text has only signs.
    fn is_unproven(&self, best: usize) -> bool {
        let Scored { charset, cost, .. } = self.scored[best];
        if charset == Charset::WINDOWS_1252 || !charset.is_single_byte() {
            return false;
        }
        self.proof(charset).is_some_and(|proof| {
            let limit = cost.saturating_add(proof).saturating_sub(1);
            ForcedReading::new(Charset::WINDOWS_1252, &self.sample, &self.priors)
                .is_some_and(|usual| !usual.costs_more_than(limit))
        })
    }

    /// Returns how much more likely than windows-1252 `charset` must be; `None` if words prove it.
    fn proof(&self, charset: Charset) -> Option<u32> {
        /// For few letters within words.
        const LETTERS: u32 = 7 * NAT;
        /// More of a charset that is rare in mail.
        const OF_RARE_CHARSET: u32 = 2 * NAT;
        /// For one letter in a charset that is rare in mail: `Beno\u{12b}t`, `Chlo\u{165}`.
        const ONE_LETTER: u32 = 6 * NAT;
        /// For signs that are signs in both: one currency for another.
        const SIGNS: u32 = 3 * NAT;
        /// Different bytes within words that prove more.
        const MANY: usize = 3;
        let sample = &self.sample.bytes;
        let candidate = language::for_label(charset)?;
        // Addresses and hints name a country that writes in this charset rather than in windows-1252.
        let is_local = self.is_local(charset) && !self.is_local(Charset::WINDOWS_1252);
        let letters = odd_text::letters_within_words(sample, charset);
        let is_english = self.priors.is_english;
        if letters > 0 {
            let is_few =
                letters < MANY || (1..MANY).contains(&odd_text::differing_letters(sample, charset));
            return match (is_few && !is_local, candidate.is_rare()) {
                (true, true) if is_english => Some(LETTERS + OF_RARE_CHARSET),
                (true, false) if is_english => Some(LETTERS),
                (true, true)
                    if is_one_letter(sample) && !candidate.is_of_any(&self.priors.local) =>
                {
                    Some(ONE_LETTER)
                }
                _ => None,
            };
        }
        match (
            odd_text::has_any_letter(sample, charset),
            odd_text::has_any_letter(sample, Charset::WINDOWS_1252),
        ) {
            _ if is_local => None,
            // Letters that stand alone are words in many languages, and names of letters in English.
            (true, _) => Some(u32::MAX),
            (false, false) if !is_english => Some(SIGNS),
            (false, _) => Some(LETTERS),
        }
    }

    /// Returns the best charset, if it is more likely than the label's.
    pub(super) fn rival(&self, bytes: &[u8], label: Charset) -> Option<Rival> {
        let rarity = language::for_label(label)?.rarity();
        let label = score::scored_as(label.superset(), &self.sample, &self.priors)?;
        let reads = |s: &Scored| s.charset.is_single_byte() || nearly_reads(s.charset, bytes);
        let best = self.scored.iter().position(reads)?;
        let Scored { cost, text, .. } = self.scored[best];
        let guess = self.guess_rival(best, label.cost);
        let likelier = text != label.text && cost + DOUBT <= label.cost && guess.confidence > 0.5;
        let margin = label.cost.saturating_sub(cost) as f32 / NAT as f32;
        likelier.then_some(Rival {
            guess,
            outweighs: cost + LABEL <= label.cost,
            margin,
            rarity: rarity as f32 / NAT as f32,
        })
    }

    /// Returns the guess that competes with a label whose text costs `label`.
    ///
    /// Cyrillic charsets that decode nearly all letters alike (windows-1251 and KZ-1048) share one confidence. The most common of them is returned if
    /// it costs little more than the best one. Text that costs far less than under the label does not count as noise: Mongolian has no model.
    fn guess_rival(&self, best: usize, label: u32) -> Guess {
        /// With this confidence, the related charsets are not compared.
        const CERTAIN: f32 = 0.9;
        /// Margins over the label: of the whole text, and of each byte above 7F.
        const FAR: u32 = 60 * NAT;
        const FAR_EACH: u32 = 7 * NAT / 4;
        /// Cost that the most usual charset may have beyond the best one.
        const LESS_LIKELY: u32 = 3 * NAT;
        let guess = self.at(best);
        if guess.confidence >= CERTAIN {
            return guess;
        }
        let relatives = word_faults::related_charsets(guess.charset, &self.sample);
        let is_related = |at: &usize| relatives.contains(&self.scored[*at].charset);
        let places: Vec<usize> = (0..self.scored.len()).filter(is_related).collect();
        let most = self.scored[best].cost + LESS_LIKELY;
        let is_likely = |charset: &&Charset| {
            let mut own = places.iter().map(|at| &self.scored[*at]);
            own.any(|scored| scored.charset == **charset && scored.cost <= most)
        };
        let Some(usual) = relatives.iter().find(is_likely) else {
            return guess;
        };
        let high = odd_text::high_bytes(&self.sample.bytes).count() as u32;
        let margin = label.saturating_sub(self.scored[best].cost);
        let is_far = margin >= FAR
            && margin >= FAR_EACH.saturating_mul(high)
            && word_faults::has_letters_only(*usual, &self.sample);
        let noise = if is_far { u32::MAX } else { self.noise };
        let share = score::share_of_any(&self.scored, &places, noise);
        Guess {
            charset: *usual,
            confidence: share.max(guess.confidence),
            ..guess
        }
    }

    /// The charset at this place as a guess.
    pub(super) fn at(&self, place: usize) -> Guess {
        let charset = self.scored[place].charset;
        let evidence = if charset == Charset::UTF_8 {
            Evidence::Utf8
        } else {
            Evidence::Model
        };
        let share = score::share_of(&self.scored, place, self.noise);
        let most = if self.sample.may_have_lists {
            LISTED
        } else {
            1.0
        };
        Guess {
            charset,
            confidence: share.min(most),
            evidence,
        }
    }
}

/// The sample as one that has lists of letters, with the costs of the charsets; None where it is likelier to have words alone.
fn with_lists(
    sample: &Sample,
    scored: &[Scored],
    priors: &Priors,
) -> Option<(Sample, Vec<Scored>)> {
    /// How much likelier lists are.
    const CLEARLY: u32 = 3 * NAT;
    let cost_of_words = scored.first().map_or(u32::MAX, |best| best.cost);
    let most = cost_of_words.saturating_sub(CLEARLY);
    let trials = list_trials::trials(sample, priors, most);
    if trials.is_empty() {
        return None;
    }
    let sample = Sample {
        may_have_lists: true,
        ..sample.clone()
    };
    let lists = score::scored(
        trials.into_iter(),
        &mut Readings::new(&sample, priors.rules),
    );
    if lists.first()?.cost > most {
        return None;
    }
    // The first of each charset costs least.
    let mut all = [&*lists, scored].concat();
    all.sort_by_key(|scored| scored.cost);
    let mut seen = HashSet::new();
    all.retain(|scored| seen.insert(scored.charset.index()));
    Some((sample, all))
}

/// Returns the sample without words that have control characters, such as remains of attachments. Returns None if the sample as a whole is
/// text, or if only signs would be left.
fn without_noise(sample: &Sample, scored: &[Scored]) -> Option<Sample> {
    let best = scored.first()?;
    if best.cost * 4 < score::noise(&sample.bytes) * 3 {
        return None;
    }
    let is_noise = |word: &[u8]| word.iter().any(u8::is_ascii_control);
    let words = sample
        .bytes
        .split(|b| *b == b' ')
        .filter(|word| !word.is_empty());
    let (noise, text): (Vec<&[u8]>, Vec<&[u8]>) = words.partition(|word| is_noise(word));
    if noise.is_empty() || !text.iter().any(|word| has_letters(word)) {
        return None;
    }
    Some(Sample {
        bytes: text.join(&b' '),
        ascii: sample.ascii.clone(),
        ..Sample::default()
    })
}

/// Returns true if a byte above 7F of `word` may be a letter. Such a byte is C0 or above, and stands beside an ASCII letter or another byte
/// above 7F.
fn has_letters(word: &[u8]) -> bool {
    word.windows(2).any(|pair| {
        let [one, other] = [pair[0], pair[1]];
        let is_part = |byte: u8| byte >= 0xC0 || byte.is_ascii_alphabetic();
        is_part(one) && is_part(other) && one.max(other) >= 0xC0
    })
}

/// Returns true if one byte above 7F occurs, at most twice, and is a letter in windows-1252: a name, and perhaps the same name again.
fn is_one_letter(sample: &[u8]) -> bool {
    if !odd_text::has_any_letter(sample, Charset::WINDOWS_1252) {
        return false;
    }
    let mut high = odd_text::high_bytes(sample).map(|at| sample[at]);
    let (first, second) = (high.next(), high.next());
    (second.is_none() || second == first) && high.next().is_none()
}

/// Result of a test whether invalid UTF-8 is truncated UTF-8, or UTF-8 with a line in another charset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nearly {
    Proven,
    /// By few sequences, as other charsets make them by chance.
    Possible,
    No,
}

impl Nearly {
    /// Tests whether UTF-8 sequences outweigh other high bytes by three to one.
    /// In other text one pair of high bytes in six is a sequence. Longer sequences count twice.
    pub(super) fn of(bytes: &[u8]) -> Self {
        /// That many sequences are not accidental.
        const MANY: usize = 12;
        let (mut sound, mut bad) = (0, 0);
        // Bytes above 7F that are still to come: of these, sequences count less than one each.
        let mut left = count(bytes, |b| b >= 0x80);
        // Each sequence has one of these pairs, four bytes at most, and counts two at most; three bytes at most are one of the others.
        if 6 * pairs(bytes) < left {
            return Self::No;
        }
        let mut rest = bytes;
        while let Err(error) = std::str::from_utf8(rest) {
            let (valid, broken) = rest.split_at(error.valid_up_to());
            let broken = &broken[..error.error_len().unwrap_or(broken.len())];
            sound += weight(valid);
            bad += 1;
            left -= count(&rest[..valid.len() + broken.len()], |b| b >= 0x80);
            if sound + left < 3 * bad {
                return Self::No;
            }
            rest = &rest[valid.len() + broken.len()..];
        }
        sound += weight(rest);
        match sound {
            0 => Self::No,
            _ if sound < 3 * bad => Self::No,
            _ if sound < MANY => Self::Possible,
            _ => Self::Proven,
        }
    }
}

/// Counts lead bytes of UTF-8 that are followed by a continuation byte.
fn pairs(bytes: &[u8]) -> usize {
    let next = bytes.get(1..).unwrap_or_default();
    let pair =
        |(first, second): (&u8, &u8)| u8::from(*first >= 0xC0) & u8::from(second & 0xC0 == 0x80);
    let blocks = bytes.chunks(255).zip(next.chunks(255));
    blocks
        .map(|(first, second)| usize::from(first.iter().zip(second).map(pair).sum::<u8>()))
        .sum()
}

/// Returns the weight of the sequences of valid UTF-8.
fn weight(valid: &[u8]) -> usize {
    count(valid, |b| b >= 0xC0) + count(valid, |b| b >= 0xE0)
}

/// Returns the number of bytes that are `is_such`.
fn count(bytes: &[u8], is_such: impl Fn(u8) -> bool) -> usize {
    // Blocks small enough for a counter of eight bits let the compiler use whole registers.
    let block = |block: &[u8]| usize::from(block.iter().map(|b| u8::from(is_such(*b))).sum::<u8>());
    bytes.chunks(255).map(block).sum()
}

/// Returns true if a multi-byte charset loses at most one in fifty characters of the beginning.
fn nearly_reads(charset: Charset, bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(1 << 16)];
    let mut log = LossLog::with_limit(0);
    let text = charset.decode(start, &mut log);
    // The last character may be cut; damaged UTF-8 was weighed already.
    let lost = log.losses() <= 1 + text.chars().filter(|c| !c.is_ascii()).count() as u64 / 50;
    lost || charset == Charset::UTF_8
}
