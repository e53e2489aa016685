//! Finds the charset that makes the most likely text, by a naive Bayes decision over languages and charsets.
//!
//! # Limits
//! Reads a sample only. The caller chooses a representative one.

use super::cost::NAT;
use super::language::{self, Candidate, Language, RARE, ScriptGroup, candidates};
use super::least_losses::least_losses;
use super::models::{LETTERS, Model, Models};
use super::reading::{Reading, english_runs, read_text, text_hash};
use super::rules::Rules;
use super::sample::{self, Sample};
use crate::generated::languages::{CANDIDATES_COUNT, LANGUAGES};
use crate::{Charset, LossLog};
use std::cell::Cell;
use std::rc::Rc;

/// A charset, and -ln of the probability of its text, in sixteenths.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scored {
    pub(super) charset: Charset,
    pub(super) cost: u32,
    /// Equal for charsets that read the sample alike.
    pub(super) text: u64,
}

/// Prior costs of languages and charsets.
#[derive(Debug)]
pub(super) struct Priors {
    /// Cost of each language, by its index in `LANGUAGES`.
    pub(super) languages: Vec<u32>,
    /// The rules that are in force.
    pub(super) rules: Rules,
    /// The ASCII words of the text are English.
    pub(super) is_english: bool,
    /// The languages that hints and addresses name.
    pub(super) local: Vec<usize>,
}

/// A charset that is worse by this in the fast estimate may still win.
const MARGIN: u32 = 8 * NAT;

/// Returns the charsets that can decode the sample, the most likely first; on request only ASCII-compatible ones.
pub(super) fn score(sample: &Sample, priors: &Priors, ascii_compatible: bool) -> Vec<Scored> {
    score_within(sample, priors, ascii_compatible, u32::MAX)
}

/// Returns true if an ASCII-compatible charset decodes the sample at a cost of at most `most`. Tries `first` before all
/// others.
pub(super) fn is_text_within(sample: &Sample, priors: &Priors, most: u32, first: Charset) -> bool {
    let trial = candidates()
        .iter()
        .find(|candidate| candidate.charset == first && candidate.is_ascii_compatible);
    let reads = |trial: Trial<'_>| {
        trial
            .score(
                sample,
                &english_runs(&sample.bytes),
                priors.rules,
                &mut Vec::new(),
            )
            .is_some_and(|scored| scored.cost <= most)
    };
    if trial.is_some_and(|candidate| reads(Trial::new(candidate, priors))) {
        return true;
    }
    let scored = score_within(sample, priors, true, most.saturating_add(MARGIN));
    scored.first().is_some_and(|best| best.cost <= most)
}

/// Like [`score`], without charsets that cost more than `most` at a first look.
fn score_within(
    sample: &Sample,
    priors: &Priors,
    ascii_compatible: bool,
    most: u32,
) -> Vec<Scored> {
    let head = sample::head(&sample.bytes);
    let mut scored = Vec::new();
    let english = english_runs(&sample.bytes);
    let mut whole = Vec::new();
    for trial in likely(&head, priors, ascii_compatible, most) {
        scored.extend(trial.score(sample, &english, priors.rules, &mut whole));
    }
    scored.sort_by_key(|s| s.cost);
    scored
}

/// Scores the sample in one charset, however unlikely, in any language of its script, because words without special letters occur under
/// every label. `None` for a charset without a known language.
pub(super) fn scored_as(charset: Charset, sample: &Sample, priors: &Priors) -> Option<Scored> {
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
            .map_or(RARE, |(_, cost)| *cost)
    };
    let languages = of_script
        .map(|(index, _)| (index, cost(index) + priors.languages[index]))
        .collect();
    let scored = Trial {
        candidate,
        languages,
    }
    .score(
        sample,
        &english_runs(&sample.bytes),
        priors.rules,
        &mut Vec::new(),
    );
    let mut scored = scored.unwrap_or(Scored {
        charset,
        cost: u32::MAX / 2,
        text: 0,
    });
    // Charsets of two bytes, and pages like that of Arabic, have letters of other scripts, too, and mail is written in them.
    let (text, losses) = multi_byte(candidate.charset, &sample.bytes, sample.is_cut);
    if losses == 0 && ScriptGroup::most_of(&text) != candidate.script {
        scored.cost = scored.cost.min(unicode_cost(&text, priors) + RARE);
    }
    Some(scored)
}

