//! Computes the prior cost of each language from the hints.
//!
//! # Limits
//! Languages that no hint names stay possible.

use super::cost::NAT;
use super::hints::Hints;
use super::rules::Rules;
use super::{language, time_zone};

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

/// Returns the prior cost of each language with the hints.
pub(super) fn priors(hints: &Hints<'_>) -> Priors {
    /// Cost of a language other than that of the hint; of English, which stands everywhere.
    const LANGUAGE: [u32; 2] = [6 * NAT, 3 * NAT];
    const COUNTRY: [u32; 2] = [4 * NAT, 2 * NAT];
    /// Cost of a language that is not written in the time zone.
    const ELSEWHERE: u32 = 2 * NAT;
    let by_language = hints.language.map(language::by_tag).unwrap_or_default();
    let by_country = hints.country.map(language::by_country).unwrap_or_default();
    let mut languages = language::base_priors();
    let local = [&*by_language, &*by_country].concat();
    for (hinted, [other, english]) in [(by_language, LANGUAGE), (by_country, COUNTRY)] {
        if hinted.is_empty() {
            continue;
        }
        for (index, cost) in languages.iter_mut().enumerate() {
            if !hinted.contains(&index) {
                *cost += if language::is_english(index) {
                    english
                } else {
                    other
                };
            }
        }
    }
    if let Some(zone) = hints
        .time_zone
        .filter(|zone| *zone != 0 && hints.rules.has(Rules::TIME_ZONE))
    {
        for (index, cost) in languages.iter_mut().enumerate() {
            *cost += if time_zone::is_written(index, zone) {
                0
            } else {
                ELSEWHERE
            };
        }
    }
    Priors {
        languages,
        rules: hints.rules,
        is_english: false,
        local,
    }
}
