//! Generates the cases: each text in the charsets of its language, under right labels, wrong labels and none.
//!
//! # Limits
//!
//! Texts have 1, 5 or 40 lines.

mod english;
mod groups;
mod labels;
mod locales;
mod places;
mod signs;

use super::{Case, Set};
use crate::faker;
use crate::rng::Rng;
use groups::{LENGTHS, groups};
use labels::Labels;
use locales::LocaleText;
use std::collections::BTreeMap;

/// Selects cases.
#[derive(Clone, Debug, Default)]
pub struct CaseSelection {
    /// Take one case in this many. Of the two small sets, ten times as many.
    pub share: usize,
    /// Take only the set of this name ([`Set::name`]).
    pub set: Option<String>,
    /// Put names into other places.
    pub places_seed: u64,
}

/// Generates the selected cases, always the same ones.
pub fn for_each(selection: &CaseSelection, mut work: impl FnMut(Case)) {
    let share = selection.share;
    let mut choice = Rng::new(3);
    let mut labels = Labels::default();
    let mut put = |case: Case| {
        let is_small = matches!(case.set, Set::EastAsian | Set::Mixed);
        let is_selected = selection
            .set
            .as_deref()
            .is_none_or(|set| set == case.set.name());
        if is_selected && choice.below(if is_small { share.div_ceil(10) } else { share }) == 0 {
            work(case);
        }
    };
    let texts = by_locale();
    for (locale, texts) in &texts {
        let language = faker::language(locale);
        let mut rng = Rng::new(
            locale
                .bytes()
                .fold(7, |seed, byte| seed * 31 + u64::from(byte)),
        );
        for lines in LENGTHS {
            for (nth, text) in groups(texts, lines, &mut rng).into_iter().enumerate() {
                if text.is_ascii() {
                    continue;
                }
                let text = LocaleText {
                    text: &text,
                    nth,
                    lines,
                };
                locales::as_written(&text, &language, &mut labels, &mut put);
                locales::in_capitals(&text, &language, &mut labels, &mut put);
                places::in_places(
                    &text,
                    &language,
                    selection.places_seed,
                    &mut labels,
                    &mut put,
                );
            }
        }
        signs::in_locale(texts, &language, &mut rng, &mut labels, &mut put);
    }
    signs::in_sentences(&mut labels, &mut put);
    signs::in_english(&mut put);
    english::with_east_asian_characters(&mut put);
    english::in_two_charsets(&texts, &mut put);
}

fn by_locale() -> BTreeMap<String, Vec<String>> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for text in faker::texts() {
        texts.entry(text.locale).or_default().push(text.text);
    }
    texts
}