/// A charset with the languages that are possible, and what both cost before the text.
struct Trial<'c> {
    candidate: &'c Candidate,
    languages: Vec<(usize, u32)>,
}

impl<'c> Trial<'c> {
    /// In all languages of the candidate.
    fn new(candidate: &'c Candidate, priors: &Priors) -> Self {
        let languages = candidate.languages.iter();
        Self {
            candidate,
            languages: languages
                .map(|(index, cost)| (*index, cost + priors.languages[*index]))
                .collect(),
        }
    }

    /// The cost in the likeliest of the languages. `whole` has the readings of other charsets.
    fn score(
        &self,
        sample: &Sample,
        english: &[u32],
        rules: Rules,
        whole: &mut Vec<WholeReading>,
    ) -> Option<Scored> {
        let candidate = self.candidate;
        let scored = |best: u32, text: u64, reading: &Reading| Scored {
            charset: candidate.charset,
            cost: best + reading.cost,
            text,
        };
        if !candidate.is_single_byte {
            let (reading, text) = read(candidate, sample, english, u32::MAX, rules)?;
            let cost =
                |language, most| language_cost(language, &reading, text.as_deref(), rules, most);
            let best = least(&self.languages, cost)?;
            let text = text_hash(text.as_deref().unwrap_or_default().chars());
            return Some(scored(best, text, &reading));
        }
        let (script, text) = (candidate.script, candidate.page().text(&sample.bytes));
        let is_same = |same: &WholeReading| same.script == script && same.text == text;
        let place = whole.iter().position(is_same).unwrap_or_else(|| {
            let reading = read(candidate, sample, english, u32::MAX, rules);
            whole.push(WholeReading {
                script,
                text,
                reading: reading.map(|(reading, _)| reading),
                costs: [const { Cell::new(Known::Above(0)) }; LANGUAGES.len()],
            });
            whole.len() - 1
        });
        let WholeReading { reading, costs, .. } = &whole[place];
        let reading = reading.as_ref()?;
        let cost = |language: usize, most| {
            known_or(&costs[language], most, || {
                language_cost(language, reading, None, rules, most)
            })
        };
        let best = least(&self.languages, cost)?;
        Some(scored(best, text, reading))
    }
}

/// A sample in a single-byte charset, for all charsets of the script that read it alike.
struct WholeReading {
    script: ScriptGroup,
    text: u64,
    /// None if it is no text.
    reading: Option<Reading>,
    /// What it costs in each language.
    costs: [Cell<Known>; LANGUAGES.len()],
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

/// Returns the charsets that cost at most `most` at a first look, and hardly more than the best of them.
fn likely(
    head: &Sample,
    priors: &Priors,
    ascii_compatible: bool,
    most: u32,
) -> Vec<Trial<'static>> {
    let mut look = FirstLook {
        head,
        priors,
        english: english_runs(&head.bytes),
        most,
        by_text: Vec::new(),
        found: Vec::new(),
    };
    let usable = |candidate: &Candidate| !ascii_compatible || candidate.is_ascii_compatible;
    let places = (0..CANDIDATES_COUNT).filter(|place| usable(&candidates()[*place]));
    let (single_byte, multi_byte): (Vec<usize>, Vec<usize>) =
        places.partition(|place| candidates()[*place].is_single_byte);
    // Multi-byte charsets have no bound. Their text exceeds the bounds of the others early.
    for place in multi_byte {
        look.at(place);
    }
    let bound = |place| Some((look.bound(&candidates()[place])?, place));
    let mut bounds: Vec<(u32, usize)> = single_byte.into_iter().filter_map(bound).collect();
    // The charset with the least bound is mostly the best one, and its cost excludes most others.
    bounds.sort_unstable();
    for (bound, place) in bounds {
        if bound > look.most {
            break;
        }
        look.at(place);
    }
    look.trials()
}

