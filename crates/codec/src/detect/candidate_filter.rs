//! Reads the start of a sample in every charset, and keeps the charsets that may win.
//!
//! Excludes a charset if it costs more than the best one, by more than [`MARGIN`], in each of its languages. The order of the charsets
//! changes only the time that this takes: likely charsets come first.
//!
//! # Limits
//! Uses only the costs of pairs of letters.

use super::cost::NAT;
use super::detection_page::LeastCost;
use super::language::{Candidate, candidates};
use super::priors::Priors;
use super::readings::Readings;
use super::sample::Sample;
use crate::detect::script_group::ScriptGroup;
use crate::generated::languages::CANDIDATES_COUNT;

/// A charset that costs up to this much more than the best may still win.
const MARGIN: u32 = 8 * NAT;

/// Number of bytes that decide which single-byte charset is tried first.
const START: usize = 16;

/// A charset with the languages that are possible, and what both cost before the text.
pub(super) struct Trial<'c> {
    pub(super) candidate: &'c Candidate,
    pub(super) languages: Vec<(usize, u32)>,
}

impl<'c> Trial<'c> {
    /// In all languages of the candidate.
    pub(super) fn new(candidate: &'c Candidate, priors: &Priors) -> Self {
        let languages = candidate.languages.iter();
        Self {
            candidate,
            languages: languages
                .map(|(index, cost)| (*index, cost + priors.languages[*index]))
                .collect(),
        }
    }
}

/// Returns the charsets that cost at most [`MARGIN`] more than the best of them.
pub(super) fn likely(
    head: &Sample,
    priors: &Priors,
    ascii_compatible: bool,
) -> Vec<Trial<'static>> {
    let head = Readings::new(head, priors.rules);
    let mut filter = CandidateFilter {
        english: head.cost_in_english(),
        head,
        priors,
        most: u32::MAX,
        found: Vec::with_capacity(64),
    };
    let has_vietnamese = may_be_vietnamese(&filter.head.sample().bytes);
    let usable = |candidate: &Candidate| {
        let is_possible = !candidate.has_letters_for_controls
            || has_vietnamese
            || candidate.is_of_any(&priors.local);
        is_possible && (!ascii_compatible || candidate.keeps_ascii_text)
    };
    let places = (0..CANDIDATES_COUNT).filter(|place| usable(&candidates()[*place]));
    let (single_byte, multi_byte): (Vec<usize>, Vec<usize>) =
        places.partition(|place| candidates()[*place].is_single_byte);
    let bounded = single_byte
        .into_iter()
        .filter_map(|place| filter.bounded(place));
    let mut bounded: Vec<Bounded> = bounded.collect();
    bounded.sort_unstable_by_key(|bounded| (bounded.least(), bounded.place));
    let mut single_byte = bounded.into_iter();
    // The charset whose start costs least is mostly the best one, and its cost excludes most others.
    if let Some(best) = single_byte.next() {
        filter.at_bounded(best);
    }
    for place in multi_byte {
        if let Some(prior) = filter.prior(&candidates()[place]) {
            filter.at(place, prior);
        }
    }
    for next in single_byte {
        filter.at_bounded(next);
    }
    filter.trials()
}

/// Returns true if bytes may be Vietnamese in VISCII, TCVN 5712 or VPS: they have three bytes above 7F, two of them different. `x\xF7y` has one.
///
/// Returns false for binary data: bytes such as 00 and 1A, where none of these charsets has a letter.
fn may_be_vietnamese(bytes: &[u8]) -> bool {
    const FEWEST: usize = 3;
    let is_control = |b: &u8| matches!(b, 0 | 7 | 8 | 0x0E | 0x0F | 0x18 | 0x1A | 0x1B | 0x1F);
    let mut high = bytes.iter().filter(|b| !b.is_ascii());
    let first = high.next();
    let others = || high.clone();
    others().nth(FEWEST - 2).is_some()
        && others().any(|b| Some(b) != first)
        && !bytes.iter().any(is_control)
}

/// A single-byte charset with the least that it may cost.
#[derive(Clone, Copy)]
struct Bounded {
    place: usize,
    /// Its prior cost in the most common of its languages.
    prior: u32,
    bound: LeastCost,
}

impl Bounded {
    fn least(&self) -> u32 {
        self.prior + self.bound.total
    }
}

/// Tries one charset after the other on the start of a sample.
struct CandidateFilter<'s> {
    head: Readings<'s>,
    /// The cost of the ASCII letters in any script but Latin.
    english: u32,
    priors: &'s Priors,
    /// The most that a charset may cost: hardly more than the best so far.
    most: u32,
    /// Costs, with the place of the charset and of the language among those of the charset.
    found: Vec<(u32, usize, usize)>,
}

