//! Finds the charset that makes the most likely text, by a naive Bayes decision over languages and charsets.
//!
//! # Limits
//! Reads a sample only. The caller chooses a representative one.

use super::candidate_filter::{self, Trial};
use super::cost::NAT;
use super::language::{self, Language, RARE_LANGUAGE};
use super::priors::Priors;
use super::reading::{english_runs, read_text};
use super::readings::{Readings, SharedReading, decode_sample, language_cost};
use super::sample::{self, Sample};
use crate::charset::Charset;
use crate::detect::script_group::ScriptGroup;
use crate::generated::languages::LANGUAGES;
use std::rc::Rc;

/// A charset, and -ln of the probability of its text, in sixteenths.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scored {
    pub(super) charset: Charset,
    pub(super) cost: u32,
    /// Equal for charsets that read the sample alike.
    pub(super) text: u64,
}

/// Returns the charsets that can decode the sample, the most likely first; on request only ASCII-compatible ones.
pub(super) fn score(sample: &Sample, priors: &Priors, ascii_compatible: bool) -> Vec<Scored> {
    let head = sample::head(&sample.bytes);
    let trials = candidate_filter::likely(&head, priors, ascii_compatible);
    scored(trials.into_iter(), &mut Readings::new(sample, priors.rules))
}

/// Returns the charsets of the trials that can decode the sample, the most likely first.
pub(super) fn scored<'c>(
    trials: impl Iterator<Item = Trial<'c>>,
    whole: &mut Readings<'_>,
) -> Vec<Scored> {
    let mut scored: Vec<Scored> = trials.filter_map(|trial| trial.score(whole)).collect();
    scored.sort_by_key(|s| s.cost);
    scored
}

/// Scores the sample in one charset, however unlikely, in any language of its script, because words without special letters occur under
/// every label. `None` for a charset without a known language.
pub(super) fn scored_as(charset: Charset, sample: &Sample, priors: &Priors) -> Option<Scored> {
    Some(ForcedReading::new(charset, sample, priors)?.scored())
}

/// A sample that is read in one charset, however unlikely. See [`scored_as`].
pub(super) struct ForcedReading {
    charset: Charset,
    /// The languages of its script with their prior costs, the likeliest first.
    languages: Vec<(usize, u32)>,
    /// `None` if the charset makes no text of the sample.
    reading: Option<Rc<SharedReading>>,
    /// The most that it costs: that of letters of another script, or more than any text costs.
    most: u32,
}

impl ForcedReading {
    /// Returns `None` for a charset without a known language.
    pub(super) fn new(charset: Charset, sample: &Sample, priors: &Priors) -> Option<Self> {
        let candidate = language::for_label(charset)?;
        let of_script = LANGUAGES
            .iter()
            .enumerate()
            .filter(|(_, language)| language.script == candidate.script);
        let cost = |index| {
            candidate
                .languages
                .iter()
                .find(|(i, _)| *i == index)
                .map_or(RARE_LANGUAGE, |(_, cost)| *cost)
        };
        let mut languages: Vec<(usize, u32)> = of_script
            .map(|(index, _)| (index, cost(index) + priors.languages[index]))
            .collect();
        // With the cost of a likely language the others end early.
        languages.sort_unstable_by_key(|(_, prior)| *prior);
        // Charsets of two bytes, and pages like that of Arabic, have letters of other scripts, too, and mail is written in them.
        let (text, losses) = decode_sample(candidate.charset, sample);
        let is_other_script = losses == 0 && ScriptGroup::most_of(&text) != candidate.script;
        Some(Self {
            charset: candidate.charset,
            languages,
            reading: Readings::new(sample, priors.rules).read(candidate, u32::MAX),
            most: if is_other_script {
                unicode_cost(&text, priors) + RARE_LANGUAGE
            } else {
                NO_TEXT
            },
        })
    }

    fn scored(&self) -> Scored {
        Scored {
            charset: self.charset,
            cost: self.cost(),
            text: self.reading.as_ref().map_or(0, |read| read.text_hash()),
        }
    }

    /// Returns the cost in the likeliest of the languages.
    pub(super) fn cost(&self) -> u32 {
        let least = self
            .reading
            .as_ref()
            .and_then(|read| cost_of(read, &self.languages));
        least.unwrap_or(NO_TEXT).min(self.most)
    }

    /// Returns true if the cost is above `limit`. Faster than [`ForcedReading::cost`], since no language is read beyond the limit.
    pub(super) fn costs_more_than(&self, limit: u32) -> bool {
        let is_above = |read: &SharedReading| {
            let signs = read.cost_of_signs();
            self.languages.iter().all(|(language, prior)| {
                let room = limit.checked_sub(signs + prior);
                room.is_none_or(|room| {
                    let cost = read.cost(*language, room);
                    cost.is_none_or(|cost| cost > room)
                })
            })
        };
        self.most > limit
            && match &self.reading {
                Some(read) => is_above(read),
                None => NO_TEXT > limit,
            }
    }