/// A first look at a sample in one charset after the other.
struct FirstLook<'s> {
    head: &'s Sample,
    priors: &'s Priors,
    /// Costs of the runs of ASCII letters in English.
    english: Vec<u32>,
    /// The most that a charset may cost: hardly more than the best so far.
    most: u32,
    by_text: Vec<SameText>,
    /// Costs, with the place of the charset and of the language among those of the charset.
    found: Vec<(u32, usize, usize)>,
}

impl FirstLook<'_> {
    /// Returns the least that the sample may cost in a single-byte charset; `None` if that is too much.
    fn bound(&self, candidate: &Candidate) -> Option<u32> {
        let prior = self.prior(candidate)?;
        let most = self.most.checked_sub(prior)?;
        Some(prior + candidate.page().bound(&self.head.bytes, most)?)
    }

    /// Returns the prior cost of a charset in the most common of its languages.
    fn prior(&self, candidate: &Candidate) -> Option<u32> {
        let languages = candidate.languages.iter();
        languages
            .map(|(language, cost)| cost + self.priors.languages[*language])
            .min()
    }

    /// Looks at the sample in the charset at this place, in all of its languages.
    fn at(&mut self, place: usize) {
        let candidate = &candidates()[place];
        let Some(reading) = self.read(candidate) else {
            return;
        };
        let HeadReading {
            reading,
            text,
            costs,
        } = &*reading;
        for (nth, (language, prior)) in candidate.languages.iter().enumerate() {
            let before = reading.cost + prior + self.priors.languages[*language];
            let Some(room) = self.most.checked_sub(before) else {
                continue;
            };
            let cost = match Models::get().language(*language) {
                // Charsets that read the sample alike share its cost in a language.
                Model::Letters(letters) => {
                    let cost = || letters.coarse_cost(&reading.classes, room);
                    known_or(&costs[*language], room, cost)
                }
                Model::Han(_) => language_cost(
                    *language,
                    reading,
                    text.as_deref(),
                    self.priors.rules,
                    u32::MAX,
                ),
            };
            let cost = cost.map(|cost| cost + before);
            if let Some(cost) = cost.filter(|cost| *cost <= self.most) {
                self.most = self.most.min(cost + MARGIN);
                self.found.push((cost, place, nth));
            }
        }
    }

    fn read(&mut self, candidate: &Candidate) -> Option<Rc<HeadReading>> {
        let most = self.most.checked_sub(self.prior(candidate)?)?;
        let (head, rules) = (self.head, self.priors.rules);
        if candidate.is_single_byte {
            read_once(
                candidate,
                head,
                &self.english,
                most,
                rules,
                &mut self.by_text,
            )
        } else {
            read(candidate, head, &self.english, most, rules).map(HeadReading::new)
        }
    }

    /// The charsets, in their order, with those languages that cost little enough.
    fn trials(mut self) -> Vec<Trial<'static>> {
        self.found.retain(|(cost, ..)| *cost <= self.most);
        self.found
            .sort_unstable_by_key(|(_, place, nth)| (*place, *nth));
        let mut trials: Vec<Trial> = Vec::new();
        for (_, place, nth) in self.found {
            let candidate = &candidates()[place];
            let (language, prior) = candidate.languages[nth];
            let language = (language, prior + self.priors.languages[language]);
            match trials.last_mut() {
                Some(last) if last.candidate.charset == candidate.charset => {
                    last.languages.push(language);
                }
                _ => trials.push(Trial {
                    candidate,
                    languages: vec![language],
                }),
            }
        }
        trials
    }
}

/// Returns a cost of at most `room` that is known, or computes it. `None` if it is more.
fn known_or(known: &Cell<Known>, room: u32, cost: impl FnOnce() -> Option<u32>) -> Option<u32> {
    match known.get() {
        Known::Cost(cost) => Some(cost),
        Known::Above(least) if least > 0 && least >= room => None,
        Known::Above(_) => {
            let cost = cost();
            known.set(cost.map_or(Known::Above(room), Known::Cost));
            cost
        }
    }
}

/// A first look at a sample in a charset.
struct HeadReading {
    reading: Reading,
    /// The text if characters may have more bytes.
    text: Option<String>,
    /// What the letters cost in each language, by pairs.
    costs: [Cell<Known>; LANGUAGES.len()],
}