impl CandidateFilter<'_> {
    /// Returns the least that the start of the sample may cost in a single-byte charset; `None` if that is too much.
    fn bounded(&self, place: usize) -> Option<Bounded> {
        let candidate = &candidates()[place];
        let prior = self.prior(candidate)?;
        let mut bound = match candidate.script {
            ScriptGroup::Latin => LeastCost::from(0),
            _ => LeastCost::from(self.english),
        };
        let bytes = &self.head.sample().bytes;
        let room = self.most.checked_sub(prior)?;
        let page = candidate.page();
        page.extend_bound(&mut bound, &bytes[..bytes.len().min(START)], room);
        (bound.total <= room).then_some(Bounded {
            place,
            prior,
            bound,
        })
    }

    /// Looks at the sample in a single-byte charset, if the least that it may cost is little enough.
    fn at_bounded(
        &mut self,
        Bounded {
            place,
            prior,
            bound,
        }: Bounded,
    ) {
        let Some(room) = self.most.checked_sub(prior) else {
            return;
        };
        let mut bound = bound;
        let page = candidates()[place].page();
        page.extend_bound(&mut bound, &self.head.sample().bytes, room);
        if bound.total <= room {
            self.at(place, prior);
        }
    }

    /// Returns the prior cost of a charset in the most common of its languages.
    fn prior(&self, candidate: &Candidate) -> Option<u32> {
        let languages = candidate.languages.iter();
        languages
            .map(|(language, cost)| cost + self.priors.languages[*language])
            .min()
    }

    /// Looks at the sample in the charset at this place, in all of its languages. `least_prior` is the prior cost in the most common one.
    fn at(&mut self, place: usize, least_prior: u32) {
        let candidate = &candidates()[place];
        let room = self.most.checked_sub(least_prior);
        let Some(reading) = room.and_then(|room| self.head.read(candidate, room)) else {
            return;
        };
        for (nth, (language, prior)) in candidate.languages.iter().enumerate() {
            let before = reading.cost_of_signs() + prior + self.priors.languages[*language];
            let Some(room) = self.most.checked_sub(before) else {
                continue;
            };
            let cost = reading
                .coarse_cost(*language, room)
                .map(|cost| cost + before);
            if let Some(cost) = cost.filter(|cost| *cost <= self.most) {
                self.most = self.most.min(cost + MARGIN);
                self.found.push((cost, place, nth));
            }
        }
    }

    /// Returns the charsets, in their order, with those languages that cost little enough. The likeliest language is first: once its
    /// exact cost is known, the others end early.
    fn trials(mut self) -> Vec<Trial<'static>> {
        self.found.retain(|(cost, ..)| *cost <= self.most);
        self.found
            .sort_unstable_by_key(|(cost, place, nth)| (*place, *cost, *nth));
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

#[cfg(test)]
mod tests {
    use super::super::priors::priors;
    use super::super::sample;
    use super::*;
    use crate::charset::Charset;
    use crate::detect::Hints;
    use crate::loss::LossLog;

    #[test]
    fn few_letters_are_vietnamese_if_a_hint_says_so() {
        let bytes = b"T\xB5i li\xD6u ODA";
        for country in [None, Some("de"), Some("vn")] {
            let hints = Hints {
                ascii_compatible: true,
                country,
                ..Hints::default()
            };
            let priors = priors(&hints);
            let trials = likely(&sample::head(bytes), &priors, true);
            let is_tcvn = |trial: &Trial<'_>| trial.candidate.charset == Charset::TCVN5712_1;
            let expected = country == Some("vn");
            assert_eq!(trials.iter().any(is_tcvn), expected, "{country:?}");
        }
    }

    /// All pairs of a charset and a language, without any early end.
    fn all_likely(head: &Sample, priors: &Priors) -> Vec<(Charset, Vec<(usize, u32)>)> {
        let mut costs = Vec::new();
        for (place, candidate) in candidates().iter().enumerate() {
            if candidate.has_letters_for_controls && !may_be_vietnamese(&head.bytes) {
                continue;
            }
            let mut readings = Readings::new(head, priors.rules);
            let Some(reading) = readings.read(candidate, u32::MAX) else {
                continue;
            };
            for (language, prior) in candidate.languages {
                let letters = reading.coarse_cost(*language, u32::MAX);
                let prior = prior + priors.languages[*language];
                costs.push((
                    letters.unwrap() + reading.cost_of_signs() + prior,
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
        for (_, languages) in &mut likely {
            languages.sort_unstable();
        }
        likely
    }

    #[test]
    fn vietnamese_has_several_letters() {
        for (bytes, expected) in [
            (&b"x\xF7y"[..], false),
            (b"a\xF7b, c\xF7d, e\xF7f", false),
            (b"Ho\xE0ng \xB3", false),
            (b"Tr\xC7n Qu\xE8c Vi\xD6t", true),
            (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", false),
        ] {
            assert_eq!(
                may_be_vietnamese(bytes),
                expected,
                "{}",
                bytes.escape_ascii()
            );
        }
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
                let bytes =
                    candidate
                        .charset
                        .encode(text, crate::encoder::Unmappable::Skip, &mut log);
                for bytes in [
                    &*bytes,
                    &bytes[..bytes.len() / 2],
                    &bytes[bytes.len() / 3..],
                ] {
                    let head = sample::head(bytes);
                    let priors = priors(&hints);
                    let trials = likely(&head, &priors, false).into_iter();
                    let fast: Vec<_> = trials
                        .map(|trial| {
                            let mut languages = trial.languages;
                            languages.sort_unstable();
                            (trial.candidate.charset, languages)
                        })
                        .collect();
                    found += fast.len();
                    assert_eq!(fast, all_likely(&head, &priors), "{}", bytes.escape_ascii());
                }
            }
        }
        assert!(found > 2_000, "{found}");
    }
}