    /// Returns the cost in one of the languages: as much as the likeliest, or more.
    pub(super) fn cost_in(&self, language: usize) -> u32 {
        let own = self.languages.iter().find(|(own, _)| *own == language);
        let cost = self
            .reading
            .as_ref()
            .zip(own)
            .and_then(|(read, own)| cost_of(read, std::slice::from_ref(own)));
        cost.unwrap_or(NO_TEXT).min(self.most)
    }

    /// Returns the likeliest language. `None` if the charset makes no text of the sample.
    pub(super) fn likeliest_language(&self) -> Option<usize> {
        let read = self.reading.as_ref()?;
        let least = cost_of(read, &self.languages)?;
        let mut languages = self.languages.iter().map(|(language, _)| *language);
        languages.find(|language| self.cost_in(*language) <= least)
    }
}

/// Cost of bytes that are no text in a charset.
const NO_TEXT: u32 = u32::MAX / 2;

/// Returns the cost of a reading in the likeliest of some languages.
fn cost_of(reading: &SharedReading, languages: &[(usize, u32)]) -> Option<u32> {
    let cost = |language, most| reading.cost(language, most);
    Some(least(languages, cost)? + reading.cost_of_signs())
}

impl Trial<'_> {
    /// Returns the cost in the likeliest of the languages; `None` if the charset makes no text of the sample.
    fn score(&self, whole: &mut Readings<'_>) -> Option<Scored> {
        let reading = whole.read(self.candidate, u32::MAX)?;
        Some(Scored {
            charset: self.candidate.charset,
            cost: cost_of(&reading, &self.languages)?,
            text: reading.text_hash(),
        })
    }
}

/// Returns the cost in the likeliest of some languages with their prior costs. `cost` gives that of a language, `None` if it is above a
/// limit.
fn least(languages: &[(usize, u32)], cost: impl Fn(usize, u32) -> Option<u32>) -> Option<u32> {
    let mut least = None;
    for (language, prior) in languages {
        let Some(most) = least.unwrap_or(u32::MAX).checked_sub(*prior) else {
            continue;
        };
        let found = cost(*language, most).map(|cost| cost + prior);
        least = least.into_iter().chain(found).min();
    }
    least
}

/// Returns the cost of decoded text in the most likely language of its script, for charsets of all languages.
pub(super) fn unicode_cost(text: &str, priors: &Priors) -> u32 {
    let script = ScriptGroup::most_of(text);
    let reading = read_text(text, &english_runs(text.as_bytes()), script, priors.rules);
    let of_script = |(_, language): &(usize, &Language)| language.script == script;
    let mut languages: Vec<(usize, u32)> = LANGUAGES
        .iter()
        .enumerate()
        .filter(of_script)
        .map(|(index, _)| (index, priors.languages[index]))
        .collect();
    languages.sort_unstable_by_key(|(_, prior)| *prior);
    let cost = |language, most| language_cost(language, &reading, Some(text), priors.rules, most);
    least(&languages, cost).unwrap_or_default() + reading.cost
}

/// Returns the cost of bytes that are text in no charset. Text in its own language costs less, because letters predict the next one: 2 to 4
/// nats a byte. Noise that is read as text costs 5 and more.
pub(super) fn noise(bytes: &[u8]) -> u32 {
    /// Cost of a byte, as if any of a hundred were as likely.
    const BYTE: u32 = 74;
    /// Additional cost of noise, because text is expected.
    const UNEXPECTED: u32 = 3 * NAT;
    UNEXPECTED + BYTE * bytes.len() as u32
}

/// Returns the probability of one of the scored charsets; `noise` is the cost of the bytes if they are text in none.
pub(super) fn share_of(scored: &[Scored], at: usize, noise: u32) -> f32 {
    share_of_any(scored, &[at], noise)
}

/// Like [`share_of`], of several charsets together.
pub(super) fn share_of_any(scored: &[Scored], own: &[usize], noise: u32) -> f32 {
    // Some text that is more likely noise is read right nevertheless.
    const NOISE: f32 = 0.72;
    // Shares in the middle promise too much (docs/charset-decisions.md).
    const MODESTY: f32 = 1.25;
    // Letters depend on each other more than the models tell: the costs are worth less than they say.
    const WORTH: f32 = 0.5;
    let Some(best) = scored.iter().map(|s| s.cost).min() else {
        return 0.0;
    };
    let weight =
        |cost: u32| (-WORTH * (f64::from(cost) - f64::from(best)) as f32 / NAT as f32).exp();
    let mut seen = Vec::with_capacity(scored.len());
    let is_own = |text: u64| own.iter().any(|at| scored[*at].text == text);
    let (mut total, mut of_own) = (0.0, 0.0);
    for other in scored {
        if !seen.contains(&other.text) {
            seen.push(other.text);
            total += weight(other.cost);
            if is_own(other.text) {
                of_own += weight(other.cost);
            }
        }
    }
    let noise = weight(noise);
    let is_noise = if noise.is_finite() {
        noise / (noise + total)
    } else {
        1.0
    };
    (of_own / total * (1.0 - NOISE * is_noise)).powf(MODESTY)
}