impl HeadReading {
    fn new((reading, text): (Reading, Option<String>)) -> Rc<Self> {
        Rc::new(Self {
            reading,
            text,
            costs: [const { Cell::new(Known::Above(0)) }; LANGUAGES.len()],
        })
    }
}

/// What is known of a cost.
#[derive(Clone, Copy)]
enum Known {
    Cost(u32),
    /// It exceeds this, or nothing is known if this is 0.
    Above(u32),
}

/// A first look in a single-byte charset, for all charsets of the script that read the sample alike.
struct SameText {
    script: ScriptGroup,
    text: u64,
    /// If there is no reading, its cost exceeds this.
    most: u32,
    reading: Option<Rc<HeadReading>>,
}

/// Reads a sample in a single-byte charset like [`read`], or takes the reading of another charset that makes the same text. Most pages of
/// Latin letters have é, ö and ü in the same places.
fn read_once(
    candidate: &Candidate,
    sample: &Sample,
    english: &[u32],
    most: u32,
    rules: Rules,
    by_text: &mut Vec<SameText>,
) -> Option<Rc<HeadReading>> {
    let (script, text) = (candidate.script, candidate.page().text(&sample.bytes));
    let is_same = |same: &SameText| same.script == script && same.text == text;
    let known = by_text.iter().position(is_same);
    if let Some(same) = known.map(|at| &by_text[at])
        && (same.reading.is_some() || most <= same.most)
    {
        return same.reading.clone();
    }
    let reading = read(candidate, sample, english, most, rules).map(HeadReading::new);
    let same = SameText {
        script,
        text,
        most,
        reading: reading.clone(),
    };
    match known {
        Some(at) => by_text[at] = same,
        None => by_text.push(same),
    }
    reading
}

/// Reads the sample in a charset; also returns the text of multi-byte charsets. `None` if it is no text, or costs more than `most`.
fn read(
    candidate: &Candidate,
    sample: &Sample,
    english: &[u32],
    most: u32,
    rules: Rules,
) -> Option<(Reading, Option<String>)> {
    let Sample {
        bytes: sample,
        is_cut,
        ..
    } = sample;
    let (reading, text) = if candidate.is_single_byte {
        (candidate.page().read(sample, english, most, rules)?, None)
    } else {
        let is_lossy = |losses: u64| losses as usize * 20 > sample.len();
        if is_lossy(least_losses(candidate.charset, sample)) {
            return None;
        }
        let (text, losses) = multi_byte(candidate.charset, sample, *is_cut);
        if is_lossy(losses) {
            return None;
        }
        (read_text(&text, candidate.script, rules), Some(text))
    };
    (reading.broken as usize * 20 <= sample.len() + 20).then_some((reading, text))
}

/// Cost of a character of private use beyond that of a rare one.
const PRIVATE: u32 = 8 * NAT;

fn is_private(c: char) -> bool {
    matches!(c, '\u{E000}'..='\u{F8FF}')
}

/// Cost of a reading's letters in a language; `None` if it is above `most`.
fn language_cost(
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

/// The text in a charset of more bytes, and how much of it was lost.
fn multi_byte(charset: Charset, sample: &[u8], cut: bool) -> (String, u64) {
    let mut log = LossLog::with_limit(0);
    let mut text = charset.decode(sample, &mut log).into_owned();
    let mut losses = log.losses();
    if cut && text.ends_with(char::REPLACEMENT_CHARACTER) {
        text.pop();
        losses = losses.saturating_sub(1);
    }
    (text, losses)
}

/// Returns the cost of decoded text in the most likely language of its script, for charsets of all languages.
pub(super) fn unicode_cost(text: &str, priors: &Priors) -> u32 {
    let script = ScriptGroup::most_of(text);
    let reading = read_text(text, script, priors.rules);
    let of_script = |(_, language): &(usize, &Language)| language.script == script;
    let languages: Vec<(usize, u32)> = LANGUAGES
        .iter()
        .enumerate()
        .filter(of_script)
        .map(|(index, _)| (index, priors.languages[index]))
        .collect();
    let cost = |language, most| language_cost(language, &reading, Some(text), priors.rules, most);
    least(&languages, cost).unwrap_or_default() + reading.cost
}

/// Returns the cost of bytes that are text in no charset. Text in its own language costs less, because letters predict the next one: 2 to 4
/// nats a byte. Noise that is read as text costs 5 and more.
pub(super) fn noise(bytes: &[u8]) -> u32 {
    /// Cost of a byte, as if any of a hundred were as likely.
    const BYTE: u32 = 74;
    /// Additional cost of noise, because text is expected.
    const RARE: u32 = 3 * NAT;
    RARE + BYTE * bytes.len() as u32
}

/// Returns the probability of one of the scored charsets; `noise` is the cost of the bytes if they are text in none.
pub(super) fn share_of(scored: &[Scored], at: usize, noise: u32) -> f32 {
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
    let (mut total, mut own) = (0.0, 0.0);
    for other in scored {
        if !seen.contains(&other.text) {
            seen.push(other.text);
            total += weight(other.cost);
            own = if other.text == scored[at].text {
                weight(other.cost)
            } else {
                own
            };
        }
    }
    let noise = weight(noise);
    let is_noise = if noise.is_finite() {
        noise / (noise + total)
    } else {
        1.0
    };
    (own / total * (1.0 - NOISE * is_noise)).powf(MODESTY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::Hints;
    use crate::detect::priors::priors;

    /// All pairs of a charset and a language, without any early end.
    fn all_likely(head: &Sample, priors: &Priors) -> Vec<(Charset, Vec<(usize, u32)>)> {
        let english = english_runs(&head.bytes);
        let mut costs = Vec::new();
        for (place, candidate) in candidates().iter().enumerate() {
            let Some((reading, text)) = read(candidate, head, &english, u32::MAX, priors.rules)
            else {
                continue;
            };
            for (language, prior) in candidate.languages {
                let letters = match Models::get().language(*language) {
                    Model::Letters(letters) => letters.coarse_cost(&reading.classes, u32::MAX),
                    Model::Han(_) => {
                        language_cost(*language, &reading, text.as_deref(), priors.rules, u32::MAX)
                    }
                };
                let prior = prior + priors.languages[*language];
                costs.push((
                    letters.unwrap() + reading.cost + prior,
                    place,
                    (*language, prior),
                ));
            }
        }
        let most = costs
            .iter()
            .map(|(cost, ..)| *cost)
            .min()
            .unwrap_or_default()
            + MARGIN;
        let mut likely: Vec<(Charset, Vec<(usize, u32)>)> = Vec::new();
        for (_, place, language) in costs.into_iter().filter(|(cost, ..)| *cost <= most) {
            let charset = candidates()[place].charset;
            match likely.last_mut() {
                Some((last, languages)) if *last == charset => languages.push(language),
                _ => likely.push((charset, vec![language])),
            }
        }
        likely
    }

    #[test]
    fn the_first_look_finds_what_a_look_at_everything_finds() {
        let texts = [
            "Привет, как дела? Всё хорошо.",
            "Grüße aus Köln, vergiß nicht die Äpfel",
            "wiadomość została wysłana wczoraj",
            "日本語のテキストをお送りします",
            "你好，世界，这是一封信",
            "안녕하세요 여러분 반갑습니다",
            "Καλημέρα σας, τι κάνετε",
            "שלום לכולם מה שלומכם",
            "thường không nhận được thư của bạn",
            "สวัสดีครับ ขอบคุณมาก",
        ];
        let hints = Hints::default();
        let mut found = 0;
        for text in texts {
            for candidate in candidates() {
                let mut log = LossLog::with_limit(0);
                let bytes = candidate
                    .charset
                    .encode(text, crate::Unmappable::Skip, &mut log);
                for bytes in [
                    &*bytes,
                    &bytes[..bytes.len() / 2],
                    &bytes[bytes.len() / 3..],
                ] {
                    let head = sample::head(bytes);
                    let priors = priors(&hints);
                    let trials = likely(&head, &priors, false, u32::MAX).into_iter();
                    let fast: Vec<_> = trials
                        .map(|trial| (trial.candidate.charset, trial.languages))
                        .collect();
                    found += fast.len();
                    assert_eq!(fast, all_likely(&head, &priors), "{}", bytes.escape_ascii());
                }
            }
        }
        assert!(found > 2_000, "{found}");
    }
}
